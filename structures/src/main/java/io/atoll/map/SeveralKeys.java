package io.atoll.map;

import io.atoll.fabric.Batch;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;

/**
 * Keys of one owner, all different, for operations on all of them.
 *
 * @param hashes by which the keys are found
 * @param placing puts a key into the batch's buffer, before it is looked for
 */
record SeveralKeys<T>(List<T> keys, long[] hashes, BiConsumer<? super T, Batch> placing) {

    /** Takes what was found for one of the keys. */
    public interface Finder {

        /** @param found as {@link BucketReader#locate} returns it */
        void found(int key, Batch batch, long found);
    }

    /** Returns the keys from one number up to another, which is not included. */
    public SeveralKeys<T> part(int from, int to) {
        return new SeveralKeys<>(keys.subList(from, to), Arrays.copyOfRange(hashes, from, to), placing);
    }

    public int count() {
        return hashes.length;
    }

    public long hash(int key) {
        return hashes[key];
    }

    public void placeKey(int key, Batch batch) {
        placing.accept(keys.get(key), batch);
    }
}
