package io.atoll.map;

import static io.atoll.fabric.sim.SimOptions.TCP;

import io.atoll.Patch;
import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.WideCodec;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mistakes in {@link LongSearcher} and {@link BucketSearcher} must not go unnoticed: the seeds of the simulations find
 * each of them, where the owner decides.
 */
@Tag("simulation")
class SearcherMutationTest {

    private static final SimOptions PAUSING = MapWorld.pausing(TCP);

    // --- longs ---

    private static final class Longs implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS, ofLongs(MapOperation.OF_LONG_MAPS));
        }
    }

    private static final class LongsThatAreAdded implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS, ofLongs(List.of(Kind.FIND, Kind.INCREMENT, Kind.REMOVE)));
        }
    }

    private static Seeds.Trial ofLongs(List<Kind> kinds) {
        return MapWorld.trial(PAUSING, kinds, MapWorld.KEYS, rank -> {
            Participant participant = MapWorld.participant(rank);
            return MapClient.of(new LongTable("map", participant, MapWorld.fixedBlocks(), null));
        });
    }

    private static void assertIsFoundInLongs(Class<?> patched, String text, String instead) {
        new Patch(patched).replace(text, instead).run(Longs.class);
    }

    @Test
    void aLongThatIsFoundInAnyStateIsFound() {
        assertIsFoundInLongs(LongSearcher.class, "EVERY_BIT, smallest, greatest); // (4)",
                "EVERY_BIT, 0, LARGEST_WORD);");
    }

    @Test
    void aKeyThatIsLoadedBeforeItsLongIsKnownIsFound() {
        new Patch(LongSearcher.class).replace("EVERY_BIT, smallest, greatest); // (4)",
                "EVERY_BIT, 0, LARGEST_WORD);\n        WordTest.put(batch, position + TEST_OF_KEY + WordTest.BYTES, "
                        + "LongBucket.VALUE, EVERY_BIT, smallest, greatest);")
                .replace("TEST_OF_VALUE, 2);", "TEST_OF_VALUE, 3);")
                .run(Longs.class);
    }

    @Test
    void anInsertionOfALongBeforeTheSearchIsFound() {
        assertIsFoundInLongs(LongSearcher.class, "Batch batch = endpoint.batch(owner);\n        int added",
                "Batch batch = endpoint.batch(owner);\n"
                        + "        isInserted(batch, owner, first, hash, key, delta);\n        int added");
    }

    @Test
    void anAdditionToALongThatWasRemovedIsFound() {
        new Patch(LongSearcher.class)
                .replace("return LongBucket.isPresent(before) ? before : LongReader.UNCLEAR;", "return before;")
                .run(LongsThatAreAdded.class);
    }

    @Test
    void anAdditionToALongThatWasNotFoundIsFound() {
        assertIsFoundInLongs(LongSearcher.class, "batch.guard(found);\n        return batch.getAndAdd(",
                "return batch.getAndAdd(");
    }

    @Test
    void aLongThatIsTakenForReplacedIsFound() {
        assertIsFoundInLongs(LongSearcher.class,
                "return batch.succeeded(replaced) ? batch.result(replaced) : LongReader.UNCLEAR;",
                "return batch.result(replaced);");
    }

    @Test
    void aLongThatIsExchangedThoughItWasNotFoundIsFound() {
        assertIsFoundInLongs(LongSearcher.class, "batch.guard(found);\n        return batch.compareAndExchange(",
                "return batch.compareAndExchange(");
    }

    // --- entries of any size ---

    private static final WideCodec KEYS = new WideCodec(2);
    private static final WideCodec VALUES = new WideCodec(7);

    private static MapClient wide(Participant self) {
        return DistributedMapSimulation.client(KEYS, VALUES, self, MapWorld.fixedBlocks(),
                DistributedMapSimulation.RIGHT);
    }

    private static Seeds.Trial trial(List<Kind> kinds, List<Long> keys) {
        return MapWorld.trial(PAUSING, kinds, keys, rank -> wide(MapWorld.participant(rank)));
    }

    private static final class Entries implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS, trial(DistributedMapSimulation.KINDS, MapWorld.KEYS));
        }
    }

    private static final class EntriesOfOneKey implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS, trial(List.of(Kind.FIND, Kind.PUT, Kind.PUT_IF_ABSENT,
                    Kind.GET_AND_PUT, Kind.REMOVE), List.of(MapSimulation.KEY)));
        }
    }

    private static final class EntriesThatAreStored implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS,
                    trial(List.of(Kind.FIND, Kind.PUT, Kind.GET_AND_PUT, Kind.REPLACE), MapWorld.KEYS));
        }
    }

    private static final class EntriesThatAreRemoved implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS,
                    trial(List.of(Kind.FIND, Kind.INSERT, Kind.REMOVE), MapWorld.KEYS));
        }
    }

    private static void assertIsFoundInEntries(Class<? extends Runnable> program, String text, String instead) {
        new Patch(BucketSearcher.class).replace(text, instead).run(program);
    }

    @Test
    void anEntryThatIsFoundInAnyStateIsFound() {
        assertIsFoundInEntries(Entries.class, "Bucket.KIND_MASK, Bucket.READY, Bucket.READY); // (4)", "0, 0, 0);");
    }

    @Test
    void anEntryThatIsPublishedBeforeItIsWrittenIsFound() {
        String written = "        batch.writeBeside(owner, from + bucket.value, value, bucket.valueBytes, "
                + "Bucket.PLACE_SHIFT); // (2)\n";
        String published = "        batch.getAndAdd(owner, from, publication); // (9)\n";
        assertIsFoundInEntries(EntriesOfOneKey.class, written + published, published + written);
    }

    @Test
    void anEntryThatIsWrittenOverItsLivingValueIsFound() {
        assertIsFoundInEntries(EntriesOfOneKey.class, "Bucket.PLACE_SHIFT); // (2)", "Bucket.PLACE_SHIFT + 1);");
    }

    @Test
    void anEntryThatIsTakenForReservedIsFound() {
        assertIsFoundInEntries(EntriesThatAreStored.class, ": batch.succeeded(change.exchanged);",
                ": batch.succeeded(change.found);");
    }

    @Test
    void anEntryThatIsWrittenThoughItIsNotReservedIsFound() {
        assertIsFoundInEntries(EntriesOfOneKey.class, "        batch.guard(reserved);\n", "");
    }

    @Test
    void anEntryThatIsInsertedBeforeTheSearchIsFound() {
        assertIsFoundInEntries(Entries.class, "change.inserted = BucketWriter.NOTHING_WRITTEN;\n"
                + "        find(batch, change); // (7)\n        batch.guard(change.found);\n        if (",
                "long own = writer.reserved(Bucket.FREE);\n"
                        + "        int early = batch.compareAndExchange(owner, home(change), Bucket.FREE, own);\n"
                        + "        batch.guard(early);\n"
                        + "        writer.write(batch, owner, home(change), Bucket.FREE, BucketReader.WRITTEN);\n"
                        + "        batch.unguard();\n"
                        + "        change.inserted = BucketWriter.NOTHING_WRITTEN;\n"
                        + "        find(batch, change);\n        batch.guard(change.found);\n        if (");
    }

    @Test
    void anEntryThatIsPublishedThoughItsHomeWasNotFreeIsFound() {
        assertIsFoundInEntries(Entries.class, "batch.guard(change.inserted);\n", "");
    }

    @Test
    void anEntryThatIsTakenForRemovedIsFound() {
        assertIsFoundInEntries(EntriesThatAreRemoved.class, ": batch.succeeded(change.exchanged);",
                ": batch.succeeded(change.found);");
    }

    @Test
    void aValueThatChangesWhileItIsReadIsFound() {
        assertIsFoundInEntries(EntriesOfOneKey.class,
                "(!change.wantsValue()\n                || "
                        + "reader.accepts(batch.result(change.found), batch.word(change.position + after)))",
                "true");
    }

    // --- undoing ---

    /** Threads of a rank change keys of several homes, and connections break, so that batches are undone. */
    private static final class Undoing implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS, undoing());
        }

        private static Seeds.Trial undoing() {
            Codec<Long> words = Codecs.forType(Long.class);
            return MapWorld.breakingTrial(MapWorld.options(TCP).breaks(0.02, 8), 3,
                    List.of(Kind.FIND, Kind.PUT, Kind.GET_AND_PUT, Kind.REMOVE), MapWorld.APART, 10,
                    self -> DistributedMapSimulation.client(words, words, self, MapWorld.fixedBlocks(),
                            DistributedMapSimulation.RIGHT));
        }
    }

    @Test
    void anUndoingOfAnyEntryThatIsReservedIsFound() {
        assertIsFoundInEntries(Undoing.class, "\n                    && isKey(owner, offset, words, from + KEY)", "");
    }

    @Test
    void anUndoingOfWhatAnotherThreadHasReservedIsFound() {
        assertIsFoundInEntries(Undoing.class, "int hold = reservations.hold(change.owner, home);",
                "int hold = reservations.hold(change.owner, 8 * reservations.nextAttempt());");
    }
}
