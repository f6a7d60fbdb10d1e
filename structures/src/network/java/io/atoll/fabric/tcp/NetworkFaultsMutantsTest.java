package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.fabric.link.AccessControl;
import io.atoll.process.Faults;
import java.lang.classfile.CodeBuilder;
import java.lang.classfile.CodeTransform;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that the checks of {@link NetworkFaultsContract} find faults that are built into both processes. */
@Timeout(300)
@Tag("network")
class NetworkFaultsMutantsTest {

    private static final long LATE = 6; // times the silence timeout

    @TempDir
    private Path folder;

    /** Shows the fault by an assertion that fails. */
    @FunctionalInterface
    private interface Look {
        void at(AddingRanks ranks, Relay relay) throws Exception;
    }

    private void finds(Class<?> faulty, String method, CodeTransform fault, Look look) throws Exception {
        Path classes = Files.createDirectory(folder.resolve("classes"));
        Faults.write(classes, faulty, method, fault);
        try (RelayedPlace place = new RelayedPlace(classes); AddingRanks ranks = new AddingRanks(place, folder)) {
            ranks.awaitProgress();
            look.at(ranks, place.relay());
        }
    }

    private static void fails(Check check) {
        assertThatExceptionOfType(AssertionError.class).isThrownBy(check::run);
    }

    /** A check that must fail. */
    @FunctionalInterface
    private interface Check {
        void run() throws Exception;
    }

    private static void sumsAreWrong(AddingRanks ranks, Relay relay) {
        fails(ranks::assertSumsAreRight); // also because of what each thread sees
        fails(() -> ranks.assertSumsAreRight(ranks.words()));
    }

    @Test
    void anAdditionThatIsMadeTwiceIsFound() throws Exception {
        finds(FrameExecutor.class, "update", Faults.calls("getAndAdd", (code, call) -> code.dup2().ladd().with(call)),
                NetworkFaultsMutantsTest::sumsAreWrong);
    }

    @Test
    void anAdditionThatIsAcknowledgedAndNotMadeIsFound() throws Exception {
        finds(FrameExecutor.class, "update",
                Faults.calls("getAndAdd", (code, call) -> code.pop2().lconst_0().with(call)),
                NetworkFaultsMutantsTest::sumsAreWrong);
    }

    @Test
    void unknownOutcomesThatAreNotCountedAreFound() throws Exception {
        finds(LaneMonitor.class, "countUnknown", Faults.body(CodeBuilder::return_), (ranks, relay) -> {
            relay.hold(false, true);
            ranks.awaitFailures();
            relay.hold(false, false);
            ranks.awaitProgress();
            fails(ranks::assertSumsAreRight);
            ranks.assertSumsAreRight(ranks.words());
        });
    }

    @Test
    void aFenceThatLetsTheRankGoOnIsFound() throws Exception {
        finds(AccessControl.class, "fenceUpTo", Faults.calls("revoke", (code, _) -> code.pop2()), (ranks, _) -> {
            long[] fenced = ranks.fence();
            NetworkFaultsContract.pass(Duration.ofMillis(300));
            assertThat(ranks.words()).isNotEqualTo(fenced);
        });
    }

    @Test
    void threadsThatAreToldTooLateAreFound() throws Exception {
        finds(LaneMonitor.class, "<init>",
                Faults.calls("dividedBy", (code, call) -> code.with(call).loadConstant(LATE).lmul()),
                (ranks, relay) -> {
                    relay.hold(true, true);
                    ranks.awaitFailures();
                    fails(ranks::assertAllWereToldInTime);
                });
    }
}
