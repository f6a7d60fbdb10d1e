package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.process.ChildProcess;
import java.io.IOException;
import java.lang.classfile.ClassFile;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * If the initialization of a class fails once, for lack of memory or stack, the class can never be used again. So an
 * open table leaves no class of its locks to be initialized later.
 */
@Tag("processes")
@Timeout(value = 240, unit = TimeUnit.SECONDS)
class InitializedClassesTest {

    /** What opens a table, or looks on. */
    private static final String NOT_BY_LOCKS = "(LockAlgorithm|LockTable|OpenLockTable|CountSums|Demander|ForcedUnlock"
            + "|LockState|LockTotals|LockView|WaitGraph).*";

    private static final Pattern INITIALIZED = Pattern.compile("Initializing '([^']+)'");

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void aTableThatIsOpenHasInitializedAllClassesThatItsLocksUse(LockAlgorithm algorithm) throws Exception {
        try (ChildProcess process = ChildProcess.start(OpenTableProcess.class, "-Xlog:class+init=info")) {
            process.ask("open " + folder + " " + algorithm);
            Set<String> initialized = new HashSet<>();
            for (String remark : process.remarks()) {
                Matcher line = INITIALIZED.matcher(remark);
                if (line.find()) {
                    initialized.add(line.group(1));
                }
            }
            String others = algorithm == LockAlgorithm.SPIN ? "Queue.*|QueueRepair.*" : "Spin.*";
            Set<String> used = withInitializers(Pattern.compile(NOT_BY_LOCKS + '|' + others).asMatchPredicate());
            assertThat(used).hasSizeGreaterThan(5);
            assertThat(initialized).containsAll(used);
        }
    }

    private static Set<String> withInitializers(Predicate<String> leftOut) throws IOException, URISyntaxException {
        Path main = Path.of(LockTable.class.getResource("LockTable.class").toURI()).getParent();
        Set<String> names = new TreeSet<>();
        try (var files = Files.newDirectoryStream(main,
                file -> file.toString().endsWith(".class") && !leftOut.test(file.getFileName().toString()))) {
            for (Path file : files) {
                var type = ClassFile.of().parse(file);
                if (type.methods().stream().anyMatch(method -> method.methodName().equalsString("<clinit>"))) {
                    names.add(type.thisClass().asInternalName());
                }
            }
        }
        return names;
    }
}
