package io.atoll.spring.documentation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringBootVersion;
import org.w3c.dom.Document;

/** Tests that the documentation's example application does what the documentation says. */
@Tag("slow")
class ExampleTest {

    private static final Path DOCUMENT = Path.of("..", "docs", "spring.md");

    @TempDir
    Path folder;

    private ExampleProject example;

    @BeforeEach
    void write() throws IOException {
        example = ExampleProject.write(DOCUMENT, folder);
    }

    @Test
    void theExampleCompilesAndItsTestPasses() throws Exception {
        Files.createDirectories(folder.resolve("target/classes"));
        example.compile();
        var summary = example.run("com.example.CheckoutTest");
        assertThat(summary.getFailures()).isEmpty();
        assertThat(summary.getTestsSucceededCount()).isOne();
    }

    /** The types are not public, as in many applications. */
    @Test
    void theExampleIsProcessedAheadOfTimeAndStartsFromWhatWasGenerated() throws Exception {
        Files.createDirectories(folder.resolve("target/classes"));
        example.compile();
        example.processAheadOfTime("com.example.Shop");
        example.compile();
        assertThat(example.start("com.example.Shop")).contains("Starting AOT-processed Shop", "takes part: world=shop");
    }

    @Test
    void itsPomNamesThisVersionAndTheSpringBootItIsBuiltWith() throws Exception {
        Document own = DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(Path.of("pom.xml").toFile());
        Document pom = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(example.file("pom.xml").toFile());
        XPath path = XPathFactory.newInstance().newXPath();
        String starter = "/project/dependencies/dependency[artifactId='" + path.evaluate("/project/artifactId", own)
                + "']";
        assertThat(path.evaluate(starter + "/groupId", pom)).isEqualTo(path.evaluate("/project/parent/groupId", own));
        assertThat(path.evaluate(starter + "/version", pom)).isEqualTo(path.evaluate("/project/parent/version", own));
        assertThat(path.evaluate("/project/parent/version", pom)).isEqualTo(SpringBootVersion.getVersion());
        assertThat(path.evaluate("/project/properties/java.version", pom)).isEqualTo("25");
    }
}
