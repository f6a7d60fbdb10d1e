package io.atoll.app.bench.raw;

import io.atoll.World;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;

/**
 * A ring at each rank without a protocol. Operations draw tickets, and write and read slots whatever they contain.
 *
 * @param slots the number of slots of each ring
 * @param words the size of each slot
 */
public record RawRing(RawMemory memory, long slots, int words) {

    private static final long TAIL = 0;
    private static final long HEAD = Layouts.CACHE_LINE;
    private static final long SLOTS = 2 * Layouts.CACHE_LINE;

    public static RawRing open(World world, String name, long slots, int words) {
        return new RawRing(RawMemory.open(world, name, bytes(slots, words)), slots, words);
    }

    public static long bytes(long slots, int words) {
        return SLOTS + slots * words * Layouts.WORD;
    }

    /** Cost: A + W. */
    public long push(int host, long element) {
        long ticket = memory.getAndAdd(host, TAIL, 1);
        memory.write(host, slot(ticket, 1), words, ticket, element);
        return ticket;
    }

    /** Cost: A + R. */
    public long pop(int host) {
        return memory.read(host, slot(memory.getAndAdd(host, HEAD, 1), 1), words);
    }

    /** Writes as many slots as there are elements. Cost: A + W. */
    public long push(int host, MemorySegment elements) {
        long count = count(elements);
        long ticket = memory.getAndAdd(host, TAIL, count);
        memory.write(host, slot(ticket, count), elements, elements.byteSize());
        return ticket;
    }

    /** Reads as many slots as the target has room for. Cost: A + R. */
    public long pop(int host, MemorySegment target) {
        long count = count(target);
        long ticket = memory.getAndAdd(host, HEAD, count);
        memory.read(host, slot(ticket, count), target, target.byteSize());
        return ticket;
    }

    public void flush(int host) {
        memory.flush(host);
    }

    private long count(MemorySegment elements) {
        return elements.byteSize() / (words * Layouts.WORD);
    }

    /** If several slots would reach beyond the end of the ring, they are moved to end with it. */
    private long slot(long ticket, long count) {
        return SLOTS + Math.min(ticket % slots, slots - count) * words * Layouts.WORD;
    }
}
