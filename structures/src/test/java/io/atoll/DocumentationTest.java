package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** The classes and files that the documents name exist. Otherwise a class was renamed or a file was moved. */
class DocumentationTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final Pattern LINK = Pattern.compile("]\\(([^)#:]+)(?:#[^)]*)?\\)");
    private static final int README_LINES = 130;
    private static final Pattern MEMBER = Pattern.compile("`([A-Z]\\w+)\\.([a-z]\\w*)(?:\\([^`]*\\))?`");
    /** Matches {@code map.LongTable} and {@code LongTableTest}. Patterns and the JDK's classes are not checked. */
    private static final Pattern CLASS = Pattern.compile("`(?!java\\.)(?:[a-z]+\\.)*([A-Z]\\w+)(?:\\.[a-z/]\\w*)*`");

    private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    /** The code around a snippet. It declares the names that the snippet uses and does not declare. */
    private static final String SNIPPET = """
            import static java.time.Duration.ofSeconds;

            import io.atoll.*;
            import io.atoll.array.*;
            import io.atoll.collective.*;
            import io.atoll.epoch.*;
            import io.atoll.filter.*;
            import io.atoll.linked.*;
            import io.atoll.lock.*;
            import io.atoll.map.*;
            import io.atoll.memory.GlobalPointer;
            import io.atoll.queue.*;
            import java.lang.foreign.MemorySegment;
            import java.time.Duration;
            import java.util.List;
            import java.util.concurrent.locks.Lock;

            abstract class Snippet%d {

                record Order(long customer, int items, double total) {

                    String account() {
                        return "account " + customer;
                    }

                    String payer() {
                        return account();
                    }

                    String payee() {
                        return "shop";
                    }
                }

                World world;
                Collectives collectives;
                EpochManager epochs;
                LockTable accounts;
                Order order;
                GlobalPointer object;
                MemorySegment parameters;
                long[] sums;

                void run() throws Exception {
                    %s
                }
            }
            """;

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

    /** Classes of other libraries are not checked. */
    @ParameterizedTest
    @MethodSource("documents")
    void theMembersThatADocumentNamesExist(Path document) throws IOException {
        Map<String, Path> sources = sourcesByName();
        assertThat(MEMBER.matcher(Files.readString(ROOT.resolve(document))).results())
                .filteredOn(match -> sources.containsKey(match.group(1)))
                .allSatisfy(match -> assertThat(Files.readString(ROOT.resolve(sources.get(match.group(1)))))
                        .as(match.group())
                        .containsPattern("\\b" + match.group(2) + "\\b"));
    }

    @Test
    void theReadmeCanBeReadAtOnce() throws IOException {
        assertThat(Files.readAllLines(ROOT.resolve("README.md"))).hasSizeLessThanOrEqualTo(README_LINES);
    }

    /** Every line of Java in the documents that show how to use structures compiles. */
    @ParameterizedTest
    @ValueSource(strings = {"README.md", "docs/structures.md"})
    void whatADocumentShowsCompiles(String document, @TempDir Path folder) throws IOException {
        List<String> snippets = found(JAVA, Path.of(document)).stream()
                .filter(snippet -> !snippet.contains("@Service"))
                .toList();
        assertThat(snippets).isNotEmpty();
        for (int number = 0; number < snippets.size(); number++) {
            Path source = folder.resolve("Snippet" + number + ".java");
            Files.writeString(source, SNIPPET.formatted(number, snippets.get(number).replace("{ ... }", "{ }")));
            assertThat(ToolProvider.getSystemJavaCompiler()
                    .run(null, System.out, System.err, "-proc:none", "-d", folder.toString(), "-classpath",
                            System.getProperty("java.class.path"), source.toString()))
                    .as("what the compiler says to\n%s", snippets.get(number))
                    .isZero();
        }
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
    @ValueSource(strings = "docs/membership.md")
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
        return sourcesByName().keySet();
    }

    private static Map<String, Path> sourcesByName() throws IOException {
        return walk(path -> path.toString().endsWith(".java")).stream()
                .collect(Collectors.toMap(path -> path.getFileName().toString().replace(".java", ""), path -> path,
                        (one, _) -> one));
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
