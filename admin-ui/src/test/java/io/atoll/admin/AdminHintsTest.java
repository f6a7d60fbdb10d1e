package io.atoll.admin;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
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
}
