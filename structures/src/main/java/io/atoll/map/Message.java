package io.atoll.map;

import com.dynatrace.hash4j.hashing.ByteAccess;
import com.dynatrace.hash4j.hashing.Hashing;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * Entries that are sent together, for one owner:
 * <pre>
 *       0        8        16
 *       +--------+--------+---------+--//--+---------+---//---+
 *       | proof  | bytes  | entry 0 |      | entry n |        |     all messages of a buffer are as long
 *       +--------+--------+---------+--//--+---------+---//---+
 *
 *       proof     hash of what follows, up to where the entries end; 0 of one that was inserted
 *       bytes     where the entries end
 * </pre>
 * The proof tells a message that has arrived whole from a message whose sender died meanwhile.
 */
final class Message {

    private static final ByteAccess<MemorySegment> MEMORY = ByteAccess.forMemorySegment(MemorySegment.class);

    private static final long PROOF = 0;
    private static final long BYTES = PROOF + Long.BYTES;
    private static final long ENTRIES = BYTES + Long.BYTES;

    /** In the place of a position: there is no room. */
    public static final long NO_ROOM = -1;

    private final MemorySegment words;
    private final int most;
    private int count;
    private long end = ENTRIES;

    /**
     * @param most entries in it
     * @param bytes of the message
     */
    public Message(int most, long bytes) {
        this.most = most;
        this.words = MemorySegment.ofArray(new long[Math.toIntExact(bytes / Long.BYTES)]);
    }

    /** Returns the bytes of a message that has room for {@code entries} entries of this size. */
    public static long bytes(int entries, long entryBytes) {
        return ENTRIES + entries * entryBytes;
    }

    public MemorySegment words() {
        return words;
    }

    public int count() {
        return count;
    }

    /** Adds an entry, which the caller then writes to {@link #words}. Returns its position, or {@link #NO_ROOM}. */
    public long add(long bytes) {
        long position = end;
        if (count == most || position + bytes > words.byteSize()) {
            return NO_ROOM;
        }
        count++;
        end += bytes;
        return position;
    }

    public void clear() {
        count = 0;
        end = ENTRIES;
    }

    /** Returns the message as it is sent. */
    public MemorySegment seal() {
        seal(words, end);
        return words;
    }

    /** Inserts what is in the message, as it was sealed. If that fails, what was not inserted stays in it. */
    public void insertAll(Visitor inserter) {
        try {
            insertAll(words, (message, position) -> {
                long next = inserter.visit(message, position);
                count--;
                return next;
            });
        } finally {
            end = count == 0 ? ENTRIES : words.get(ValueLayout.JAVA_LONG, BYTES);
        }
    }

    private static void seal(MemorySegment message, long end) {
        message.set(ValueLayout.JAVA_LONG, BYTES, end);
        message.set(ValueLayout.JAVA_LONG, PROOF, proof(message, end));
    }

    private static long proof(MemorySegment message, long end) {
        return Hashing.wyhashFinal4().hashBytesToLong(message, BYTES, end - BYTES, MEMORY) | 1;
    }

    /** Shows what is in the message, and leaves it there. */
    public void showAll(Visitor visitor) {
        show(words, end, visitor);
    }

    /** Shows what is in a message, if it is whole, and leaves it there. */
    public static void showAll(MemorySegment message, Visitor visitor) {
        if (isWhole(message)) {
            show(message, message.get(ValueLayout.JAVA_LONG, BYTES), visitor);
        }
    }

    private static void show(MemorySegment message, long end, Visitor visitor) {
        long position = ENTRIES;
        while (position < end) {
            position = visitor.visit(message, position);
        }
    }

    /** Handles one entry of a message. */
    public interface Visitor {

        /** Returns where the next entry begins. */
        long visit(MemorySegment message, long position);
    }

    /** Inserts what is in a message, if it is whole. If that fails, what was not inserted stays in it. */
    public static void insertAll(MemorySegment message, Visitor inserter) {
        if (!isWhole(message)) {
            return;
        }
        long end = message.get(ValueLayout.JAVA_LONG, BYTES);
        long position = ENTRIES;
        try {
            while (position < end) {
                position = inserter.visit(message, position);
            }
        } finally {
            keep(message, position, end);
        }
    }

    private static boolean isWhole(MemorySegment message) {
        long end = message.get(ValueLayout.JAVA_LONG, BYTES);
        return end >= ENTRIES && end <= message.byteSize()
                && message.get(ValueLayout.JAVA_LONG, PROOF) == proof(message, end);
    }

    private static void keep(MemorySegment message, long from, long end) {
        if (from == end) {
            message.set(ValueLayout.JAVA_LONG, PROOF, 0);
        } else {
            message.asSlice(ENTRIES, end - from).copyFrom(message.asSlice(from, end - from));
            seal(message, ENTRIES + end - from);
        }
    }
}
