package io.atoll.lock;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Places in queues that threads of this process have given up. They wait for their turn to be passed over. A thread of
 * this process that comes to such a queue takes a place over instead of another descriptor. So one lock has few such
 * places: at most one more than the most threads that ever waited at once.
 *
 * <p>A place lies here while no thread works on it. A thread that takes it out owns it. The background thread takes it
 * out for one step, and then puts it back. A thread that waits there from now on keeps it.
 */
final class LeftPlaces {

    private final AtomicReferenceArray<@Nullable QueuedHold> left; // by descriptor
    private final AtomicInteger count = new AtomicInteger(); // never less than the number of places

    /** @param descriptors number of descriptors of this process */
    LeftPlaces(int descriptors) {
        this.left = new AtomicReferenceArray<>(descriptors);
        rehearse();
    }

    /** Calls each method of the array once, because its first call links it and allocates memory. */
    private void rehearse() {
        left.set(0, null);
        left.compareAndSet(0, left.get(0), null);
    }

    /** (give up) Puts the place here. From now on it belongs to the thread that takes it out. Allocates nothing. */
    void put(QueuedHold request) {
        count.incrementAndGet();
        left.set(request.number(), request);
    }

    /** Returns true if the place was still here. The caller owns it then. */
    boolean takeOut(QueuedHold request) {
        boolean taken = left.compareAndSet(request.number(), request, null);
        if (taken) {
            count.decrementAndGet();
        }
        return taken;
    }

    /**
     * (take over) Returns a request that stands in a place at that lock; null if none is here. Cost: a look at each
     * descriptor while there is any place.
     *
     * @param lock the lock as one word
     */
    @Nullable QueuedHold takeOver(long lock) {
        for (int number = 0; count.get() > 0 && number < left.length(); number++) {
            QueuedHold former = left.get(number);
            if (former != null && former.lock() == lock) {
                var next = new QueuedHold(former); // made before the place is taken out: there may be no memory
                if (takeOut(former)) {
                    next.standWhere(former);
                    return next;
                }
            }
        }
        return null;
    }
}
