package io.atoll.codec;

import com.dynatrace.hash4j.hashing.ByteAccess;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The 64-bit hash by which keys and elements find their place. All ranks must agree on it, so it depends on nothing but
 * the words: no seed, no {@link Object#hashCode}. Every bit of it depends on every bit of the key; structures take the
 * rank from the high bits ({@link #rank}) and the place within the rank from others.
 */
public final class KeyHash {

    private static final Hasher64 HASHER = Hashing.wyhashFinal4();
    private static final ByteAccess<MemorySegment> MEMORY = ByteAccess.forMemorySegment(MemorySegment.class);

    private KeyHash() {}

    /**
     * The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014). One-to-one: two keys of one word never
     * have the same hash. Also makes a hash of a user's own fit for use: what is weak in it, such as equal high bits,
     * is spread; equal hashes stay equal.
     */
    public static long of(long word) {
        long mixed = word + 0x9E3779B97F4A7C15L; // else zero would stay zero
        mixed = (mixed ^ mixed >>> 30) * 0xBF58476D1CE4E5B9L;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    /**
     * The hash of encoded words; of one word the same as {@link #of(long)}. Allocates nothing.
     *
     * @param position in bytes, a multiple of 8
     * @param bytes a multiple of 8
     */
    public static long of(MemorySegment source, long position, long bytes) {
        return bytes == Long.BYTES
                ? of(source.get(ValueLayout.JAVA_LONG, position))
                : HASHER.hashBytesToLong(source, position, bytes, MEMORY);
    }

    /** The hash of a key of any size. Allocates nothing. */
    public static long of(byte[] bytes) {
        return HASHER.hashBytesToLong(bytes);
    }

    /** The hash of a text's characters. Allocates nothing. */
    public static long of(CharSequence text) {
        return HASHER.hashCharsToLong(text);
    }

    /** The rank, of {@code ranks}, that a hash belongs to: equal shares of the hashes for all of them. */
    public static int rank(long hash, int ranks) {
        return (int) Math.unsignedMultiplyHigh(hash, ranks);
    }
}
