package io.atoll.map;

import io.atoll.fabric.Batch;

/** Replaces the values of several keys of a map of longs where their owners find them. */
final class LongBulkReplacement implements BulkReplacement {

    /** The searches, replacements and exchanges of so many keys have guards in one frame of TCP. */
    private static final int MOST_KEYS = Batch.ATOMICS / 3;

    private final LongTable table;
    private final BulkSearch search;
    private final long[] keys;
    private final long[] values;

    LongBulkReplacement(LongTable table, BulkSearch search, long[] keys, long[] values) {
        this.table = table;
        this.search = search;
        this.keys = keys;
        this.values = values;
    }

    @Override
    public int mostKeys() {
        return MOST_KEYS;
    }

    @Override
    public long bytes() {
        return LongSearcher.BYTES;
    }

    @Override
    public int add(Batch batch, int key, long block, long position) {
        return table.searcher.addPut(batch, position, search.owner(key), block, search.hash(key), keys[key],
                values[key]);
    }

    @Override
    public long firstBucket(int key, long block) {
        return table.searcher.firstBucket(search.owner(key), block, search.hash(key));
    }

    @Override
    public long home(int key, long block) {
        return table.reader.bucket(search.owner(key), block, Block.home(block, search.hash(key)));
    }

    @Override
    public boolean expectsNewKeys() {
        return table.expectsNewKeys;
    }

    @Override
    public void expectNewKeys(boolean expected) {
        table.expectsNewKeys = expected;
    }
}
