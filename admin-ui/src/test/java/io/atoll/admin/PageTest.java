package io.atoll.admin;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.core.io.support.PathMatchingResourcePatternResolver;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.test.web.servlet.client.RestTestClient;

class PageTest {

    private static World world;
    private static Console console;

    @BeforeAll
    static void start() {
        world = World.named("shop").segment(4 << 20).open();
        console = Console.start(world);
    }

    @AfterAll
    static void stop() {
        console.close();
        world.close();
    }

    private static RestTestClient.ResponseSpec get(String path) {
        return console.client().get().uri(path).exchange();
    }

    private static String text(String path) {
        return get(path).expectStatus().isOk().expectBody(String.class).returnResult().getResponseBody();
    }

    private static List<String> matches(String pattern, String text) {
        return Pattern.compile(pattern).matcher(text).results().map(MatchResult::group).toList();
    }

    @Test
    void thePageIsServedUnderItsShortName() {
        get("/atoll").expectStatus().isFound().expectHeader().valueMatches(HttpHeaders.LOCATION, ".*/atoll/");
        get("/atoll/").expectStatus().isOk().expectHeader().contentTypeCompatibleWith(MediaType.TEXT_HTML);
    }

    @Test
    void browsersAreToldToTrustNothingElseAndToKeepNoAnswer() {
        for (String path : List.of("/atoll/", "/atoll/atoll.js", "/atoll/api/world", "/atoll/api/nothing")) {
            get(path).expectHeader()
                    .valueEquals("X-Content-Type-Options", "nosniff")
                    .expectHeader()
                    .valueEquals("X-Frame-Options", "DENY")
                    .expectHeader()
                    .valueEquals("Referrer-Policy", "no-referrer")
                    .expectHeader()
                    .valueMatches("Content-Security-Policy", "default-src 'self';.*frame-ancestors 'none'");
        }
        get("/atoll/api/world").expectHeader().valueEquals(HttpHeaders.CACHE_CONTROL, "no-store");
        get("/atoll/atoll.js").expectHeader().valueEquals(HttpHeaders.CACHE_CONTROL, "no-cache");
    }

    @Test
    void whatThePageNamesIsThere() {
        List<String> names = matches("(?<=(href|src)=\")[a-z][^\"]+", text("/atoll/"));
        assertThat(names).contains("atoll.js", "atoll.css", "api/openapi.yaml");
        names.forEach(name -> get("/atoll/" + name).expectStatus().isOk());
        get("/atoll/atoll.js").expectHeader().valueMatches(HttpHeaders.CONTENT_TYPE, ".*/javascript.*");
    }

    @Test
    void everyViewOfTheListHasItsFileAndIsServed() {
        List<String> views = matches("(?<=')\\w+(?=')", text("/atoll/views.js"));
        assertThat(views).startsWith("overview");
        views.forEach(view -> assertThat(text("/atoll/views/" + view + ".js")).contains("export const title", "load",
                "draw"));
    }

    @Test
    void theLibrariesThatItNamesAreServedByItselfAndKept() {
        List<String> files = matches("(?<=')\\./lib/[^']+(?=')", text("/atoll/lib.js"));
        assertThat(files).hasSizeGreaterThan(4);
        files.forEach(file -> get("/atoll/" + file.substring(2)).expectStatus()
                .isOk()
                .expectHeader()
                .valueMatches(HttpHeaders.CONTENT_TYPE, ".*/javascript.*")
                .expectHeader()
                .valueMatches(HttpHeaders.CACHE_CONTROL, "max-age=\\d+, immutable"));
        get("/atoll/lib/").expectStatus().isNotFound();
    }

    @Test
    void noOtherFileNamesALibrary() throws IOException {
        for (Resource file : files("js")) {
            if (!"lib.js".equals(file.getFilename())) {
                assertThat(file.getContentAsString(StandardCharsets.UTF_8)).as(file.getFilename())
                        .doesNotContain("/lib/");
            }
        }
    }

    /** The page's policy forbids them. They would have no effect, and no error would be reported. */
    @Test
    void noTemplateHasStylesOrScripts() throws IOException {
        for (Resource file : files("js")) {
            assertThat(file.getContentAsString(StandardCharsets.UTF_8)).as(file.getFilename())
                    .doesNotContainPattern("\\bstyle=|'style'|<script|\\son\\w+=|innerHTML|unsafeHTML|\\beval\\(");
        }
    }

    private static Resource[] files(String extension) throws IOException {
        return new PathMatchingResourcePatternResolver()
                .getResources("classpath*:/io/atoll/admin/page/**/*." + extension);
    }

    @Test
    void nothingComesFromElsewhere() throws IOException {
        Resource[] files = files("*");
        assertThat(files).hasSizeGreaterThan(5);
        for (Resource file : files) {
            String text = file.getContentAsString(StandardCharsets.UTF_8).replace("http://www.w3.org/2000/svg", "");
            assertThat(text).as(file.getFilename()).doesNotContainPattern("https?:|[\"'(]//");
        }
    }
}
