package io.atoll.map;

import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.PoisoningReclamation;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.memory.TaggedPointer;
import io.atoll.world.Participant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.LongStream;

/**
 * Simulated ranks that use one map. Its block, in the segment of rank 0, is replaced all the time. A block that was
 * freed is overwritten.
 */
public final class GrowingWorld {

    private static final long SEGMENT_BYTES = 320 << 10;
    // nothing lies here: nothing is opened by name, and the heap is far from full
    private static final long EPOCHS = SEGMENT_BYTES - (16 << 10);
    private static final long HEADERS = SEGMENT_BYTES - (8 << 10);

    private static final long FIRST = Block.of(0, EagerBlocks.BUCKETS);

    /**
     * Keys of rank 0. The first three have the same home. One of these is 0, which reads like memory that no thread has
     * written.
     */
    public static final List<Long> KEYS = LongStream.concat(keys().filter(GrowingWorld::isAtHomeWithZero).limit(3),
            keys().filter(key -> !isAtHomeWithZero(key)).limit(3)).boxed().toList();

    /** Operations of each rank. */
    public static final int OPERATIONS = 20;

    private GrowingWorld() {}

    private static LongStream keys() {
        return LongStream.range(0, 10_000)
                .filter(key -> KeyHash.rank(FixedHash.of(key), MapWorld.RANKS) == KeyHash
                        .rank(FixedHash.of(0), MapWorld.RANKS));
    }

    private static boolean isAtHomeWithZero(long key) {
        return Block.home(FIRST, FixedHash.of(key)) == Block.home(FIRST, FixedHash.of(0));
    }

    public static SimOptions options(Guarantees guarantees) {
        return MapWorld.options(guarantees).segmentBytes(SEGMENT_BYTES).maximumSteps(1_000_000);
    }

    public static EpochManager epochs(Participant self, long bucketBytes) {
        return poisoning(self, EagerBlocks.blockBytes(bucketBytes));
    }

    private static EpochManager poisoning(Participant self, long objectBytes) {
        long[] blocks = new long[MapWorld.RANKS];
        Arrays.fill(blocks, EPOCHS);
        return PoisoningReclamation.manager(self, blocks, objectBytes);
    }

    /**
     * Returns epoch managers that several threads of a rank share. They overwrite a line of each block and payload that
     * is freed.
     */
    public static SharedEpochs sharedEpochs() {
        return new SharedEpochs(self -> poisoning(self, TaggedPointer.UNIT));
    }

    public static long[] headers() {
        long[] headers = new long[MapWorld.RANKS];
        Arrays.fill(headers, HEADERS);
        return headers;
    }

    public static GrowingBlocks blocks(Participant self, long bucketBytes) {
        return blocks(self, epochs(self, bucketBytes), bucketBytes);
    }

    public static GrowingBlocks blocks(Participant self, EpochManager epochs, long bucketBytes) {
        return new EagerBlocks(self, epochs, headers(), bucketBytes);
    }

    /** Returns the hash of a key, except that the first two keys have the same one. */
    public static long hash(long key) {
        return FixedHash.of(KEYS.get(1) == key ? KEYS.getFirst() : key);
    }

    public static GrowingBlocks blocks(SimRank rank, long bucketBytes) {
        return blocks(MapWorld.participant(rank), bucketBytes);
    }
}
