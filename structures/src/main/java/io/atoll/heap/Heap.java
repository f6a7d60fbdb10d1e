package io.atoll.heap;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.SegmentFullException;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongSupplier;

/**
 * The allocator of the segments of a world, as one rank sees it: it reserves and frees in its own segment and in those
 * of others alike, by verbs alone. Any thread may use it. It is lock-free: no step waits for another rank, or for
 * another thread of this one.
 *
 * <p><b>Runs</b> are for what is large and lives long. A run is reserved first, then made known to others, then
 * committed. What a rank reserved and did not commit before it died is {@linkplain #reclaimPending taken back}: a death
 * loses nothing.
 *
 * <p><b>Objects</b> are for nodes, payloads and descriptors. Each process keeps some in stock, so that handing one out
 * takes no round trip: free objects of one group (at most {@value SizeClass#GROUP}), or all of a new slab, claimed
 * together. Nobody else can have them; what a process withholds by it is one slab for each target and size class, as a
 * rule. What a rank had in stock when it died is {@linkplain #reclaimStock taken back}. What had been handed out to its
 * threads and was not yet linked into anything is lost: one object for each operation that was under way, unless the
 * structure finds it by records of its own.
 *
 * <p>An object is to be published, by the thread that it was handed out to, in the segment in which it lies, or after a
 * flush: before anybody else learns of it, it must have arrived that it is handed out.
 */
public final class Heap {

    /** Bytes at the end of every object that are not its user's: see {@link #link}. */
    public static final long LINK_BYTES = Layouts.WORD;

    /** At the end of a run that is {@linkplain #announce announced}, together with its link, not its user's. */
    public static final long ANNOUNCED_BYTES = Runs.ANNOUNCEMENT_BYTES + LINK_BYTES;

    /** An allocation that finds no room has something freed so often at most. */
    private static final int MOST_ROUNDS = 16;

    /** Incarnations at most: what 16 bits hold. */
    public static final int MAXIMUM_INCARNATION = (1 << 16) - 1;

    private final Endpoint endpoint;
    private final HeapArea area;
    private final SlabTable table;
    private final Runs runs;
    private final SmallObjects objects;
    private final int incarnation;
    private final boolean checked;
    private final AtomicReference<Relief> relief;

    /** As {@link #Heap(Endpoint, HeapArea, int, boolean)}, not checked. */
    public Heap(Endpoint endpoint, HeapArea area, int incarnation) {
        this(endpoint, area, incarnation, false);
    }

    /**
     * @param area the same at every rank
     * @param incarnation this rank's, from 1 to {@link #MAXIMUM_INCARNATION}
     * @param checked whether to refuse to free, too, what was freed before and has been claimed for a stock since.
     * Costs R for each object that is freed, and a flush for each that is handed out. Everything else that is wrong to
     * free is refused anyway, except what was freed and handed out again, which nobody can tell from a right one
     */
    public Heap(Endpoint endpoint, HeapArea area, int incarnation, boolean checked) {
        if (incarnation < 1 || incarnation > MAXIMUM_INCARNATION) {
            throw new IllegalArgumentException("from 1 to " + MAXIMUM_INCARNATION + ": incarnation=" + incarnation);
        }
        this.endpoint = endpoint;
        this.area = area;
        this.table = new SlabTable(endpoint, area);
        this.runs = new Runs(table, incarnation);
        this.objects = new SmallObjects(table, runs, incarnation);
        this.incarnation = incarnation;
        this.checked = checked;
        this.relief = new AtomicReference<>(Relief.NONE);
    }

    private Heap(Heap former, Endpoint endpoint, int lost) {
        this.endpoint = endpoint;
        this.area = former.area;
        this.table = new SlabTable(endpoint, area);
        this.incarnation = former.incarnation;
        this.runs = new Runs(table, incarnation);
        this.objects = former.objects.by(table, runs, lost);
        this.checked = former.checked;
        this.relief = former.relief;
    }

    /**
     * The same heap for who reaches ranks by that endpoint, of which one has lost its segment. What this process has in
     * stock elsewhere is in stock of both.
     */
    public Heap by(Endpoint renewed, int lost) {
        return new Heap(this, renewed, lost);
    }

