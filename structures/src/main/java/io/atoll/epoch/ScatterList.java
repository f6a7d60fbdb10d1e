package io.atoll.epoch;

import io.atoll.failure.FabricException;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import java.util.Arrays;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Objects that are about to be freed, sorted by the rank that owns them. The objects of each rank are handed back
 * together (Dewan and Jenkins, section II-C). Used by one thread at a time.
 */
class ScatterList {

    private static final Logger LOG = LoggerFactory.getLogger(ScatterList.class);

    private Heap heap;
    private final SegmentIdentities identities;
    private final long[][] offsets; // by owner
    private final int[] counts; // by owner
    private final long[] bytes; // by owner
    private final boolean[] kept; // by owner
    private final boolean[] held; // by owner
    private final int capacity;
    private long freedBytes;
    private int freed;

    /**
     * @param owners ranks that may own objects
     * @param capacity the most objects
     */
    public ScatterList(Heap heap, SegmentIdentities identities, int owners, int capacity) {
        this.heap = heap;
        this.identities = identities;
        this.capacity = capacity;
        this.offsets = new long[owners][0];
        this.counts = new int[owners];
        this.bytes = new long[owners];
        this.kept = new boolean[owners];
        this.held = new boolean[owners];
    }

    /** From now on ranks are reached by that heap. */
    final void reachBy(Heap renewed) {
        heap = renewed;
    }

    /**
     * Keeps the objects of an owner for now, while it is unknown which of them a lost segment contained.
     *
     * @param isHeld false to free them again
     */
    final void hold(int owner, boolean isHeld) {
        held[owner] = isHeld;
    }

    /** Forgets objects that were added and not freed because an error struck the thread in between. */
    final void clear() {
        Arrays.fill(counts, 0);
        Arrays.fill(bytes, 0);
    }

    /** Adds the objects of a bag, except those whose segment is lost. */
    final void add(BagEntries bag) {
        for (int index = 0; index < bag.objects(); index++) {
            if (bag.isThere(index)) {
                add(bag.owner(index), GlobalPointer.offsetOf(bag.pointer(index)), bag.objectBytes(index));
            }
        }
    }

    /** Adds one object. */
    final void add(int owner, long offset, long objectBytes) {
        if (counts[owner] == offsets[owner].length) {
            offsets[owner] = Arrays.copyOf(offsets[owner], Math.clamp(2L * counts[owner], 64, capacity));
        }
        offsets[owner][counts[owner]++] = offset;
        bytes[owner] += objectBytes;
    }

    /**
     * Frees the added objects; then the list is empty. Objects of absent ranks are {@linkplain #keeps kept} as they
     * are.
     *
     * @return how many objects were freed
     * @throws IllegalArgumentException if one of them is no object or was free already; objects of other owners may not
     * have been freed
     */
    final int free() {
        Arrays.fill(kept, false);
        freedBytes = 0;
        freed = 0;
        try {
            for (int owner = 0; owner < counts.length; owner++) {
                freed += counts[owner] == 0 ? 0 : free(owner);
            }
        } finally {
            clear();
        }
        return freed;
    }

    private int free(int owner) {
        long[] objects = Arrays.copyOf(offsets[owner], counts[owner]);
        if (held[owner]) {
            kept[owner] = true;
            return 0;
        }
        // Before anything is changed there.
        try {
            if (!identities.isAsMet(owner)) {
                LOG.warn("a rank's segment was lost and made anew, objects of the former are gone: rank={} objects={}",
                        owner, objects.length);
                return 0;
            }
        } catch (FabricException gone) {
            kept[owner] = true;
            return 0;
        }
        try {
            free(owner, objects);
            freedBytes += bytes[owner];
            return objects.length;
        } catch (FabricException cut) {
            // It is unknown which of them are free by now, and an object must not be freed twice.
            LOG.warn("a rank went away while objects of it were freed, some are lost: rank={} objects={}", owner,
                    objects.length, cut);
            return 0;
        }
    }

    protected void free(int owner, long[] objects) {
        heap.free(owner, objects);
    }

    /** Returns true if the last {@link #free()} could not free all objects, and has not lost all of the rest. */
    final boolean keepsAny() {
        for (boolean ofOwner : kept) {
            if (ofOwner) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns true if the last {@link #free()} could not free this object, and did not lose it. False for an object
     * whose segment is lost.
     */
    final boolean keeps(long pointer) {
        return GlobalPointer.offsetOf(pointer) != 0 && kept[GlobalPointer.rankOf(pointer)];
    }

    /** Returns how many objects the last {@link #free()} has freed. */
    final int freed() {
        return freed;
    }

    /** Returns the size of the objects that the last {@link #free()} has freed, as far as known. */
    final long freedBytes() {
        return freedBytes;
    }
}
