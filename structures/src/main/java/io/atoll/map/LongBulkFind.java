package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;
import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * Looks for several keys at once. For the keys of one owner, one round trip reads the lines where the searches begin.
 * Keys that this does not decide are looked for one by one. So are all keys of an owner where a look is no verb.
 */
final class LongBulkFind {

    private static final int LINES = (int) (Batch.THREAD_BUFFER_BYTES / Layouts.CACHE_LINE);

    /** In place of a key's word: the key is to be looked for behind the line, or in the next block. */
    private static final long ELSEWHERE = LongBucket.MOVED;

    private final LongReader reader;
    private final long[] keys;
    private final long[] words;

    LongBulkFind(LongReader reader, long[] keys) {
        this.reader = reader;
        this.keys = keys;
        this.words = new long[keys.length];
    }

    /** Returns the keys' words. The word of a key that has no value is not present. */
    long[] words() {
        Arrays.fill(words, ELSEWHERE);
        Token token = reader.blocks.begin();
        try {
            for (int owner = 0; owner < reader.blocks.ranks(); owner++) {
                find(owner);
            }
        } finally {
            reader.blocks.end(token);
        }
        return words;
    }

    private void find(int owner) {
        int[] sought = IntStream.range(0, keys.length).filter(index -> owner(index) == owner).toArray();
        if (sought.length == 0) {
            return;
        }
        long first = reader.blocks.first(owner);
        if (reader.endpoint.mapped(owner) == null) {
            for (int from = 0; from < sought.length; from += LINES) {
                readLines(owner, first, Arrays.copyOfRange(sought, from, Math.min(sought.length, from + LINES)));
            }
        }
        for (int index : sought) {
            if (words[index] == ELSEWHERE) {
                words[index] = reader.word(owner, first, keys[index]);
            }
        }
    }

    private int owner(int index) {
        return KeyHash.rank(reader.hashing.of(keys[index]), reader.blocks.ranks());
    }

    private void readLines(int owner, long first, int[] sought) {
        try (Batch batch = reader.endpoint.batch(owner)) {
            for (int place = 0; place < sought.length; place++) {
                long line = reader.bucket(owner, first, home(first, sought[place]) & -LongReader.LINE_BUCKETS);
                batch.read(owner, line, place * Layouts.CACHE_LINE, Layouts.CACHE_LINE);
            }
            batch.complete();
            for (int place = 0; place < sought.length; place++) {
                int index = sought[place];
                words[index] = classify(batch, place * Layouts.CACHE_LINE, home(first, index), keys[index]);
            }
        }
    }

    private long home(long block, int index) {
        return Block.home(block, reader.hashing.of(keys[index]));
    }

    /** As {@link LongReader#word}, if the line decides it; else returns {@link #ELSEWHERE}. */
    private long classify(Batch batch, long line, long home, long key) {
        for (int step = 0; step < LongReader.LINE_BUCKETS; step++) {
            long at = line + (home + step & LongReader.LINE_BUCKETS - 1) * LongBucket.SIZE;
            long word = batch.word(at + LongBucket.VALUE);
            long seen = batch.word(at + LongBucket.KEY);
            if (LongBucket.hasKey(word) && seen == LongReader.UNWRITTEN) {
                return ELSEWHERE; // it takes another look to know the key
            }
            if (LongBucket.hasKey(word) && seen == key) {
                // Additions that came too late may have changed a moved word.
                return LongBucket.isMoved(word) ? ELSEWHERE : word;
            }
            if (word == LongBucket.FREE || reader.waitsAt(word)) {
                return LongBucket.ABSENT;
            }
            if (reader.endsAt(word)) {
                return ELSEWHERE;
            }
        }
        return ELSEWHERE;
    }
}
