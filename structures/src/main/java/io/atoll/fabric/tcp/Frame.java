package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

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
 *   verb:     0      1       2      4        8        16
 *             +------+-------+------+--------+--------+------//--+
 *             | kind | guard |      | length | offset | operands |
 *             +------+-------+------+--------+--------+------//--+
 *   answer:   0       4        6       8        16
 *             +-------+--------+-------+--------+-------------//-+
 *             | bytes | status | flags | number |  results       |
 *             +-------+--------+-------+--------+-------------//-+
 * </pre>
 * The operands of a write are its bytes. An exchange has two words: the expected one, and the one that replaces it. Any
 * other atomic has one word, and a read has none. The results are those of the verbs, in their order: the bytes of a
 * read, the word that an atomic found.
 *
 * <p>The guard of a verb is 0, or the number of a compareAndExchange, which is one of the first {@value #MOST_GUARDS}
 * atomics of this frame and stands before the verb. Atomics are counted from 1. The verb is executed only if that
 * exchange was executed and found what it expected. Otherwise it is skipped, and its results are zeros.
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
            MemoryLayout.paddingLayout(2), //
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

    static final long KIND = Layouts.offsetOf(VERB, "kind");
    static final long GUARD = Layouts.offsetOf(VERB, "guard");
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

    /** The greatest kind. */
    static final byte LAST_KIND = GET_AND_SET;

    /** The number of atomics of a frame that may guard its verbs: the first ones. */
    static final int MOST_GUARDS = Long.SIZE;

    /** The most bytes of a verb. A verb of this size fits into a frame in both directions. */
    static final int MAXIMUM_LENGTH = 32 << 10;

    private Frame() {}

    /** Returns the number of bytes of a verb's operands, or -1 if there is no such verb. */
    static int operandBytes(int kind, int length) {
        return switch (kind) {
            case READ -> 0;
            case WRITE -> length;
            case COMPARE_AND_EXCHANGE -> 2 * Long.BYTES;
            case GET_AND_ADD, GET_AND_BITWISE_OR, GET_AND_SET -> Long.BYTES;
            default -> -1;
        };
    }

    /** Returns the number of bytes of a verb's results. */
    static int resultBytes(int kind, int length) {
        return kind == WRITE ? 0 : length;
    }

    /** Returns true for a verb that updates one word and tells what it found. */
    static boolean isAtomic(int kind) {
        return kind >= COMPARE_AND_EXCHANGE;
    }

    /**
     * Returns a bit set with the exchange of this number, if it can guard verbs.
     *
     * @param exchanges of the frame, each a bit
     */
    static long withExchange(long exchanges, int number) {
        return number <= MOST_GUARDS ? exchanges | 1L << number - 1 : exchanges;
    }

    /** Returns true if a verb has no guard, or one of these exchanges. */
    static boolean isOneOf(long exchanges, int guard) {
        return guard == 0 || guard > 0 && guard <= MOST_GUARDS && (exchanges >>> guard - 1 & 1) != 0;
    }

    /** Returns true if a frame can have this size. */
    static boolean isFrame(int bytes) {
        return bytes >= HEADER_BYTES && bytes <= MAXIMUM_BYTES && bytes % Long.BYTES == 0;
    }
}
