package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.world.Reservations;
import io.atoll.world.Reservations.Undone;

/**
 * Replaces the values of several keys in {@link Bucket}s where their owners find them (7, 8, 2, 9). A key's part of the
 * buffer is its entry, as it stands in a bucket, and the tests of its search.
 */
final class BucketBulkReplacement<T> extends BulkReplacement implements Reservations.Undo {

    /** The results of one key: those of a search, an exchange and an addition. */
    private static final int RESULTS = 3;

    private final BucketSearcher searcher;
    private final SeveralKeys<T> entries;
    private final BulkPut.Encoder<T> encoder;

    // What the undoing of each key has to know. It is here before anything is reserved, since later there may be no
    // memory. An undoing that is put off keeps this object.
    private long[] notes = {};
    private int[] firsts = {}; // where the notes on each key begin
    private int noted; // where those on the next key begin

    BucketBulkReplacement(BucketTable table, BulkSearch search, SeveralKeys<T> entries, BulkPut.Encoder<T> encoder) {
        super(search, RESULTS);
        this.searcher = table.searcher;
        this.entries = entries;
        this.encoder = encoder;
    }

    @Override
    long bytes() {
        return searcher.replacementBytes();
    }

    @Override
    boolean reserves() {
        return true;
    }

    @Override
    void prepare(Batch batch, int key, long block, long position) {
        if (notes.length == 0) {
            firsts = new int[entries.count()];
            notes = new long[Math.min(entries.count(), mostKeys()) * searcher.words()];
        }
        encoder.encode(entries.key(key), batch, position);
        searcher.note(notes, noted, home(key, block), block, search.hash(key), batch, searcher.key(position));
        firsts[key] = noted;
        noted += searcher.words();
    }

    @Override
    int add(Batch batch, int key, long block, long position) {
        return searcher.addReplacement(batch, search.owner(key), block, search.hash(key), position);
    }

    @Override
    Undone undo(int key, int hold) {
        return searcher.undo(hold, search.owner(key), notes, firsts[key], this);
    }

    /** Undoes what may be reserved for the key whose notes begin there. */
    @Override
    public boolean undo(int owner, long home, long noted) {
        return searcher.undo(owner, home, notes, (int) noted);
    }

    @Override
    long firstBucket(int key, long block) {
        return searcher.firstBucket(search.owner(key), block, search.hash(key));
    }

    @Override
    long home(int key, long block) {
        return searcher.home(search.owner(key), block, search.hash(key));
    }

    /** New keys take less by two rounds: most often the home of one of them is not free. */
    @Override
    boolean isWorthwhile() {
        return !searcher.expectsNewKeys;
    }

    @Override
    boolean inserts() {
        return false;
    }

    @Override
    boolean finds(long state) {
        return Bucket.kind(state) == Bucket.READY;
    }

    @Override
    void expectNewKeys(boolean expected) {
        searcher.expectsNewKeys = expected;
    }
}
