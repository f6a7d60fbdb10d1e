package io.atoll.memory;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.LayoutMismatchException.Mismatch;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The first bytes of every segment: its owner, and the layout of what follows.
 * <pre>
 *       0         8           16         24           32       40              48        56       64
 *       +---------+-----------+----------+------------+--------+---------------+---------+--------+-----------//--+
 *       |  magic  |  layout   | world id | world size |  rank  |  incarnation  | segment |  name  |  world name   |
 *       |         |  version  |          |            |        |               |  size   | length |  (8 words)    |
 *       +---------+-----------+----------+------------+--------+---------------+---------+--------+-----------//--+
 *      128           144        152         168      176    184        192       200         208    216      224
 *       +------------+----------+-----------+--------+------+----------+---------+-----------+------+---------+
 *       |  address   |   port   |  kernel   | device | file | max size | founded | installed | born | resting |
 *       | (2 words)  |          | (2 words) |        |      |          |         |           |      |         |
 *       +------------+----------+-----------+--------+------+----------+---------+-----------+------+---------+
 * </pre>
 *
 * <p>Then come the following parts. Each has an entry for every rank that may ever be, except the ring, and begins on a
 * cache line:
 * <pre>
 *       256
 *       +----------------------+---------------------+--------------------+-----------------------+
 *       |  met, fenced         |  ring of view words |  two views         |  suspicions           |
 *       |  (2 words a rank)    |  (256 words)        |  (2 words a rank)  |  (a bit a rank)       |
 *       +----------------------+---------------------+--------------------+-----------------------+
 * </pre>
 *
 * <p>The atomics of all ranks change the ring. The owner alone writes everything else, by loads and stores of its CPU.
 * It writes the magic last, so that a header with its magic is whole. Peers only read it.
 */
public final class SegmentHeader {

    /** Raised whenever the meaning of any byte of a segment changes. Segments of another version are refused. */
    public static final long LAYOUT_VERSION = 17;

    /** How often a rank can be started at most: words that name a process have 16 bits for that. */
    public static final int MAXIMUM_INCARNATION = (1 << Short.SIZE) - 1;

    private static final int NAME_WORDS = 8;
    private static final int ADDRESS_WORDS = 2;
    private static final int KERNEL_WORDS = 2;

