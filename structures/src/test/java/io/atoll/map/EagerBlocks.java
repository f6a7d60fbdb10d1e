package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.failure.StructureName;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;

/**
 * Blocks of eight buckets that are replaced as soon as three have a key. So a few operations see a block come and go.
 * Every second block that a process makes is in two pieces, of at least eight buckets, though there is room.
 */
public class EagerBlocks extends GrowingBlocks {

    public static final long BUCKETS = 8;

    private static final long MOST_KEYS = 2;

    public EagerBlocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes) {
        this(self, epochs, headers, bucketBytes, new Migration(self));
    }

    EagerBlocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes, Migration migration) {
        this(self, epochs, headers, bucketBytes, new EagerRuns(self, bucketBytes), migration);
    }

    EagerBlocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes, BlockRuns runs) {
        this(self, epochs, headers, bucketBytes, runs, new Migration(self));
    }

    private EagerBlocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes, BlockRuns runs,
            Migration migration) {
        super(new StructureName("eager", "map"), self, epochs, headers, BUCKETS, bucketBytes, runs, migration,
                OnLoss.FAIL);
    }

    /** The runs that a mistake overrides. */
    static class EagerRuns extends BlockRuns {

        private boolean isWhole;

        EagerRuns(Participant self, long bucketBytes) {
            super(self, bucketBytes);
        }

        @Override
        final Reserved reserve(int owner, long buckets) {
            isWhole = !isWhole;
            return isWhole
                    ? super.reserve(owner, buckets)
                    : reservePieces(owner, Math.max(2 * BUCKETS, buckets), 2);
        }
    }

    /** Returns the bytes that every block has at least. */
    public static long blockBytes(long bucketBytes) {
        return BlockHead.BYTES + BUCKETS * bucketBytes;
    }

    @Override
    boolean isFull(long block, long counts) {
        return BlockHead.claimed(block, counts) > MOST_KEYS;
    }
}
