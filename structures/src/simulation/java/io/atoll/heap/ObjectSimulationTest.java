package io.atoll.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * No object is handed out while it may be in use. A death loses only what was under way. Ranks may pause and die at any
 * step.
 */
@Tag("simulation")
class ObjectSimulationTest {

    private static final HeapArea SPACIOUS = ObjectWorld.area(8);
    private static final HeapArea CROWDED = ObjectWorld.area(3);

    private static final SimOptions OPTIONS = SimOptions.ranks(ObjectWorld.RANKS).segmentBytes(8192).pauses(0.01);
    private static final SimOptions DEADLY = OPTIONS.kills(0.008, 1, 2);

    private final UnaryOperator<Fabric> faithful = UnaryOperator.identity();

    private static SimOptions options(long seed) {
        SimOptions options = DEADLY.guarantees(SimOptions.EVERY_FABRIC.get((int) (seed % 3)));
        return seed % 2 == 0 ? options : options.zombies();
    }

    @Test
    void noObjectIsHandedOutTwiceAndNoneIsLost() {
        Seeds.each(1_000, seed -> new ObjectWorld(seed, options(seed), SPACIOUS, 1, faithful).run());
    }

    @Test
    void norInAHeapThatIsFullMostOfTheTime() {
        Seeds.each(1_000, seed -> new ObjectWorld(seed, options(seed), CROWDED, 1, faithful).run());
    }

    @Test
    void norByThreadsOfOneRank() {
        Seeds.each(500, seed -> new ObjectWorld(seed, options(seed), CROWDED, 3, faithful).run());
    }

    @Test
    void norByAKillBetweenAnyTwoSteps() {
        for (int step = 1; step <= 400; step++) {
            new ObjectWorld(step, OPTIONS.killAt(1, step), CROWDED, 1, faithful).run();
        }
    }

    @Test
    void whileNobodyDiesAllRoomIsAnnounced() {
        Seeds.each(500, seed -> new ObjectWorld(seed, OPTIONS, SPACIOUS, 2, faithful).run());
    }

    // Counts the seeds until a mistake is noticed. Everything goes over the fabric here, so that the mutations see it.

    private static int seedsUntilFailure(SimOptions options, HeapArea area, UnaryOperator<Fabric> mutation) {
        SimOptions viaFabric = options.guarantees(SimOptions.NETWORK_CARD);
        return Seeds.untilFailure(1_000, seed -> new ObjectWorld(seed, viaFabric, area, 1, mutation).run());
    }

    private static boolean isMark(long offset) {
        SizeClass sizeClass = CROWDED.sizeClass(0);
        long within = (offset - CROWDED.slabOffset(0)) % CROWDED.slabBytes();
        return offset >= CROWDED.slabOffset(0) && within >= sizeClass.markOffset(0) && within < sizeClass.headerBytes();
    }

    @Test
    void anObjectThatIsHandedOutWithoutAMarkIsTakenFromTheLiving() {
        assertThat(seedsUntilFailure(DEADLY, CROWDED, fabric -> new MutatedFabric(fabric) {
            @Override
            public void writeWord(int rank, long offset, long value) {
                if (!isMark(offset)) {
                    super.writeWord(rank, offset, value);
                }
            }
        })).isPositive();
    }

    @Test
    void aCacheThatIsNotMarkedIsLostWithItsRank() {
        assertThat(seedsUntilFailure(DEADLY, CROWDED, fabric -> new MutatedFabric(fabric) {
            @Override
            public void write(int rank, long offset, MemorySegment source, long position, long bytes) {
                boolean releases = source.get(ValueLayout.JAVA_LONG, position) == SizeClass.HANDED_OUT;
                if (!isMark(offset) || releases) {
                    super.write(rank, offset, source, position, bytes);
                }
            }
        })).isPositive();
    }

    @Test
    void aSlabThatIsGivenUpWithoutAnotherLookIsForgotten() {
        assertThat(seedsUntilFailure(OPTIONS, SPACIOUS, fabric -> new MutatedFabric(fabric) {

            private long givenUp; // the slab whose second look is left out

            @Override
            public long compareAndExchange(int rank, long offset, long expected, long value) {
                if (SlabWord.state(value) == SlabWord.FULL) {
                    givenUp = SPACIOUS.slabOffset((int) (offset - SPACIOUS.wordOffset(0)) / Long.BYTES);
                }
                return super.compareAndExchange(rank, offset, expected, value);
            }

            @Override
            public void read(int rank, long offset, MemorySegment target, long position, long bytes) {
                if (offset == givenUp) {
                    givenUp = 0;
                    target.asSlice(position, bytes).fill((byte) 0);
                } else {
                    super.read(rank, offset, target, position, bytes);
                }
            }
        })).isPositive();
    }
}
