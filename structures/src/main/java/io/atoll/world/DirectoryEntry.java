package io.atoll.world;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.dynatrace.hash4j.hashing.HashValue128;
import com.dynatrace.hash4j.hashing.Hashing;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;

/**
 * One rank's directory entry for one structure.
 * <pre>
 *     0         8          16        24           32                    40       48      48 + 64          48 + 64 + 512
 *     +---------+----------+---------+------------+---------------------+--------+-------+----------------+
 *     |  state  |  offset  |  bytes  | name bytes | configuration bytes | births | name  | configuration  |
 *     +---------+----------+---------+------------+---------------------+--------+-------+----------------+
 *
 *   state:   FREE --(1)--> RESERVED --(2)--> READY          RESERVED --(3)--> FREE
 *   63           48 47               32 31           16 15      0
 *   +--------------+-------------------+---------------+--------+
 *   |   attempt    |    incarnation    |     rank      |  kind  |    of the process that reserved it
 *   +--------------+-------------------+---------------+--------+
 * </pre>
 * An attempt is one call of a process. So the process can tell its own reservations from those of its other threads,
 * and from those of earlier calls.
 *
 * <p>(1) compareAndExchange by the creator, which then alone writes the rest. (2) The creator's last write. (3) By a
 * creator that finds no room, or by a process that repairs what a dead creator has left. Every process that meets
 * RESERVED waits, so none has passed an entry that becomes FREE again.
 */
final class DirectoryEntry {

    static final long FREE = 0; // zeroed memory is an empty directory
    static final long RESERVED = 1;
    static final long READY = 2;

    private static final long KIND_MASK = 0xFFFF;
    private static final int RANK_SHIFT = 16;
    private static final int INCARNATION_SHIFT = 32;
    private static final int ATTEMPT_SHIFT = 48;

    private static final int NAME_WORDS = 8;
    private static final int CONFIGURATION_WORDS = 64;

    static final int MAXIMUM_NAME_BYTES = NAME_WORDS * Long.BYTES;
    static final int MAXIMUM_CONFIGURATION_BYTES = CONFIGURATION_WORDS * Long.BYTES;

    private static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            Layouts.word("state"), //
            Layouts.word("offset"), // of the structure's block in this segment, 0 where it has none
            Layouts.word("bytes"), // of the block
            Layouts.word("nameBytes"), //
            Layouts.word("configurationBytes"), //
            Layouts.word("births"), // the sum over all ranks of the incarnations in which their segments were made
            Layouts.words("name", NAME_WORDS), // UTF-8
            Layouts.words("configuration", CONFIGURATION_WORDS)); // UTF-8; shortened by fitting if it is too long

    static final long STATE = Layouts.offsetOf(LAYOUT, "state");
    static final long OFFSET = Layouts.offsetOf(LAYOUT, "offset");
    static final long BYTES = Layouts.offsetOf(LAYOUT, "bytes");
    static final long NAME_BYTES = Layouts.offsetOf(LAYOUT, "nameBytes");
    static final long CONFIGURATION_BYTES = Layouts.offsetOf(LAYOUT, "configurationBytes");
    static final long BIRTHS = Layouts.offsetOf(LAYOUT, "births");
    static final long NAME = Layouts.offsetOf(LAYOUT, "name");
    static final long CONFIGURATION = Layouts.offsetOf(LAYOUT, "configuration");
    static final long SIZE = Layouts.roundUp(LAYOUT.byteSize(), Layouts.CACHE_LINE);

    private DirectoryEntry() {}

    /**
     * Returns what an entry holds of a configuration: all of it, if it fits. Otherwise its beginning, and an ending
     * that tells it from any other with the same beginning.
     */
    static String fitting(String configuration) {
        byte[] utf8 = configuration.getBytes(UTF_8);
        if (utf8.length <= MAXIMUM_CONFIGURATION_BYTES) {
            return configuration;
        }
        HashValue128 hash = Hashing.murmur3_128().hashBytesTo128Bits(utf8);
        String ending = "... bytes=%d hash=%016x%016x".formatted(utf8.length, hash.getMostSignificantBits(),
                hash.getLeastSignificantBits());
        return beginning(configuration, MAXIMUM_CONFIGURATION_BYTES - ending.length()) + ending;
    }

    /** Whole characters only: the encoder stops before the one that does not fit. */
    private static String beginning(String text, int bytes) {
        CharBuffer characters = CharBuffer.wrap(text);
        UTF_8.newEncoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .encode(characters, ByteBuffer.allocate(bytes), true);
        return text.substring(0, characters.position());
    }

    /** @param attempt only its low 16 bits count */
    static long reserved(int rank, int incarnation, int attempt) {
        return (long) attempt << ATTEMPT_SHIFT | (long) incarnation << INCARNATION_SHIFT | (long) rank << RANK_SHIFT
                | RESERVED;
    }

    static long kind(long state) {
        return state & KIND_MASK;
    }

    static int rank(long state) {
        return (int) (state >>> RANK_SHIFT & KIND_MASK);
    }

    static int incarnation(long state) {
        return (int) (state >>> INCARNATION_SHIFT & KIND_MASK);
    }

    /** Lays out everything but the state. */
    static void encode(MemorySegment target, String name, String configuration, long offset, long bytes, long births) {
        target.asSlice(0, SIZE).fill((byte) 0);
        target.set(ValueLayout.JAVA_LONG, OFFSET, offset);
        target.set(ValueLayout.JAVA_LONG, BYTES, bytes);
        target.set(ValueLayout.JAVA_LONG, BIRTHS, births);
        encode(target, NAME_BYTES, NAME, name);
        encode(target, CONFIGURATION_BYTES, CONFIGURATION, configuration);
    }

    private static void encode(MemorySegment target, long length, long position, String text) {
        byte[] utf8 = text.getBytes(UTF_8);
        target.set(ValueLayout.JAVA_LONG, length, utf8.length);
        MemorySegment.copy(utf8, 0, target, ValueLayout.JAVA_BYTE, position, utf8.length);
    }

    static NamedStructure decode(MemorySegment source) {
        String name = text(source, NAME, source.get(ValueLayout.JAVA_LONG, NAME_BYTES));
        String configuration = text(source, CONFIGURATION, source.get(ValueLayout.JAVA_LONG, CONFIGURATION_BYTES));
        return new NamedStructure(name, configuration, source.get(ValueLayout.JAVA_LONG, OFFSET),
                source.get(ValueLayout.JAVA_LONG, BYTES), source.get(ValueLayout.JAVA_LONG, BIRTHS));
    }

    private static String text(MemorySegment source, long position, long length) {
        return new String(source.asSlice(position, length).toArray(ValueLayout.JAVA_BYTE), UTF_8);
    }
}
