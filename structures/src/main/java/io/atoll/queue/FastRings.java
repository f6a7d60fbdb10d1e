package io.atoll.queue;

import io.atoll.fabric.StructureLocator;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.heap.Heap;
import io.atoll.world.Participant;
import io.atoll.world.StructureListener.Happening;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Knows where a {@link FastQueue} is: in the ring that it was opened with, or in one to which it has moved since. A
 * header that was left stays. A process that has not used the queue since finds its way from there. The elements of a
 * ring that was left are freed, unless they lie in the block of the queue's name.
 */
final class FastRings implements StructureLocator.Occupant {

    /** The bytes that are copied at once when the queue moves. */
    private static final long COPIED_BYTES = 1 << 20;

    private final String name;
    private final Participant participant;
    private final long elementBytes;
    private final FastRing first;
    private final AtomicReference<FastRing> present;

    /** @param block offset of the queue's block in the host's segment */
    FastRings(String name, Participant participant, int host, long block, long elementBytes, long capacity) {
        this.name = name;
        this.participant = participant;
        this.elementBytes = elementBytes;
        this.first = ring(new RingReference(host, 0, block), block + FastRing.HEADER_BYTES, capacity);
        this.present = new AtomicReference<>(first);
    }

    private FastRing ring(RingReference place, long elements, long capacity) {
        return new FastRing(name, participant.endpoint(), place, elements, elementBytes, capacity);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean occupies(int rank, long offset) {
        return ring().contains(rank, offset);
    }

    /** Returns the ring as far as this process knows: an operation finds out if the queue has moved. No verb. */
    private FastRing ring() {
        return present.getOpaque();
    }

    /** @see FastRing#push */
    boolean push(MemorySegment source, long position, long count) {
        FastRing ring = ring();
        long pushed = ring.push(source, position, count);
        while (pushed == FastRing.MOVED) {
            ring = after(ring);
            pushed = ring.push(source, position, count);
        }
        return pushed > 0;
    }

    /** @see FastRing#pop */
    long pop(MemorySegment target, long position, long most) {
        FastRing ring = ring();
        long popped = ring.pop(target, position, most);
        while (popped == FastRing.MOVED) {
            ring = after(ring);
            popped = ring.pop(target, position, most);
        }
        return popped;
    }

    /** @see FastRing#size */
    long size() {
        FastRing ring = ring();
        long size = ring.size();
        while (size == FastRing.MOVED) {
            ring = after(ring);
            size = ring.size();
        }
        return size;
    }

    /**
     * Returns the ring that follows one that was left. Cost: 6 R; 2 W and a flush more if the rank that moved the queue
     * died meanwhile.
     */
    private FastRing after(FastRing left) {
        RingReference place = RingReference.fromWord(left.close());
        try {
            place.requirePresent(participant.endpoint());
        } catch (FabricException lost) {
            throw lost.in(participant.endpoint().structures().named(name));
        }
        FastRing next = ring(place, word(place, FastRing.ELEMENTS), word(place, FastRing.CAPACITY));
        present.compareAndSet(left, next);
        return next;
    }

    private long word(RingReference place, long word) {
        return participant.endpoint().readWord(place.host(), place.header() + word);
    }

    /** Returns memory of this thread for an element that is to be pushed. */
    MemorySegment toPush() {
        return participant.endpoint().batch(ring().host).buffer(elementBytes);
    }

    /** Returns memory of this thread for an element that is popped: a batch reads it, and closes then. */
    MemorySegment popped() {
        return participant.endpoint().scratch(elementBytes);
    }

    /** Returns the ring that was not left. Cost: R, more after moves; no verb at the host. */
    FastRing latest() {
        FastRing ring = ring();
        while (ring.isLeft()) {
            ring = after(ring);
        }
        return ring;
    }

    /** Moves the queue. Called between two phases, by one rank, while no other thread uses the queue. */
    void move(int host, long capacity) {
        participant.directory().checkHost(name, host);
        FastRing left = latest();
        FastRing next = create(host, capacity);
        var move = new Move(left, next);
        try {
            next.begin(left, left.copyTo(next, COPIED_BYTES));
            move.decide();
            move.end();
        } catch (Throwable failure) {
            participant.reservations().undo(left.host, () -> {
                left.settle();
                move.end();
            });
            if (!move.isMade) {
                throw failure;
            }
            Aftermath.warn("a queue has moved", failure);
        }
        present.compareAndSet(left, next);
        participant.tell(Happening.MOVED, name, host, () -> "from " + sizeOf(left) + " to " + sizeOf(next));
    }

    private static String sizeOf(FastRing ring) {
        return ring.capacity + " elements at rank " + ring.host;
    }

    /** A move of the queue from one ring to the next, by this process. */
    private final class Move {

        private final FastRing left;
        private final FastRing next;
        private final AtomicBoolean isDiscarded = new AtomicBoolean(); // true once the next ring is given back
        private volatile boolean isMade; // true only if that is certain

        private Move(FastRing left, FastRing next) {
            this.left = left;
            this.next = next;
        }

        private void decide() {
            Heap heap = participant.heap();
            // (1) before the word changes: from then on the new elements stay if this rank dies.
            heap.announce(next.host, next.elements, left.next(), next.reference());
            // (2) before the word changes: from then on the old elements are taken back if this rank dies.
            if (left != first) {
                heap.uncommit(left.host, left.elements, left.next(), 0);
            }
            // (3) the only step that decides.
            if (left.link(next) != next.reference()) {
                throw new IllegalStateException("two ranks move the queue at once: queue=" + name);
            }
        }

        /** Gives back the ring that the queue does not use. May be called again after it has failed. */
        private void end() {
            isMade |= left.follower() == next.reference();
            left.close();
            if (isMade) {
                settle(next);
                if (left != first) {
                    participant.heap().withdraw(left.host, left.elements, left.next(), 0);
                }
            } else {
                if (left != first) {
                    settle(left);
                }
                if (isDiscarded.compareAndSet(false, true)) {
                    participant.giveBack(next.host, next.elements, next.header);
                }
            }
        }

        private void settle(FastRing ring) {
            participant.heap().settle(ring.host, ring.elements);
        }
    }

    private FastRing create(int host, long capacity) {
        try {
            return createAt(host, capacity);
        } catch (FabricException failure) {
            throw failure.in(participant.endpoint().structures().named(name));
        }
    }

    private FastRing createAt(int host, long capacity) {
        Heap heap = participant.heap();
        long header = heap.allocate(host, FastRing.HEADER_BYTES);
        long elements;
        try {
            elements = heap.reserve(host, capacity * elementBytes + Heap.ANNOUNCED_BYTES);
        } catch (Throwable failure) {
            participant.giveBack(host, header);
            throw failure;
        }
        try {
            return ring(RingReference.toPresent(participant.endpoint(), host, header), elements, capacity);
        } catch (Throwable failure) {
            participant.giveBack(host, elements, header);
            throw failure;
        }
    }
}
