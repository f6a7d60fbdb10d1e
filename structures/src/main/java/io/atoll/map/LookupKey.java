package io.atoll.map;

import io.atoll.fabric.Batch;

/**
 * A key as it is looked for.
 *
 * @param key its bytes
 * @param word stands for the key in its bucket
 */
record LookupKey(byte[] key, long word, int owner) {

    void placeKey(Batch batch) {
        batch.setWord(BucketReader.KEY, word);
    }
}
