package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.WordTest;
import io.atoll.memory.Layouts;
import io.atoll.world.Reservations;

/**
 * Lets the owner find a key's {@link LongBucket} (6) and change it (7), or else insert the key at its home (1 to 3), in
 * one batch. So a change is one round trip where the owner decides what guards. The numbers are those of
 * {@link LongBucket}. An operation that has no effect this way goes on with the home's line, which it has then read as
 * every operation does at first. So it takes no longer than without.
 */
class LongSearcher {

    /**
     * Buckets that the owner looks at: four lines, which a processor fetches ahead. In a table that is three quarters
     * full, 2 % of the keys lie behind them, and 13 % behind the first line. In a half-full one they are 0.1 % and 4 %.
     */
    private static final int BUCKETS = 4 * LongReader.LINE_BUCKETS;

    // Positions in the batch's buffer. The line that is read, and the entry that is written, lie before the tests.
    private static final long TEST_OF_VALUE = 2 * Layouts.CACHE_LINE;
    private static final long TEST_OF_KEY = TEST_OF_VALUE + WordTest.BYTES;

    private static final long EVERY_BIT = -1;
    private static final long LARGEST_WORD = -1;

    final LongWriter writer;
    private final LongReader reader;
    private final Endpoint endpoint;
    private final Blocks blocks;

    LongSearcher(LongWriter writer) {
        this.writer = writer;
        this.reader = writer.reader;
        this.endpoint = reader.endpoint;
        this.blocks = reader.blocks;
    }

    /** Returns true if the owner of a key searches for it. */
    final boolean isFor(int owner) {
        return endpoint.decidesAtOwner(owner);
    }

    /**
     * Adds to the key's value if the sum fits, or inserts the key with this value. Returns the word that was there,
     * which is not present if the key was inserted; or {@link LongReader#UNCLEAR} if nothing was done.
     */
    final long add(int owner, long first, long hash, long key, long delta) {
        Batch batch = endpoint.batch(owner);
        long from = firstBucket(owner, first, hash);
        int found = find(batch, owner, first, hash, key, smallest(delta), greatest(delta)); // (6)
        batch.guard(found);
        int added = batch.getAndAdd(owner, from + LongBucket.VALUE, delta); // (7)
        if (isInserted(batch, owner, first, hash, key, delta)) {
            return LongBucket.ABSENT;
        }
        // An addition to what was removed, or moved, since (6) has changed nothing.
        long before = batch.succeeded(found) ? batch.result(added) : LongReader.UNCLEAR;
        return LongBucket.isPresent(before) ? before : LongReader.UNCLEAR;
    }

    /** Returns the smallest word to which this may be added: what does not fit must never be there. */
    private static long smallest(long delta) {
        return delta < 0
                ? LongBucket.present(LongBucket.SMALLEST_VALUE - delta)
                : LongBucket.SMALLEST_PRESENT;
    }

    private static long greatest(long delta) {
        return delta > 0 ? LongBucket.present(LongBucket.LARGEST_VALUE - delta) : LARGEST_WORD;
    }

    /**
     * Gives the key this value, whether it has one or not. Returns the word that was there, which is not present if it
     * had none; or {@link LongReader#UNCLEAR} if nothing was done.
     */
    final long put(int owner, long first, long hash, long key, long value) {
        Batch batch = endpoint.batch(owner);
        int found = find(batch, owner, first, hash, key, LongBucket.SMALLEST_UNMOVED, LARGEST_WORD); // (6)
        int replaced = replace(batch, found, firstBucket(owner, first, hash), owner, LongBucket.present(value)); // (7)
        if (isInserted(batch, owner, first, hash, key, value)) {
            return LongBucket.ABSENT;
        }
        return replaced(batch, found, replaced, owner, first, hash, Blocks.REVIVED);
    }

    /**
     * Inserts the key with this value. Returns the word that was there, which is not present if it was inserted; or
     * {@link LongReader#UNCLEAR} if nothing was done and the key is not known to have a value.
     */
    final long insert(int owner, long first, long hash, long key, long value) {
        Batch batch = endpoint.batch(owner);
        int found = find(batch, owner, first, hash, key, LongBucket.SMALLEST_PRESENT, LARGEST_WORD); // (6)
        if (isInserted(batch, owner, first, hash, key, value)) {
            return LongBucket.ABSENT;
        }
        return batch.result(found);
    }

