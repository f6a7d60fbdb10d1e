package io.atoll.queue.fast;

import io.atoll.fabric.StructureLocator;
import io.atoll.failure.FabricException;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicReference;

/**
 * Where a {@link FastQueue} is: the ring that it was opened with, or one to which it has moved since. A header that was left stays, so that whoever has not used the queue
 * since finds his way from there; its elements are freed, unless they lie in the block of the queue's name.
 */
final class FastRings implements StructureLocator.Occupant {

    /** What is copied at once when the queue moves. */
    private static final long COPIED_BYTES = 1 << 20;

    private final String name;
    private final Participant participant;
    private final long elementBytes;
    private final FastRing first;
    private final AtomicReference<FastRing> present;

    /** @param block of the queue, in the host's segment */
    FastRings(String name, Participant participant, int host, long block, long elementBytes, long capacity) {
        this.name = name;
        this.participant = participant;
        this.elementBytes = elementBytes;
        this.first = ring(host, block, block + FastRing.HEADER_BYTES, capacity);
        this.present = new AtomicReference<>(first);
    }

    private FastRing ring(int host, long header, long elements, long capacity) {
        return new FastRing(name, participant.endpoint(), host, header, elements, elementBytes, capacity);
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean occupies(int rank, long offset) {
        return ring().contains(rank, offset);
    }

    /** As far as this process knows: an operation finds out whether the queue has moved. No verb. */
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

    /** The ring that follows one that was left. Cost: 3 R. */
    private FastRing after(FastRing left) {
        long pointer = word(left.host, left.header + FastRing.NEXT);
        int host = GlobalPointer.rankOf(pointer);
        long header = GlobalPointer.offsetOf(pointer);
        FastRing next = ring(host, header, word(host, header + FastRing.ELEMENTS),
                word(host, header + FastRing.CAPACITY));
        present.compareAndSet(left, next);
        return next;
    }

    private long word(int host, long offset) {
        return participant.endpoint().readWord(host, offset);
    }

    /** Memory for one element, of this thread. */
    MemorySegment scratch() {
        return participant.endpoint().batch(ring().host).buffer(elementBytes);
    }

    /** The ring that was not left. Cost: R, more after moves; no verb at the host. */
    FastRing latest() {
        FastRing ring = ring();
        while (ring.isLeft()) {
            ring = after(ring);
        }
        return ring;
    }

    /** Between two phases, by one rank: nobody else uses the queue. */
    void move(int host, long capacity) {
        participant.directory().checkHost(name, host);
        FastRing left = latest();
        discardUnfinished(left);
        FastRing next = create(host, capacity);
        try {
            next.begin(left, left.copyTo(next, COPIED_BYTES));
        } catch (IllegalArgumentException refused) {
            participant.heap().free(host, next.elements);
            participant.heap().free(host, next.header);
            throw refused;
        }
        // Before others find the ring: from then on its elements stay if this rank dies.
        Heap heap = participant.heap();
        heap.announce(host, next.elements, new GlobalPointer(left.host, left.header + FastRing.NEXT), next.pointer());
        left.leave(next);
        heap.settle(host, next.elements);
        present.set(next);
        if (left != first) {
            participant.heap().free(left.host, left.elements);
        }
    }

    /** Gives back a ring that was named as the next one, by a rank that died before it left the present one. */
    private void discardUnfinished(FastRing present) {
        long place = present.header + FastRing.NEXT;
        long pointer = word(present.host, place);
        if (pointer != 0) {
            int host = GlobalPointer.rankOf(pointer);
            long header = GlobalPointer.offsetOf(pointer);
            long elements = word(host, header + FastRing.ELEMENTS);
            // Before the word changes that says what becomes of it if the dead rank is found out only now.
            participant.heap().commit(host, elements);
            participant.endpoint().writeWord(present.host, place, 0);
            participant.endpoint().flush(present.host);
            participant.heap().free(host, elements);
            participant.heap().free(host, header);
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
        try {
            long elements = heap.reserve(host, capacity * elementBytes + Heap.ANNOUNCED_BYTES);
            return ring(host, header, elements, capacity);
        } catch (SegmentFullException full) {
            heap.free(host, header);
            throw full;
        }
    }
}
