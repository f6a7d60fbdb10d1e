package io.atoll.map;

import static io.atoll.fabric.sim.SimOptions.NETWORK_CARD;
import static io.atoll.fabric.sim.SimOptions.SHARED_MEMORY;
import static io.atoll.fabric.sim.SimOptions.WEAKEST;

import io.atoll.fabric.sim.SimOptions;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mistakes in {@link LongTable} must not go unnoticed: the seeds that {@link LongLongMapSimulationTest} passes find
 * each of them.
 */
@Tag("simulation")
class LongTableMutationTest {

    /** Opens a table, or one with a mistake in it. */
    interface Tables {
        LongTable open(String name, Participant participant, Blocks blocks);
    }

    private static void assertIsFound(SimOptions options, Tables tables) {
        Mutation.assertIsFound(MapSimulation.SEEDS,
                MapWorld.trial(options, MapOperation.OF_LONG_MAPS, MapWorld.KEYS, rank -> {
                    Participant participant = MapWorld.participant(rank);
                    LongTable table = tables.open("map", participant, MapWorld.fixedBlocks());
                    return MapClient.of(table);
                }));
    }

    static final class IncrementsByReadAndWrite extends LongTable {

        IncrementsByReadAndWrite(String name, Participant participant, Blocks blocks) {
            super(name, participant, blocks);
        }

        @Override
        long add(int owner, long bucket, long delta) {
            long word = endpoint.readWord(owner, bucket);
            endpoint.writeWord(owner, bucket, word + delta);
            return word;
        }
    }

    @Test
    void anIncrementOfReadAndWriteIsFound() {
        assertIsFound(MapWorld.pausing(NETWORK_CARD), IncrementsByReadAndWrite::new);
    }

    private static final class WritesTheValueFirst extends LongTable {

        WritesTheValueFirst(String name, Participant participant, Blocks blocks) {
            super(name, participant, blocks);
        }

        @Override
        void fill(int owner, long bucket, long key, long value) {
            endpoint.writeWord(owner, bucket + LongBucket.VALUE, LongBucket.present(value));
            endpoint.writeWord(owner, bucket + LongBucket.KEY, key);
            endpoint.flush(owner);
        }
    }

    @Test
    void aValueWrittenBeforeItsKeyIsFound() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(MapWorld.pausing(guarantees), WritesTheValueFirst::new);
        }
    }

    private static final class LeavesItsInsertionInTheProcessor extends LongTable {

        LeavesItsInsertionInTheProcessor(String name, Participant participant, Blocks blocks) {
            super(name, participant, blocks);
        }

        @Override
        void fill(int owner, long bucket, long key, long value) {
            LocalMemory mapped = Objects.requireNonNull(endpoint.mapped(owner));
            mapped.setRelease(bucket + LongBucket.KEY, key);
            mapped.setRelease(bucket + LongBucket.VALUE, LongBucket.present(value));
        }
    }

    @Test
    void anInsertionThatALaterLookOvertakesIsFound() {
        Mutation.assertIsFound(MapSimulation.SEEDS, MapWorld.crossingTrial(MapWorld.pausing(SHARED_MEMORY),
                List.of(MapOperation.Kind.INSERT), rank -> MapClient.of(new LeavesItsInsertionInTheProcessor("map",
                        MapWorld.participant(rank), MapWorld.fixedBlocks()))));
    }

    private static final class PassesReservations extends LongTable {

        PassesReservations(String name, Participant participant, Blocks blocks) {
            super(name, participant, blocks);
        }

        @Override
        boolean waitsAt(long word) {
            return false;
        }
    }

    @Test
    void anInserterWhoPassesAReservedBucketIsFound() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(MapWorld.pausing(guarantees), PassesReservations::new);
        }
    }

    private static final class RepairsToFree extends LongTable {

        RepairsToFree(String name, Participant participant, Blocks blocks) {
            super(name, participant, blocks);
        }

        @Override
        long repaired() {
            return LongBucket.FREE;
        }
    }

    @Test
    void aDeadInsertersBucketThatBecomesFreeAgainIsFound() {
        Mutation.assertIsFound(MapSimulation.SEEDS / 10, LongLongMapSimulationTest.deathOfAnInserter(WEAKEST,
                participant -> new RepairsToFree("map", participant, MapWorld.fixedBlocks())));
    }

    private static final class BelievesAnUnwrittenKey extends LongTable {

        BelievesAnUnwrittenKey(String name, Participant participant, Blocks blocks) {
            super(name, participant, blocks);
        }

        @Override
        long written(int owner, long bucket, long seen) {
            return seen;
        }
    }

    @Test
    void aKeyThatReadsAsUnwrittenMemoryAndIsNotReadAgainIsFound() {
        assertIsFound(MapWorld.pausing(WEAKEST), BelievesAnUnwrittenKey::new);
    }
}
