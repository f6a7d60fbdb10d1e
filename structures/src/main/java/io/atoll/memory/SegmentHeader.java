package io.atoll.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.atoll.failure.LayoutMismatchException;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.util.Arrays;

/**
 * The first bytes of every segment: whose it is, and how what follows is laid out.
 * <pre>
 *       0         8           16         24           32       40              48             56              64
 *       +---------+-----------+----------+------------+--------+---------------+--------------+---------------+-----------//--+
 *       |  magic  |  layout   | world id | world size |  rank  |  incarnation  | segment size | name length   | world name    |
 *       |         |  version  |          |            |        |               |              |               | (8 words)     |
 *       +---------+-----------+----------+------------+--------+---------------+--------------+---------------+-----------//--+
 * </pre>
 * A word for each rank follows: the highest incarnation of it that the owner has met.
 *
 * <p>Written by the owner alone, the magic last, so that a header with its magic is whole. Peers only read it.
 */
public final class SegmentHeader {

    /** Raised whenever the meaning of any byte of a segment changes; segments of another version are refused. */
    public static final long LAYOUT_VERSION = 1;

    private static final int NAME_WORDS = 8;

    /** Bytes of a world's name in UTF-8, at most. */
    public static final int MAXIMUM_NAME_BYTES = NAME_WORDS * Long.BYTES;

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("magic"), // "ATOLLSEG"
            Layouts.word("layoutVersion"), //
            Layouts.word("worldId"), // of name and size, so that one comparison tells worlds apart
            Layouts.word("worldSize"), // ranks
            Layouts.word("rank"), //
            Layouts.word("incarnation"), // how often the rank has been started, from 1
            Layouts.word("segmentBytes"), //
            Layouts.word("nameBytes"), //
            Layouts.words("name", NAME_WORDS));

    static final long MAGIC = Layouts.offsetOf(LAYOUT, "magic");
    static final long VERSION = Layouts.offsetOf(LAYOUT, "layoutVersion");
    static final long WORLD_ID = Layouts.offsetOf(LAYOUT, "worldId");
    static final long WORLD_SIZE = Layouts.offsetOf(LAYOUT, "worldSize");
    static final long RANK = Layouts.offsetOf(LAYOUT, "rank");
    static final long INCARNATION = Layouts.offsetOf(LAYOUT, "incarnation");
    static final long SEGMENT_BYTES = Layouts.offsetOf(LAYOUT, "segmentBytes");
    static final long NAME_BYTES = Layouts.offsetOf(LAYOUT, "nameBytes");
    static final long NAME = Layouts.offsetOf(LAYOUT, "name");

    /** Where the words of {@link #remember} begin, one for each rank. */
    static final long REMEMBERED = Layouts.roundUp(LAYOUT.byteSize(), Layouts.CACHE_LINE);

    static final long MAGIC_VALUE = 0x4745_534C_4C4F_5441L; // "ATOLLSEG" in the order of the bytes

    private SegmentHeader() {}

    /** Bytes that the header takes in a world of that many ranks, in whole cache lines. */
    public static long size(int worldSize) {
        return Layouts.roundUp(REMEMBERED + worldSize * Layouts.WORD, Layouts.CACHE_LINE);
    }

    /** Makes the segment one of this world and rank; everything else in it is left as it is. */
    public static void write(LocalMemory memory, WorldIdentity world, int rank, int incarnation) {
        memory.setRelease(VERSION, LAYOUT_VERSION);
        memory.setRelease(WORLD_ID, world.id());
        memory.setRelease(WORLD_SIZE, world.size());
        memory.setRelease(RANK, rank);
        memory.setRelease(INCARNATION, incarnation);
        memory.setRelease(SEGMENT_BYTES, memory.size());
        writeName(memory, world.name().getBytes(UTF_8));
        // (1) release: pairs with the acquire in check (2); a peer that sees the magic sees the rest.
        memory.setRelease(MAGIC, MAGIC_VALUE);
    }

    public static int incarnation(LocalMemory memory) {
        return (int) memory.getAcquire(INCARNATION);
    }

    /**
     * Refuses what is not the header of that rank's segment, of that world and in this layout.
     *
     * @param memory the segment, or a copy of its beginning
     * @param segmentBytes how large it must be: every rank's is as large as every other's, so that the same things lie at the same offsets
     * @throws LayoutMismatchException with what was found and what was expected
     */
    public static void check(LocalMemory memory, WorldIdentity world, int rank, long segmentBytes) {
        // (2) acquire: pairs with the release in write (1).
        expect("not a segment of Atoll", MAGIC_VALUE, memory.getAcquire(MAGIC), rank);
        expect("a segment of another layout version", LAYOUT_VERSION, memory.getAcquire(VERSION), rank);
        if (memory.getAcquire(WORLD_ID) != world.id()) {
            throw new LayoutMismatchException(
                    "a segment of another world: expectedName=" + world.name() + " expectedSize=" + world.size()
                            + " foundName=" + name(memory) + " foundSize=" + memory.getAcquire(WORLD_SIZE),
                    rank);
        }
        expect("a segment of another rank", rank, memory.getAcquire(RANK), rank);
        expect("a segment of another size", segmentBytes, memory.getAcquire(SEGMENT_BYTES), rank);
    }

    /** Notes in the own segment that a rank has been met, so that its incarnations grow even if its own segment is lost. */
    public static void remember(LocalMemory memory, int rank, int incarnation) {
        long word = REMEMBERED + rank * Layouts.WORD;
        memory.setRelease(word, Math.max(incarnation, memory.getAcquire(word)));
    }

    /** The highest incarnation of the rank that this segment's owner has met, 0 if none. */
    public static int remembered(LocalMemory memory, int rank) {
        return (int) memory.getAcquire(REMEMBERED + rank * Layouts.WORD);
    }

    private static void expect(String reason, long expected, long found, int rank) {
        if (expected != found) {
            throw new LayoutMismatchException(reason + ": expected=" + expected + " found=" + found, rank);
        }
    }

    private static void writeName(LocalMemory memory, byte[] name) {
        byte[] padded = Arrays.copyOf(name, MAXIMUM_NAME_BYTES);
        for (int word = 0; word < NAME_WORDS; word++) {
            long value = 0;
            for (int at = Long.BYTES - 1; at >= 0; at--) {
                value = value << Byte.SIZE | Byte.toUnsignedLong(padded[word * Long.BYTES + at]);
            }
            memory.setRelease(NAME + word * Layouts.WORD, value);
        }
        memory.setRelease(NAME_BYTES, name.length);
    }

    private static String name(LocalMemory memory) {
        byte[] name = new byte[Math.clamp(memory.getAcquire(NAME_BYTES), 0, MAXIMUM_NAME_BYTES)];
        for (int at = 0; at < name.length; at++) {
            long word = memory.getAcquire(NAME + at / Long.BYTES * Layouts.WORD);
            name[at] = (byte) (word >>> at % Long.BYTES * Byte.SIZE);
        }
        return new String(name, UTF_8);
    }
}
