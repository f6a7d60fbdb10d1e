package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.atoll.fabric.RecordRead;
import io.atoll.fabric.WordTest;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;

/**
 * The bytes that follow the handshake on a connection: requests one way, answers the other way. The size of a frame is
 * a multiple of 8 bytes, at most {@value #MAXIMUM_BYTES}.
 * <pre>
 *   request:  0       4       6       8        16
 *             +-------+-------+-------+--------+-------------//--+
 *             | bytes | verbs | flags | number |  verbs          |
 *             +-------+-------+-------+--------+-------------//--+
 *   verb:     0      1       2       4        8        16
 *             +------+-------+-------+--------+--------+------//--+
 *             | kind | guard | count | length | offset | operands |
 *             +------+-------+-------+--------+--------+------//--+
 *   answer:   0       4        6       8        16
 *             +-------+--------+-------+--------+-------------//-+
 *             | bytes | status | flags | number |  results       |
 *             +-------+--------+-------+--------+-------------//-+
 * </pre>
 * The operands of a write are its bytes. A compareAndExchange has two words: the expected one, and the one that
 * replaces it. An exchangeFound has two: what it keeps, and what it adds. Any other atomic has one word, and a read has
 * none. Three verbs use "length" and "count" in their own way:
 * <ul>
 * <li>A search has the length of all records, and "count" tests. Its operands are its stride, and then the
 * {@linkplain WordTest tests}.
 * <li>A readRecords has the length of all records, of which there are "count". It has no operands.
 * <li>A writeBeside has the length of both places, and the bytes of one place as operands. It looks at the bit with the
 * number "count" in the word that its guard has found. If the bit is set, it writes the first place, else the second.
 * </ul>
 *
 * <p>The results are those of the verbs, in their order. A read has its bytes, and an atomic the word that it found. A
 * search has the word that it found, and the displacement of its record: -1 if no record passed. A readRecords has the
 * bytes of each record, and its first word once more behind them: see {@link RecordRead}.
 *
 * <p>The atomics and searches of a frame are counted together from 1. The guard of a verb is 0, or the number of a
 * compareAndExchange, exchangeFound or search that stands before the verb. Only the first {@value #MOST_GUARDS} atomics
 * and searches can be guards. A verb is executed only if the exchange took place that guards it, or if the search found
 * a record. Otherwise it is skipped, and its results are zeros. A skipped guard lets no verb be executed. The guard of
 * an exchangeFound must be a search. A writeBeside must have a guard.
 *
 * <p>A guarded verb takes effect at its offset plus the displacement of its guard. The displacement of an exchange is
 * that of its own guard, or 0. A search adds to this the displacement of the record that it found.
 *
 * <p>Requests of a connection are numbered from 1, and are executed and answered in this order. An answer also stands
 * for all requests before it. Only a request that asks for an answer gets one.
 *
 * <p>The status is 0 if all verbs were executed. Otherwise it is the number of a verb, counted from 1, whose words are
 * outside the segment. Neither that verb nor any later one was executed.
 */
final class Frame {

    static final int MAXIMUM_BYTES = 64 << 10;

    static final StructLayout REQUEST = MemoryLayout.structLayout( //
            JAVA_INT.withName("bytes"), // of the frame
            JAVA_SHORT.withName("verbs"), // the number of verbs
            JAVA_SHORT.withName("flags"), //
            JAVA_LONG.withName("number"));

    static final StructLayout VERB = MemoryLayout.structLayout( //
            JAVA_BYTE.withName("kind"), //
            JAVA_BYTE.withName("guard"), //
            JAVA_BYTE.withName("count"), // of the tests of a search, or of records that are read; or a bit
            MemoryLayout.paddingLayout(1), //
            JAVA_INT.withName("length"), // bytes at the owner
            JAVA_LONG.withName("offset"));

    static final StructLayout ANSWER = MemoryLayout.structLayout( //
            JAVA_INT.withName("bytes"), // of the frame
            JAVA_SHORT.withName("status"), //
            JAVA_SHORT.withName("flags"), //
            JAVA_LONG.withName("number")); // of the request

    // A request and an answer have these at the same places.
    static final long BYTES = Layouts.offsetOf(REQUEST, "bytes");
    static final long FLAGS = Layouts.offsetOf(REQUEST, "flags");
    static final long NUMBER = Layouts.offsetOf(REQUEST, "number");
    static final int HEADER_BYTES = (int) REQUEST.byteSize();

    static final long VERBS = Layouts.offsetOf(REQUEST, "verbs");
    static final long STATUS = Layouts.offsetOf(ANSWER, "status");

    /** The first word of a verb: its kind, guard, count and length, from the low bits to the high ones. */
    static final long HEAD = 0;
    static final long KIND = Layouts.offsetOf(VERB, "kind");
    static final long GUARD = Layouts.offsetOf(VERB, "guard");
    static final long COUNT = Layouts.offsetOf(VERB, "count");
    static final long LENGTH = Layouts.offsetOf(VERB, "length");
    static final long OFFSET = Layouts.offsetOf(VERB, "offset");
    static final int VERB_BYTES = (int) VERB.byteSize();

    /** The flag of a request that asks for an answer. */
    static final int ANSWER_WANTED = 1;

    static final byte READ = 1;
    static final byte WRITE = 2;
    static final byte COMPARE_AND_EXCHANGE = 3;
    static final byte GET_AND_ADD = 4;
    static final byte GET_AND_BITWISE_OR = 5;
    static final byte GET_AND_SET = 6;

