package io.atoll.lock.queue;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The models of the lock, {@code src/test/tla/ALock.tla} and {@code OwnRelease.tla}, checked by TLC: every order of the steps of a few processes, of which one dies. */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class LockModelTest {

    private static final Path MODELS = Path.of("src/test/tla");
    private static final String ONE_LOCAL = "Local = {1}\n Remote = {3, 4}\n Mortal = {4}\n Rounds = 1";
    private static final String THREE_REMOTE = "Local = {}\n Remote = {3, 4, 5}\n Mortal = {4}\n Rounds = 1";

    @TempDir
    private Path folder;

    /** What TLC says. */
    private String check(String processes, String leftOut, String properties) throws IOException, InterruptedException {
        return check("ALock", """
                SPECIFICATION Spec
                CONSTANTS
                  %s
                  LocalBudget = 1
                  RemoteBudget = 2
                  LeftOut = {%s}
                INVARIANTS MutualExclusion BudgetKept NothingLeft
                %s
                """.formatted(processes, leftOut, properties));
    }

    private String checkRelease(String leftOut) throws IOException, InterruptedException {
        return check("OwnRelease", """
                SPECIFICATION Spec
                CONSTANTS
                  Closers = {"a", "b"}
                  Operators = {"c", "d"}
                  LeftOut = {%s}
                INVARIANTS OneReleasesIt NobodyElseIsReleased OneHoldsIt
                PROPERTIES EachEnds
                """.formatted(leftOut));
    }

    private String check(String model, String configuration) throws IOException, InterruptedException {
        Files.copy(MODELS.resolve(model + ".tla"), folder.resolve(model + ".tla"));
        Files.writeString(folder.resolve(model + ".cfg"), configuration);
        Process process = new ProcessBuilder(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseParallelGC", "-Xmx2g", "-cp", System.getProperty("java.class.path"), "tlc2.TLC", "-workers",
                "2", "-metadir", folder.resolve("states").toString(), "-config", model + ".cfg", model + ".tla"))
                .directory(folder.toFile())
                .redirectErrorStream(true)
                .start();
        try {
            return new String(process.getInputStream().readAllBytes(), UTF_8);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    private static void assertHolds(String report) {
        assertThat(report).contains("Model checking completed. No error has been found.");
    }

    private void assertDeadlock(String processes, String ruleLeftOut) throws IOException, InterruptedException {
        assertThat(check(processes, '"' + ruleLeftOut + '"', "")).contains("Deadlock reached");
    }

    private void assertTwoHoldIt(String processes, String ruleLeftOut) throws IOException, InterruptedException {
        assertThat(check(processes, '"' + ruleLeftOut + '"', "")).contains("Invariant MutualExclusion is violated");
    }

    @Test
    void twoOfEachCohortOfWhichOneDiesHoldItOneAtATime() throws Exception {
        assertHolds(check("Local = {1, 2}\n Remote = {3, 4}\n Mortal = {4}\n Rounds = 1", "", ""));
    }

    @Test
    void threeOfTheRemoteCohortOfWhichOneDiesHoldItOneAtATime() throws Exception {
        assertHolds(check(THREE_REMOTE, "", ""));
    }

    @Test
    void nobodyStarves() throws Exception {
        assertHolds(check(ONE_LOCAL, "",
                "PROPERTIES NobodyStarves"));
    }

    @Test
    void withoutAVictimTwoHoldIt() throws Exception {
        assertTwoHoldIt("Local = {1}\n Remote = {3}\n Mortal = {}\n Rounds = 2", "victim");
    }

    @Test
    void whoEntersWithoutABudgetMayNotBeAlone() throws Exception {
        assertTwoHoldIt("Local = {1}\n Remote = {3, 4}\n Mortal = {}\n Rounds = 2", "budget");
    }

    @Test
    void aRepairThatHasToReadTheDeadWaitsForEverOnceItCannot() throws Exception {
        assertDeadlock(ONE_LOCAL, "survivors");
    }

    @Test
    void aRepairThatTakesForDeadWhomItCannotReadLetsTwoHoldIt() throws Exception {
        assertTwoHoldIt(ONE_LOCAL, "proof");
    }

    @Test
    void aRepairThatDoesNotLetOthersSettleLeavesThemWaiting() throws Exception {
        assertDeadlock(ONE_LOCAL, "settle");
    }

    @Test
    void aLinkThatIsTakenForOneOfTheNewEpochLeavesAWaiter() throws Exception {
        assertDeadlock(THREE_REMOTE, "epoch");
    }

    @Test
    void aReleaseThatDoesNotTellTheRepairLeavesAWaiter() throws Exception {
        assertDeadlock(THREE_REMOTE, "tell");
    }

    @Test
    void aRepairThatDoesNotHearOfAReleaseLeavesAWaiter() throws Exception {
        assertDeadlock(THREE_REMOTE, "told");
    }

    @Test
    void aLeaderThatPassesItsBudgetOnWhenItRetreatsLetsTwoHoldIt() throws Exception {
        assertTwoHoldIt(ONE_LOCAL, "retreat");
    }

    // --- an owner's lock that nobody else wanted ---

    @Test
    void ofAllThreadsThatReleaseItOneDoes() throws Exception {
        assertHolds(checkRelease(""));
    }

    @Test
    void whoseTailDoesNotNameTheTurnIsReleasedByWhoComesLate() throws Exception {
        assertThat(checkRelease("\"turn\"")).contains("is violated");
    }

    @Test
    void forceThatDoesNotChangeTheTailReleasesItASecondTime() throws Exception {
        assertThat(checkRelease("\"seize\"")).contains("is violated");
    }

    @Test
    void whoDoesNotAskWhetherSomebodyStandsBehindItReleasesItASecondTime() throws Exception {
        assertThat(checkRelease("\"behind\"")).contains("is violated");
    }
}
