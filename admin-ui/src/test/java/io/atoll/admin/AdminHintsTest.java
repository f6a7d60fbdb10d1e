package io.atoll.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.springframework.aot.hint.RuntimeHints;
import org.springframework.aot.hint.predicate.RuntimeHintsPredicates;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;

class AdminHintsTest {

    @Test
    void everyFileThatIsServedIsNamed() throws IOException {
        RuntimeHints hints = new RuntimeHints();
        new AdminHints().registerHints(hints, getClass().getClassLoader());
        String root = getClass().getResource("/io/atoll/admin/page/index.html")
                .toString()
                .replace("page/index.html", "");
        var resolver = new PathMatchingResourcePatternResolver();
        var served = Stream.concat(Stream.of(resolver.getResources("classpath*:io/atoll/admin/page/**/*.*")),
                Stream.of(resolver.getResources("classpath*:io/atoll/admin/api/openapi.yaml"))).toList();
        assertThat(served).hasSizeGreaterThan(8);
        for (var file : served) {
            String path = "io/atoll/admin/" + file.getURL().toString().substring(root.length());
            assertThat(RuntimeHintsPredicates.resource().forResource(path)).as(path).accepts(hints);
        }
    }

    @Test
    void everyFileOfALibraryThatThePageUsesIsNamed() throws IOException {
        RuntimeHints hints = new RuntimeHints();
        new AdminHints().registerHints(hints, getClass().getClassLoader());
        String named = Stream.of("lib.js", "index.html").map(AdminHintsTest::text).collect(Collectors.joining());
        var libraries = Pattern.compile("lib/([\\w./-]+\\.(?:js|css))").matcher(named).results().toList();
        assertThat(libraries).hasSizeGreaterThan(5);
        for (var library : libraries) {
            String path = "META-INF/resources/webjars/" + library.group(1);
            assertThat(RuntimeHintsPredicates.resource().forResource(path)).as(path).accepts(hints);
        }
    }

    private static String text(String file) {
        try (InputStream page = AdminHintsTest.class.getResourceAsStream("/io/atoll/admin/page/" + file)) {
            return new String(page.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }
}
