package io.atoll.map;

import static io.atoll.fabric.sim.SimOptions.NETWORK_CARD;
import static io.atoll.fabric.sim.SimOptions.SHARED_MEMORY;
import static io.atoll.fabric.sim.SimOptions.WEAKEST;

import io.atoll.Patch;
import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mistakes in {@link LongTable}, its reader and its writer must not go unnoticed: the seeds that
 * {@link LongLongMapSimulationTest} passes find each of them.
 */
@Tag("simulation")
class LongTableMutationTest {

    /** Opens a table, or one with a mistake in it. */
    interface Tables {
        LongTable open(String name, Participant participant, Blocks blocks);
    }

    /** Opens a table as it is. */
    static final Tables RIGHT = (name, self, blocks) -> new LongTable(name, self, blocks, null);

    private static void assertIsFound(SimOptions options, Tables tables) {
        Mutation.assertIsFound(MapSimulation.SEEDS,
                MapWorld.trial(options, MapOperation.OF_LONG_MAPS, MapWorld.KEYS, rank -> {
                    Participant participant = MapWorld.participant(rank);
                    LongTable table = tables.open("map", participant, MapWorld.fixedBlocks());
                    return MapClient.of(table);
                }));
    }

    /** Opens a table whose writer has a mistake. */
    private static Tables writing(Writers writers) {
        return (name, self, blocks) -> new LongTable(writers.of(name, self, reader(self, blocks)), LongMover::new,
                null);
    }

    /** Opens a table whose reader has a mistake. */
    private static Tables reading(Readers readers) {
        return (name, self, blocks) -> new LongTable(
                new LongWriter(name, self, readers.of(self.endpoint(), blocks, new KeyHash(self.seed()))),
                LongMover::new, null);
    }

    private static LongReader reader(Participant self, Blocks blocks) {
        return new LongReader(self.endpoint(), blocks, new KeyHash(self.seed()));
    }

    private interface Readers {
        LongReader of(Endpoint endpoint, Blocks blocks, KeyHash hashing);
    }

    private interface Writers {
        LongWriter of(String name, Participant participant, LongReader reader);
    }

    static final class IncrementsByReadAndWrite extends LongTable {

        IncrementsByReadAndWrite(String name, Participant participant, Blocks blocks) {
            super(name, participant, blocks, null);
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

    private static final class PausingOnEveryFabric implements Runnable {

        @Override
        public void run() {
            for (var guarantees : SimOptions.EVERY_FABRIC) {
                assertIsFound(MapWorld.pausing(guarantees), RIGHT);
            }
        }
    }

    /** The mistake tells what was read first, though another thread may have changed it before the exchange. */
    @Test
    void aValueThatIsReplacedUnseenIsFound() {
        new Patch(LongTable.class).replace("(witness == seen) {\n                return seen;",
                "(witness == seen) {\n                return located;").run(PausingOnEveryFabric.class);
    }

    private static final class WritesTheValueFirst extends LongWriter {

        WritesTheValueFirst(String name, Participant participant, LongReader reader) {
            super(name, participant, reader);
        }

        @Override
        void publish(int owner, long bucket, long key, long value) {
            Endpoint endpoint = reader.endpoint;
            endpoint.writeWord(owner, bucket + LongBucket.VALUE, LongBucket.present(value));
            endpoint.writeWord(owner, bucket + LongBucket.KEY, key);
            endpoint.flush(owner);
        }

        @Override
        void write(Batch batch, long position, int owner, long bucket, long key, long value) {
            batch.writeWord(owner, bucket + LongBucket.VALUE, LongBucket.present(value));
            batch.writeWord(owner, bucket + LongBucket.KEY, key);
        }
    }

    @Test
    void aValueWrittenBeforeItsKeyIsFound() {
        for (var guarantees : MapSimulation.EVERY_FABRIC) {
            assertIsFound(MapWorld.pausing(guarantees), writing(WritesTheValueFirst::new));
        }
    }

    private static final class OverANetwork implements Runnable {

        @Override
        public void run() {
            for (var guarantees : List.of(NETWORK_CARD, WEAKEST)) {
                assertIsFound(MapWorld.pausing(guarantees), RIGHT);
            }
        }
    }

    @Test
    void anEntryThatIsPublishedAlthoughItsBucketWasNotReservedIsFound() {
        new Patch(LongWriter.class).replace("            batch.guard(exchange);\n", "").run(OverANetwork.class);
    }

    private static final class LeavesItsInsertionInTheProcessor extends LongWriter {

        LeavesItsInsertionInTheProcessor(String name, Participant participant, LongReader reader) {
            super(name, participant, reader);
        }

        @Override
        void publish(int owner, long bucket, long key, long value) {
            LocalMemory mapped = Objects.requireNonNull(reader.endpoint.mapped(owner));
            mapped.setRelease(bucket + LongBucket.KEY, key);
            mapped.setRelease(bucket + LongBucket.VALUE, LongBucket.present(value));
        }
    }

    @Test
    void anInsertionThatALaterLookOvertakesIsFound() {
        Mutation.assertIsFound(MapSimulation.SEEDS, MapWorld.crossingTrial(MapWorld.pausing(SHARED_MEMORY),
                List.of(MapOperation.Kind.INSERT), rank -> MapClient.of(writing(LeavesItsInsertionInTheProcessor::new)
                        .open("map", MapWorld.participant(rank), MapWorld.fixedBlocks()))));
    }

    private static final class PassesReservations extends LongReader {

        PassesReservations(Endpoint endpoint, Blocks blocks, KeyHash hashing) {
            super(endpoint, blocks, hashing);
        }

        @Override
        boolean waitsAt(long word) {
            return false;
        }
    }

    @Test
    void anInserterWhoPassesAReservedBucketIsFound() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(MapWorld.pausing(guarantees), reading(PassesReservations::new));
        }
    }

