package io.atoll.queue;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.LocalMemory;

/**
 * Does what {@link Ring} does, in a phase in which one thread of the host alone uses the queue. The ring must not
 * be closed. It uses loads and stores, no verb on any fabric. Payloads stand at the same positions as with {@link
 * Ring}.
 */
final class LocalRing {

    private final String name;
    private final Endpoint endpoint;
    private final RingBlock ring;

    LocalRing(String name, Endpoint endpoint, RingBlock ring) {
        this.name = name;
        this.endpoint = endpoint;
        this.ring = ring;
    }

    /** Returns the tail of a ring that this rank hosts. */
    long tail() {
        return endpoint.fabric().local().getAcquire(ring.header + RingBlock.TAIL);
    }

    /** @see Ring#push */
    int push(Batch batch, int count) {
        LocalMemory own = own();
        long tail = tail();
        if (tail + count - own.getAcquire(ring.header + RingBlock.HEAD) > ring.capacity) {
            return Ring.FULL;
        }
        for (int index = 0; index < count; index++) {
            long position = Ring.WRITTEN + index * ring.slot.size;
            batch.setWord(position, Slot.ready(tail + index));
            own.store(ring.slot(tail + index), batch.buffer(position + ring.slot.size), position, ring.slot.size);
        }
        own.setRelease(ring.header + RingBlock.TAIL, tail + count);
        return Ring.PUSHED;
    }

    /** @see Ring#pop */
    int pop(Batch batch, int most) {
        LocalMemory own = own();
        long head = own.getAcquire(ring.header + RingBlock.HEAD);
        long tail = tail();
        int count = 0;
        boolean isUnwritten = false;
        while (count < most && head < tail && !isUnwritten) {
            long position = Ring.read(most) + count * ring.slot.size;
            own.load(ring.slot(head), batch.buffer(position + ring.slot.size), position, ring.slot.size);
            long stamp = batch.word(position);
            isUnwritten = Slot.ticket(stamp) < head;
            count += Slot.isReady(stamp) && !isUnwritten ? 1 : 0;
            head += isUnwritten ? 0 : 1;
        }
        own.setRelease(ring.header + RingBlock.HEAD, head);
        return count == 0 && isUnwritten ? Ring.PENDING : count;
    }

    private LocalMemory own() {
        refuseElsewhere();
        return endpoint.fabric().local();
    }

    void refuseElsewhere() {
        if (endpoint.rank() != ring.host) {
            throw new IllegalStateException("local operations are the host's: queue=" + name + " host=" + ring.host
                    + " rank=" + endpoint.rank());
        }
    }
}
