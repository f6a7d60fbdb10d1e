package io.atoll.epoch;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.StructLayout;
import java.util.Arrays;

/**
 * A rank's part of an epoch manager, laid out the same in each segment. A block of zeros is one that no process has
 * used.
 * <pre>
 *       0        64         128        192         256            320           320 + 64 n           320 + 64 n + 128 m
 *       +--------+----------+----------+-----------+--------------+------//------+---------//---------+
 *       |  home  |  limbo   | counters |  cached   |   register   |  n tokens    |  an owner a rank   |
 *       +--------+----------+----------+-----------+--------------+------//------+---------//---------+
 *                                      |&lt;-----------  one read of a scan  -------&gt;|
 *
 *   home       0       8          16         24       32                      64
 *              +-------+----------+----------+--------+-----------------------+
 *              | epoch | advancer | identity | asked  |                       |
 *              +-------+----------+----------+--------+-----------------------+
 *
 *   register   256           264      272       280
 *              +-------------+--------+---------+---  //
 *              | incarnation | tokens | awaited |
 *              +-------------+--------+---------+---  //
 *
 *   counters   128                                                184         192
 *              +-----------------  // -----------------------------+----------+
 *              |  retired ... failed elections                     |  served  |
 *              +-----------------  // -----------------------------+----------+
 *
 *   token      0              8       16           24                      64
 *              +--------------+-------+------------+-----------------------+
 *              | announcement |  bag  | name bytes |  name of its thread   |
 *              +--------------+-------+------------+-----------------------+
 *
 *   owner      0              8                         32                      56       64
 *              +--------------+-------------------------+-----------------------+--------+
 *              |     met      |  objects in each list   |  their bytes          |        |
 *              +--------------+-------------------------+-----------------------+--------+
 *   64         72             80         88             96       104            112      120    128
 *   +----------+--------------+----------+--------------+--------+--------------+--------+------+
 *   | filling  |    sealed    |  epoch   |   objects    | bytes  |    first     | count  |      |
 *   +----------+--------------+----------+--------------+--------+--------------+--------+------+
 *    the chains of RetiredChains:        |&lt;--  of both chains --&gt;|&lt;-- being freed -------&gt;|
 * </pre>
 * There is an owner for each of the m ranks that may ever be in the world. Owners of ranks that the world does not have
 * yet stay zero.
 *
 * <p>Atomics of the fabric change the words of the home: identity and asked at each rank, the others at one rank only.
 * The thread that advances the epoch writes the cached epoch, by plain writes of the fabric. The rank itself writes
 * everything else, by loads, stores and atomics of its CPU; other ranks only read it. So these words need no verb,
 * whatever the fabric's atomics are atomic with.
 */
public final class EpochBlock {

    /** The rank whose block has the epoch. */
    public static final int HOME = 0;

    /**
     * Lists of bags in limbo: one for the present epoch, one for the epoch before, and one that is about to be freed.
     */
    public static final int LISTS = 3;

    private static final int NAME_WORDS = 5;

    private static final StructLayout HEADER = MemoryLayout.structLayout( //
            Layouts.word("epoch"), // of the world, at its home
            Layouts.word("advancer"), // the rank that is about to advance it, at its home; 0 if none is
            Layouts.word("identity"), // of this segment, see SegmentIdentities; 0 until a rank asks for it
            Layouts.word("asked"), // how often peers have asked this rank to free, see PeerRelief
            Layouts.padToCacheLine(4 * Layouts.WORD), //
            Layouts.words("limbo", LISTS), // offset of each list's first bag
            Layouts.word("freeing"), // offset of the first bag that was taken off a list and is not freed yet
            Layouts.padToCacheLine((1 + LISTS) * Layouts.WORD), //
            Layouts.word("retired"), // sealed objects, counted since the block was made
            Layouts.word("retiredBytes"), //
            Layouts.word("freed"), // objects
            Layouts.word("freedBytes"), //
            Layouts.word("lost"), // objects neither freed nor kept, because a rank died while it freed them
            Layouts.word("advances"), //
            Layouts.word("failedElections"), //
            Layouts.word("served"), // the value of asked up to which requests were served
            Layouts.word("cachedEpoch"), // never above the epoch of the world
            Layouts.padToCacheLine(Layouts.WORD), //
            Layouts.word("incarnation"), // of the process whose tokens these are
            Layouts.word("tokens"), // how many of the tokens have been used
            Layouts.word("awaited"), // 1 + the rank for which pins are kept, for observers; 0 if none are
            Layouts.padToCacheLine(3 * Layouts.WORD));

