package io.atoll.heap;

import java.util.Arrays;

/**
 * Tells what a segment's heap is used for. Each number was true at some moment. Together they are consistent if no rank
 * reserved or freed meanwhile: then the total is free + pending + owned + slabs of objects.
 *
 * @param totalBytes the bytes of all slabs
 * @param freeBytes the bytes of free runs, and of slabs that never were part of a run
 * @param pendingRuns runs that were reserved and not yet committed
 * @param pendingBytes the bytes of those runs, and of what is about to become part of one
 * @param ownedRuns runs that were committed
 * @param ownedBytes the bytes of those runs
 * @param objectSlabs slabs that objects are handed out from
 * @param objectSlabBytes the bytes of those slabs
 * @param objects objects in slabs that were handed out and not freed. Objects that are free, or in a rank's slab cache,
 * do not count
 * @param objectBytes the bytes of those objects, each rounded up to its size class
 */
public record HeapUsage(long totalBytes, long freeBytes, int pendingRuns, long pendingBytes, int ownedRuns,
        long ownedBytes, int objectSlabs, long objectSlabBytes, long objects, long objectBytes) {

    /** Counts by walking over all runs and reading the words of each slab of objects. */
    static HeapUsage of(SlabTable table, int target) {
        int[] runs = new int[SlabWord.STATES];
        int[] slabs = new int[SlabWord.STATES];
        long objects = 0;
        long objectBytes = 0;
        SlabTable.Walk walk = table.walk(target, 0);
        for (; !walk.atEnd(); walk.next()) {
            long word = walk.word();
            runs[SlabWord.state(word)]++;
            slabs[SlabWord.state(word)] += SlabWord.length(word);
            if (SlabWord.hasObjects(word)) {
                ObjectSlab slab = ObjectSlab.of(table, target, walk.slab(), word);
                long live = Arrays.stream(slab.marked(SizeClass.HANDED_OUT)).map(Long::bitCount).sum();
                objects += live;
                objectBytes += live * slab.sizeClass().objectBytes();
            }
        }
        int ofObjects = slabs[SlabWord.HELD] + slabs[SlabWord.FULL] + slabs[SlabWord.ROOM];
        int free = slabs[SlabWord.FREE] + table.area().slabs() - walk.slab();
        int pending = slabs[SlabWord.PENDING] + slabs[SlabWord.JOINED];
        long unit = table.area().slabBytes();
        return new HeapUsage(table.area().slabs() * unit, free * unit, runs[SlabWord.PENDING],
                pending * unit, runs[SlabWord.OWNED], slabs[SlabWord.OWNED] * unit, ofObjects,
                ofObjects * unit, objects, objectBytes);
    }
}
