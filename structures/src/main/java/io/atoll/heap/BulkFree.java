package io.atoll.heap;

import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Objects of one segment that are freed together, at most {@link Batch#ATOMICS} of them: in three round trips, with one
 * read for all objects of a slab, and one atomic for all that share a word of free bits.
 */
final class BulkFree {

    /** Objects that share a word. */
    private static final class Group {

        private final ObjectSlab slab;
        private final int index;
        private long objects;

        Group(ObjectSlab slab, int index) {
            this.slab = slab;
            this.index = index;
        }

        void add(long object) {
            slab.refuse(index, objects & object);
            objects |= object;
        }

        long wordOffset() {
            return slab.freeOffset(index);
        }

        /** When the first object of the group is free, others are told that there is room. */
        void makeRoomIfFirst(long freeBefore) {
            if (freeBefore == 0) {
                slab.makeRoom();
            }
        }
    }

    private final SlabTable table;
    private final Runs runs;
    private final int target;
    private final long[] offsets;
    private final int[] slabs; // of each object
    private final Batch batch;
    private final boolean checked;

    /** @param offsets in their order */
    BulkFree(SlabTable table, Runs runs, int target, long[] offsets, boolean checked) {
        this.table = table;
        this.runs = runs;
        this.target = target;
        this.offsets = offsets;
        this.slabs = Arrays.stream(offsets).mapToInt(table.area()::slabAt).toArray();
        this.batch = table.endpoint().batch(target);
        this.checked = checked;
    }

    /**
     * Frees all, or none if one of them is no object or free already, as far as that shows beforehand; then the runs
     * among them, one by one.
     */
    void run() {
        int[] distinct = Arrays.stream(slabs).distinct().toArray();
        long[] words = read(Arrays.stream(distinct).mapToLong(table.area()::wordOffset).toArray());
        List<Group> groups = new ArrayList<>();
        List<Runnable> ofRuns = new ArrayList<>();
        for (int index = 0, at = 0; index < distinct.length; index++) {
            int end = endOfSlab(at);
            long word = words[index];
            if (SlabWord.hasObjects(word)) {
                addGroups(table.objectSlab(target, distinct[index], word), at, end, groups);
            } else {
                Arrays.stream(offsets, at, end).forEach(run -> ofRuns.add(() -> runs.free(target, run, word)));
            }
            at = end;
        }
        setFree(groups);
        ofRuns.forEach(Runnable::run);
    }

    private int endOfSlab(int first) {
        int end = first;
        while (end < slabs.length && slabs[end] == slabs[first]) {
            end++;
        }
        return end;
    }

    private void addGroups(ObjectSlab slab, int from, int end, List<Group> groups) {
        Group group = null;
        for (int at = from; at < end; at++) {
            int object = slab.objectAt(offsets[at]);
            if (checked) {
                slab.refuseUnlessHandedOut(object);
            }
            if (group == null || group.index != SizeClass.group(object)) {
                group = new Group(slab, SizeClass.group(object));
                groups.add(group);
            }
            group.add(SizeClass.bit(object));
        }
    }

    private void setFree(List<Group> groups) {
        long[] before = read(groups.stream().mapToLong(Group::wordOffset).toArray());
        for (int at = 0; at < before.length; at++) {
            groups.get(at).slab.refuse(groups.get(at).index, before[at] & groups.get(at).objects);
        }
        long[] witness = exchange(groups, before);
        IllegalArgumentException refusal = null;
        for (int at = 0; at < before.length; at++) {
            Group group = groups.get(at);
            if (witness[at] == before[at]) {
                group.makeRoomIfFirst(before[at]);
            } else {
                refusal = setFreeAnew(group, refusal);
            }
        }
        // Last: what the other groups have freed must be found.
        if (refusal != null) {
            throw refusal;
        }
    }

    private static @Nullable IllegalArgumentException setFreeAnew(Group group,
            @Nullable IllegalArgumentException former) {
        try {
            group.slab.setFree(group.index, group.objects);
            return former;
        } catch (IllegalArgumentException freeAlready) {
            return former == null ? freeAlready : former;
        }
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

    private long[] exchange(List<Group> groups, long[] before) {
        int[] results = new int[before.length];
        for (int at = 0; at < before.length; at++) {
            long free = before[at] | groups.get(at).objects;
            results[at] = batch.compareAndExchange(target, groups.get(at).wordOffset(), before[at], free);
        }
        batch.complete();
        return Arrays.stream(results).mapToLong(batch::result).toArray();
    }
}
