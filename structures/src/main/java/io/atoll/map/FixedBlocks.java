package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.failure.FabricException;
import io.atoll.failure.StructureName;
import io.atoll.failure.TableFullException;
import java.util.Arrays;
import java.util.OptionalLong;
import org.jspecify.annotations.Nullable;

/** One block at each rank, for good. */
final class FixedBlocks extends Blocks {

    private final StructureName structure;
    private final @Nullable EpochManager epochs;
    private final long[] blocks;

    /**
     * @param structure the map, for failures
     * @param epochs null if buckets refer to nothing that can go away
     * @param offsets where the buckets begin in each rank's segment
     */
    public FixedBlocks(StructureName structure, @Nullable EpochManager epochs, long[] offsets, long buckets) {
        this.structure = structure;
        this.epochs = epochs;
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
        try {
            return epochs == null ? null : epochs.pinWithRoom();
        } catch (FabricException failure) {
            throw failure.in(structure);
        }
    }

    @Override
    public void end(@Nullable Token token) {
        if (token != null) {
            token.unpin();
        }
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
    public long firstAtRest(int owner) {
        return blocks[owner];
    }

    @Override
    public @Nullable EpochManager epochs() {
        return epochs;
    }

    @Override
    public long next(int owner, long block) {
        return Block.NONE;
    }

    @Override
    public void grow(int owner, long first) {
        throw new TableFullException(structure.name(), owner, Block.buckets(blocks[owner]));
    }

    @Override
    public void count(int owner, long first, long offset, long hash, long change) {
        // Counts do not matter, because these blocks stay.
    }

    @Override
    public boolean isCounted(int owner, long first, long offset, long hash) {
        return false;
    }

    @Override
    public OptionalLong estimate() {
        return OptionalLong.empty();
    }
}
