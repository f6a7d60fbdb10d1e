package io.atoll.fabric.link;

import static java.lang.foreign.ValueLayout.JAVA_INT;

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
 *   request:  0       8                16         24     28       32            36               40     44        48
 *             +-------+----------------+----------+------+--------+-------------+----------------+------+---------+
 *             | magic | layout version | world id | rank | target | incarnation |    target's    | lane | attempt |
 *             |       |                |          |      |        |             |   incarnation  |      |         |
 *             +-------+----------------+----------+------+--------+-------------+----------------+------+---------+
 *   refusal:  0       8        12             16
 *             +-------+--------+--------------+
 *             | magic | reason | incarnation  |
 *             +-------+--------+--------------+
 * </pre>
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
            JAVA_INT.withName("incarnation"), // of the rank that asks
            JAVA_INT.withName("targetIncarnation"), // as the rank that asks knows it
            JAVA_INT.withName("lane"), // which of its connections
            JAVA_INT.withName("attempt")); // to connect, of the rank that asks

    public static final StructLayout REFUSAL = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            JAVA_INT.withName("reason"), //
            JAVA_INT.withName("incarnation")); // of the rank that refuses

    /** Instead of a reason: the requester is to prove that it knows the secret. */
    public static final int CHALLENGED = -2;

    /** The incarnation to ask for where none is known: it is refused as another one, and told which. */
    public static final int ANY_INCARNATION = 0;

    // A transport may place a greeting anywhere.
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    public MemorySegment write(Request request, SegmentAllocator allocator) {
        MemorySegment struct = begin(REQUEST, allocator);
        struct.set(LONG, at(REQUEST, "layoutVersion"), request.layoutVersion());
        struct.set(LONG, at(REQUEST, "worldId"), request.worldId());
        struct.set(INT, at(REQUEST, "rank"), request.rank());
        struct.set(INT, at(REQUEST, "target"), request.target());
        struct.set(INT, at(REQUEST, "incarnation"), request.incarnation());
        struct.set(INT, at(REQUEST, "targetIncarnation"), request.targetIncarnation());
        struct.set(INT, at(REQUEST, "lane"), request.lane());
        struct.set(INT, at(REQUEST, "attempt"), request.attempt());
        return struct;
    }

    /** Returns nothing where a stranger asks. */
    public Optional<Request> readRequest(MemorySegment data) {
        return isOurs(data, REQUEST)
                ? Optional.of(new Request(data.get(LONG, at(REQUEST, "layoutVersion")),
                        data.get(LONG, at(REQUEST, "worldId")), data.get(INT, at(REQUEST, "rank")),
                        data.get(INT, at(REQUEST, "target")), data.get(INT, at(REQUEST, "incarnation")),
                        data.get(INT, at(REQUEST, "targetIncarnation")), data.get(INT, at(REQUEST, "lane")),
                        data.get(INT, at(REQUEST, "attempt"))))
                : Optional.empty();
    }

    /** @param incarnation of the rank that refuses */
    public MemorySegment write(Refusal refusal, int incarnation, SegmentAllocator allocator) {
        MemorySegment struct = begin(REFUSAL, allocator);
        struct.set(INT, at(REFUSAL, "reason"), refusal.ordinal());
        struct.set(INT, at(REFUSAL, "incarnation"), incarnation);
        return struct;
    }

    /** Returns {@link Refusal#NOBODY} where a stranger refuses, or for a reason that this version does not know. */
    public Refusal readRefusal(MemorySegment data) {
        Refusal[] known = Refusal.values();
        int reason = isOurs(data, REFUSAL) ? data.get(INT, at(REFUSAL, "reason")) : known.length;
        return reason >= 0 && reason < known.length ? known[reason] : Refusal.NOBODY;
    }

    /** Returns the incarnation of the rank that refused by saying that it is another. */
    public int readIncarnation(MemorySegment data) {
        return data.get(INT, at(REFUSAL, "incarnation"));
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
