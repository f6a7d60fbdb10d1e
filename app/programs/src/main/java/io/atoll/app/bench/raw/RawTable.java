package io.atoll.app.bench.raw;

import io.atoll.World;
import io.atoll.codec.KeyHash;
import io.atoll.memory.Layouts;

/**
 * A table without a protocol. Operations use the one bucket of a key, whatever it contains.
 *
 * @param buckets the number of buckets of each rank, a power of two
 * @param words the size of each bucket. Its first word is zero but for a moment
 */
public record RawTable(RawMemory memory, long buckets, int words) {

    public static RawTable open(World world, String name, long buckets, int words) {
        return new RawTable(RawMemory.open(world, name, buckets * words * Layouts.WORD), buckets, words);
    }

    public int owner(long key) {
        return KeyHash.rank(KeyHash.mixed(key), memory.ranks());
    }

    private long bucket(long key) {
        return (KeyHash.mixed(key) & buckets - 1) * words * Layouts.WORD;
    }

    /** Cost: A + W. */
    public long insert(long key) {
        int owner = owner(key);
        long bucket = bucket(key);
        long found = memory.compareAndExchange(owner, bucket, 0, 1);
        memory.write(owner, bucket, words, 0, key);
        return found;
    }

    /** Cost: R. */
    public long find(long key) {
        return memory.read(owner(key), bucket(key), words);
    }

    /** Cost: R + A. */
    public long increment(long key) {
        int owner = owner(key);
        long bucket = bucket(key);
        return memory.read(owner, bucket, words) + memory.getAndAdd(owner, bucket + Layouts.WORD, 1);
    }
}
