package io.atoll.map.block;

import io.atoll.epoch.Token;
import io.atoll.failure.TableFullException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** One block at each rank, for good. */
public final class FixedBlocks extends Blocks {

    private final String map;
    private final long[] blocks;

    /** @param offsets where the buckets begin in each rank's segment */
    public FixedBlocks(String map, long[] offsets, long buckets) {
        this.map = map;
        this.blocks = Arrays.stream(offsets).map(offset -> Block.of(offset, buckets)).toArray();
    }

    @Override
    public int ranks() {
        return blocks.length;
    }

    @Override
    public boolean canGrow() {
        return false;
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
        return blocks[owner];
    }

    @Override
    public long firstToChange(int owner, @Nullable Token token, Mover mover) {
        return blocks[owner];
    }

    @Override
    public long next(int owner, long block) {
        return Block.NONE;
    }

    @Override
    public void grow(int owner, long first) {
        throw new TableFullException(map, owner, Block.buckets(blocks[owner]));
    }

    @Override
    public void count(int owner, long first, long offset, long hash, long change) {
        // It does not matter: they stay.
    }

    @Override
    public long estimate(int owner) {
        return -1;
    }
}
