package io.atoll.map;

import io.atoll.epoch.Token;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** A block of eight buckets that is being moved to another one, for good. */
public final class TwoBlocks extends Blocks {

    private static final long BUCKETS = 8;

    /** Homes are the same in both blocks. */
    public static final long OLD = Block.of(0, BUCKETS);

    private final long next;

    public TwoBlocks(long bucketBytes) {
        this.next = next(bucketBytes);
    }

    public static long next(long bucketBytes) {
        return Block.of(bucketBytes * BUCKETS, BUCKETS);
    }

    /** Returns the words of both blocks. */
    public static int words(long bucketBytes) {
        return (int) (2 * BUCKETS * bucketBytes / Long.BYTES);
    }

    @Override
    public int ranks() {
        return 1;
    }

    @Override
    public boolean canGrow() {
        return true;
    }

    @Override
    public @Nullable Token begin() {
        return null;
    }

    @Override
    public void end(@Nullable Token token) {
        // Nothing was held.
    }

    @Override
    public long first(int owner) {
        return OLD;
    }

    @Override
    public long firstToChange(int owner, @Nullable Token token, Mover mover) {
        return OLD;
    }

    @Override
    public long next(int owner, long block) {
        return block == OLD ? next : Block.NONE;
    }

    @Override
    public void grow(int owner, long first) {
        throw new AssertionError("there is room");
    }

    @Override
    public void count(int owner, long first, long offset, long hash, long change) {
        // No operation asks for the count.
    }

    @Override
    public OptionalLong estimate() {
        return OptionalLong.empty();
    }
}
