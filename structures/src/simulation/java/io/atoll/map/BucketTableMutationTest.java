package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.fabric.Batch;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.map.DistributedMapSimulation.Tables;
import io.atoll.map.MapOperation.Kind;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mistakes in {@link BucketTable} must not go unnoticed: the seeds that the simulations of {@link DistributedMap} pass
 * find each of them.
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

    private static final class FindsWithoutVersionCheck extends BucketTable {

        FindsWithoutVersionCheck(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing) {
            super(name, participant, blocks, bucket, hashing);
        }

        @Override
        public boolean accepts(long stateBefore, long stateAfter) {
            return true;
        }
    }

    @Test
    void aFindWithoutTheVersionCheckIsFound() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            Mutation.assertIsFound(MapSimulation.SEEDS, trial(MapWorld.pausing(guarantees), MapSimulation.REPLACING,
                    List.of(MapSimulation.KEY), FindsWithoutVersionCheck::new));
        }
    }

    @Test
    void aFindOfWordsWithoutTheVersionCheckIsFound() {
        assertIsFoundOfWords(MapSimulation.REPLACING, List.of(MapSimulation.KEY), FindsWithoutVersionCheck::new);
    }

    private static void assertIsFoundOfWords(List<Kind> kinds, List<Long> keys, Tables tables) {
        Codec<Long> words = Codecs.forType(Long.class);
        Mutation.assertIsFound(MapSimulation.SEEDS, MapWorld.trial(MapWorld.pausing(SimOptions.SHARED_MEMORY), kinds,
                keys, rank -> DistributedMapSimulation.client(words, words,
                        MapWorld.participant(rank), MapWorld.fixedBlocks(), tables)));
    }

    private static final class PublishesWordsFirst extends BucketTable {

        PublishesWordsFirst(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing) {
            super(name, participant, blocks, bucket, hashing);
        }

        @Override
        protected void fill(LocalMemory mapped, long offset, long key, long value) {
            mapped.setRelease(offset + bucket.key, key);
            mapped.getAndSet(offset, Bucket.settled(Bucket.READY, 0));
            mapped.setRelease(offset + bucket.value, value);
        }
    }

    @Test
    void wordsThatArePublishedBeforeTheyAreWrittenAreFound() {
        assertIsFoundOfWords(List.of(Kind.FIND, Kind.INSERT), List.of(MapSimulation.KEY), PublishesWordsFirst::new);
    }

    private static final class LeavesItsInsertionInTheProcessor extends BucketTable {

        LeavesItsInsertionInTheProcessor(String name, Participant participant, Blocks blocks, Bucket bucket,
                Hashing hashing) {
            super(name, participant, blocks, bucket, hashing);
        }

        @Override
        protected void fill(Batch batch, int owner, long offset) {
            LocalMemory mapped = Objects.requireNonNull(endpoint.mapped(owner));
            mapped.store(offset + bucket.key, batch.buffer(), KEY, bucket.keyBytes + bucket.valueBytes);
            mapped.setRelease(offset, Bucket.settled(Bucket.READY, 0));
        }

        @Override
        protected void fill(LocalMemory mapped, long offset, long key, long value) {
            mapped.setRelease(offset + bucket.key, key);
            mapped.setRelease(offset + bucket.value, value);
            mapped.setRelease(offset, Bucket.settled(Bucket.READY, 0));
        }
    }

    @Test
    void anInsertionThatALaterLookOvertakesIsFound() {
        for (Codec<Long> words : List.of(Codecs.forType(Long.class), new WideCodec(1))) {
            Mutation.assertIsFound(MapSimulation.SEEDS, MapWorld.crossingTrial(
                    MapWorld.pausing(SimOptions.SHARED_MEMORY), List.of(Kind.INSERT),
                    rank -> DistributedMapSimulation.client(words, words, MapWorld.participant(rank),
                            MapWorld.fixedBlocks(), LeavesItsInsertionInTheProcessor::new)));
        }
    }

    private static final class WritesInPlace extends BucketTable {

        WritesInPlace(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing) {
            super(name, participant, blocks, bucket, hashing);
        }

        @Override
        long target(long state, long changed) {
            return bucket.place(state);
        }
    }

    @Test
    void aWideValueWrittenInPlaceIsFoundTorn() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(MapWorld.pausing(guarantees), WritesInPlace::new);
        }
    }

    private static final class ComputesBeforeItReserves extends BucketTable {

        ComputesBeforeItReserves(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing) {
            super(name, participant, blocks, bucket, hashing);
        }

        @Override
        public boolean change(Batch batch, Change change) {
            var computed = new AtomicReference<Outcome>();
            return super.change(batch, new Change(change.owner, change.first, change.hash) {

                @Override
                protected Outcome decide(Batch batch, long living) {
                    if (computed.get() == null) {
                        Outcome decided = change.decide(batch, living);
                        computed.set(decided == Outcome.COMPUTE ? change.compute(batch, living) : decided);
                    }
                    return computed.get();
                }

                @Override
                protected void placeKey(Batch batch) {
                    change.placeKey(batch);
                }

                @Override
                protected void place(Batch batch) {
                    change.place(batch);
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

    private static final class PassesReservations extends BucketTable {

        PassesReservations(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing) {
            super(name, participant, blocks, bucket, hashing);
        }

        @Override
        protected boolean waitsAt(long state) {
            return false;
        }
    }

    @Test
    void anInserterWhoPassesAReservedBucketIsFound() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(MapWorld.pausing(guarantees), PassesReservations::new);
        }
    }

    private static final class RepairsToFree extends BucketTable {

        RepairsToFree(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing) {
            super(name, participant, blocks, bucket, hashing);
        }

        @Override
        long undone(long reserved) {
            return Bucket.FREE;
        }
    }

    @Test
    void aDeadUpdatersBucketThatBecomesFreeIsFound() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(MapWorld.dying(guarantees), RepairsToFree::new);
        }
    }

    private static final class ReusesTombstones extends BucketTable {

        private boolean inserting;

        ReusesTombstones(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing) {
            super(name, participant, blocks, bucket, hashing);
        }

        @Override
        public boolean change(Batch batch, Change change) {
            inserting = true;
            boolean inserted = super.change(batch, change);
            inserting = false;
            return inserted;
        }

        @Override
        protected boolean isKey(Batch batch, long position) {
            long state = batch.word(position - bucket.key);
            return super.isKey(batch, position) || inserting && Bucket.kind(state) == Bucket.TOMBSTONE;
        }

        @Override
        protected void update(Batch batch, int owner, long offset, long state) {
            batch.write(owner, offset + bucket.key, KEY, bucket.keyBytes);
            super.update(batch, owner, offset, state);
        }
    }

    @Test
    void aTombstoneThatIsReusedForAnyKeyIsFound() {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            assertIsFound(MapWorld.pausing(guarantees), ReusesTombstones::new);
        }
    }
}
