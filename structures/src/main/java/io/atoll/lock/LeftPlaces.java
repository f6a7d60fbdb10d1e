package io.atoll.lock;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Places in queues that threads of this process have given up, and that wait for their turn to be passed over. A thread of this process that comes to such a queue takes a place over instead of
 * another descriptor: so at one lock a process has one more place given up than it ever had threads waiting at a time, at most.
 *
 * <p>A place lies here while nobody does anything with it. One of those that take it out has it: the keeper for a step, after which it puts the place back, or a thread that waits from now on.
 */
final class LeftPlaces {

    private final AtomicReferenceArray<@Nullable QueuedRequest> left; // by descriptor
    private final AtomicInteger count = new AtomicInteger(); // no less than there are

    /** @param descriptors of this process */
    LeftPlaces(int descriptors) {
        this.left = new AtomicReferenceArray<>(descriptors);
        rehearse();
    }

    /** The first call of each method of an atomic array links it, which allocates memory. */
    private void rehearse() {
        left.set(0, null);
        left.compareAndSet(0, left.get(0), null);
    }

    /** (give up) From now on the place is whoever's takes it out. Allocates nothing. */
    void put(QueuedRequest request) {
        count.incrementAndGet();
        left.set(request.number(), request);
    }

    /** Whether the place was still here. */
    boolean takeOut(QueuedRequest request) {
        boolean taken = left.compareAndSet(request.number(), request, null);
        if (taken) {
            count.decrementAndGet();
        }
        return taken;
    }

    /**
     * (take over) Returns a request that stands in a place at that lock; null if none is here. Cost: a look at each descriptor while there is any place.
     *
     * @param lock as one word
     */
    @Nullable QueuedRequest takeOver(long lock) {
        for (int number = 0; count.get() > 0 && number < left.length(); number++) {
            QueuedRequest former = left.get(number);
            if (former != null && former.lock() == lock) {
                var next = new QueuedRequest(former); // before the place is its: there may be no memory
                if (takeOut(former)) {
                    next.standWhere(former);
                    return next;
                }
            }
        }
        return null;
    }
}
