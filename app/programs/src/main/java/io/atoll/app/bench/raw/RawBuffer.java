package io.atoll.app.bench.raw;

import io.atoll.World;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;

/**
 * Insertions into a {@link RawTable} in messages, without a protocol. Entries are collected for each owner, and written
 * one behind the other into its segment. The owner inserts them between two barriers.
 */
public final class RawBuffer {

    private static final long TAIL = 0;
    private static final long ENTRIES = Layouts.CACHE_LINE;
    private static final int ENTRY_WORDS = 2;
    private static final long ENTRY_BYTES = ENTRY_WORDS * Layouts.WORD;

    private final World world;
    private final RawTable table;
    private final RawMemory queues;
    private final long[][] staged;
    // The numbers of collected words.
    private final int[] counts;

    private RawBuffer(World world, RawTable table, RawMemory queues, int messageSize) {
        this.world = world;
        this.table = table;
        this.queues = queues;
        this.staged = new long[world.size()][messageSize * ENTRY_WORDS];
        this.counts = new int[world.size()];
    }

    /** @param capacity the number of entries that each rank has room for */
    public static RawBuffer open(World world, String name, RawTable table, long capacity, int messageSize) {
        return new RawBuffer(world, table, RawMemory.open(world, name, bytes(capacity)), messageSize);
    }

    public static long bytes(long capacity) {
        return ENTRIES + capacity * ENTRY_BYTES;
    }

    public void insert(long key, long value) {
        int owner = table.owner(key);
        staged[owner][counts[owner]++] = key;
        staged[owner][counts[owner]++] = value;
        if (counts[owner] == staged[owner].length) {
            push(owner);
        }
    }

    private void push(int owner) {
        long at = ENTRIES + queues.getAndAdd(owner, TAIL, counts[owner]) * Layouts.WORD;
        queues.write(owner, at, MemorySegment.ofArray(staged[owner]), counts[owner] * Layouts.WORD);
        counts[owner] = 0;
    }

    /**
     * Inserts the collected entries. All ranks call it. Returns the number of entries that were this rank's to insert.
     */
    public long flush() throws InterruptedException {
        for (int owner = 0; owner < counts.length; owner++) {
            push(owner);
        }
        world.barrier();
        int self = world.rank();
        long words = queues.read(self, TAIL, 1);
        for (long word = 0; word < words; word += ENTRY_WORDS) {
            table.insert(queues.read(self, ENTRIES + word * Layouts.WORD, 1));
        }
        queues.writeWord(self, TAIL, 0);
        world.barrier();
        return words / ENTRY_WORDS;
    }
}
