package io.atoll.heap;

import java.util.concurrent.ConcurrentLinkedQueue;
import org.jspecify.annotations.Nullable;

/**
 * The place where this process's threads take objects of one size class in one rank's segment. It holds one slab, and
 * more only if threads ran out of objects at the same time, or if many objects were allocated together.
 *
 * <p>A thread that finds the cache empty takes the slab out of the queue. So it has the slab to itself while it
 * replenishes it. Another thread does not wait for it, but provides itself with another slab. So no thread ever waits.
 * What this process withholds from others is bounded: it is what is free in the slabs in its queues.
 */
final class SlabCache {

    private final ConcurrentLinkedQueue<ClaimedSlab> held = new ConcurrentLinkedQueue<>();
    private final SmallObjects objects;
    private final int target;
    private final SizeClass sizeClass;

    SlabCache(SmallObjects objects, int target, SizeClass sizeClass) {
        this.objects = objects;
        this.target = target;
        this.sizeClass = sizeClass;
    }

    /** Hands out an object. Lock-free. */
    long take() {
        for (ClaimedSlab slab = held.peek(); slab != null; slab = held.peek()) {
            long object = slab.take();
            if (object != ClaimedSlab.NONE) {
                return object;
            }
            if (held.remove(slab)) {
                return takeFrom(slab);
            }
        }
        return takeFrom(objects.hold(target, sizeClass));
    }

    /**
     * Goes on with a slab that this thread has to itself. If a verb fails, it is unknown whether it took effect. Then
     * the slab is not used any more, and is taken back with all that this incarnation holds. An error leaves it to
     * other threads.
     */
    private long takeFrom(ClaimedSlab first) {
        @Nullable ClaimedSlab slab = first;
        try {
            long object = slab.take();
            while (object == ClaimedSlab.NONE) {
                if (!slab.replenish()) {
                    ClaimedSlab empty = slab;
                    slab = null;
                    empty.release();
                    ClaimedSlab other = held.poll();
                    slab = other != null ? other : objects.hold(target, sizeClass);
                }
                object = slab.take();
            }
            held.add(slab);
            return object;
        } catch (VirtualMachineError | LinkageError error) {
            if (slab != null) {
                held.add(slab);
            }
            throw error;
        }
    }

    /** As {@link ClaimedSlab#take(long[], int, int)}, of all slabs that are held. */
    void takeCached(long[] into, int from, int end) {
        int at = from;
        for (ClaimedSlab slab : held) {
            if (at == end) {
                break;
            }
            at = slab.take(into, at, end);
        }
    }

    /** Returns a slab with an empty cache, which this thread has to itself from now on; null if there is none. */
    @Nullable ClaimedSlab takeEmptied() {
        for (ClaimedSlab slab : held) {
            if (slab.isDry() && held.remove(slab)) {
                return slab;
            }
        }
        return null;
    }

    /** Hands out from this slab, too. */
    void add(ClaimedSlab slab) {
        held.add(slab);
    }

    SizeClass sizeClass() {
        return sizeClass;
    }

    /** Gives back everything that is held. */
    void release() {
        for (ClaimedSlab slab = held.poll(); slab != null; slab = held.poll()) {
            slab.release();
        }
    }
}