    /** From now on it is asked to free something before an allocation fails for want of room. */
    public void relieveBy(Relief source) {
        relief.set(source);
    }

    /** @param rounds that were in vain: each is worth another only because something was freed */
    private void relieveOrFail(SegmentFullException full, int rounds) {
        boolean fits = full.askedBytes() <= area.slabs() * area.slabBytes();
        if (!fits || rounds == MOST_ROUNDS || !relief.get().relieve(full.rank())) {
            throw relief.get().explained(full);
        }
    }

    /**
     * Reserves a zeroed run of at least so many bytes, rounded up to whole slabs. It is pending until it is {@linkplain
     * #commit committed}. Cost: 2 R + 2 A; if it was in use before, W for each 32 KiB and a flush more.
     *
     * <p>If the target goes away meanwhile, one run may have been reserved that nobody knows of: it stays pending in this
     * rank's name until this incarnation has ended, and is {@linkplain #reclaimPending taken back} then.
     *
     * <p>Before it fails for want of room, it frees what this process has retired and nobody can be using any more. That uses the thread's batches.
     *
     * @return its offset in the target's segment, a multiple of 64
     * @throws SegmentFullException and nothing was reserved
     */
    public long reserve(int target, long bytes) {
        for (int rounds = 0;; rounds++) {
            try {
                return reserveAtOnce(target, bytes);
            } catch (SegmentFullException full) {
                relieveOrFail(full, rounds);
            }
        }
    }

    private long reserveAtOnce(int target, long bytes) {
        long slabs = Math.ceilDiv(atLeastOne(bytes), area.slabBytes());
        int slab = slabs <= area.slabs() ? runs.claim(target, (int) slabs) : Runs.NOT_FOUND;
        if (slab == Runs.NOT_FOUND && slabs <= area.slabs()) {
            objects.mend(target);
            slab = runs.claim(target, (int) slabs);
        }
        if (slab == Runs.NOT_FOUND) {
            throw runs.full(target, bytes);
        }
        return area.slabOffset(slab);
    }