    /** Removes the key. Returns the word that was there, or {@link LongReader#UNCLEAR} if nothing was done. */
    final long remove(int owner, long first, long hash, long key) {
        Batch batch = endpoint.batch(owner);
        int found = find(batch, owner, first, hash, key, LongBucket.SMALLEST_PRESENT, LARGEST_WORD); // (6)
        int removed = replace(batch, found, firstBucket(owner, first, hash), owner, LongBucket.ABSENT); // (7)
        complete(batch, owner, first, hash);
        return replaced(batch, found, removed, owner, first, hash, Blocks.REMOVED);
    }

    /**
     * Replaces the expected word by this one, if the key has it. Returns the word that was there, or
     * {@link LongReader#UNCLEAR} if the key was not found.
     */
    final long exchange(int owner, long first, long hash, long key, long expected, long word) {
        Batch batch = endpoint.batch(owner);
        int found = find(batch, owner, first, hash, key, LongBucket.SMALLEST_UNMOVED, LARGEST_WORD); // (6)
        batch.guard(found);
        int exchanged = batch.compareAndExchange(owner, firstBucket(owner, first, hash) + LongBucket.VALUE, expected,
                word); // (7)
        complete(batch, owner, first, hash);
        return batch.succeeded(found) ? batch.result(exchanged) : LongReader.UNCLEAR;
    }

    // --- the parts of a batch ---

    /** Returns the number of the first bucket of the line where the key is at home. */
    private static long firstIndex(long block, long hash) {
        return Block.home(block, hash) & -LongReader.LINE_BUCKETS;
    }

    /** Returns the offset of the first bucket that the owner looks at. */
    private long firstBucket(int owner, long block, long hash) {
        return reader.bucket(owner, block, firstIndex(block, hash));
    }

    /**
     * Adds a search for the key, with a word in this range. The owner loads the word (4) before the key (5), as readers
     * do. So it takes no key for this one that is not written yet. At most one bucket of a block that is not void has
     * the key, so the order of buckets does not matter, nor what lies on the path.
     */
    private int find(Batch batch, int owner, long block, long hash, long key, long smallest, long greatest) {
        WordTest.put(batch, TEST_OF_VALUE, LongBucket.VALUE, EVERY_BIT, smallest, greatest); // (4)
        WordTest.putEqual(batch, TEST_OF_KEY, LongBucket.KEY, key); // (5)
        long index = firstIndex(block, hash);
        int count = (int) Math.min(BUCKETS, Block.contiguous(block, index));
        return batch.search(owner, reader.bucket(owner, block, index), LongBucket.SIZE, count, TEST_OF_VALUE, 2);
    }

    private static int replace(Batch batch, int found, long bucket, int owner, long word) {
        batch.guard(found);
        return batch.exchangeFound(owner, bucket + LongBucket.VALUE, 0, word);
    }

    /** Returns the word that was replaced, or {@link LongReader#UNCLEAR} if none was. */
    private long replaced(Batch batch, int found, int replaced, int owner, long first, long hash, long change) {
        if (!batch.succeeded(replaced)) {
            return LongReader.UNCLEAR;
        }
        long seen = batch.result(found);
        if (LongBucket.isPresent(seen) == (change == Blocks.REMOVED)) {
            blocks.note(owner, first, firstBucket(owner, first, hash) + batch.displacement(found), hash, change);
        }
        return seen;
    }

    /**
     * Adds (1) to (3), and completes the batch. Returns true if the key was inserted. It must come behind (6), which
     * would find what it inserts. A thread that is not the first one of the process to do so leaves it out: most often
     * these threads change one key that is there.
     */
    private boolean isInserted(Batch batch, int owner, long first, long hash, long key, long value) {
        batch.unguard();
        long home = reader.bucket(owner, first, Block.home(first, hash));
        int hold = writer.participant.reservations().tryHold(owner, home);
        if (hold == Reservations.NOT_HELD) {
            complete(batch, owner, first, hash);
            return false;
        }
        return writer.occupyInOneBatch(batch, hold, owner, home, key, value, true) == LongBucket.FREE
                && writer.counted(owner, first, home, hash);
    }

    private void complete(Batch batch, int owner, long first, long hash) {
        batch.unguard();
        reader.addLine(batch, owner, firstBucket(owner, first, hash));
        batch.complete();
    }
}
