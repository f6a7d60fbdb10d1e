package io.atoll.queue.ring;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.LocalMemory;

/**
 * What {@link TicketRing} does for its host in a phase in which one thread of it alone uses the queue: loads and stores, no verb on any fabric. Payloads stand where
 * they stand there.
 */
final class LocalRing {

    private final String name;
    private final Endpoint endpoint;
    private final int host;
    private final CircularBlock block;
    private final long base; // of the block in the host's segment

    LocalRing(String name, Endpoint endpoint, int host, CircularBlock block, long base) {
        this.name = name;
        this.endpoint = endpoint;
        this.host = host;
        this.block = block;
        this.base = base;
    }

    /** @see TicketRing#push */
    boolean push(Batch batch, int count) {
        LocalMemory own = own();
        long tail = own.getAcquire(base + CircularBlock.TAIL);
        if (tail + count - own.getAcquire(base + CircularBlock.HEAD) > block.capacity) {
            return false;
        }
        for (int index = 0; index < count; index++) {
            long position = TicketRing.WRITTEN + index * block.slot.size;
            batch.setWord(position, Slot.ready(tail + index));
            own.store(base + block.slot(tail + index), batch.buffer(), position, block.slot.size);
        }
        own.setRelease(base + CircularBlock.TAIL, tail + count);
        return true;
    }

    /** @see TicketRing#pop */
    int pop(Batch batch, int most) {
        LocalMemory own = own();
        long head = own.getAcquire(base + CircularBlock.HEAD);
        long tail = own.getAcquire(base + CircularBlock.TAIL);
        int count = 0;
        while (count < most && head < tail) {
            long position = TicketRing.READ + count * block.slot.size;
            own.load(base + block.slot(head), batch.buffer(), position, block.slot.size);
            long stamp = batch.word(position);
            if (Slot.ticket(stamp) < head) {
                own.setRelease(base + CircularBlock.HEAD, head);
                Holes.note(batch, head, base + block.slot(head), stamp);
                return count == 0 ? TicketRing.PENDING : count;
            }
            count += Slot.isReady(stamp) ? 1 : 0;
            head++;
        }
        own.setRelease(base + CircularBlock.HEAD, head);
        return count;
    }

    private LocalMemory own() {
        if (endpoint.rank() != host) {
            throw new IllegalStateException("local operations are the host's: queue=" + name + " host=" + host
                    + " rank=" + endpoint.rank());
        }
        return endpoint.fabric().local();
    }
}
