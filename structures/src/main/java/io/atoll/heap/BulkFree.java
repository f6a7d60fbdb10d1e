package io.atoll.heap;

import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/**
 * Frees objects of one segment together. All objects of a slab need one read. All objects that share a word of free
 * bits need one atomic.
 */
final class BulkFree {

    private final SlabTable table;
    private final Runs runs;
    private final int target;
    private final long[] offsets;
    private final boolean checked;
    private final Batch batch;

    // The slabs that are looked at together, and for each slab the index of its first offset.
    private final int[] slabs = new int[Batch.ATOMICS];
    private final int[] firsts = new int[Batch.ATOMICS + 1];

    // The groups that are freed together. The objects of a group share a word of free bits.
    private final ObjectSlab[] slabsOfGroups = new ObjectSlab[Batch.ATOMICS];
    private final int[] groups = new int[Batch.ATOMICS];
    private final long[] objects = new long[Batch.ATOMICS];
    private int count;

    /** @param offsets the offsets in ascending order */
    public BulkFree(SlabTable table, Runs runs, int target, long[] offsets, boolean checked) {
        this.table = table;
        this.runs = runs;
        this.target = target;
        this.offsets = offsets;
        this.checked = checked;
        this.batch = table.endpoint().batch(target);
    }

    /** Frees everything, the offsets of up to {@link Batch#ATOMICS} slabs at a time. */
    public void run() {
        for (int from = 0; from < offsets.length;) {
            from = freeFrom(from);
        }
    }

    /**
     * Frees the objects of the next slabs, as many groups at once as a batch has atomics. Then frees the runs among
     * them, one by one. Refuses all groups that are freed at once if one of their objects does not exist, or is free
     * already. Then none of them is freed, as far as that shows beforehand.
     *
     * @return the index of the next offset
     */
    private int freeFrom(int from) {
        int found = findSlabs(from);
        long[] words = readWords(found);
        for (int index = 0; index < found; index++) {
            if (SlabWord.hasObjects(words[index])) {
                ObjectSlab slab = ObjectSlab.of(table, target, slabs[index], words[index]);
                addGroups(slab, firsts[index], firsts[index + 1]);
            }
        }
        setFree();
        for (int index = 0; index < found; index++) {
            if (!SlabWord.hasObjects(words[index])) {
                freeRuns(words[index], firsts[index], firsts[index + 1]);
            }
        }
        return firsts[found];
    }

    private void freeRuns(long word, int from, int end) {
        for (int at = from; at < end; at++) {
            runs.free(target, offsets[at], word);
        }
    }

    /** Returns the number of slabs. */
    private int findSlabs(int from) {
        int found = 0;
        int at = from;
        while (at < offsets.length && found < slabs.length) {
            slabs[found] = table.area().slabAt(offsets[at]);
            firsts[found++] = at;
            long end = table.area().slabOffset(slabs[found - 1] + 1);
            while (at < offsets.length && offsets[at] < end) {
                at++;
            }
        }
        firsts[found] = at;
        return found;
    }

    private long[] readWords(int found) {
        long[] places = new long[found];
        Arrays.setAll(places, index -> table.area().wordOffset(slabs[index]));
        return read(places);
    }

    private void addGroups(ObjectSlab slab, int from, int end) {
        int group = -1;
        for (int at = from; at < end; at++) {
            int object = slab.objectAt(offsets[at]);
            if (checked) {
                slab.refuseUnlessHandedOut(object);
            }
            if (group != SizeClass.group(object)) {
                group = SizeClass.group(object);
                begin(slab, group);
            }
            long bit = SizeClass.bit(object);
            slab.refuse(group, objects[count - 1] & bit);
            objects[count - 1] |= bit;
        }
    }

    private void begin(ObjectSlab slab, int group) {
        if (count == groups.length) {
            setFree();
        }
        slabsOfGroups[count] = slab;
        groups[count] = group;
        objects[count++] = 0;
    }

    private void setFree() {
        long[] before = readFree();
        for (int index = 0; index < before.length; index++) {
            slabsOfGroups[index].refuse(groups[index], before[index] & objects[index]);
        }
        long[] witness = exchange(before);
        count = 0;
        IllegalArgumentException refusal = null;
        for (int index = 0; index < before.length; index++) {
            if (witness[index] != before[index]) {
                refusal = setFreeAnew(index, refusal);
            } else if (before[index] == 0) {
                slabsOfGroups[index].makeRoom();
            }
        }
        // Last: a search must find what the other groups have freed.
        if (refusal != null) {
            throw refusal;
        }
    }

    private @Nullable IllegalArgumentException setFreeAnew(int index, @Nullable IllegalArgumentException former) {
        try {
            slabsOfGroups[index].setFree(groups[index], objects[index]);
            return former;
        } catch (IllegalArgumentException freeAlready) {
            return former == null ? freeAlready : former;
        }
    }

    private long[] readFree() {
        long[] places = new long[count];
        Arrays.setAll(places, index -> slabsOfGroups[index].freeOffset(groups[index]));
        return read(places);
    }

    private long[] read(long[] wordOffsets) {
        for (int at = 0; at < wordOffsets.length; at++) {
            batch.read(target, wordOffsets[at], at * Layouts.WORD, Layouts.WORD);
        }
        batch.complete();
        long[] words = new long[wordOffsets.length];
        Arrays.setAll(words, at -> batch.word(at * Layouts.WORD));
        return words;
    }

    private long[] exchange(long[] before) {
        int[] results = new int[before.length];
        for (int index = 0; index < before.length; index++) {
            long free = before[index] | objects[index];
            long place = slabsOfGroups[index].freeOffset(groups[index]);
            results[index] = batch.compareAndExchange(target, place, before[index], free);
        }
        batch.complete();
        return Arrays.stream(results).mapToLong(batch::result).toArray();
    }
}
