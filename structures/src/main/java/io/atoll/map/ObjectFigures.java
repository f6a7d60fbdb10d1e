package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;
import io.atoll.world.NamedStructure;
import java.util.OptionalLong;
import java.util.function.IntFunction;

/** Figures of maps of any keys and values. */
final class ObjectFigures extends MapFigures {

    /** @param seeds of keys' hashes, as far as a rank knows them */
    ObjectFigures(IntFunction<OptionalLong> seeds) {
        super(seeds);
    }

    @Override
    boolean hasKey(Batch batch, long position) {
        return Bucket.hasKey(batch.word(position));
    }

    @Override
    boolean isLiving(Batch batch, long position) {
        return Bucket.isLiving(batch.word(position)); // the state is the first word
    }

    @Override
    OptionalLong bucketBytes(NamedStructure block) {
        return block.number(Form.BUCKET_BYTES);
    }

    /**
     * Returns the hash of a key. A payload is looked for by its hash, which stands in the bucket in place of the key.
     * What a function of the user's makes of a key is not known here.
     */
    @Override
    OptionalLong hash(KeyHash hashing, Batch batch, long position, NamedStructure block) {
        if (block.configuration().startsWith(PayloadForm.PREFIX, block.kind().length() + 1)) {
            return OptionalLong.of(PayloadEntries.hashing().hashOf(batch.buffer(), position + Layouts.WORD));
        }
        OptionalLong keyBytes = block.number(Form.KEY_BYTES);
        return keyBytes.isPresent() && block.configuration().contains(" " + Form.HASH_OF_WORDS + " ")
                ? OptionalLong.of(hashing.of(batch.buffer(), position + Layouts.WORD, (int) keyBytes.getAsLong()))
                : OptionalLong.empty();
    }

    @Override
    int group(long bucketBytes) {
        return BucketReader.group(bucketBytes);
    }
}
