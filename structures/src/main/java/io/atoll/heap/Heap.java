package io.atoll.heap;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.SegmentFullException;

/**
 * The allocator of the segments of a world, as one rank sees it: it reserves and frees in its own segment and in those of others alike, by verbs
 * alone. Any thread may use it. It is lock-free: no step waits for another rank, or for another thread of this one.
 *
 * <p><b>Runs</b> are for what is large and lives long. A run is reserved first, then made known to others, then committed: what a rank
 * reserved but did not commit before it died is {@linkplain #reclaimPending taken back}.
 */
public final class Heap {

    /** Incarnations at most: what 16 bits hold. */
    public static final int MAXIMUM_INCARNATION = (1 << 16) - 1;

    private final HeapArea area;
    private final SlabTable table;
    private final Runs runs;

    /**
     * @param area the same at every rank
     * @param incarnation this rank's, from 1 to {@link #MAXIMUM_INCARNATION}
     */
    public Heap(Endpoint endpoint, HeapArea area, int incarnation) {
        if (incarnation < 1 || incarnation > MAXIMUM_INCARNATION) {
            throw new IllegalArgumentException("from 1 to " + MAXIMUM_INCARNATION + ": incarnation=" + incarnation);
        }
        this.area = area;
        this.table = new SlabTable(endpoint, area);
        this.runs = new Runs(endpoint, area, table, new RoomHints(endpoint, area), incarnation);
    }

    /**
     * Reserves a zeroed run of at least so many bytes, rounded up to whole slabs. It is pending until it is {@linkplain #commit
     * committed}. Cost: 2 R + 2 A, and if it was in use before, W for each 32 KiB and a flush.
     *
     * @return its offset in the target's segment, a multiple of 64
     * @throws SegmentFullException and nothing was reserved
     */
    public long reserve(int target, long bytes) {
        if (bytes <= 0) {
            throw new IllegalArgumentException("a run has at least one byte: bytes=" + bytes);
        }
        long slabs = Math.ceilDiv(bytes, area.slabBytes());
        int slab = slabs <= area.slabs() ? runs.claim(target, (int) slabs) : Runs.NOT_FOUND;
        if (slab == Runs.NOT_FOUND) {
            throw new SegmentFullException(target, bytes, usage(target).freeBytes());
        }
        return area.slabOffset(slab);
    }

    /**
     * From now on the run stays until it is freed, whatever becomes of who reserved it. Any rank may commit it; committing again does nothing. Cost:
     * R + A.
     *
     * @throws IllegalArgumentException if no reserved run begins there
     */
    public void commit(int target, long offset) {
        runs.commit(target, firstSlab(target, offset));
    }

    /**
     * Gives back a run. Any rank may do that. Cost: R + 2 A.
     *
     * @throws IllegalArgumentException if no run begins there or it is free already
     */
    public void free(int target, long offset) {
        int slab = firstSlab(target, offset);
        runs.free(target, slab, table.word(target, slab));
    }

    private int firstSlab(int target, long offset) {
        int slab = area.slabAt(offset);
        if (area.slabOffset(slab) != offset) {
            throw new IllegalArgumentException("not the beginning of a run: rank=" + target + " offset=" + offset);
        }
        return slab;
    }

    /**
     * Takes back the runs that a dead incarnation of a rank, and those before it, reserved in the target's segment and did not commit. The caller
     * vouches that it is dead and can no longer write there, and that nobody will commit these runs in its place any more. Cost: R for each 512
     * slabs, 2 A for each run.
     *
     * @return the bytes that were taken back
     */
    public long reclaimPending(int target, int rank, int incarnation) {
        return runs.reclaimPending(target, rank, incarnation);
    }

    /** What the target's heap is used for. Cost: R for each 512 slabs. */
    public HeapUsage usage(int target) {
        int pendingRuns = 0;
        int ownedRuns = 0;
        long pendingSlabs = 0;
        long ownedSlabs = 0;
        for (SlabTable.Walk walk = table.walk(target, 0); !walk.atEnd(); walk.next()) {
            long length = SlabWord.length(walk.word());
            switch (SlabWord.state(walk.word())) {
                case SlabWord.PENDING -> {
                    pendingRuns++;
                    pendingSlabs += length;
                }
                case SlabWord.OWNED -> {
                    ownedRuns++;
                    ownedSlabs += length;
                }
                default -> {
                    // Free.
                }
            }
        }
        long unit = area.slabBytes();
        return new HeapUsage(area.slabs() * unit, (area.slabs() - pendingSlabs - ownedSlabs) * unit, pendingRuns,
                pendingSlabs * unit, ownedRuns, ownedSlabs * unit, 0, 0, 0, 0);
    }
}
