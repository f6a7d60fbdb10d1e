package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.failure.StructureName;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.util.Objects;

/**
 * The number of keys that a map has room for, over all ranks.
 *
 * @param fixed true if the map has this room for good; false if it begins with it and grows
 */
record Capacity(long keys, boolean fixed) {

    public static final Capacity DEFAULT = new Capacity(1 << 16, false);

    public Capacity {
        Placement.checkCapacity(keys);
    }

    /**
     * Attaches to the blocks of a map, or creates them.
     *
     * @param epochs frees blocks that were replaced
     * @param pinned true if an operation is pinned even if no block is ever replaced
     * @param configuration what else two processes must agree on
     * @param onLoss what becomes of a part whose segment is lost
     */
    public Blocks open(String map, Participant self, EpochManager epochs, boolean pinned, String configuration,
            long bucketBytes, OnLoss onLoss) {
        if (pinned || !fixed) {
            epochs.prepare();
        }
        long buckets = Placement.forCapacity(self.size(), keys).buckets();
        long bytes = fixed ? buckets * bucketBytes : GrowingBlocks.HEADER_BYTES;
        long[] offsets = self.directory().open(map, configuration + " " + this, _ -> bytes, onLoss);
        StructureName structure = Objects.requireNonNull(self.endpoint().structures().named(map));
        if (fixed) {
            return new FixedBlocks(structure, pinned ? epochs : null, offsets, buckets);
        }
        GrowingBlocks blocks = new GrowingBlocks(structure, self, epochs, offsets, buckets, bucketBytes,
                onLoss);
        self.endpoint().structures().ask(blocks);
        return blocks;
    }

    /** Shows the capacity as the directory does. */
    @Override
    public String toString() {
        return (fixed ? "capacity=" : "first-capacity=") + keys;
    }
}
