package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.regex.MatchResult;
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
    private static final int COLUMNS = 120;
    private static final Pattern MEMBER = Pattern.compile("`([A-Z]\\w+)\\.([a-z]\\w*)(?:\\([^`]*\\))?`");
    /** Matches {@code map.LongTable} and {@code LongTableTest}. Patterns and the JDK's classes are not checked. */
    private static final Pattern CLASS = Pattern.compile("`(?!java\\.)(?:[a-z]+\\.)*([A-Z]\\w+)(?:\\.[a-z/]\\w*)*`");

    private static final Pattern PARENT = Pattern.compile("(?:extends|implements) ([A-Z]\\w+)");
    private static final Pattern JAVA = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);

    /** The code around a snippet. It declares the names that the snippet uses and does not declare. */
    private static final String SNIPPET = """
            import static java.time.Duration.ofSeconds;

            import io.atoll.*;
            import io.atoll.array.*;
            import io.atoll.collective.*;
            import io.atoll.completion.*;
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

                record Order(long article, int items, double total) {}

                World world;
                Collectives collectives;
                EpochManager epochs;
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

    /** Nothing is known of classes of other libraries, and the changelog names what is gone. */
    @ParameterizedTest
    @MethodSource("documentsOfWhatIsThere")
    void theMembersThatADocumentNamesExist(Path document) throws IOException {
        Map<String, List<Path>> sources = sourcesByName();
        List<String> unknown = new ArrayList<>();
        for (MatchResult named : MEMBER.matcher(Files.readString(ROOT.resolve(document))).results().toList()) {
            if (sources.containsKey(named.group(1)) && !isMember(sources, named.group(1), named.group(2))) {
                unknown.add(named.group());
            }
        }
        assertThat(unknown).isEmpty();
    }

    /** Returns true if a type of that name, or one that it extends, has the member. */
    private static boolean isMember(Map<String, List<Path>> sources, String type, String member) throws IOException {
        for (Path path : sources.get(type)) {
            String source = Files.readString(ROOT.resolve(path));
            if (Pattern.compile("\\b" + member + "\\b").matcher(source).find()) {
                return true;
            }
            for (MatchResult parent : PARENT.matcher(source).results().toList()) {
                String name = parent.group(1);
                if (sources.containsKey(name) && !name.equals(type) && isMember(sources, name, member)) {
                    return true;
                }
            }
        }
        return false;
    }

    /** Texts of other languages stand in text blocks, and the formatter puts an annotation on one line. */
    @Test
    void noLineOfJavaIsTooLong() throws IOException {
        List<String> tooLong = new ArrayList<>();
        for (Path source : walk(path -> path.toString().endsWith(".java"))) {
            boolean isInTextBlock = false;
            for (String line : Files.readAllLines(ROOT.resolve(source))) {
                boolean isBorder = line.contains("\"\"\"");
                isInTextBlock ^= isBorder;
                boolean isText = isInTextBlock || isBorder || line.stripLeading().startsWith("@");
                if (!isText && line.length() > COLUMNS) {
                    tooLong.add(source + ": " + line.strip());
                }
            }
        }
        assertThat(tooLong).isEmpty();
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

    static List<Path> documentsOfWhatIsThere() throws IOException {
        return documents().stream().filter(document -> !document.endsWith("CHANGELOG.md")).toList();
    }

    private static Set<String> sources() throws IOException {
        return sourcesByName().keySet();
    }

    private static Map<String, List<Path>> sourcesByName() throws IOException {
        return walk(path -> path.toString().endsWith(".java")).stream()
                .collect(Collectors.groupingBy(path -> path.getFileName().toString().replace(".java", "")));
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