    private static long atLeastOne(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("at least one byte: bytes=" + bytes);
        }
        return bytes;
    }

    /**
     * Says where a reserved run will be made known: by a word that gets that value. If who has reserved it dies, the run is committed if the word has the value, else taken back. So a
     * run that is announced, then made known, then committed is never lost, and never taken from those who know it. While it is pending, the word must not be changed again, nor its memory
     * freed: whoever is about to do that {@linkplain #commit commits} the run before. Cost: R + W + A and a flush.
     *
     * @param run of which the last {@value #ANNOUNCED_BYTES} bytes are not used
     * @param place of the word, in any segment
     */
    public void announce(int target, long run, GlobalPointer place, long value) {
        runs.announce(target, run, place, value);
    }

    /** Whether a run begins there, in use or pending, that was {@linkplain #announce announced} with that word and value last: for whoever has found the value there. Cost: 2 R. */
    public boolean isAnnounced(int target, long run, GlobalPointer place, long value) {
        return runs.isAnnounced(target, run, place, value);
    }

    /**
     * As {@link #commit} of a run that this rank has announced; does nothing if others, who know it, have freed it already. Cost: R + A.
     */
    public void settle(int target, long run) {
        runs.settle(target, run);
    }

    /**
     * Makes a run in use pending again, in this rank's name, and announced with a word that has the value as long as
     * the run is in use. The caller changes that word next, and then frees the
     * run. If this rank dies before the change, the run stays; if it dies after it, the run is taken back. Nobody uses
     * the run when the word changes, and only the caller frees it. A caller
     * that does not change the word {@linkplain #settle settles} the run. Cost: 2 R + W + A and a flush; A more if a
     * dead rank left the run pending.
     *
     * @param run of which the last {@value #ANNOUNCED_BYTES} bytes are not used
     * @param place of the word, in any segment
     */
    public void uncommit(int target, long run, GlobalPointer place, long value) {
        runs.uncommit(target, run, place, value);
    }

    /**
     * Frees a run that this process has announced with that word, unless the word has the value: then it commits the
     * run. Does nothing to a run that is something else by now, so it may be called again after it has failed. Cost: 4
     * R + 2 A.
     */
    public void withdraw(int target, long run, GlobalPointer place, long value) {
        runs.withdraw(target, run, place, value);
    }

    /**
     * Lets a committed run be {@linkplain #freeRetired freed} when nobody can be using it any more. Whoever does that is pinned, and then changes the word by which the run is known still; if
     * it dies in between, the next one does the same again. So a death loses nothing, and nothing is freed twice. Several may do it at once. Cost: 2 R + W + A and a flush.
     *
     * @param run of which the last {@value #ANNOUNCED_BYTES} bytes are not used
     * @param place of the word by which it is known still, in any segment
     * @param epoch the one after that of the world, which was read when nobody could find the run any more but by that word. One later, because others may do the same, pinned since
     * this one, and must not come upon another run there
     */
    public void retire(int target, long run, GlobalPointer place, long value, long epoch) {
        runs.retire(target, run, place, value, epoch);
    }

    /**
     * Frees the runs that were {@linkplain #retire retired} two epochs ago, by whomever, and are not known any more. Cost: R for each 512 slabs, and a few verbs for each run.
     *
     * @param epoch that of the world, now
     */
    public Runs.Sweep freeRetired(int target, LongSupplier epoch) {
        return runs.freeRetired(target, epoch);
    }

    /** What is free now, by joining what follows each other. Cost: R for each 512 slabs. */
    public FreeStretches freeStretches(int target) {
        return new FreeStretches(runs.freeStretches(target), area.slabBytes());
    }

    /** Runs are as long as a multiple of this. */
    public long slabBytes() {
        return area.slabBytes();
    }

    /** A number that changes when room is made in the target's heap, though not each time. Cost: R. */
    public long roomMade(int target) {
        return table.hints().announcements(target);
    }

    /**
     * From now on the run stays until it is freed, whatever becomes of who reserved it. Any rank may commit it;
     * committing again does nothing. Cost: R + A.
     *
     * @throws IllegalArgumentException if no reserved run begins there
     */
    public void commit(int target, long offset) {
        runs.commit(target, offset);
    }

    /**
     * Hands out an object of at least so many bytes, with arbitrary contents; one larger than {@link
     * HeapArea#largestObjectBytes()} is a committed run. Cost: W, not waited for; R + W + A more for the first of a
     * group, 4 R + 4 A for the first of a new slab. If there is no room, as {@link #reserve}.
     *
     * @return its offset in the target's segment, a multiple of {@link io.atoll.memory.TaggedPointer#UNIT}
     * @throws SegmentFullException and nothing was handed out
     */
    public long allocate(int target, long bytes) {
        for (int rounds = 0;; rounds++) {
            try {
                return allocateAtOnce(target, bytes);
            } catch (SegmentFullException full) {
                relieveOrFail(full, rounds);
            }
        }
    }

    /** As {@link #allocate}, and frees nothing before it fails: for whoever frees. */
    public long allocateAtOnce(int target, long bytes) {
        long size = atLeastOne(bytes) + LINK_BYTES;
        int sizeClass = SizeClass.indexFor(size);
        if (sizeClass >= area.sizeClasses()) {
            long run = reserveAtOnce(target, size);
            commit(target, run);
            return run;
        }
        long object = objects.allocate(target, sizeClass);
        if (checked) {
            endpoint.flush(target);
        }
        return object;
    }

    /**
     * Where the word is that belongs to whoever gives the object back: the last one of an object, or of a run. So a list of what is to be freed
     * needs no memory of its own, and those who still read the objects do not see it. A run has it to spare if {@link #LINK_BYTES} more were reserved than are
     * used. Cost: R.
     */
    public long link(int target, long offset) {
        int slab = area.slabAt(offset);
        long word = table.word(target, slab);
        long bytes = SlabWord.hasObjects(word)
                ? area.sizeClass(SlabWord.sizeClass(word)).objectBytes()
                : SlabWord.length(word) * area.slabBytes();
        return offset + bytes - LINK_BYTES;
    }

    /** As {@link #allocate}. */
    public GlobalPointer allocatePointer(int target, long bytes) {
        return new GlobalPointer(target, allocate(target, bytes));
    }

    /**
     * Gives back an object or a run. Any rank may do that, whoever reserved it. Cost: R + A for an object (2 R + A
     * where the fabric has no fetch-or), 1 to 3 A more if it is the first free one of its group; R + 2 A for a run.
     *
     * @throws IllegalArgumentException if none begins there or it is free already
     */
    public void free(int target, long offset) {
        int slab = area.slabAt(offset);
        long word = table.word(target, slab);
        if (SlabWord.hasObjects(word)) {
            freeObject(target, offset, ObjectSlab.of(table, target, slab, word));
        } else {
            runs.free(target, offset, word);
        }
    }

    /** As {@link #free(int, long)}. */
    public void free(GlobalPointer pointer) {
        free(pointer.rank(), pointer.offset());
    }

    private void freeObject(int target, long offset, ObjectSlab slab) {
        int object = slab.objectAt(offset);
        if (checked) {
            slab.refuseUnlessHandedOut(object);
        }
        slab.setFree(SizeClass.group(object), SizeClass.bit(object));
    }

    /**
     * Frees objects, and runs if there are any, of one segment. Uses the thread's batch of that rank. Cost: a round
     * trip for each {@value Batch#ATOMICS} slabs, with R for each, and two for each {@value Batch#ATOMICS} groups of
     * objects that share a word, with R + A for each; 1 to 3 A more for each group that had none free.
     *
     * @throws IllegalArgumentException if no object or run begins at one of the offsets, or it is free already. Others
     * of them may be freed then
     */
    public void free(int target, long[] offsets) {
        // In the order in which they lie, so that those of one slab, and of one word, are met together.
        long[] sorted = offsets.clone();
        Arrays.sort(sorted);
        new BulkFree(table, runs, target, sorted, checked).run();
    }

    /**
     * Takes back the runs that a dead incarnation of a rank, and those before it, reserved in the target's segment and
     * did not commit; those that were {@linkplain #announce announced} and are known are committed. The caller vouches that it is dead and can no longer write there, and that nobody will commit
     * these runs in its place any more. Cost: R for each 512 slabs, 2 A for each run. Lock-free; may be repeated, and
     * done by several ranks at once.
     *
     * @return the bytes that were taken back
     */
    public long reclaimPending(int target, int rank, int incarnation) {
        return runs.reclaim(target, notThis(rank, incarnation), incarnation);
    }

    /**
     * Takes back the objects that a dead incarnation of a rank, and those before it, had in stock in the target's
     * segment. The caller vouches that it is dead and can no longer write there. Cost: R for each 512 slabs, a few
     * verbs for each slab. Lock-free; may be repeated, and done by several ranks at once.
     *
     * @return the bytes of the objects that were taken back
     */
    public long reclaimStock(int target, int rank, int incarnation) {
        return objects.reclaim(target, notThis(rank, incarnation), incarnation);
    }

    private int notThis(int rank, int dead) {
        if (rank == endpoint.rank() && dead >= incarnation) {
            throw new IllegalArgumentException("this rank lives: rank=" + rank + " incarnation=" + dead);
        }
        return rank;
    }

    /**
     * Gives back what this process has in stock in the target's segment, so that others can use it: for a rank that
     * leaves. Cost: a few verbs for each slab.
     */
    public void releaseStock(int target) {
        objects.release(target);
    }

    /** The length of the run in use that begins there, 0 if none does. For those who look on. Cost: R. */
    public long runBytes(int target, long offset) {
        return runs.bytes(target, offset);
    }

    /** Begins to count what the own heap is used for, in rounds. */
    public HeapCount ownCount() {
        return new HeapCount(area);
    }

    /** What the target's heap is used for. Cost: R for each 512 slabs, and R for each slab of objects. */
    public HeapUsage usage(int target) {
        return HeapUsage.of(table, target);
    }
}
