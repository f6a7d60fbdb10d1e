package io.atoll.map;

import io.atoll.fabric.Batch;

/** Replaces the values of several keys of a map of longs where their owners find them. */
final class LongBulkReplacement extends BulkReplacement {

    /** The results of one key: those of a search and two exchanges. */
    private static final int RESULTS = 3;

    private final LongTable table;
    private final long[] keys;
    private final long[] values;

    LongBulkReplacement(LongTable table, BulkSearch search, long[] keys, long[] values) {
        super(search, RESULTS);
        this.table = table;
        this.keys = keys;
        this.values = values;
    }

    @Override
    long bytes() {
        return LongSearcher.BYTES;
    }

    @Override
    int add(Batch batch, int key, long block, long position) {
        return table.searcher.addPut(batch, position, search.owner(key), block, search.hash(key), keys[key],
                values[key]);
    }

    @Override
    long firstBucket(int key, long block) {
        return table.searcher.firstBucket(search.owner(key), block, search.hash(key));
    }

    @Override
    long home(int key, long block) {
        return table.reader.bucket(search.owner(key), block, Block.home(block, search.hash(key)));
    }

    @Override
    boolean isWorthwhile() {
        return true;
    }

    @Override
    boolean inserts() {
        return table.expectsNewKeys;
    }

    @Override
    boolean finds(long word) {
        return word != LongBucket.FREE;
    }

    @Override
    void expectNewKeys(boolean expected) {
        table.expectsNewKeys = expected;
    }
}