    static final byte SEARCH = 7;
    static final byte EXCHANGE_FOUND = 8;

    static final byte READ_RECORDS = 9;

    static final byte WRITE_BESIDE = 10;

    /** The greatest kind. */
    static final byte LAST_KIND = WRITE_BESIDE;

    /** The number of atomics and searches of a frame that may guard its verbs: the first ones. */
    static final int MOST_GUARDS = Long.SIZE;

    /** The most bytes of a verb. A verb of this size fits into a frame in both directions. */
    static final int MAXIMUM_LENGTH = 32 << 10;

    private static final int GUARD_SHIFT = Byte.SIZE;
    private static final int COUNT_SHIFT = 2 * Byte.SIZE;
    private static final int LENGTH_SHIFT = Integer.SIZE;
    private static final long BYTE_MASK = 0xFF;
    private static final long PLAIN_MASK = BYTE_MASK << GUARD_SHIFT | BYTE_MASK;

    private Frame() {}

    // --- the head of a verb, as one word of a little-endian processor ---

    /**
     * Returns the head of a verb.
     *
     * @param count of the tests of a search, or of records that are read; the bit of a writeBeside; 0 of another verb
     */
    static long head(byte kind, byte guard, int count, int length) {
        return (long) length << LENGTH_SHIFT | count << COUNT_SHIFT | guard << GUARD_SHIFT | kind;
    }

    static byte kind(long head) {
        return (byte) head;
    }

    static byte guard(long head) {
        return (byte) (head >> GUARD_SHIFT);
    }

    static byte count(long head) {
        return (byte) (head >> COUNT_SHIFT);
    }

    static int length(long head) {
        return (int) (head >> LENGTH_SHIFT);
    }

    /** Returns true for a read that nothing guards. */
    static boolean isPlainRead(long head) {
        return (head & PLAIN_MASK) == READ;
    }

    /** Returns the number of bytes of the results of a verb that {@linkplain #bringsWords brings words}. */
    static int broughtBytes(long head) {
        return length(head) + count(head) * Long.BYTES; // a read has the count 0
    }

    /** Returns true for a verb that {@linkplain #bringsWords brings words} and that nothing guards. */
    static boolean isPlain(long head) {
        long plain = head & PLAIN_MASK;
        return plain == READ || plain == READ_RECORDS;
    }

    // --- what kinds are ---

    /**
     * Returns the number of bytes of a verb's operands, or -1 if there is no such verb.
     *
     * @param count of the tests if it is a search
     */
    static int operandBytes(int kind, int length, int count) {
        return switch (kind) {
            case READ, READ_RECORDS -> 0;
            case WRITE -> length;
            case WRITE_BESIDE -> length / 2;
            case COMPARE_AND_EXCHANGE, EXCHANGE_FOUND -> 2 * Long.BYTES;
            case GET_AND_ADD, GET_AND_BITWISE_OR, GET_AND_SET -> Long.BYTES;
            case SEARCH -> count < 0 ? -1 : Long.BYTES + count * (int) WordTest.BYTES;
            default -> -1;
        };
    }

    /** Returns the number of bytes of a verb with its operands. There must be such a verb. */
    static int requestBytes(long head) {
        return VERB_BYTES + operandBytes(kind(head), length(head), count(head));
    }

    /**
     * Returns the number of bytes of a verb's results.
     *
     * @param count of the records that it reads, if it reads records
     */
    static int resultBytes(int kind, int length, int count) {
        return switch (kind) {
            case WRITE, WRITE_BESIDE -> 0;
            case READ_RECORDS -> length + count * Long.BYTES;
            case SEARCH -> 2 * Long.BYTES;
            default -> length;
        };
    }

    /** Returns true for a verb that has no operands, and whose results go to the memory of its thread as they are. */
    static boolean bringsWords(int kind) {
        return kind == READ || kind == READ_RECORDS;
    }

    /** Returns true for a verb whose operands are what it writes. */
    static boolean isWrite(int kind) {
        return kind == WRITE || kind == WRITE_BESIDE;
    }

    /** Returns true for a verb that changes nothing. */
    static boolean isRead(int kind) {
        return bringsWords(kind) || kind == SEARCH;
    }

    /** Returns true for the verbs that are counted from 1: atomics and searches. */
    static boolean isNumbered(int kind) {
        return kind >= COMPARE_AND_EXCHANGE && kind <= EXCHANGE_FOUND;
    }

    /** Returns true for the numbered verbs that can guard others. */
    static boolean isGuard(int kind) {
        return kind == COMPARE_AND_EXCHANGE || kind == SEARCH || kind == EXCHANGE_FOUND;
    }

    /**
     * Returns a bit set with the verb of this number, if it is one of the first that can guard verbs.
     *
     * @param guards of the frame, each a bit
     */
    static long with(long guards, int number) {
        return number <= MOST_GUARDS ? guards | 1L << number - 1 : guards;
    }

    /** Returns true if a verb has no guard, or one of these. */
    static boolean isOneOf(long guards, int guard) {
        return guard == 0 || guard > 0 && guard <= MOST_GUARDS && (guards >>> guard - 1 & 1) != 0;
    }

    /** Returns true if a frame can have this size. */
    static boolean isFrame(int bytes) {
        return bytes >= HEADER_BYTES && bytes <= MAXIMUM_BYTES && bytes % Long.BYTES == 0;
    }
}