    private static final StructLayout TOKEN = MemoryLayout.structLayout( //
            Layouts.word("announcement"), // an Announcement
            Layouts.word("bag"), // offset of the bag that is being filled
            Layouts.word("nameBytes"), //
            Layouts.words("name", NAME_WORDS)); // UTF-8

    private static final StructLayout OWNER = MemoryLayout.structLayout( //
            Layouts.word("met"), // the identity of the owner's segment that this rank met last; see SegmentIdentities
            Layouts.words("limboObjects", LISTS), // objects of the owner in each list of this rank
            Layouts.words("limboBytes", LISTS), // of those objects, as far as known
            Layouts.padToCacheLine((1 + 2 * LISTS) * Layouts.WORD), //
            Layouts.word("chainFilling"), // offset of the object that was retired last, see RetiredChains
            Layouts.word("chainSealed"), // offset of the first object of a chain that only gets shorter
            Layouts.word("chainEpoch"), // the epoch in which that chain was sealed
            Layouts.word("chainedObjects"), // in both chains
            Layouts.word("chainedBytes"), // of those objects, as far as known
            Layouts.word("chainFreeing"), // offset of the first object that is being freed
            Layouts.word("chainFreeingObjects"), // how many are being freed, 0 if none
            Layouts.padToCacheLine(7 * Layouts.WORD));

    public static final long EPOCH = Layouts.offsetOf(HEADER, "epoch");
    public static final long ADVANCER = Layouts.offsetOf(HEADER, "advancer");
    public static final long IDENTITY = Layouts.offsetOf(HEADER, "identity");
    public static final long ASKED = Layouts.offsetOf(HEADER, "asked");
    public static final long LIMBO = Layouts.offsetOf(HEADER, "limbo");
    public static final long FREEING = Layouts.offsetOf(HEADER, "freeing");
    public static final long RETIRED = Layouts.offsetOf(HEADER, "retired");
    public static final long RETIRED_BYTES = Layouts.offsetOf(HEADER, "retiredBytes");
    public static final long FREED = Layouts.offsetOf(HEADER, "freed");
    public static final long FREED_BYTES = Layouts.offsetOf(HEADER, "freedBytes");
    public static final long LOST = Layouts.offsetOf(HEADER, "lost");
    public static final long ADVANCES = Layouts.offsetOf(HEADER, "advances");
    public static final long FAILED_ELECTIONS = Layouts.offsetOf(HEADER, "failedElections");
    public static final long SERVED = Layouts.offsetOf(HEADER, "served");
    public static final long CACHED_EPOCH = Layouts.offsetOf(HEADER, "cachedEpoch");
    public static final long INCARNATION = Layouts.offsetOf(HEADER, "incarnation");
    public static final long TOKENS = Layouts.offsetOf(HEADER, "tokens");
    public static final long AWAITED = Layouts.offsetOf(HEADER, "awaited");
    public static final long FIRST_TOKEN = HEADER.byteSize();

    public static final long ANNOUNCEMENT = Layouts.offsetOf(TOKEN, "announcement");
    public static final long BAG = Layouts.offsetOf(TOKEN, "bag");
    public static final long NAME_BYTES = Layouts.offsetOf(TOKEN, "nameBytes");
    public static final long NAME = Layouts.offsetOf(TOKEN, "name");
    public static final long TOKEN_BYTES = TOKEN.byteSize();

