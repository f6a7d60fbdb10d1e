package io.atoll.map;

import io.atoll.Patch;
import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.WideCodec;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.map.BucketTable.Change.Outcome;
import io.atoll.map.DistributedMapSimulation.Tables;
import io.atoll.map.MapOperation.Kind;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mistakes in {@link BucketTable}, its reader and its writer must not go unnoticed: the seeds that the simulations of
 * {@link DistributedMap} pass find each of them.
 */
@Tag("simulation")
class BucketTableMutationTest {

    private static final WideCodec KEYS = new WideCodec(2);
    private static final WideCodec VALUES = new WideCodec(7);

    private static void assertIsFound(SimOptions options, Tables tables) {
        Mutation.assertIsFound(MapSimulation.SEEDS,
                trial(options, DistributedMapSimulation.KINDS, MapWorld.KEYS, tables));
    }

    private static Seeds.Trial trial(SimOptions options, List<Kind> kinds, List<Long> keys, Tables tables) {
        return MapWorld.trial(options, kinds, keys,
                rank -> DistributedMapSimulation.client(KEYS, VALUES, MapWorld.participant(rank),
                        MapWorld.fixedBlocks(), tables));
    }

    /** Opens a table whose reader has a mistake. */
    private static Tables reading(Readers readers) {
        return (name, self, blocks, bucket, hashing) -> table(
                new BucketWriter(name, self, readers.of(self.endpoint(), bucket, blocks, hashing)));
    }

    /** Opens a table whose writer has a mistake. */
    private static Tables writing(Writers writers) {
        return (name, self, blocks, bucket, hashing) -> table(
                writers.of(name, self, new BucketReader(self.endpoint(), bucket, blocks, hashing)));
    }

    private static BucketTable table(BucketWriter writer) {
        return new BucketTable(writer, BucketMover::new, null);
    }

    private interface Readers {
        BucketReader of(Endpoint endpoint, Bucket bucket, Blocks blocks, Hashing hashing);
    }

    private interface Writers {
        BucketWriter of(String name, Participant participant, BucketReader reader);
    }

    private static final class FindsWithoutVersionCheck extends BucketReader {

        FindsWithoutVersionCheck(Endpoint endpoint, Bucket bucket, Blocks blocks, Hashing hashing) {
            super(endpoint, bucket, blocks, hashing);
        }

        @Override
        boolean accepts(long stateBefore, long stateAfter) {
            return true;
        }
    }