    /** The maximal bytes of a world's name in UTF-8. */
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
            Layouts.words("name", NAME_WORDS), //
            Layouts.words("address", ADDRESS_WORDS), // where the owner lets others connect: in IPv6, which maps IPv4
            Layouts.word("port"), // 0 while the owner lets no other connect
            Layouts.words("kernel", KERNEL_WORDS), // this and the next two are the owner's view: see MemoryPlace
            Layouts.word("device"), //
            Layouts.word("file"), //
            Layouts.word("maxSize"), // ranks that may ever be
            Layouts.word("founded"), // 2 once the owner asks to be added, 1 once it has a vote (a founder, or added)
            Layouts.word("installed"), // the view that the owner acts by; 0 for none
            Layouts.word("born"), // the incarnation in which this memory was made: tells it from what the rank has lost
            Layouts.word("resting")); // 0 while the owner does something about views; else another number each time

    private static final StructLayout ENTRY = MemoryLayout.structLayout( //
            Layouts.word("met"), // the highest incarnation of the rank that the owner has met
            Layouts.word("fenced")); // the highest one shut out: none of its verbs reaches the segment any more

    static final long MAGIC = Layouts.offsetOf(LAYOUT, "magic");
    static final long VERSION = Layouts.offsetOf(LAYOUT, "layoutVersion");
    static final long WORLD_ID = Layouts.offsetOf(LAYOUT, "worldId");
    static final long WORLD_SIZE = Layouts.offsetOf(LAYOUT, "worldSize");
    static final long RANK = Layouts.offsetOf(LAYOUT, "rank");
    static final long INCARNATION = Layouts.offsetOf(LAYOUT, "incarnation");
    static final long SEGMENT_BYTES = Layouts.offsetOf(LAYOUT, "segmentBytes");
    static final long NAME_BYTES = Layouts.offsetOf(LAYOUT, "nameBytes");
    static final long NAME = Layouts.offsetOf(LAYOUT, "name");
    static final long ADDRESS = Layouts.offsetOf(LAYOUT, "address");
    static final long PORT = Layouts.offsetOf(LAYOUT, "port");
    static final long KERNEL = Layouts.offsetOf(LAYOUT, "kernel");
    static final long DEVICE = Layouts.offsetOf(LAYOUT, "device");
    static final long FILE = Layouts.offsetOf(LAYOUT, "file");
    static final long MAX_SIZE = Layouts.offsetOf(LAYOUT, "maxSize");
    static final long FOUNDED = Layouts.offsetOf(LAYOUT, "founded");
    static final long INSTALLED = Layouts.offsetOf(LAYOUT, "installed");
    static final long BORN = Layouts.offsetOf(LAYOUT, "born");
    static final long RESTING = Layouts.offsetOf(LAYOUT, "resting");

    /** The offset of the entries of ranks. */
    static final long ENTRIES = Layouts.roundUp(LAYOUT.byteSize(), Layouts.CACHE_LINE);

    static final long ENTRY_BYTES = ENTRY.byteSize();
    static final long MET = Layouts.offsetOf(ENTRY, "met");
    static final long FENCED = Layouts.offsetOf(ENTRY, "fenced");

    static final long MAGIC_VALUE = 0x4745_534C_4C4F_5441L; // "ATOLLSEG" in the order of the bytes

    private SegmentHeader() {}

    /** Words of the ring by which ranks decide views. */
    public static final int VIEW_WORDS = 256;

    /** Returns the bytes that the header takes in a world that may have that many ranks, in whole cache lines. */
    public static long size(int maxSize) {
        return suspicions(maxSize) + Layouts.roundUp(suspicionBytes(maxSize), Layouts.CACHE_LINE);
    }

    /**
     * Returns the offset of the word that tells the owner's vote in the views of the world: if it has one, or asks for
     * one.
     */
    public static long foundedWord() {
        return FOUNDED;
    }

    /** Returns the offset of the word that says by which view the owner acts. */
    public static long installedWord() {
        return INSTALLED;
    }

    /**
     * Returns the offset of the word that says if the owner does something about views. It also tells the owner's rests
     * apart.
     */
    public static long restingWord() {
        return RESTING;
    }

    /** Returns the offset of the ring of {@link #VIEW_WORDS} words. */
    public static long viewWords(int maxSize) {
        return ENTRIES + Layouts.roundUp(maxSize * ENTRY_BYTES, Layouts.CACHE_LINE);
    }

    /**
     * Returns the offset of the record of a view, which has a word for each rank. Two consecutive views have separate
     * places.
     */
    public static long viewRecord(int maxSize, long view) {
        return viewWords(maxSize) + VIEW_WORDS * Layouts.WORD + (view & 1) * viewRecordBytes(maxSize);
    }

    private static long viewRecordBytes(int maxSize) {
        return Layouts.roundUp(maxSize * Layouts.WORD, Layouts.CACHE_LINE);
    }

    /** Returns the offset of the bits of the ranks that the owner does not hear. The lowest bit is rank 0. */
    public static long suspicions(int maxSize) {
        return viewRecord(maxSize, 0) + 2 * viewRecordBytes(maxSize);
    }

    /** Returns the bytes that those bits take, in whole words. */
    public static long suspicionBytes(int maxSize) {
        return Math.ceilDiv(maxSize, Long.SIZE) * Layouts.WORD;
    }

    /**
     * Makes the segment one of this world and rank; everything else in it is left as it is. The first incarnation that
     * does so is the one in which the segment was {@linkplain #born made}.
     *
     * @param incarnation 0 if the rank has yet to learn it
     * @param place where the owner finds it
     */
    public static void write(LocalMemory memory, WorldIdentity world, int rank, int incarnation, MemoryPlace place) {
        memory.setRelease(VERSION, LAYOUT_VERSION);
        memory.setRelease(WORLD_ID, world.id());
        memory.setRelease(WORLD_SIZE, world.size());
        memory.setRelease(MAX_SIZE, world.maxSize());
        memory.setRelease(RANK, rank);
        // Before the incarnation: no rank shall connect to this life at an address of the last one.
        memory.setRelease(PORT, 0);
        // Before the incarnation, too: no rank shall take this life for one of the host of the last one.
        memory.setRelease(KERNEL, place.kernelHigh());
        memory.setRelease(KERNEL + Layouts.WORD, place.kernelLow());
        memory.setRelease(DEVICE, place.device());
        memory.setRelease(FILE, place.file());
        if (memory.getAcquire(BORN) == 0) {
            // Before the incarnation: a process that knows the incarnation knows which memory is meant.
            memory.setRelease(BORN, incarnation);
        }
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
     * Returns the incarnation in which this memory was made. A rank that is started again and finds its segment keeps
     * this value. A segment that replaces a lost one has a later value. The caller reads it after the incarnation.
     */
    public static int born(LocalMemory memory) {
        return (int) memory.getAcquire(BORN);
    }

    /** Returns where the owner finds the segment. The caller reads it after the incarnation to which it belongs. */
    public static MemoryPlace place(LocalMemory memory) {
        return new MemoryPlace(memory.getAcquire(KERNEL), memory.getAcquire(KERNEL + Layouts.WORD),
                memory.getAcquire(DEVICE), memory.getAcquire(FILE));
    }

    /**
     * Refuses a segment unless its header is that of that rank, of that world and in this layout.
     *
     * @param memory the segment, or a copy of its beginning
     * @param segmentBytes the size that it must have: all ranks' segments have the same size, so that the same things
     * lie at the same offsets
     * @throws LayoutMismatchException with what was found and what was expected
     */
    public static void check(LocalMemory memory, WorldIdentity world, int rank, long segmentBytes) {
        // (2) acquire: pairs with the release in write (1).
        expect("not a segment of Atoll, remove its file or choose another world name", MAGIC_VALUE,
                memory.getAcquire(MAGIC), rank, Mismatch.SEGMENT);
        expect("a segment of another layout version, run that version or remove its world's files", LAYOUT_VERSION,
                memory.getAcquire(VERSION), rank, Mismatch.VERSION_OF_FILE);
        if (memory.getAcquire(WORLD_ID) != world.id()) {
            throw new LayoutMismatchException(
                    "a segment of another world, be told the same sizes, choose another name or remove its files",
                    "expectedName=" + world.name() + " expectedSize=" + world.size() + " expectedMaxSize="
                            + world.maxSize() + " foundName=" + name(memory) + " foundSize="
                            + memory.getAcquire(WORLD_SIZE) + " foundMaxSize=" + memory.getAcquire(MAX_SIZE),
                    rank);
        }
        expect("a segment of another rank, remove its file", rank, memory.getAcquire(RANK), rank, Mismatch.SEGMENT);
        expect("a segment of another size, let all ranks ask for as much or remove the world's files", segmentBytes,
                memory.getAcquire(SEGMENT_BYTES), rank, Mismatch.SEGMENT);
    }

    /**
     * Returns the offset of the word that says how often the owner has been started. A segment that was lost comes back
     * with another value.
     */
    public static long incarnationWord() {
        return INCARNATION;
    }

    /** Returns the offset of the word that says in which incarnation this memory was made, see {@link #born}. */
    public static long bornWord() {
        return BORN;
    }

    /**
     * Notes in the own segment that a rank has been met. So the rank's incarnations grow even if its own segment is
     * lost.
     */
    public static void remember(LocalMemory memory, int rank, int incarnation) {
        raise(memory, entry(rank) + MET, incarnation);
    }

    private static void raise(LocalMemory memory, long word, int incarnation) {
        memory.setRelease(word, Math.max(incarnation, memory.getAcquire(word)));
    }

    private static long entry(int rank) {
        return ENTRIES + rank * ENTRY_BYTES;
    }

    /** Returns the highest incarnation of the rank that this segment's owner has met, 0 if none. */
    public static int remembered(LocalMemory memory, int rank) {
        return (int) memory.getAcquire(entry(rank) + MET);
    }

    /**
     * Returns the highest incarnation of the rank that this segment's owner has met or shut out, 0 if none.
     */
    public static int lastKnown(LocalMemory memory, int rank) {
        return Math.max(remembered(memory, rank), (int) memory.getAcquire(fencedWord(rank)));
    }

    /** Notes in the own segment that a rank's incarnations up to this one have been shut out of it. */
    public static void noteFenced(LocalMemory memory, int rank, int incarnation) {
        raise(memory, fencedWord(rank), incarnation);
    }

    /**
     * Returns true if the rank's incarnations up to this one were shut out of a segment. An incarnation that its owner
     * has not met never had access to it.
     *
     * @param words reads words of the segment, by their offsets
     */
    public static boolean isFenced(int rank, int incarnation, LongUnaryOperator words) {
        // First: an incarnation that is met after this read is not taken for shut out.
        long fenced = words.applyAsLong(fencedWord(rank));
        return incarnation <= fenced || words.applyAsLong(entry(rank) + MET) <= fenced;
    }

    /** Returns the offset of the word that says up to which incarnation the rank was shut out of the segment. */
    public static long fencedWord(int rank) {
        return entry(rank) + FENCED;
    }

    /**
     * Publishes where the owner lets others connect: for processes of this host, and for processes that no membership
     * tells it.
     */
    public static void publish(LocalMemory memory, InetSocketAddress address) {
        byte[] bytes = inIpv6(address.getAddress());
        for (int word = 0; word < ADDRESS_WORDS; word++) {
            memory.setRelease(ADDRESS + word * Layouts.WORD, word(bytes, word));
        }
        // (3) release: pairs with the acquire in published (4); the address is there.
        memory.setRelease(PORT, address.getPort());
    }

    /** Returns where the owner lets others connect; null while it does not. */
    public static @Nullable InetSocketAddress published(LocalMemory memory) {
        // (4) acquire: pairs with the release in publish (3).
        int port = (int) memory.getAcquire(PORT);
        return port == 0
                ? null
                : new InetSocketAddress(address(bytes(memory, ADDRESS, ADDRESS_WORDS * Long.BYTES)), port);
    }

    private static byte[] inIpv6(InetAddress address) {
        byte[] bytes = address.getAddress();
        if (address instanceof Inet6Address) {
            return bytes;
        }
        byte[] mapped = new byte[ADDRESS_WORDS * Long.BYTES];
        mapped[10] = -1;
        mapped[11] = -1;
        System.arraycopy(bytes, 0, mapped, mapped.length - bytes.length, bytes.length);
        return mapped;
    }

    private static InetAddress address(byte[] inIpv6) {
        try {
            return InetAddress.getByAddress(inIpv6);
        } catch (UnknownHostException impossible) {
            throw new AssertionError("addresses have 4 or 16 bytes", impossible);
        }
    }

    private static void expect(String reason, long expected, long found, int rank, Mismatch mismatch) {
        if (expected != found) {
            throw new LayoutMismatchException(reason, "expected=" + expected + " found=" + found, rank, mismatch);
        }
    }

    private static void writeName(LocalMemory memory, byte[] name) {
        byte[] padded = Arrays.copyOf(name, MAXIMUM_NAME_BYTES);
        for (int word = 0; word < NAME_WORDS; word++) {
            memory.setRelease(NAME + word * Layouts.WORD, word(padded, word));
        }
        memory.setRelease(NAME_BYTES, name.length);
    }

    private static String name(LocalMemory memory) {
        int length = Math.clamp(memory.getAcquire(NAME_BYTES), 0, MAXIMUM_NAME_BYTES);
        return new String(bytes(memory, NAME, length), UTF_8);
    }

    private static long word(byte[] bytes, int index) {
        long word = 0;
        for (int at = Long.BYTES - 1; at >= 0; at--) {
            word = word << Byte.SIZE | Byte.toUnsignedLong(bytes[index * Long.BYTES + at]);
        }
        return word;
    }

    private static byte[] bytes(LocalMemory memory, long offset, int length) {
        byte[] bytes = new byte[length];
        for (int at = 0; at < length; at++) {
            long word = memory.getAcquire(offset + at / Long.BYTES * Layouts.WORD);
            bytes[at] = (byte) (word >>> at % Long.BYTES * Byte.SIZE);
        }
        return bytes;
    }
}
