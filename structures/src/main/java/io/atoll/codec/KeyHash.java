package io.atoll.codec;

import com.dynatrace.hash4j.hashing.ByteAccess;
import com.dynatrace.hash4j.hashing.Hasher64;
import com.dynatrace.hash4j.hashing.Hashing;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * The 64-bit hash by which keys and elements find their place. It depends on the key's words and on a seed, and on
 * nothing else: ranks that agree on the seed agree on every place. A caller that does not know the seed cannot choose
 * keys that meet. Every bit of the hash depends on every bit of the key. Structures take the rank from the high bits
 * ({@link #rank}) and the place within the rank from others.
 */
public final class KeyHash {

    private static final ByteAccess<MemorySegment> MEMORY = ByteAccess.forMemorySegment(MemorySegment.class);
    private static final long GOLDEN_GAMMA = 0x9E3779B97F4A7C15L;
    private static final long MULTIPLIER = 0xBF58476D1CE4E5B9L;
    private static final int HALF = Integer.SIZE;

    private final long high; // of a multiplier of 128 bits
    private final long low;
    private final long addend;
    private final Hasher64 bytes;

    /** @param seed the same at all ranks that look for a key, and secret outside the world */
    public KeyHash(long seed) {
        this.high = mixed(seed);
        this.low = mixed(seed + GOLDEN_GAMMA);
        this.addend = mixed(seed + 2 * GOLDEN_GAMMA);
        // The second number chooses the constants that keys are multiplied by: with the public ones, keys are known
        // that meet under every seed.
        this.bytes = Hashing.wyhashFinal4(mixed(seed + 3 * GOLDEN_GAMMA), mixed(seed + 4 * GOLDEN_GAMMA));
    }

    /**
     * Returns the hash of a key of one word. The upper half of a product with a random number of 128 bits is universal
     * (Dietzfelbinger, STACS 1996). Over all such numbers, each pair of sums of two words is at most twice as likely as
     * by chance. The later steps are one-to-one and change nothing of that. They spread words that differ regularly.
     */
    public long of(long word) {
        long sum = high * word + Math.unsignedMultiplyHigh(low, word) + addend;
        long spread = (sum ^ sum >>> HALF) * MULTIPLIER;
        return spread ^ spread >>> HALF;
    }

    /**
     * Returns the hash of encoded words. For one word it is the same as {@link #of(long)}. Allocates nothing.
     *
     * @param position in bytes, a multiple of 8
     * @param bytes a multiple of 8
     */
    public long of(MemorySegment source, long position, long bytes) {
        return bytes == Long.BYTES
                ? of(source.get(ValueLayout.JAVA_LONG, position))
                : this.bytes.hashBytesToLong(source, position, bytes, MEMORY);
    }

    /** Returns the hash of a key of any size. Allocates nothing. */
    public long of(byte[] key) {
        return bytes.hashBytesToLong(key);
    }

    /** Returns the hash of a text's characters. Allocates nothing. */
    public long of(CharSequence text) {
        return bytes.hashCharsToLong(text);
    }

    /**
     * The output function of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), without a seed. It is one-to-one: two
     * words never have the same result.
     */
    public static long mixed(long word) {
        long mixed = word + GOLDEN_GAMMA; // else zero would stay zero
        mixed = (mixed ^ mixed >>> 30) * MULTIPLIER;
        mixed = (mixed ^ mixed >>> 27) * 0x94D049BB133111EBL;
        return mixed ^ mixed >>> 31;
    }

    /** Returns the rank, below {@code ranks}, that a hash belongs to. All ranks have equal shares of the hashes. */
    public static int rank(long hash, int ranks) {
        return (int) Math.unsignedMultiplyHigh(hash, ranks);
    }
}
