package io.atoll.heap;

/**
 * What a segment's heap is used for. Each number was true at some moment; together they are consistent if nobody reserved or freed
 * meanwhile: then the total is free + pending + owned + slabs of objects.
 *
 * @param totalBytes of all slabs
 * @param freeBytes of free runs, and what never was part of a run
 * @param pendingRuns runs that were reserved and not yet committed
 * @param pendingBytes of those runs
 * @param ownedRuns runs that were committed
 * @param ownedBytes of those runs
 * @param objectSlabs slabs that small objects are handed out from
 * @param objectSlabBytes of those slabs
 * @param objects small objects that were handed out and not freed
 * @param objectBytes of those objects, each rounded up to its size class
 */
public record HeapUsage(long totalBytes, long freeBytes, int pendingRuns, long pendingBytes, int ownedRuns,
        long ownedBytes, int objectSlabs, long objectSlabBytes, long objects, long objectBytes) {}