    private static final class RepairsToFree extends LongWriter {

        RepairsToFree(String name, Participant participant, LongReader reader) {
            super(name, participant, reader);
        }

        @Override
        long repaired() {
            return LongBucket.FREE;
        }
    }

    @Test
    void aDeadInsertersBucketThatBecomesFreeAgainIsFound() {
        Mutation.assertIsFound(MapSimulation.SEEDS / 10, LongLongMapSimulationTest.deathOfAnInserter(WEAKEST,
                participant -> writing(RepairsToFree::new).open("map", participant, MapWorld.fixedBlocks())));
    }

    private static final class BelievesAnUnwrittenKey extends LongReader {

        BelievesAnUnwrittenKey(Endpoint endpoint, Blocks blocks, KeyHash hashing) {
            super(endpoint, blocks, hashing);
        }

        @Override
        long written(int owner, long bucket, long seen) {
            return seen;
        }
    }

    @Test
    void aKeyThatReadsAsUnwrittenMemoryAndIsNotReadAgainIsFound() {
        assertIsFound(MapWorld.pausing(WEAKEST), reading(BelievesAnUnwrittenKey::new));
    }

    private static final class BelievesItHasTaken extends LongTable {

        BelievesItHasTaken(String name, Participant participant, Blocks blocks) {
            super(name, participant, blocks, null);
        }

        @Override
        LongBulkPut bulkPut(long[] keys, long[] values, LostOwners lost) {
            return new LongBulkPut(this, keys, values, lost) {
                @Override
                boolean hasTaken(long witness, long word) {
                    return true;
                }
            };
        }
    }

    @Test
    void aBulkPutThatTakesBucketsOfOthersIsFound() {
        for (var guarantees : MapSimulation.REMOTE_FABRICS) {
            assertIsFound(MapWorld.pausing(guarantees), BelievesItHasTaken::new);
        }
    }

    private static final class OnMappedMemory implements Runnable {

        @Override
        public void run() {
            assertIsFound(MapWorld.pausing(SHARED_MEMORY), RIGHT);
        }
    }

    @Test
    void aKeyThatReadsAsUnwrittenBeyondTheHomeAndIsTakenForTheKeyZeroIsFound() {
        new Patch(LongReader.class).replace("steps < LINE_BUCKETS && key != UNWRITTEN;", "steps < LINE_BUCKETS;")
                .run(OnMappedMemory.class);
    }

    private static final class ReplacingOnMappedMemory implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS, LongLongMapSimulationTest.replacingTwoOfOneHome());
        }
    }

    @Test
    void aFindBeyondTheHomeThatALaterOneOvertakesIsFound() {
        new Patch(LongReader.class).replace("mapped.acquireFence();\n            if (word == LongBucket.FREE) {",
                "if (word == LongBucket.FREE) {").run(ReplacingOnMappedMemory.class);
    }
}
