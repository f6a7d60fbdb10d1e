package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.LineMap;
import com.sun.source.tree.MethodTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.SourcePositions;
import com.sun.source.util.TreeScanner;
import com.sun.source.util.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;

/**
 * The document of the architecture names the ten longest files and the ten longest methods, with their lines. A count
 * may be off by a twentieth, so that not each change of such a file needs one of the document.
 */
class LongestCodeTest {

    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();
    private static final int NAMED = 10;
    private static final double TOLERANCE = 0.05;
    private static final Pattern FILE = Pattern.compile("\\| \\[`(\\w+)`]\\([^)]+\\) \\| (\\d+) \\|");
    private static final Pattern METHOD = Pattern.compile("\\| `(\\w+\\.\\w+)` \\| (\\d+) \\|");

    /** Of files of one name the longest counts. */
    @Test
    void theTenLongestFilesAreNamedWithTheirLines() throws IOException {
        Map<String, Integer> lines = new HashMap<>();
        for (Path source : sources()) {
            lines.merge(source.getFileName().toString().replace(".java", ""), Files.readAllLines(source).size(),
                    Math::max);
        }
        assertThatTheLongestAreNamed(lines, FILE);
    }

    /** The body counts, without its braces. */
    @Test
    void theTenLongestMethodsAreNamedWithTheirLines() throws IOException {
        assertThatTheLongestAreNamed(methods(), METHOD);
    }

    private static void assertThatTheLongestAreNamed(Map<String, Integer> lines, Pattern row) throws IOException {
        Map<String, Integer> named = row
                .matcher(Files.readString(ROOT.resolve("docs/architecture.md")))
                .results()
                .collect(Collectors.toMap(match -> match.group(1), match -> Integer.parseInt(match.group(2))));
        Map<String, Integer> longest = lines.entrySet()
                .stream()
                .sorted(Map.Entry.<String, Integer>comparingByValue(Comparator.reverseOrder())
                        .thenComparing(Map.Entry.comparingByKey()))
                .limit(NAMED)
                .collect(Collectors.toMap(Map.Entry::getKey, Map.Entry::getValue));
        assertThat(named).as("named, where the longest are %s", longest).containsOnlyKeys(longest.keySet());
        longest.forEach((name, count) -> assertThat((double) named.get(name)).as("lines of %s", name)
                .isCloseTo(count, within(TOLERANCE * count)));
    }

    private static List<Path> sources() throws IOException {
        try (Stream<Path> files = Files.walk(ROOT)) {
            return files.filter(path -> path.toString().contains("/src/main/java/")
                    && path.toString().endsWith(".java")
                    && !path.toString().contains("/target/")).toList();
        }
    }

    private static Map<String, Integer> methods() throws IOException {
        JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var task = (JavacTask) compiler.getTask(null, files, null, List.of("-proc:none"), null,
                    files.getJavaFileObjectsFromPaths(sources()));
            var lengths = new Lengths(Trees.instance(task).getSourcePositions());
            for (CompilationUnitTree file : task.parse()) {
                lengths.scan(file, null);
            }
            return lengths.lines;
        }
    }

    /** Notes the lines of each method by the names of its type and its own. Of equal names the longest counts. */
    private static final class Lengths extends TreeScanner<Void, CompilationUnitTree> {

        private final SourcePositions positions;
        private final Map<String, Integer> lines = new HashMap<>();
        private final List<String> types = new ArrayList<>();

        private Lengths(SourcePositions positions) {
            this.positions = positions;
        }

        @Override
        public Void visitCompilationUnit(CompilationUnitTree file, CompilationUnitTree outer) {
            return super.visitCompilationUnit(file, file);
        }

        @Override
        public Void visitClass(ClassTree type, CompilationUnitTree file) {
            types.add(type.getSimpleName().toString());
            super.visitClass(type, file);
            types.removeLast();
            return null;
        }

        @Override
        public Void visitMethod(MethodTree method, CompilationUnitTree file) {
            if (method.getBody() != null && !types.getLast().isEmpty()) {
                LineMap map = file.getLineMap();
                long first = map.getLineNumber(positions.getStartPosition(file, method.getBody()));
                long last = map.getLineNumber(positions.getEndPosition(file, method.getBody()));
                String name = method.getReturnType() == null ? "new" : method.getName().toString();
                lines.merge(types.getLast() + "." + name, (int) (last - first - 1), Math::max);
            }
            return super.visitMethod(method, file);
        }
    }
}
