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
 * The allocator of the segments of a world, as one rank sees it. It reserves and frees in its own segment and in those
 * of other ranks alike, by verbs alone. Any thread may use it. It is lock-free: no step waits for another rank, or for
 * another thread of this one.
 *
 * <p><b>Runs</b> are for what is large and lives long. A run is reserved first, then made known to others, then
 * committed. If a rank dies, the runs that it reserved and did not commit are {@linkplain #reclaimPending taken back}.
 * So a death loses no run.
 *
 * <p><b>Objects</b> are for nodes, payloads and descriptors. Each process keeps some in a slab cache, so that handing
 * one out takes no round trip. The cache is the free objects of one group (at most {@value SizeClass#GROUP}), or all
 * objects of a new slab. They are claimed together. No other process can have them. So a process withholds from others,
 * as a rule, one slab for each target and size class. It keeps those of many objects that were {@linkplain
 * #allocate(int, long[], long[]) allocated together} until it allocates the next ones. If a rank dies, the objects in
 * its cache are {@linkplain #reclaimStock taken back}. Objects that were handed out to its threads and not yet linked
 * into anything are lost. Each operation that was under way loses one object, or those that it had allocated together,
 * unless the structure finds them by records of its own.
 *
 * <p>The thread that received an object publishes it, either in the segment in which it lies or after a flush. Before
 * any other thread learns of the object, the mark that it is handed out must have arrived.
 */
public final class Heap {

    /** The last bytes of every object, which do not belong to its user: see {@link #link}. */
    public static final long LINK_BYTES = Layouts.WORD;

    /**
     * The last bytes of a run that is {@linkplain #announce announced}, its link included. They do not belong to its
     * user.
     */
    public static final long ANNOUNCED_BYTES = Runs.ANNOUNCEMENT_BYTES + LINK_BYTES;

    /** An allocation that finds no room is attempted again at most this often. */
    private static final int MOST_ROUNDS = 16;

    /** The highest incarnation: what 16 bits hold. */
    public static final int MAXIMUM_INCARNATION = (1 << 16) - 1;

    private final Endpoint endpoint;
    private final HeapArea area;
    private final SlabTable table;
    private final Runs runs;
    private final SmallObjects objects;
    private final int incarnation;
    private final boolean checked;
    private final AtomicReference<Relief> relief;

    /** Like {@link #Heap(Endpoint, HeapArea, int, boolean)}, not checked. */
    public Heap(Endpoint endpoint, HeapArea area, int incarnation) {
        this(endpoint, area, incarnation, false);
    }

    /**
     * @param area the same at every rank
     * @param incarnation this rank's, from 1 to {@link #MAXIMUM_INCARNATION}
     * @param checked true to refuse a second free of an object even if a rank has claimed the object meanwhile. Costs R
     * for each object that is freed, and a flush for each that is handed out. All other wrong frees are refused anyway,
     * with one exception. If the object was freed and handed out again, a wrong free looks like a right one
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
     * Returns the same heap, which reaches the ranks by the renewed endpoint. The rank {@code lost} has lost its
     * segment. What this process has in its slab caches for other segments, both heaps hand out.
     */
    public Heap by(Endpoint renewed, int lost) {
        return new Heap(this, renewed, lost);
    }

    /** From now on, {@code source} is asked to free something before an allocation fails for want of room. */
    public void relieveBy(Relief source) {
        relief.set(source);
    }

    /**
     * Returns if another attempt is worth it; otherwise throws.
     *
     * @param rounds the attempts that were in vain: another one is worth it only because something is free by now
     */
    private void relieveOrFail(SegmentFullException full, int rounds) {
        boolean fits = full.askedBytes() <= area.slabs() * area.slabBytes();
        // As while another rank divided the only free run: it has all of it to itself for a moment.
        boolean isThereByNow = full.askedBytes() <= full.largestFreeBytes();
        if (!fits || rounds == MOST_ROUNDS || !isThereByNow && !relief.get().relieve(full.rank())) {
            throw relief.get().explained(full);
        }
    }

    /**
     * Reserves a zeroed run of at least {@code bytes} bytes, rounded up to whole slabs. It is pending until it is
     * {@linkplain #commit committed}. Cost: 2 R + 2 A; if it was in use before, W for each 32 KiB and a flush more.
     *
     * <p>If the target goes away meanwhile, one run may have been reserved that no thread knows of. It stays pending in
     * this rank's name until this incarnation has ended, and is {@linkplain #reclaimPending taken back} then.
     *
     * <p>Before it fails for want of room, it frees retired objects that no thread can be using any more. This uses the
     * thread's batches.
     *
     * @return its offset in the target's segment, a multiple of 64
     * @throws SegmentFullException if there is no room; nothing was reserved then
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

    /**
     * Checks that a segment with nothing in it has room for a run. Cost: none.
     *
     * @throws SegmentFullException if it has none, so that {@link #reserve} never finds room
     */
    public void checkFits(int target, long bytes) {
        if (bytes > area.slabs() * area.slabBytes()) {
            throw runs.full(target, bytes).evenIfEmpty();
        }
    }

    private static long atLeastOne(long bytes) {
        if (bytes < 1) {
            throw new IllegalArgumentException("at least one byte: bytes=" + bytes);
        }
        return bytes;
    }

    /**
     * Says where a reserved run will be made known: by a word that gets this value. If the rank that reserved the run
     * dies, the word decides. The run is committed if the word has the value, and taken back otherwise. So a run that
     * is announced, then made known, then committed is never lost. It is never taken from ranks that know it. While it
     * is pending, the word must not be changed again, nor its memory freed. A rank that is about to change the word or
     * to free its memory {@linkplain #commit commits} the run before. Cost: R + W + A and a flush.
     *
     * @param run its last {@value #ANNOUNCED_BYTES} bytes must not be in use
     * @param place the place of the word, in any segment
     */
    public void announce(int target, long run, GlobalPointer place, long value) {
        runs.announce(target, run, place, value);
    }

    /**
     * Returns true if a run, in use or pending, begins there, and its last {@linkplain #announce announcement} named
     * this word and value. It is for a rank that has found the value there. Cost: 2 R.
     */
    public boolean isAnnounced(int target, long run, GlobalPointer place, long value) {
        return runs.isAnnounced(target, run, place, value);
    }

    /**
     * Like {@link #commit}, for a run that this rank has announced. Does nothing if another rank, which knows the run,
     * has freed it already. Cost: R + A.
     */
    public void settle(int target, long run) {
        runs.settle(target, run);
    }

    /**
     * Makes a run in use pending again, in this rank's name, and announces it with a word. The word has the value as
     * long as the run is in use. The caller changes that word next, and then frees the run. If this rank dies before
     * the change, the run stays; if it dies after it, the run is taken back. When the word changes, no thread may be
     * using the run, and only the caller frees it. A caller that does not change the word {@linkplain #settle settles}
     * the run. Cost: 2 R + W + A and a flush; A more if a dead rank left the run pending.
     *
     * @param run its last {@value #ANNOUNCED_BYTES} bytes must not be in use
     * @param place the place of the word, in any segment
     */
    public void uncommit(int target, long run, GlobalPointer place, long value) {
        runs.uncommit(target, run, place, value);
    }

    /**
     * Frees a run that this process has announced with this word, unless the word has the value: then it commits the
     * run. Does nothing to a run that is something else by now. So it may be called again after it has failed. Cost: 4
     * R + 2 A.
     */
    public void withdraw(int target, long run, GlobalPointer place, long value) {
        runs.withdraw(target, run, place, value);
    }

    /**
     * Lets a committed run be {@linkplain #freeRetired freed} when no thread can be using it any more. The calling
     * thread is pinned, and after this call changes the word by which the run is still known. If it dies in between,
     * the next rank does the same again. So a death loses nothing, and nothing is freed twice. Several ranks may do it
     * at once. Cost: 2 R + W + A and a flush.
     *
     * @param run its last {@value #ANNOUNCED_BYTES} bytes must not be in use
     * @param place the place of the word by which it is still known, in any segment
     * @param epoch the world's epoch plus one. It was read when a thread could find the run only by that word. One is
     * added because other ranks, pinned since this epoch, may do the same. They must not come upon another run there
     */
    public void retire(int target, long run, GlobalPointer place, long value, long epoch) {
        runs.retire(target, run, place, value, epoch);
    }

    /**
     * Frees the runs that any rank {@linkplain #retire retired} two epochs ago and that are not known any more. Cost: R
     * for each 512 slabs, and a few verbs for each run.
     *
     * @param epoch gives the world's current epoch
     */
    public Runs.Sweep freeRetired(int target, LongSupplier epoch) {
        return runs.freeRetired(target, epoch);
    }

    /**
     * Returns the stretches that are free now. A run that follows another is joined with it. Cost: R for each 512
     * slabs.
     */
    public FreeStretches freeStretches(int target) {
        return new FreeStretches(runs.freeStretches(target), area.slabBytes());
    }

    /** Returns the unit of runs: the length of each is a multiple of it. */
    public long slabBytes() {
        return area.slabBytes();
    }

    /** Returns a number that changes when room is made in the target's heap, though not each time. Cost: R. */
    public long roomMade(int target) {
        return table.hints().announcements(target);
    }

    /**
     * From now on the run stays until it is freed, even if the rank that reserved it dies. Any rank may commit it;
     * committing again does nothing. Cost: R + A.
     *
     * @throws IllegalArgumentException if no reserved run begins there
     */
    public void commit(int target, long offset) {
        runs.commit(target, offset);
    }

    /**
     * Hands out an object of at least {@code bytes} bytes, with arbitrary contents. One larger than {@link
     * HeapArea#largestObjectBytes()} is a committed run. Cost: W, not waited for. The first of a group costs R + W + A
     * more, the first of a new slab 4 R + 4 A. If there is no room, it does what {@link #reserve} does.
     *
     * @return its offset in the target's segment, a multiple of {@link io.atoll.memory.TaggedPointer#UNIT}
     * @throws SegmentFullException if there is no room; nothing was handed out then
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

    /**
     * Hands out several objects together, as {@link #allocate(int, long)} hands out one. Uses the thread's batch. Cost:
     * W for objects that lie side by side, not waited for. If the cache has too few, two or three round trips more, for
     * the objects of all sizes. Where {@linkplain Batch#guard guards} take a round trip, it is one more. A batch claims
     * at most 64 groups or slabs. Objects that have a run of their own are allocated one by one. So are those that are
     * missing when other ranks are faster, or when little is free.
     *
     * @param bytes the least size of each object
     * @param offsets zeros, where the offset of each object in the target's segment is placed. Whatever fails, the
     * objects are handed out whose offsets are there, and no others
     * @throws SegmentFullException if there is no room for one of them
     */
    public void allocate(int target, long[] bytes, long[] offsets) {
        // Where verbs are executed at once, a batch saves nothing.
        if (bytes.length > 1 && !endpoint.executesAtOnce(target)) {
            int[] sizeClasses = new int[bytes.length];
            Arrays.setAll(sizeClasses, index -> SizeClass.indexFor(atLeastOne(bytes[index]) + LINK_BYTES));
            objects.allocate(target, sizeClasses, offsets);
        }
        for (int index = 0; index < bytes.length; index++) {
            if (offsets[index] == 0) {
                offsets[index] = allocate(target, bytes[index]);
            }
        }
        if (checked) {
            endpoint.flush(target);
        }
    }

    /** Like {@link #allocate}, but frees nothing before it fails: for a caller that is itself freeing. */
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
     * Returns the offset of the word that belongs to the rank that gives the object back: the last word of an object,
     * or of a run. So a list of objects to be freed needs no memory of its own. Threads that still read the objects do
     * not see it. A run has this word to spare if {@link #LINK_BYTES} more were reserved than are used. Cost: R.
     */
    public long link(int target, long offset) {
        int slab = area.slabAt(offset);
        long word = table.word(target, slab);
        long bytes = SlabWord.hasObjects(word)
                ? area.sizeClass(SlabWord.sizeClass(word)).objectBytes()
                : SlabWord.length(word) * area.slabBytes();
        return offset + bytes - LINK_BYTES;
    }

    /** Like {@link #allocate}, but returns a pointer. */
    public GlobalPointer allocatePointer(int target, long bytes) {
        return new GlobalPointer(target, allocate(target, bytes));
    }

    /**
     * Gives back an object or a run. Any rank may do that, not only the one that reserved it. Cost: R + A for an object
     * (2 R + A where the fabric has no fetch-or). The first free one of its group costs 1 to 3 A more. A run costs R +
     * 2 A.
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

    /** Like {@link #free(int, long)}. */
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
     * Frees objects of one segment, and runs if there are any. Uses the thread's batch of that rank. Cost: a round trip
     * for each {@value Batch#ATOMICS} slabs, with R for each slab. Two round trips for each {@value Batch#ATOMICS}
     * groups of objects that share a word, with R + A for each group. 1 to 3 A more for each group that had none free.
     *
     * @throws IllegalArgumentException if no object or run begins at one of the offsets, or it is free already. Others
     * of them may be freed then
     */
    public void free(int target, long[] offsets) {
        // In ascending order, so that the objects of one slab, and of one word, follow each other.
        long[] sorted = offsets.clone();
        Arrays.sort(sorted);
        new BulkFree(table, runs, target, sorted, checked).run();
    }

    /**
     * Takes back the runs that a dead incarnation of a rank reserved in the target's segment and did not commit. Does
     * the same for earlier incarnations. Runs that were {@linkplain #announce announced} and are known are committed.
     * The caller vouches that the incarnation is dead and can no longer write there. It also vouches that no rank will
     * commit these runs in its place any more. Cost: R for each 512 slabs, 2 A for each run. Lock-free; may be
     * repeated, and done by several ranks at once.
     *
     * @return the number of bytes that were taken back
     */
    public long reclaimPending(int target, int rank, int incarnation) {
        return runs.reclaim(target, notThis(rank, incarnation), incarnation);
    }

    /**
     * Takes back the objects that a dead incarnation of a rank had in its slab cache for the target's segment. Does the
     * same for earlier incarnations. The caller vouches that the incarnation is dead and can no longer write there.
     * Cost: R for each 512 slabs, a few verbs for each slab. Lock-free; may be repeated, and done by several ranks at
     * once.
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
     * Gives back what this process has in its slab cache for the target's segment. Then other processes can use it: for
     * a rank that leaves. Cost: a few verbs for each slab.
     */
    public void releaseStock(int target) {
        objects.release(target);
    }

    /** Returns the length of the run in use that begins there, 0 if none does. For monitoring. Cost: R. */
    public long runBytes(int target, long offset) {
        return runs.bytes(target, offset);
    }

    /** Begins a count, in rounds, of what this rank's own heap is used for. */
    public HeapCount ownCount() {
        return new HeapCount(area);
    }

    /** Returns what the target's heap is used for. Cost: R for each 512 slabs, and R for each slab of objects. */
    public HeapUsage usage(int target) {
        return HeapUsage.of(table, target);
    }
}
