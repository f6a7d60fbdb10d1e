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
 * The words that two ranks exchange when they connect. They are the same on each transport, except for the magic. Each
 * transport lays out its own answer to a rank that is let in.
 * <pre>
 *   request:  0       8         16         24     28       32       34         36         38    40     44        48
 *             +-------+---------+----------+------+--------+--------+----------+----------+-----+------+---------+
 *             | magic | layout  | world id | rank | target | incar- | target's | target's | met | lane | attempt |
 *             |       | version |          |      |        | nation | incar-   | born     |     |      |         |
 *             |       |         |          |      |        |        | nation   |          |     |      |         |
 *             +-------+---------+----------+------+--------+--------+----------+----------+-----+------+---------+
 *   refusal:  0       8        10    12            14     16
 *             +-------+--------+-----+-------------+------+
 *             | magic | reason | met | incarnation | born |
 *             +-------+--------+-----+-------------+------+
 * </pre>
 * Both carry {@code met}: the last life of the other rank that the sender knows. So a rank that has lost its memory
 * learns the numbers of its former lives.
 *
 * @param magic the number by which a transport recognizes its own handshakes
 */
public record Handshake(long magic) {

    public static final StructLayout REQUEST = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            Layouts.word("layoutVersion"), //
            Layouts.word("worldId"), //
            JAVA_INT.withName("rank"), // the rank that asks
            JAVA_INT.withName("target"), // the rank whose segment is wanted
            JAVA_CHAR.withName("incarnation"), // of the rank that asks; 16 bits, as in words that name a process
            JAVA_CHAR.withName("targetIncarnation"), // as the rank that asks knows it
            JAVA_CHAR.withName("targetBorn"), // the incarnation in which the wanted segment was made
            JAVA_CHAR.withName("met"), // the target's last life that the rank that asks knows
            JAVA_INT.withName("lane"), // number of the connection between the two
            JAVA_INT.withName("attempt")); // number of the attempt of the rank that asks

    public static final StructLayout REFUSAL = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            JAVA_SHORT.withName("reason"), //
            JAVA_CHAR.withName("met"), // the asking rank's last life that the refusing rank knows
            JAVA_CHAR.withName("incarnation"), // of the rank that refuses
            JAVA_CHAR.withName("born")); // the incarnation in which its segment was made

    /** Stands in place of a reason: the requester has to prove that it knows the secret. */
    public static final short CHALLENGED = -2;

    /** The incarnation to ask for if none is known. The target refuses it as a wrong one, and tells its own. */
    public static final int ANY_INCARNATION = 0;

    /** The segment to ask for if the requester does not know which one the rank has. */
    public static final int ANY_SEGMENT = 0;

    // A transport may place a handshake anywhere.
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfChar UNSIGNED_SHORT = ValueLayout.JAVA_CHAR_UNALIGNED;

    public MemorySegment write(ConnectRequest connectRequest, SegmentAllocator allocator) {
        MemorySegment struct = begin(REQUEST, allocator);
        struct.set(LONG, at(REQUEST, "layoutVersion"), connectRequest.layoutVersion());
        struct.set(LONG, at(REQUEST, "worldId"), connectRequest.worldId());
        struct.set(INT, at(REQUEST, "rank"), connectRequest.rank());
        struct.set(INT, at(REQUEST, "target"), connectRequest.target());
        struct.set(UNSIGNED_SHORT, at(REQUEST, "incarnation"), (char) connectRequest.incarnation());
        struct.set(UNSIGNED_SHORT, at(REQUEST, "targetIncarnation"), (char) connectRequest.targetIncarnation());
        struct.set(UNSIGNED_SHORT, at(REQUEST, "targetBorn"), (char) connectRequest.targetBorn());
        struct.set(UNSIGNED_SHORT, at(REQUEST, "met"), (char) connectRequest.met());
        struct.set(INT, at(REQUEST, "lane"), connectRequest.lane());
        struct.set(INT, at(REQUEST, "attempt"), connectRequest.attempt());
        return struct;
    }

    /** Returns nothing if a stranger asks. */
    public Optional<ConnectRequest> readRequest(MemorySegment data) {
        return isOurs(data, REQUEST)
                ? Optional.of(new ConnectRequest(data.get(LONG, at(REQUEST, "layoutVersion")),
                        data.get(LONG, at(REQUEST, "worldId")), data.get(INT, at(REQUEST, "rank")),
                        data.get(INT, at(REQUEST, "target")), data.get(UNSIGNED_SHORT, at(REQUEST, "incarnation")),
                        data.get(UNSIGNED_SHORT, at(REQUEST, "targetIncarnation")),
                        data.get(UNSIGNED_SHORT, at(REQUEST, "targetBorn")),
                        data.get(UNSIGNED_SHORT, at(REQUEST, "met")), data.get(INT, at(REQUEST, "lane")),
                        data.get(INT, at(REQUEST, "attempt"))))
                : Optional.empty();
    }

    /** @param refusalDetails what the refusing rank tells of itself */
    public MemorySegment write(Refusal refusal, RefusalDetails refusalDetails, SegmentAllocator allocator) {
        return write(REFUSAL, (short) refusal.ordinal(), refusalDetails, allocator);
    }

    /** Returns an answer with a layout of the transport's own, which begins like a refusal. */
    public MemorySegment write(StructLayout layout, short reason, RefusalDetails refusalDetails,
            SegmentAllocator allocator) {
        MemorySegment struct = begin(layout, allocator);
        struct.set(SHORT, at(REFUSAL, "reason"), reason);
        struct.set(UNSIGNED_SHORT, at(REFUSAL, "met"), (char) refusalDetails.met());
        struct.set(UNSIGNED_SHORT, at(REFUSAL, "incarnation"), (char) refusalDetails.incarnation());
        struct.set(UNSIGNED_SHORT, at(REFUSAL, "born"), (char) refusalDetails.born());
        return struct;
    }

    /** Returns true if the answer has this number in the place of the reason. */
    public boolean isReason(MemorySegment answer, short reason) {
        return isOurs(answer, REFUSAL) && answer.get(SHORT, at(REFUSAL, "reason")) == reason;
    }

    /**
     * Returns the reason. Returns {@link Refusal#NOBODY} if a stranger refuses, or for a reason that this version does
     * not know.
     */
    public Refusal readRefusal(MemorySegment data) {
        Refusal[] known = Refusal.values();
        int reason = isOurs(data, REFUSAL) ? data.get(SHORT, at(REFUSAL, "reason")) : known.length;
        return reason >= 0 && reason < known.length ? known[reason] : Refusal.NOBODY;
    }

    /** Returns what the refusing rank tells, from a refusal that says it is another incarnation. */
    public RefusalDetails readTold(MemorySegment data) {
        return new RefusalDetails(data.get(UNSIGNED_SHORT, at(REFUSAL, "incarnation")),
                data.get(UNSIGNED_SHORT, at(REFUSAL, "born")), data.get(UNSIGNED_SHORT, at(REFUSAL, "met")));
    }

    /** Returns a structure that is zero except for its first word, the magic. */
    public MemorySegment begin(StructLayout layout, SegmentAllocator allocator) {
        MemorySegment struct = allocator.allocate(layout).fill((byte) 0);
        struct.set(LONG, 0, magic);
        return struct;
    }

    /** Returns true if the data may be this structure of this transport. */
    public boolean isOurs(MemorySegment data, StructLayout layout) {
        return data.byteSize() >= layout.byteSize() && data.get(LONG, 0) == magic;
    }

    private static long at(StructLayout layout, String name) {
        return Layouts.offsetOf(layout, name);
    }
}
