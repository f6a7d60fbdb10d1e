package io.atoll.fabric.verbs.link;

import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.atoll.memory.Layouts;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.Optional;

/**
 * What two ranks tell each other when they connect, as private data of the connection manager (which carries up to 56 bytes with a request).
 * <pre>
 *   request:  0       8                16         24     28       32            36               40     44     48
 *             +-------+----------------+----------+------+--------+-------------+----------------+------+------+
 *             | magic | layout version | world id | rank | target | incarnation |    target's    | lane |      |
 *             |       |                |          |      |        |             |   incarnation  |      |      |
 *             +-------+----------------+----------+------+--------+-------------+----------------+------+------+
 *   answer:   0       8         16              24           28    32
 *             +-------+---------+---------------+------------+-----+
 *             | magic | address | segment bytes | remote key |     |
 *             +-------+---------+---------------+------------+-----+
 *   refusal:  0       8        12             16
 *             +-------+--------+--------------+
 *             | magic | reason | incarnation  |
 *             +-------+--------+--------------+
 * </pre>
 */
final class Greeting {

    static final StructLayout REQUEST = MemoryLayout.structLayout( //
            Layouts.word("magic"), // "ATOLVERB"
            Layouts.word("layoutVersion"), //
            Layouts.word("worldId"), //
            JAVA_INT.withName("rank"), // who asks
            JAVA_INT.withName("target"), // whose segment is wanted
            JAVA_INT.withName("incarnation"), // of who asks
            JAVA_INT.withName("targetIncarnation"), // as who asks knows it
            JAVA_INT.withName("lane"), // which of its connections
            MemoryLayout.paddingLayout(4));

    static final StructLayout ANSWER = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            Layouts.word("address"), // where the segment begins, in the target's own addresses
            Layouts.word("segmentBytes"), //
            JAVA_INT.withName("remoteKey"), //
            MemoryLayout.paddingLayout(4));

    static final StructLayout REFUSAL = MemoryLayout.structLayout( //
            Layouts.word("magic"), //
            JAVA_INT.withName("reason"), //
            JAVA_INT.withName("incarnation")); // of who refuses

    /** The incarnation to ask for where none is known: it is refused as another one, and told which. */
    static final int ANY_INCARNATION = 0;

    private static final long MAGIC = 0x4252_4556_4C4F_5441L; // "ATOLVERB" in the order of the bytes

    // The connection manager gives no alignment.
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED;

    private Greeting() {}

    /** Why a request was refused. */
    enum Refusal {
        /** Not a rank's request. */
        STRANGER("the rank takes this process for a stranger, run the same version of Atoll with the same settings"),
        /** The world has another name or size. */
        OTHER_WORLD("the segment is of another world, tell all processes the same name and size of the world"),
        /** The segment is laid out otherwise. */
        OTHER_LAYOUT("the segment is of another layout version, run the same version of Atoll everywhere"),
        /** Somebody else listens there. */
        OTHER_RANK("another rank listens there, correct the list of addresses or start the rank where it says"),
        /** The target has been started again since. */
        OTHER_INCARNATION(
                "the rank is another incarnation than expected, repeat the operation when it has joined again"),
        /** The target holds who asks for dead. */
        FENCED("this incarnation was declared dead, start this process anew with the segment that it had, "
                + "or stop all processes of the world if that is lost"),
        /** Nobody listens, or what listens does not say why. */
        NOBODY("nobody listens there, start the rank or correct its address"),
        /** The target has not met who asks: it may soon. */
        NOT_MET("the rank has not met this process yet, see whether its membership or list of addresses knows this one");

        final String words; // what is wrong, and what to change

        Refusal(String words) {
            this.words = words;
        }
    }

    /** Who asks for whose segment. */
    record Request(long layoutVersion, long worldId, int rank, int target, int incarnation, int targetIncarnation,
            int lane) {

        Request(WorldIdentity world, int rank, int target, int incarnation, int targetIncarnation, int lane) {
            this(SegmentHeader.LAYOUT_VERSION, world.id(), rank, target, incarnation, targetIncarnation, lane);
        }

        /** Whether it asks for what takes the other one's place. */
        boolean isSuccessorOf(Request other) {
            return rank == other.rank && incarnation == other.incarnation && lane == other.lane;
        }

        MemorySegment write(Arena arena) {
            MemorySegment struct = arena.allocate(REQUEST);
            struct.set(LONG, at(REQUEST, "magic"), MAGIC);
            struct.set(LONG, at(REQUEST, "layoutVersion"), layoutVersion);
            struct.set(LONG, at(REQUEST, "worldId"), worldId);
            struct.set(INT, at(REQUEST, "rank"), rank);
            struct.set(INT, at(REQUEST, "target"), target);
            struct.set(INT, at(REQUEST, "incarnation"), incarnation);
            struct.set(INT, at(REQUEST, "targetIncarnation"), targetIncarnation);
            struct.set(INT, at(REQUEST, "lane"), lane);
            return struct;
        }

        /** Nothing where a stranger asks. */
        static Optional<Request> read(MemorySegment data) {
            return isOurs(data, REQUEST)
                    ? Optional.of(new Request(data.get(LONG, at(REQUEST, "layoutVersion")),
                            data.get(LONG, at(REQUEST, "worldId")), data.get(INT, at(REQUEST, "rank")),
                            data.get(INT, at(REQUEST, "target")), data.get(INT, at(REQUEST, "incarnation")),
                            data.get(INT, at(REQUEST, "targetIncarnation")), data.get(INT, at(REQUEST, "lane"))))
                    : Optional.empty();
        }
    }

    static MemorySegment write(RemoteSegment segment, Arena arena) {
        MemorySegment struct = arena.allocate(ANSWER);
        struct.set(LONG, at(ANSWER, "magic"), MAGIC);
        struct.set(LONG, at(ANSWER, "address"), segment.address());
        struct.set(LONG, at(ANSWER, "segmentBytes"), segment.bytes());
        struct.set(INT, at(ANSWER, "remoteKey"), segment.key());
        return struct;
    }

    /** Nothing where a stranger answers. */
    static Optional<RemoteSegment> readAnswer(MemorySegment data) {
        return isOurs(data, ANSWER)
                ? Optional.of(new RemoteSegment(data.get(LONG, at(ANSWER, "address")),
                        data.get(LONG, at(ANSWER, "segmentBytes")), data.get(INT, at(ANSWER, "remoteKey"))))
                : Optional.empty();
    }

    static MemorySegment write(Refusal refusal, int incarnation, Arena arena) {
        MemorySegment struct = arena.allocate(REFUSAL);
        struct.set(LONG, at(REFUSAL, "magic"), MAGIC);
        struct.set(INT, at(REFUSAL, "reason"), refusal.ordinal());
        struct.set(INT, at(REFUSAL, "incarnation"), incarnation);
        return struct;
    }

    static Refusal readRefusal(MemorySegment data) {
        Refusal[] known = Refusal.values();
        int reason = isOurs(data, REFUSAL) ? data.get(INT, at(REFUSAL, "reason")) : known.length;
        return reason >= 0 && reason < known.length ? known[reason] : Refusal.NOBODY;
    }

    /** The incarnation of who refused by saying that it is another. */
    static int readIncarnation(MemorySegment data) {
        return data.get(INT, at(REFUSAL, "incarnation"));
    }

    private static boolean isOurs(MemorySegment data, StructLayout layout) {
        return data.byteSize() >= layout.byteSize() && data.get(LONG, 0) == MAGIC;
    }

    private static long at(StructLayout layout, String name) {
        return Layouts.offsetOf(layout, name);
    }
}
