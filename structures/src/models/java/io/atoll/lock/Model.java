package io.atoll.lock;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * A model of {@code src/models/tla}. TLC checks every order of the steps of a few processes, in a process of its own.
 */
final class Model {

    /** The words of a report on a model that has held. */
    static final String HOLDS = "Model checking completed. No error has been found.";

    private static final Path MODELS = Path.of("src/models/tla");

    private Model() {}

    /**
     * Returns TLC's report of the lock with these processes.
     *
     * @param leftOut the name of the rule to leave out, or nothing
     * @param properties the properties to check in addition to those that are always checked
     */
    static String checkLock(Path folder, String processes, String leftOut, String properties)
            throws IOException, InterruptedException {
        return check(folder, "ALock", """
                SPECIFICATION Spec
                CONSTANTS
                  %s
                  LocalBudget = 1
                  RemoteBudget = 2
                  LeftOut = {%s}
                INVARIANTS MutualExclusion BudgetKept NothingLeft NobodyLeavesAFreeLock
                %s
                """.formatted(processes, quoted(leftOut), properties));
    }

    /** Returns TLC's report of an owner's release, without the rule of that name. */
    static String checkRelease(Path folder, String leftOut) throws IOException, InterruptedException {
        return check(folder, "OwnRelease", """
                SPECIFICATION Spec
                CONSTANTS
                  Closers = {"a", "b"}
                  Operators = {"c", "d"}
                  LeftOut = {%s}
                INVARIANTS OneReleasesIt NobodyElseIsReleased OneHoldsIt
                PROPERTIES EachEnds
                """.formatted(quoted(leftOut)));
    }

    private static String quoted(String rule) {
        return rule.isEmpty() ? "" : '"' + rule + '"';
    }

    /**
     * Checks a model. The start of the virtual machine takes most of a short check, so it compiles little. TLC unpacks
     * its own modules to the folder of temporary files, and deletes them there at its end. So each check has a folder
     * of its own.
     */
    private static String check(Path folder, String model, String configuration)
            throws IOException, InterruptedException {
        Files.copy(MODELS.resolve(model + ".tla"), folder.resolve(model + ".tla"));
        Files.writeString(folder.resolve(model + ".cfg"), configuration);
        Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Xmx2g", "-Djava.io.tmpdir=" + folder, "-cp",
                System.getProperty("java.class.path"),
                "tlc2.TLC", "-workers", "2", "-metadir", folder.resolve("states").toString(), "-config",
                model + ".cfg", model + ".tla"))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        try {
            return new String(process.getInputStream().readAllBytes(), UTF_8);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
