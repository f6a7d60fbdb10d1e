package io.atoll.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** No rank gets a run that another may have, and no run is lost. Ranks may pause and die at any step. */
@Tag("simulation")
class RunSimulationTest {

    private static final HeapArea SPACIOUS = RunWorld.area(14);
    private static final HeapArea CROWDED = RunWorld.area(6);

    private static final SimOptions OPTIONS = SimOptions.ranks(RunWorld.RANKS).segmentBytes(8192).pauses(0.01);
    private static final SimOptions DEADLY = OPTIONS.kills(0.01, 1, 2);

    private final UnaryOperator<Fabric> faithful = UnaryOperator.identity();

    private static SimOptions options(long seed) {
        SimOptions options = DEADLY.guarantees(SimOptions.EVERY_FABRIC.get((int) (seed % 3)));
        return seed % 2 == 0 ? options : options.zombies();
    }

    @Test
    void noRunIsHeldTwiceAndNoneIsLost() {
        Seeds.each(1_000, seed -> new RunWorld(seed, options(seed), SPACIOUS, faithful).run());
    }

    @Test
    void norByJoiningAndSplitting() {
        Seeds.each(2_000, seed -> new RunWorld(seed, options(seed), CROWDED, faithful).run());
    }

    @Test
    void norByAKillBetweenAnyTwoSteps() {
        for (int step = 1; step <= 500; step++) {
            new RunWorld(step, OPTIONS.killAt(1, step), CROWDED, faithful).run();
        }
    }

    // Counts the seeds until a mistake is noticed. Everything goes over the fabric here, so that the mutations see it.

    private static int seedsUntilFailure(UnaryOperator<Fabric> mutation) {
        SimOptions options = DEADLY.guarantees(SimOptions.NETWORK_CARD);
        return Seeds.untilFailure(2_000, seed -> new RunWorld(seed, options, CROWDED, mutation).run());
    }

    @Test
    void aRunThatIsReservedFirstAndSignedAfterwardsIsLostWithItsRank() {
        assertThat(seedsUntilFailure(fabric -> new MutatedFabric(fabric) {
            @Override
            public long compareAndExchange(int rank, long offset, long expected, long value) {
                boolean reserves = expected == 0 && SlabWord.state(value) == SlabWord.PENDING;
                long unsigned = SlabWord.pending(SlabWord.length(value), 0, 0);
                long witness = super.compareAndExchange(rank, offset, expected, reserves ? unsigned : value);
                if (reserves && witness == expected) {
                    writeWord(rank, offset, value);
                }
                return witness;
            }
        })).isPositive();
    }

    @Test
    void aReusedRunThatIsNotZeroedIsNoticed() {
        assertThat(seedsUntilFailure(fabric -> new MutatedFabric(fabric) {
            @Override
            public void write(int rank, long offset, MemorySegment source, long position, long bytes) {
                if (bytes < RunWorld.SLAB_BYTES) {
                    super.write(rank, offset, source, position, bytes);
                }
            }
        })).isPositive();
    }

    @Test
    void aNeighbourThatStaysFreeWhileItIsJoinedIsNoticed() {
        assertThat(seedsUntilFailure(fabric -> new MutatedFabric(fabric) {
            @Override
            public long compareAndExchange(int rank, long offset, long expected, long value) {
                return SlabWord.state(value) == SlabWord.JOINED && SlabWord.state(expected) == SlabWord.FREE
                        ? readWord(rank, offset)
                        : super.compareAndExchange(rank, offset, expected, value);
            }
        })).isPositive();
    }

    @Test
    void aBumpWordLosesTheSlabsOfWhoDiesBetweenItAndTheMark() {
        long bump = 64;
        long table = 128;
        var lost = new AtomicInteger();
        Seeds.each(200, seed -> {
            var simulation = Simulation.run(seed, DEADLY, rank -> {
                for (int i = 0; i < 20; i++) {
                    long slab = rank.endpoint().getAndAdd(0, bump, 1);
                    rank.endpoint().compareAndExchange(0, table + slab * 8, 0, SlabWord.pending(1, rank.rank(), 1));
                }
            });
            for (long slab = 0; slab < simulation.endpoint(0).readWord(0, bump); slab++) {
                lost.addAndGet(simulation.endpoint(0).readWord(0, table + slab * 8) == 0 ? 1 : 0);
            }
        });
        Seeds.together(() -> assertThat(lost.get()).isPositive());
    }
}
