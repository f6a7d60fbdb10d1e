package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.world.NamedStructure;
import java.util.OptionalLong;
import java.util.function.IntFunction;

/** Figures of maps from long to long. */
final class LongFigures extends MapFigures {

    /** @param seeds of keys' hashes, as far as a rank knows them */
    LongFigures(IntFunction<OptionalLong> seeds) {
        super(seeds);
    }

    @Override
    boolean hasKey(Batch batch, long position) {
        return LongBucket.hasKey(batch.word(position + LongBucket.VALUE));
    }

    @Override
    boolean isLiving(Batch batch, long position) {
        return LongBucket.isPresent(batch.word(position + LongBucket.VALUE));
    }

    @Override
    OptionalLong bucketBytes(NamedStructure block) {
        return OptionalLong.of(LongBucket.SIZE);
    }

    @Override
    OptionalLong hash(KeyHash hashing, Batch batch, long position, NamedStructure block) {
        return OptionalLong.of(hashing.of(batch.word(position + LongBucket.KEY)));
    }

    @Override
    int group(long bucketBytes) {
        return LongReader.LINE_BUCKETS;
    }
}
