package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What the documents name is there: a class that was renamed, a file that was moved. */
class DocumentationTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+)(?:#[^)]*)?\\)");
    /** {@code map.LongTable}, {@code LongTableTest}; members, patterns and the JDK are not looked at. */
    private static final Pattern CLASS = Pattern.compile("`(?!java\\.)(?:[a-z]+\\.)*([A-Z]\\w+)(?:\\.[a-z/]\\w*)*`");

    private static final Pattern YAML = Pattern.compile("```yaml\\n(.*?)```", Pattern.DOTALL);

    @ParameterizedTest
    @MethodSource("documents")
    void theFilesADocumentLinksToExist(Path document) throws IOException {
        assertThat(found(LINK, document))
                .allSatisfy(link -> assertThat(ROOT.resolve(document).resolveSibling(link)).exists());
    }

    @Test
    void theClassesThatThePapersBecameExist() throws IOException {
        assertThat(sources()).containsAll(found(CLASS, Path.of("docs/papers.md")));
    }

    @Test
    void noTwoDecisionsHaveTheSameNumber() throws IOException {
        try (Stream<Path> decisions = Files.list(ROOT.resolve("docs/decisions"))) {
            assertThat(decisions.map(decision -> decision.getFileName().toString().substring(0, 4)))
                    .isNotEmpty()
                    .doesNotHaveDuplicates();
        }
    }

    /** Without a rank the first process of each host takes rank 0. */
    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/hosts.md"})
    void aWorldOfSeveralHostsIsShownWithARankForEachProcess(String document) throws IOException {
        assertThat(found(YAML, Path.of(document)))
                .filteredOn(lines -> lines.contains("world:") && lines.contains("membership:"))
                .isNotEmpty()
                .allSatisfy(lines -> assertThat(lines).containsPattern("\\brank: "));
    }

    static List<Path> documents() throws IOException {
        return walk(path -> path.toString().endsWith(".md"));
    }

    private static Set<String> sources() throws IOException {
        return walk(path -> path.toString().endsWith(".java")).stream()
                .map(path -> path.getFileName().toString().replace(".java", ""))
                .collect(Collectors.toSet());
    }

    private static List<Path> walk(Predicate<Path> wanted) throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.map(ROOT::relativize)
                    .filter(wanted)
                    .filter(path -> !path.startsWith(".git") && !path.toString().contains("target/")
                            && !path.toString().contains("node_modules/"))
                    .toList();
        }
    }

    private static List<String> found(Pattern pattern, Path document) throws IOException {
        return pattern.matcher(Files.readString(ROOT.resolve(document)))
                .results()
                .map(match -> match.group(1))
                .distinct()
                .toList();
    }
}
