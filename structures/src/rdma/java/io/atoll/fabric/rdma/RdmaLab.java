package io.atoll.fabric.rdma;

import static org.junit.platform.engine.discovery.ClassNameFilter.includeClassNamePatterns;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClasspathRoots;
import static org.junit.platform.launcher.EngineFilter.includeEngines;
import static org.junit.platform.launcher.TagFilter.includeTags;
import static org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder.request;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.platform.engine.support.descriptor.ClassSource;
import org.junit.platform.launcher.TestPlan;
import org.junit.platform.launcher.core.LauncherFactory;

/**
 * Runs the tests that need an RDMA device in the lab. The lab is a virtual machine that has such a device in software
 * and sees this machine's files. It is emulated and slow, so this program does what it can beforehand: it compiles the
 * tests, and finds them. It ends with the status of the tests. If the lab cannot run, it says what is missing and ends
 * with 0.
 *
 * <p>Arguments: the folder of the lab's script, a regular expression for the names of the test classes, and an
 * expression for the tags of the tests. The working folder is that of the module that contains the tests.
 */
final class RdmaLab {

    /** The property that names the C library. It does in C what the test measures in Java. */
    static final String C_LIBRARY = "rdma-lab.c-library";

    static final String NO_COMPILER = "no C compiler with the headers: apt-get install gcc libc6-dev libibverbs-dev";

    private static final Path C_SOURCE = Path.of("src", "test", "resources",
            RdmaLab.class.getPackageName().replace('.', '/'), "compare-and-swap.c");
    private static final int SKIPPED = 77;

    private RdmaLab() {}

    public static void main(String[] arguments) throws IOException, InterruptedException {
        List<String> testClasses = testClasses(arguments[1], arguments[2]);
        if (testClasses.isEmpty()) {
            System.out.println("== rdma lab: no tests here: folder=" + Path.of("").toAbsolutePath());
            return;
        }
        Process lab = new ProcessBuilder(Path.of(arguments[0], "rdma-lab.sh").toString(),
                command(testClasses, arguments[2]))
                .inheritIO()
                .start();
        int status = lab.waitFor();
        System.exit(status == SKIPPED ? 0 : status);
    }

    private static List<String> testClasses(String classNames, String tags) {
        TestPlan plan = LauncherFactory.create()
                .discover(request().selectors(selectClasspathRoots(Set.of(Path.of("target", "test-classes"))))
                        .filters(includeEngines("junit-jupiter"), includeClassNamePatterns(classNames),
                                includeTags(tags))
                        .build());
        return plan.getRoots()
                .stream()
                .flatMap(root -> plan.getChildren(root).stream())
                .map(test -> (ClassSource) test.getSource().orElseThrow())
                .map(ClassSource::getClassName)
                .toList();
    }

    private static String command(List<String> testClasses, String tags) throws IOException, InterruptedException {
        List<String> words = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea",
                        "-XX:+UseSerialGC", "--enable-native-access=ALL-UNNAMED",
                        "-D" + C_LIBRARY + "=" + compiled(), "-cp",
                        System.getProperty("java.class.path"), RdmaTests.class.getName(), tags));
        words.addAll(testClasses);
        return String.join(" ", words.stream().map(RdmaLab::quote).toList());
    }

    /** Returns the C library, or an empty text if it cannot be compiled. */
    private static String compiled() throws IOException, InterruptedException {
        if (!Files.exists(C_SOURCE)) {
            return ""; // another module, which does not have the library
        }
        Path library = Files.createDirectories(Path.of("target", "rdma-lab"))
                .resolve("compare-and-swap.so")
                .toAbsolutePath();
        try {
            Process compiler = new ProcessBuilder("cc", "-O2", "-Wall", "-Werror", "-shared", "-fPIC", "-o",
                    library.toString(),
                    C_SOURCE.toString(), "-libverbs").inheritIO().start();
            if (compiler.waitFor() == 0) {
                return library.toString();
            }
        } catch (IOException noCompiler) {
            System.out.println("== rdma lab: " + noCompiler.getMessage());
        }
        System.out.println("== rdma lab: the comparison with C is skipped: " + NO_COMPILER);
        return "";
    }

    private static String quote(String word) {
        return "'" + word.replace("'", "'\\''") + "'";
    }
}
