package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.StructureName;
import io.atoll.world.NamedStructure;
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
     * Attaches to the blocks of a map, or creates them. Those of a map that grows are made by the first look for
     * a key.
     *
     * @param epochs frees blocks that were replaced
     * @param pinned true if an operation is pinned even if no block is ever replaced
     * @param configuration what else two processes must agree on
     * @param onLoss what becomes of a part whose segment is lost
     * @throws SegmentFullException if there is no room; nothing is left of the attempt
     */
    public Blocks open(String map, Participant self, EpochManager epochs, boolean pinned, String configuration,
            long bucketBytes, OnLoss onLoss) {
        long buckets = Placement.forCapacity(self.size(), keys).buckets();
        if (!fixed && keys > DEFAULT.keys) {
            checkFits(new StructureName(map, NamedStructure.kind(configuration)), self, buckets, bucketBytes);
        }
        if (pinned || !fixed) {
            epochs.prepare();
        }
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

    /**
     * Refuses a capacity that was asked for and never fits: the directory would keep it for good, and with it the name.
     * Nobody need have asked for the default capacity, so a map begins smaller with that, and with less.
     */
    private static void checkFits(StructureName map, Participant self, long buckets, long bucketBytes) {
        try {
            new BlockRuns(self, bucketBytes).checkFits(self.rank(), buckets);
        } catch (SegmentFullException never) {
            throw never.in(map);
        }
    }

    /** Shows the capacity as the directory does. */
    @Override
    public String toString() {
        return (fixed ? "capacity=" : "first-capacity=") + keys;
    }
}
