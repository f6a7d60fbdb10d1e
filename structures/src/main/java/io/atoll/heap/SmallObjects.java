package io.atoll.heap;

import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Objects that share slabs: this process's slab caches of them, and the slabs that it makes, adopts, mends or takes
 * back.
 */
final class SmallObjects {

    private final SlabTable table;
    private final HeapArea area;
    private final Runs runs;
    private final int rank;
    private final int incarnation;
    private final AtomicReferenceArray<SlabCache @Nullable []> caches; // for each target, one cache for each size class
    private final AtomicIntegerArray starts; // for each target, a guess at the lowest hint

    public SmallObjects(SlabTable table, Runs runs, int incarnation) {
        this.table = table;
        this.area = table.area();
        this.runs = runs;
        this.rank = table.endpoint().rank();
        this.incarnation = incarnation;
        this.caches = new AtomicReferenceArray<>(table.endpoint().size());
        this.starts = new AtomicIntegerArray(table.endpoint().size());
    }

    private SmallObjects(SlabTable table, Runs runs, SmallObjects former, int lost) {
        this(table, runs, former.incarnation);
        for (int target = 0; target < caches.length(); target++) {
            if (target != lost) {
                SlabCache[] known = former.caches.get(target);
                caches.set(target, known != null ? known : former.cachesOf(target));
            }
        }
    }

    /**
     * Returns the same objects, for the endpoint of the renewed table. The caches are the same, except for the rank
     * {@code lost}: it has lost its segment, and the cache with it.
     */
    public SmallObjects by(SlabTable renewed, Runs renewedRuns, int lost) {
        return new SmallObjects(renewed, renewedRuns, this, lost);
    }

    /**
     * Hands out an object. Cost: W; now and then, for the objects of a group or a slab together, what {@link #hold}
     * costs.
     */
    public long allocate(int target, int sizeClass) {
        SlabCache[] ofTarget = caches.get(target);
        return (ofTarget != null ? ofTarget : cachesOf(target))[sizeClass].take();
    }

    /**
     * Hands out several objects together, as far as there is room. Uses the thread's batch.
     *
     * @param sizeClasses the size class of each; one that there is not is passed over
     * @param offsets zeros, where the offset of each object is placed that is handed out
     */
    public void allocate(int target, int[] sizeClasses, long[] offsets) {
        SlabCache[] known = caches.get(target);
        SlabCache[] ofTarget = known != null ? known : cachesOf(target);
        var demands = new BulkClaim.Demand[area.sizeClasses()];
        for (int place = 0; place < sizeClasses.length; place++) {
            int sizeClass = sizeClasses[place];
            if (sizeClass < demands.length) {
                if (demands[sizeClass] == null) {
                    demands[sizeClass] = new BulkClaim.Demand(ofTarget[sizeClass], sizeClasses.length - place);
                }
                demands[sizeClass].add(place);
            }
        }
        List<BulkClaim.Demand> wanted = Arrays.stream(demands).filter(Objects::nonNull).toList();
        try {
            new BulkClaim(this, table, runs, target, wanted).run();
        } finally {
            wanted.forEach(demand -> demand.deliver(offsets));
        }
    }

    /** Returns the slab at which the next look at the table begins. It was the head of a run once. */
    int start(int target) {
        return starts.getOpaque(target);
    }

    void startFrom(int target, int slab) {
        starts.setOpaque(target, slab);
    }

    /** Returns a slab that is about to be adopted. */
    ClaimedSlab adopted(int target, int slab, SizeClass sizeClass) {
        long held = held(sizeClass);
        return ClaimedSlab.ofAdopted(ObjectSlab.of(table, target, slab, held), held);
    }

    /** Returns a slab that is about to be made. */
    ClaimedSlab made(int target, int slab, SizeClass sizeClass) {
        long held = held(sizeClass);
        return ClaimedSlab.ofNew(ObjectSlab.of(table, target, slab, held), held);
    }

    /** Returns the word of a run that is about to be divided into so many slabs. */
    long pending(int slabs) {
        return SlabWord.pending(slabs, rank, incarnation);
    }

