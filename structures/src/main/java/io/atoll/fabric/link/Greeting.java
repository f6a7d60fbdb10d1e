package io.atoll.fabric.link;

import static java.lang.foreign.ValueLayout.JAVA_CHAR;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * What two ranks tell each other when they connect, the same on each transport but for the magic. A transport lays out
 * the answer to a rank that is let in.
 * <pre>
 *   request:  0       8                16         24     28       32            34            36       38    40     44        48
 *             +-------+----------------+----------+------+--------+-------------+-------------+--------+-----+------+---------+
 *             | magic | layout version | world id | rank | target | incarnation |  target's   |target's| met | lane | attempt |
 *             |       |                |          |      |        |             | incarnation |  born  |     |      |         |
 *             +-------+----------------+----------+------+--------+-------------+-------------+--------+-----+------+---------+
 *   refusal:  0       8        10    12            14     16
 *             +-------+--------+-----+-------------+------+
 *             | magic | reason | met | incarnation | born |
 *             +-------+--------+-----+-------------+------+
 * </pre>
 * Each says {@code met}: the last life of the other one that it knows. So a rank that has lost its memory learns the
 * numbers of the lives that it had.
 *
 * @param magic by which a transport knows its own
 */
public record Greeting(long magic) {

    public static final StructLayout REQUEST = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            Layouts.word("layoutVersion"), //
            Layouts.word("worldId"), //
            JAVA_INT.withName("rank"), // that asks
            JAVA_INT.withName("target"), // whose segment is wanted
            JAVA_CHAR.withName("incarnation"), // of the rank that asks; 16 bits, as words that name a process have
            JAVA_CHAR.withName("targetIncarnation"), // as the rank that asks knows it
            JAVA_CHAR.withName("targetBorn"), // when the segment was made that it wants
            JAVA_CHAR.withName("met"), // of the target's incarnations, by the rank that asks
            JAVA_INT.withName("lane"), // which of its connections
            JAVA_INT.withName("attempt")); // to connect, of the rank that asks

    public static final StructLayout REFUSAL = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            JAVA_SHORT.withName("reason"), //
            JAVA_CHAR.withName("met"), // of the asking rank's incarnations, by the rank that refuses
            JAVA_CHAR.withName("incarnation"), // of the rank that refuses
            JAVA_CHAR.withName("born")); // when its segment was made

    /** Instead of a reason: the requester is to prove that it knows the secret. */
    public static final short CHALLENGED = -2;

    /** The incarnation to ask for where none is known: it is refused as another one, and told which. */
    public static final int ANY_INCARNATION = 0;

    /** The segment to ask for where it is not known which one the rank has. */
    public static final int ANY_SEGMENT = 0;

    // A transport may place a greeting anywhere.
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfChar UNSIGNED_SHORT = ValueLayout.JAVA_CHAR_UNALIGNED;

    public MemorySegment write(Request request, SegmentAllocator allocator) {
        MemorySegment struct = begin(REQUEST, allocator);
        struct.set(LONG, at(REQUEST, "layoutVersion"), request.layoutVersion());
        struct.set(LONG, at(REQUEST, "worldId"), request.worldId());
        struct.set(INT, at(REQUEST, "rank"), request.rank());
        struct.set(INT, at(REQUEST, "target"), request.target());
        struct.set(UNSIGNED_SHORT, at(REQUEST, "incarnation"), (char) request.incarnation());
        struct.set(UNSIGNED_SHORT, at(REQUEST, "targetIncarnation"), (char) request.targetIncarnation());
        struct.set(UNSIGNED_SHORT, at(REQUEST, "targetBorn"), (char) request.targetBorn());
        struct.set(UNSIGNED_SHORT, at(REQUEST, "met"), (char) request.met());
        struct.set(INT, at(REQUEST, "lane"), request.lane());
        struct.set(INT, at(REQUEST, "attempt"), request.attempt());
        return struct;
    }

    /** Returns nothing where a stranger asks. */
    public Optional<Request> readRequest(MemorySegment data) {
        return isOurs(data, REQUEST)
                ? Optional.of(new Request(data.get(LONG, at(REQUEST, "layoutVersion")),
                        data.get(LONG, at(REQUEST, "worldId")), data.get(INT, at(REQUEST, "rank")),
                        data.get(INT, at(REQUEST, "target")), data.get(UNSIGNED_SHORT, at(REQUEST, "incarnation")),
                        data.get(UNSIGNED_SHORT, at(REQUEST, "targetIncarnation")),
                        data.get(UNSIGNED_SHORT, at(REQUEST, "targetBorn")),
                        data.get(UNSIGNED_SHORT, at(REQUEST, "met")), data.get(INT, at(REQUEST, "lane")),
                        data.get(INT, at(REQUEST, "attempt"))))
                : Optional.empty();
    }

    /** @param told of the rank that refuses */
    public MemorySegment write(Refusal refusal, Told told, SegmentAllocator allocator) {
        return write(REFUSAL, (short) refusal.ordinal(), told, allocator);
    }

    /** Returns an answer of a transport's own, which begins as a refusal does. */
    public MemorySegment write(StructLayout layout, short reason, Told told, SegmentAllocator allocator) {
        MemorySegment struct = begin(layout, allocator);
        struct.set(SHORT, at(REFUSAL, "reason"), reason);
        struct.set(UNSIGNED_SHORT, at(REFUSAL, "met"), (char) told.met());
        struct.set(UNSIGNED_SHORT, at(REFUSAL, "incarnation"), (char) told.incarnation());
        struct.set(UNSIGNED_SHORT, at(REFUSAL, "born"), (char) told.born());
        return struct;
    }

    /** Returns whether the answer begins with that, in the place of a reason. */
    public boolean isReason(MemorySegment answer, short reason) {
        return isOurs(answer, REFUSAL) && answer.get(SHORT, at(REFUSAL, "reason")) == reason;
    }

    /** Returns {@link Refusal#NOBODY} where a stranger refuses, or for a reason that this version does not know. */
    public Refusal readRefusal(MemorySegment data) {
        Refusal[] known = Refusal.values();
        int reason = isOurs(data, REFUSAL) ? data.get(SHORT, at(REFUSAL, "reason")) : known.length;
        return reason >= 0 && reason < known.length ? known[reason] : Refusal.NOBODY;
    }

    /** Returns what a rank tells that refuses by saying that it is another incarnation. */
    public Told readTold(MemorySegment data) {
        return new Told(data.get(UNSIGNED_SHORT, at(REFUSAL, "incarnation")),
                data.get(UNSIGNED_SHORT, at(REFUSAL, "born")), data.get(UNSIGNED_SHORT, at(REFUSAL, "met")));
    }

    /** Returns a structure that is zero but for the magic, which is its first word. */
    public MemorySegment begin(StructLayout layout, SegmentAllocator allocator) {
        MemorySegment struct = allocator.allocate(layout).fill((byte) 0);
        struct.set(LONG, 0, magic);
        return struct;
    }

    /** Returns whether that may be a structure of this transport. */
    public boolean isOurs(MemorySegment data, StructLayout layout) {
        return data.byteSize() >= layout.byteSize() && data.get(LONG, 0) == magic;
    }

    private static long at(StructLayout layout, String name) {
        return Layouts.offsetOf(layout, name);
    }
}
