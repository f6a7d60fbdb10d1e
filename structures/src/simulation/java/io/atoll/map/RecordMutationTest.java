package io.atoll.map;

import static io.atoll.fabric.sim.SimOptions.TCP;

import io.atoll.Patch;
import io.atoll.codec.WideCodec;
import io.atoll.map.MapOperation.Kind;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mistakes with buckets that the owner reads as records must not go unnoticed: the seeds of the simulations find each
 * of them.
 */
@Tag("simulation")
class RecordMutationTest {

    private static final String LOOKS = "reader.accepts(batch.word(position),"
            + " batch.word(position + reader.bucket.size))";

    /** Several keys of many words are stored and found together. */
    private static final class Entries implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS, MapWorld.trial(MapWorld.pausing(TCP),
                    List.of(Kind.FIND, Kind.STORE, Kind.PUT, Kind.REMOVE), MapWorld.KEYS,
                    rank -> DistributedMapSimulation.client(new WideCodec(2), new WideCodec(7),
                            MapWorld.participant(rank), MapWorld.fixedBlocks(), DistributedMapSimulation.RIGHT)));
        }
    }

    private static void assertIsFound(String text, String instead) {
        new Patch(BucketBulkSearch.class).replace(text, instead).run(Entries.class);
    }

    @Test
    void anEntryThatChangesWhileItIsReadIsFound() {
        assertIsFound(LOOKS, "true");
    }

    @Test
    void anEntryThatIsReadBeforeItsStateIsFound() {
        assertIsFound("return !withValues || " + LOOKS + ";",
                "batch.setWord(position, batch.word(position + reader.bucket.size));\n            return true;");
    }

    @Test
    void aStateThatIsTakenFromBesideItsRecordIsFound() {
        assertIsFound("batch.word(position + reader.bucket.size)", "batch.word(position)");
    }

    /** The words of a read come in no order. */
    @Test
    void aKeyThatIsReadTogetherWithItsStateIsFound() {
        assertIsFound(
                """
                                batch.readRecords(keys.owner(key), offset(key, firsts[key]), recordBytes(widths[key]), widths[key],
                                        positions[key]);
                        """,
                """
                                for (int place = 0; place < widths[key]; place++) {
                                    long arriving = RecordRead.arriving(recordBytes(widths[key]));
                                    batch.read(keys.owner(key), offset(key, firsts[key]) + place * reader.bucket.size,
                                            positions[key] + place * arriving, recordBytes(widths[key]));
                                    batch.read(keys.owner(key), offset(key, firsts[key]) + place * reader.bucket.size,
                                            positions[key] + (place + 1) * arriving - Layouts.WORD, Layouts.WORD);
                                }
                        """);
    }
}