    private SlabCache[] cachesOf(int target) {
        SlabCache[] fresh = new SlabCache[area.sizeClasses()];
        for (int index = 0; index < fresh.length; index++) {
            fresh[index] = new SlabCache(this, target, area.sizeClass(index));
        }
        SlabCache[] witness = caches.compareAndExchange(target, null, fresh);
        return witness != null ? witness : fresh;
    }

    /**
     * Returns a slab from which this process alone hands out. Cost: 2 R + 2 A for one that was given up and has free
     * objects. 4 R + 4 A for a new one.
     *
     * @throws io.atoll.failure.SegmentFullException if there is neither
     */
    ClaimedSlab hold(int target, SizeClass sizeClass) {
        long hint = table.hints().look(target, SearchHints.objectsOf(sizeClass.index()));
        ClaimedSlab slab = find(target, sizeClass, hint, SearchHints.slab(hint));
        if (slab == null) {
            mend(target);
            slab = find(target, sizeClass, hint, 0);
        }
        if (slab == null) {
            throw runs.full(target, sizeClass.objectBytes());
        }
        return slab;
    }

    private @Nullable ClaimedSlab find(int target, SizeClass sizeClass, long hint, int from) {
        ClaimedSlab adopted = adopt(target, sizeClass, hint, from);
        return adopted != null ? adopted : make(target, sizeClass);
    }

    private @Nullable ClaimedSlab adopt(int target, SizeClass sizeClass, long hint, int from) {
        long room = SlabWord.room(sizeClass.index());
        SlabTable.Walk walk = table.walk(target, from);
        while (!walk.atEnd() && !(walk.word() == room && walk.exchange(held(sizeClass)))) {
            walk.next();
        }
        table.hints().advance(target, SearchHints.objectsOf(sizeClass.index()), hint, walk.slab());
        return walk.atEnd() ? null : adopted(target, walk.slab(), sizeClass);
    }

    private @Nullable ClaimedSlab make(int target, SizeClass sizeClass) {
        int slab = runs.claim(target, 1);
        if (slab == Runs.NOT_FOUND) {
            return null;
        }
        try {
            ClaimedSlab made = made(target, slab, sizeClass);
            table.replace(target, slab, pending(1), made.word());
            return made;
        } catch (VirtualMachineError | LinkageError error) {
            runs.giveBack(target, slab, 1);
            throw error;
        }
    }

    private long held(SizeClass sizeClass) {
        return SlabWord.held(sizeClass.index(), rank, incarnation);
    }

    /**
     * Looks at every slab without a holder. Makes a free run of one whose objects are all free. Makes a slab findable
     * that counts as full and is not. A rank leaves such a slab if it dies between freeing an object of it and saying
     * so. Called when there seems to be no room left. Cost: R for each window of the table and each such slab.
     */
    public void mend(int target) {
        for (SlabTable.Walk walk = table.walk(target, 0); !walk.isAtLastEnd(); walk.next()) {
            int state = SlabWord.state(walk.word());
            if (state == SlabWord.FULL || state == SlabWord.ROOM) {
                ObjectSlab slab = ObjectSlab.of(table, target, walk.slab(), walk.word());
                if (!slab.isEmpty()) {
                    slab.makeRoomIfAnyIsFree();
                } else if (walk.exchange(held(slab.sizeClass()))) {
                    slab.release(walk.word());
                }
            }
        }
    }

    /** Gives back all cached objects in the target's segment. */
    public void release(int target) {
        SlabCache[] ofTarget = caches.get(target);
        if (ofTarget != null) {
            for (SlabCache slabCache : ofTarget) {
                slabCache.release();
            }
        }
    }

    /** Takes back the slabs that the dead incarnation, or one before it, holds. Returns the bytes of its cache. */
    public long reclaim(int target, int deadRank, int deadIncarnation) {
        long bytes = 0;
        for (SlabTable.Walk walk = table.walk(target, 0); !walk.isAtLastEnd(); walk.next()) {
            long word = walk.word();
            if (SlabWord.isHeldBy(word, deadRank, deadIncarnation)) {
                ObjectSlab slab = ObjectSlab.of(table, target, walk.slab(), word);
                if (walk.exchange(held(slab.sizeClass()))) {
                    ClaimedSlab inherited = ClaimedSlab.ofAdopted(slab, walk.word());
                    bytes += inherited.inherit() * slab.sizeClass().objectBytes();
                    inherited.release();
                }
            }
        }
        return bytes;
    }
}