    public static final long MET = Layouts.offsetOf(OWNER, "met");
    public static final long CHAIN_FILLING = Layouts.offsetOf(OWNER, "chainFilling");
    public static final long CHAIN_SEALED = Layouts.offsetOf(OWNER, "chainSealed");
    public static final long CHAIN_EPOCH = Layouts.offsetOf(OWNER, "chainEpoch");
    public static final long CHAINED_OBJECTS = Layouts.offsetOf(OWNER, "chainedObjects");
    public static final long CHAINED_BYTES = Layouts.offsetOf(OWNER, "chainedBytes");
    public static final long CHAIN_FREEING = Layouts.offsetOf(OWNER, "chainFreeing");
    public static final long CHAIN_FREEING_OBJECTS = Layouts.offsetOf(OWNER, "chainFreeingObjects");
    private static final long LIMBO_OBJECTS = Layouts.offsetOf(OWNER, "limboObjects");
    private static final long LIMBO_BYTES = Layouts.offsetOf(OWNER, "limboBytes");

    private static final String BROKEN_CONNECTION = "(a broken connection";

    private EpochBlock() {}

    /**
     * Returns the size of a block that has an owner for each of the ranks.
     *
     * @param ranks all that may ever be in the world, or fewer to read only the beginning of a block
     */
    public static long bytes(int tokens, int ranks) {
        return owner(tokens, ranks);
    }

    /** Returns the offset of a token from the beginning of the block. */
    public static long token(int index) {
        return FIRST_TOKEN + index * TOKEN_BYTES;
    }

    /** Returns the offset of an owner from the beginning of the block: what this rank knows of that rank's objects. */
    public static long owner(int tokens, int rank) {
        return token(tokens) + rank * OWNER.byteSize();
    }

    /** Returns an offset from the beginning of an owner. */
    public static long limboObjects(int list) {
        return LIMBO_OBJECTS + list * Layouts.WORD;
    }

    /** Returns an offset from the beginning of an owner. */
    public static long limboBytes(int list) {
        return LIMBO_BYTES + list * Layouts.WORD;
    }

    /** Returns the number of the list for bags that are sealed in that epoch. */
    public static int list(long epoch) {
        return (int) (epoch % LISTS);
    }

    public static void writeName(LocalMemory memory, long token, String name) {
        byte[] utf8 = name.getBytes(UTF_8);
        byte[] padded = Arrays.copyOf(utf8, NAME_WORDS * Long.BYTES);
        for (int word = 0; word < NAME_WORDS; word++) {
            long value = 0;
            for (int at = Long.BYTES - 1; at >= 0; at--) {
                value = value << Byte.SIZE | Byte.toUnsignedLong(padded[word * Long.BYTES + at]);
            }
            memory.setRelease(token + NAME + word * Layouts.WORD, value);
        }
        memory.setRelease(token + NAME_BYTES, Math.min(utf8.length, padded.length));
    }

    /**
     * Returns what the token is pinned for: its name, or the connection that has to be replaced before the pin ends.
     *
     * @param block the offset of the block
     * @param token the offset of the token
     */
    public static String readReason(LocalMemory memory, long block, long token) {
        if (!Announcement.isKept(memory.getAcquire(token + ANNOUNCEMENT))) {
            return readName(memory, token);
        }
        long awaited = memory.getAcquire(block + AWAITED);
        return awaited == 0 ? BROKEN_CONNECTION + ")" : brokenConnection((int) awaited - 1);
    }

    /** Returns what a token is pinned for that is kept until a connection to this rank is replaced. */
    public static String brokenConnection(int rank) {
        return BROKEN_CONNECTION + " to rank " + rank + ")";
    }

    /** Returns true if a token is pinned for a broken connection, and not for a thread of that name. */
    public static boolean isBrokenConnection(String reason) {
        return reason.startsWith(BROKEN_CONNECTION);
    }

    /** Returns the beginning of the name, as much as there was room for. */
    public static String readName(LocalMemory memory, long token) {
        byte[] name = new byte[Math.clamp(memory.getAcquire(token + NAME_BYTES), 0, NAME_WORDS * Long.BYTES)];
        for (int at = 0; at < name.length; at++) {
            long word = memory.getAcquire(token + NAME + at / Long.BYTES * Layouts.WORD);
            name[at] = (byte) (word >>> at % Long.BYTES * Byte.SIZE);
        }
        return new String(name, UTF_8);
    }
}
