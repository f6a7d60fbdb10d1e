package io.atoll.map;

import io.atoll.fabric.Batch;
import java.util.Arrays;
import java.util.List;
import java.util.function.BiConsumer;
import java.util.function.IntPredicate;

/**
 * Keys, all different, for operations on all of them. Each has a number, from 0 on.
 *
 * @param hashes by which the keys are found
 * @param owners the ranks in whose segments the keys belong
 * @param placing puts a key into the batch's buffer, before it is looked for
 */
record SeveralKeys<T>(List<T> keys, long[] hashes, int[] owners, BiConsumer<? super T, Batch> placing) {

    /** Takes what was found for one of the keys. */
    public interface Finder {

        /** @param found as {@link BucketReader#locate} returns it */
        void found(int key, Batch batch, long found);
    }

    public int count() {
        return hashes.length;
    }

    public T key(int key) {
        return keys.get(key);
    }

    public long hash(int key) {
        return hashes[key];
    }

    public int owner(int key) {
        return owners[key];
    }

    /** Returns the numbers of the keys with these owners. */
    public int[] numbers(IntPredicate isOwner) {
        int[] numbers = new int[owners.length];
        int count = 0;
        for (int key = 0; key < owners.length; key++) {
            if (isOwner.test(owners[key])) {
                numbers[count++] = key;
            }
        }
        return count == numbers.length ? numbers : Arrays.copyOf(numbers, count);
    }

    public void placeKey(int key, Batch batch) {
        placing.accept(keys.get(key), batch);
    }
}
