package io.atoll.chaos.history;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Records the operations of one process in a mapped file. The records outlive a kill, since the kernel keeps the pages.
 * An operation has a slot of eight words. Its call is visible before it begins, and its return after it has ended.
 * <pre>
 *   0        8          16                             24    32         40       48       56
 *   +--------+----------+------------------------------+-----+----------+--------+--------+---------+
 *   | called | returned | thread, structure, verb, out | key | argument | second | result | extra   |
 *   +--------+----------+------------------------------+-----+----------+--------+--------+---------+
 * </pre>
 */
public final class Recorder implements AutoCloseable {

    private static final long SLOT = 64;
    private static final VarHandle WORD = JAVA_LONG.varHandle();

    private static final long CALLED = 0;
    private static final long RETURNED = 8;
    private static final long HEAD = 16;
    private static final long KEY = 24;
    private static final long ARGUMENT = 32;
    private static final long SECOND = 40;
    private static final long RESULT = 48;
    private static final long EXTRA = 56;

    private final Arena arena = Arena.ofShared();
    private final MemorySegment slots;
    private final AtomicLong next = new AtomicLong();

    /** Creates the file. */
    public Recorder(Path file, long capacity) throws IOException {
        try (FileChannel channel = FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ,
                StandardOpenOption.WRITE)) {
            this.slots = channel.map(MapMode.READ_WRITE, 0, capacity * SLOT, arena);
        }
    }

    /** Returns true if there is room for more. */
    public boolean hasRoom() {
        return next.get() * SLOT < slots.byteSize() * 9 / 10;
    }

    /** Records that an operation begins. Returns its slot. */
    public long begin(int thread, Structure structure, Verb verb, long key, long argument, long second) {
        return begin(thread, structure, verb, key, argument, second, System.nanoTime());
    }

    /** Like {@link #begin(int, Structure, Verb, long, long, long)}, for an operation that began at the given time. */
    public long begin(int thread, Structure structure, Verb verb, long key, long argument, long second, long called) {
        long at = next.getAndIncrement() * SLOT;
        slots.set(JAVA_LONG, at + HEAD, head(thread, structure, verb, Outcome.PENDING));
        slots.set(JAVA_LONG, at + KEY, key);
        slots.set(JAVA_LONG, at + ARGUMENT, argument);
        slots.set(JAVA_LONG, at + SECOND, second);
        WORD.setVolatile(slots, at + CALLED, called);
        return at;
    }

    /** Records how an operation has ended. */
    public void end(long slot, Outcome outcome, long result, long extra) {
        long now = System.nanoTime();
        slots.set(JAVA_LONG, slot + HEAD, slots.get(JAVA_LONG, slot + HEAD) & ~0xFFL | outcome.ordinal());
        slots.set(JAVA_LONG, slot + RESULT, result);
        slots.set(JAVA_LONG, slot + EXTRA, extra);
        WORD.setVolatile(slots, slot + RETURNED, now);
    }

    private static long head(int thread, Structure structure, Verb verb, Outcome outcome) {
        return (long) thread << 24 | (long) structure.ordinal() << 16 | (long) verb.ordinal() << 8 | outcome.ordinal();
    }

    /** Returns what a process has recorded so far. The process may be alive or dead. */
    public static List<Entry> read(Path file, int process) throws IOException {
        List<Entry> entries = new ArrayList<>();
        try (Arena reading = Arena.ofConfined();
                FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
            MemorySegment slots = channel.map(MapMode.READ_ONLY, 0, channel.size(), reading);
            int empty = 0;
            // Threads fill slots that lie close together. Behind this many empty slots there are no more entries.
            for (long at = 0; at < slots.byteSize() && empty < 256; at += SLOT) {
                long called = (long) WORD.getVolatile(slots, at + CALLED);
                if (called == 0) {
                    empty++;
                } else {
                    empty = 0;
                    entries.add(entry(slots, at, called, process));
                }
            }
        }
        return entries;
    }

    private static Entry entry(MemorySegment slots, long at, long called, int process) {
        long returned = (long) WORD.getVolatile(slots, at + RETURNED);
        long head = slots.get(JAVA_LONG, at + HEAD);
        Outcome outcome = returned == 0 ? Outcome.PENDING : Outcome.values()[(int) head & 0xFF];
        boolean ended = outcome == Outcome.DONE || outcome == Outcome.REFUSED;
        return new Entry(process, (int) (head >>> 24), Structure.values()[(int) (head >>> 16) & 0xFF],
                Verb.values()[(int) (head >>> 8) & 0xFF], slots.get(JAVA_LONG, at + KEY),
                slots.get(JAVA_LONG, at + ARGUMENT), slots.get(JAVA_LONG, at + SECOND), called,
                ended ? returned : Entry.NEVER, outcome, slots.get(JAVA_LONG, at + RESULT),
                slots.get(JAVA_LONG, at + EXTRA));
    }

    @Override
    public void close() {
        arena.close();
    }
}