    @Test
    void aGetWithoutTheVersionCheckIsFound() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            Mutation.assertIsFound(MapSimulation.SEEDS, trial(MapWorld.pausing(guarantees), MapSimulation.REPLACING,
                    List.of(MapSimulation.KEY), reading(FindsWithoutVersionCheck::new)));
        }
    }

    @Test
    void aGetOfWordsWithoutTheVersionCheckIsFound() {
        assertIsFoundOfWords(MapSimulation.REPLACING, List.of(MapSimulation.KEY),
                reading(FindsWithoutVersionCheck::new));
    }

    private static void assertIsFoundOfWords(List<Kind> kinds, List<Long> keys, Tables tables) {
        Codec<Long> words = Codecs.forType(Long.class);
        Mutation.assertIsFound(MapSimulation.SEEDS, MapWorld.trial(MapWorld.pausing(SimOptions.SHARED_MEMORY), kinds,
                keys, rank -> DistributedMapSimulation.client(words, words,
                        MapWorld.participant(rank), MapWorld.fixedBlocks(), tables)));
    }

    private static final class PublishesWordsFirst extends BucketWriter {

        PublishesWordsFirst(String name, Participant participant, BucketReader reader) {
            super(name, participant, reader);
        }

        @Override
        void publish(LocalMemory mapped, long offset, long key, long value) {
            mapped.setRelease(offset + reader.bucket.key, key);
            mapped.getAndSet(offset, Bucket.settled(Bucket.READY, 0));
            mapped.setRelease(offset + reader.bucket.value, value);
        }
    }

    @Test
    void wordsThatArePublishedBeforeTheyAreWrittenAreFound() {
        assertIsFoundOfWords(List.of(Kind.FIND, Kind.INSERT), List.of(MapSimulation.KEY),
                writing(PublishesWordsFirst::new));
    }

    private static final class LeavesItsInsertionInTheProcessor extends BucketWriter {

        LeavesItsInsertionInTheProcessor(String name, Participant participant, BucketReader reader) {
            super(name, participant, reader);
        }

        @Override
        void publish(Batch batch, int owner, long offset, long before, long position) {
            LocalMemory mapped = Objects.requireNonNull(reader.endpoint.mapped(owner));
            mapped.store(offset + reader.bucket.key, batch.buffer(), BucketReader.KEY,
                    reader.bucket.keyBytes + reader.bucket.valueBytes);
            mapped.setRelease(offset, Bucket.settled(Bucket.READY, 0));
        }

        @Override
        void publish(LocalMemory mapped, long offset, long key, long value) {
            mapped.setRelease(offset + reader.bucket.key, key);
            mapped.setRelease(offset + reader.bucket.value, value);
            mapped.setRelease(offset, Bucket.settled(Bucket.READY, 0));
        }
    }

    @Test
    void anInsertionThatALaterLookOvertakesIsFound() {
        for (Codec<Long> words : List.of(Codecs.forType(Long.class), new WideCodec(1))) {
            Mutation.assertIsFound(MapSimulation.SEEDS, MapWorld.crossingTrial(
                    MapWorld.pausing(SimOptions.SHARED_MEMORY), List.of(Kind.INSERT),
                    rank -> DistributedMapSimulation.client(words, words, MapWorld.participant(rank),
                            MapWorld.fixedBlocks(), writing(LeavesItsInsertionInTheProcessor::new))));
        }
    }

    private static final class WritesInPlace extends BucketWriter {

        WritesInPlace(String name, Participant participant, BucketReader reader) {
            super(name, participant, reader);
        }

        @Override
        long target(long state, long changed) {
            return reader.bucket.place(state);
        }
    }

    @Test
    void aWideValueWrittenInPlaceIsFoundTorn() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(MapWorld.pausing(guarantees), writing(WritesInPlace::new));
        }
    }

    private static final class ComputesBeforeItReserves extends BucketTable {

        ComputesBeforeItReserves(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing) {
            super(name, participant, blocks, bucket, hashing, null);
        }

        @Override
        public boolean change(Change change) {
            var computed = new AtomicReference<Outcome>();
            return super.change(new Change(change.owner, change.first, change.hash) {

                @Override
                Outcome decide(Batch batch, long living) {
                    if (computed.get() == null) {
                        Outcome decided = change.decide(batch, living);
                        computed.set(decided == Outcome.COMPUTE ? change.compute(batch, living) : decided);
                    }
                    return computed.get();
                }

                @Override
                void placeKey(Batch batch) {
                    change.placeKey(batch);
                }

                @Override
                void placeValue(Batch batch) {
                    change.placeValue(batch);
                }
            });
        }
    }

    @Test
    void aFunctionThatIsAskedBeforeTheEntryIsReservedIsFound() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            Mutation.assertIsFound(MapSimulation.SEEDS, trial(MapWorld.pausing(guarantees), List.of(Kind.INCREMENT),
                    List.of(MapSimulation.KEY), ComputesBeforeItReserves::new));
        }
    }

    private static final class PassesReservations extends BucketReader {

        PassesReservations(Endpoint endpoint, Bucket bucket, Blocks blocks, Hashing hashing) {
            super(endpoint, bucket, blocks, hashing);
        }

        @Override
        boolean waitsAt(long state) {
            return false;
        }
    }

    @Test
    void anInserterWhoPassesAReservedBucketIsFound() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(MapWorld.pausing(guarantees), reading(PassesReservations::new));
        }
    }

    private static final class RepairsToFree extends BucketWriter {

        RepairsToFree(String name, Participant participant, BucketReader reader) {
            super(name, participant, reader);
        }

        @Override
        long undone(long reserved) {
            return Bucket.FREE;
        }
    }

    @Test
    void aDeadUpdatersBucketThatBecomesFreeIsFound() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(MapWorld.dying(guarantees), writing(RepairsToFree::new));
        }
    }

    private static final class OverANetwork implements Runnable {

        @Override
        public void run() {
            for (var guarantees : List.of(SimOptions.NETWORK_CARD, SimOptions.WEAKEST)) {
                assertIsFound(MapWorld.pausing(guarantees), DistributedMapSimulation.RIGHT);
            }
        }
    }

    @Test
    void anEntryThatIsPublishedAlthoughItsBucketWasNotReservedIsFound() {
        new Patch(BucketWriter.class).replace("            batch.guard(exchange);\n", "").run(OverANetwork.class);
    }

    private static final class ReusesTombstones extends BucketTable {

        private final Reader tombstones;

        ReusesTombstones(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing) {
            this(name, participant, new Reader(participant.endpoint(), bucket, blocks, hashing));
        }

        private ReusesTombstones(String name, Participant participant, Reader tombstones) {
            super(new Writer(name, participant, tombstones), BucketMover::new, null);
            this.tombstones = tombstones;
        }

        @Override
        public boolean change(Change change) {
            tombstones.inserting = true;
            boolean inserted = super.change(change);
            tombstones.inserting = false;
            return inserted;
        }

        private static final class Reader extends BucketReader {

            private boolean inserting;

            private Reader(Endpoint endpoint, Bucket bucket, Blocks blocks, Hashing hashing) {
                super(endpoint, bucket, blocks, hashing);
            }

            @Override
            boolean isKey(Batch batch, long position) {
                long state = batch.word(position - bucket.key);
                return super.isKey(batch, position) || inserting && Bucket.kind(state) == Bucket.TOMBSTONE;
            }
        }

        private static final class Writer extends BucketWriter {

            private Writer(String name, Participant participant, BucketReader reader) {
                super(name, participant, reader);
            }

            @Override
            void write(Batch batch, int owner, long offset, long before, long position) {
                if (before != Bucket.FREE) {
                    batch.write(owner, offset + reader.bucket.key, BucketReader.KEY, reader.bucket.keyBytes);
                }
                super.write(batch, owner, offset, before, position);
            }
        }
    }

    @Test
    void aTombstoneThatIsReusedForAnyKeyIsFound() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(MapWorld.pausing(guarantees), ReusesTombstones::new);
        }
    }

    /** Stores several entries, and believes that it has taken each bucket which it wanted. */
    private static final class BelievesItHasTaken extends BulkPut<Map.Entry<Long, Long>> {

        BelievesItHasTaken(BucketTable table, SeveralKeys<Map.Entry<Long, Long>> entries,
                Encoder<Map.Entry<Long, Long>> encoder, LostOwners lost) {
            super(table, entries, encoder, false, lost);
        }

        @Override
        boolean hasTaken(long witness, long state) {
            return true;
        }
    }

    @Test
    void aBulkPutThatTakesBucketsOfOthersIsFound() {
        for (var guarantees : MapSimulation.REMOTE_FABRICS) {
            Mutation.assertIsFound(MapSimulation.SEEDS, MapWorld.trial(MapWorld.pausing(guarantees),
                    List.of(Kind.FIND, Kind.INSERT, Kind.REMOVE, Kind.STORE), MapWorld.KEYS, rank -> {
                        Participant self = MapWorld.participant(rank);
                        BucketTable table = DistributedMapSimulation.RIGHT.open("map", self, MapWorld.fixedBlocks(),
                                DistributedMapSimulation.bucket(KEYS, VALUES),
                                InlineEntries.hashing(self, KEYS, Long::longValue));
                        return MapClient.of(new InlineEntries<>(table, KEYS, VALUES, Long::longValue) {
                            @Override
                            BulkPut<Map.Entry<Long, Long>> bulkPut(SeveralKeys<Map.Entry<Long, Long>> entries,
                                    BulkPut.Encoder<Map.Entry<Long, Long>> encoder, LostOwners lost) {
                                return new BelievesItHasTaken(this.table, entries, encoder, lost);
                            }
                        });
                    }));
        }
    }

    private static final class OfWordsOnMappedMemory implements Runnable {

        @Override
        public void run() {
            assertIsFoundOfWords(List.of(Kind.FIND, Kind.INSERT), MapWorld.KEYS, DistributedMapSimulation.RIGHT);
        }
    }

    @Test
    void anInserterOfWordsWhoPassesAReservedBucketIsFound() {
        new Patch(WordFastPath.class).replace("return BucketReader.BEHIND;\n            }\n            if (mapped",
                "continue;\n            }\n            if (mapped").run(OfWordsOnMappedMemory.class);
    }

    @Test
    void aKeyOfOneWordThatIsLoadedBeforeItsStateIsFound() {
        new Patch(WordFastPath.class)
                .replace("mapped.getAcquire(bucket); // (4)\n            if (state == Bucket.FREE)",
                        "mapped.get(bucket);\n            if (state == Bucket.FREE)")
                .run(OfWordsOnMappedMemory.class);
    }
}
