package io.atoll.codec;

/** The hashing of keys in the worlds of tests: in simulated ones, and in those that are given {@link #SEED}. */
public final class FixedHash {

    public static final long SEED = 0;

    public static final KeyHash HASHING = new KeyHash(SEED);

    private FixedHash() {}

    public static long of(long word) {
        return HASHING.of(word);
    }

    public static long of(byte[] key) {
        return HASHING.of(key);
    }
}
