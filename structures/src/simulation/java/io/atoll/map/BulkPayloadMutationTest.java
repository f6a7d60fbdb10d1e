package io.atoll.map;

import io.atoll.Patch;
import io.atoll.map.MapOperation.Kind;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Mistakes with payloads that are stored together must not go unnoticed. */
@Tag("simulation")
class BulkPayloadMutationTest {

    private static void assertIsFound(PayloadWorld.Opener opener) {
        for (var guarantees : MapSimulation.REMOTE_FABRICS) {
            Mutation.assertIsFound(MapSimulation.SEEDS, MapWorld.trial(MapWorld.pausing(guarantees),
                    List.of(Kind.FIND, Kind.STORE, Kind.REMOVE), MapWorld.KEYS,
                    rank -> new PayloadWorld().open(MapWorld.participant(rank), opener)));
        }
    }

    private static final class OfDifferentHashes implements Runnable {

        @Override
        public void run() {
            assertIsFound(PayloadWorld.RIGHT);
        }
    }

    private static final class OfOneHash implements Runnable {

        @Override
        public void run() {
            assertIsFound(new PayloadWorld.Opener() {
                @Override
                public PayloadEntries<Long, Long> entries(BucketTable table, Payloads payloads) {
                    return new PayloadEntries<>(table, payloads, PayloadWorld.CODEC, PayloadWorld.CODEC, key -> 0) {
                        @Override
                        long wordOf(byte[] key) {
                            return 7;
                        }
                    };
                }
            });
        }
    }

    @Test
    void aPayloadThatIsNotWrittenIsFound() {
        new Patch(Payloads.class).replace("batch.write(owner, offset, at, bytes);", "").run(OfDifferentHashes.class);
    }

    @Test
    void whatABucketStillRefersToAndIsRetiredIsFound() {
        new Patch(PayloadBulkPut.class)
                .replace("if (isStored(key) && puts.key(key).former", "if (puts.key(key).former")
                .run(OfOneHash.class);
    }

    @Test
    void aKeyThatReplacesAnotherOneOfItsHashIsFound() {
        new Patch(PayloadBulkPut.class).replace("return !PayloadReference.hasSeveral(put.former)\n", "return true\n")
                .replace("&& Payload.beginsWith(", "|| Payload.beginsWith(")
                .run(OfOneHash.class);
    }

    @Test
    void aPayloadThatIsFreedThoughItsBucketRefersToItIsFound() {
        new Patch(PayloadBulkPut.class).replace("&& !isStored(key) && !isInDoubt(key)", "&& !isInDoubt(key)")
                .run(OfDifferentHashes.class);
    }
}
