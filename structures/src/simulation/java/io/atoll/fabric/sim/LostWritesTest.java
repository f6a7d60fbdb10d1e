package io.atoll.fabric.sim;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.failure.RankUnreachableException;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A thread is told that its writes were lost with a simulated connection, even if another thread hears of the loss. */
@Tag("simulation")
class LostWritesTest {

    private static final int SEEDS = 500;
    private static final long DATA = 64;
    private static final long FLAG = 128;

    @ParameterizedTest
    @FieldSource("io.atoll.map.MapSimulation#REMOTE_FABRICS")
    void anAtomicThatReturnsSaysThatTheThreadsWritesHaveArrivedThoughAnotherThreadFlushes(Guarantees guarantees) {
        Seeds.each(SEEDS, seed -> {
            var options = SimOptions.ranks(2).guarantees(guarantees).segmentBytes(128 << 10).breaks(0.2, 2);
            Simulation simulation = Simulation.run(seed, options, rank -> {
                if (rank.rank() == 0) {
                    rank.inParallel(2, thread -> orFail(thread == 0 ? LostWritesTest::publish : LostWritesTest::flush,
                            rank.fabric()));
                }
            });
            Fabric fabric = simulation.fabric(1);
            assertThat(fabric.readWord(1, DATA)).isGreaterThanOrEqualTo(fabric.readWord(1, FLAG));
        });
    }

    private interface Body {
        void run(Fabric fabric);
    }

    private static void orFail(Body body, Fabric fabric) {
        try {
            body.run(fabric);
        } catch (RankUnreachableException lost) {
            // The thread has been told.
        }
    }

    private static void publish(Fabric fabric) {
        fabric.writeWord(1, DATA, 1);
        fabric.clock().pause(2);
        fabric.compareAndExchange(1, FLAG, 0, 1);
    }

    private static void flush(Fabric fabric) {
        for (int times = 0; times < 5; times++) {
            orFail(each -> each.flush(1), fabric);
        }
    }
}
