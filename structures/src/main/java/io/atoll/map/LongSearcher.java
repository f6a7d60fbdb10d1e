package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.WordTest;
import io.atoll.memory.Layouts;
import io.atoll.world.Reservations;

/**
 * Lets the owner find a key's {@link LongBucket} (6) and change it (7). If the owner does not find it, it inserts the
 * key at its home (1 to 3). All of it is one batch, so a change is one round trip where the owner decides guards. The
 * numbers are those of {@link LongBucket}. The batch also reads the home's line, as the first round trip of any search
 * does. So an operation that has had no effect goes on with that line, and has lost no time.
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

    /** The bytes of the buffer that a search uses. */
    static final long BYTES = TEST_OF_KEY + WordTest.BYTES;

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
        int added = addAddition(batch, 0, owner, first, hash, key, delta);
        if (isInserted(batch, owner, first, hash, key, delta)) {
            return LongBucket.ABSENT;
        }
        return added(batch, added);
    }

    /** Adds (6) and (7) of {@link #add}, under a guard. Returns the index of what {@link #added} tells. */
    final int addAddition(Batch batch, long position, int owner, long first, long hash, long key, long delta) {
        int found = find(batch, position, owner, first, hash, key, smallest(delta), greatest(delta)); // (6)
        batch.guard(found);
        return batch.getAndAdd(owner, firstBucket(owner, first, hash) + LongBucket.VALUE, delta); // (7)
    }

    /**
     * Returns the word to which it was added, or {@link LongReader#UNCLEAR}. An addition that was skipped tells 0. One
     * to what was removed, or moved, since (6) has changed nothing.
     */
    static long added(Batch batch, int added) {
        long before = batch.result(added);
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
        int replaced = addPut(batch, 0, owner, first, hash, key, value);
        if (isInserted(batch, owner, first, hash, key, value)) {
            return LongBucket.ABSENT;
        }
        return replaced(batch, replaced, owner, first, hash, Blocks.REVIVED);
    }

    /** Adds (6) and (7) of {@link #put}, under a guard. Returns the index of what {@link #replaced} tells. */
    final int addPut(Batch batch, long position, int owner, long first, long hash, long key, long value) {
        return replace(batch, position, owner, first, hash, key, LongBucket.SMALLEST_UNMOVED,
                LongBucket.present(value));
    }

    /**
     * Inserts the key with this value. Returns the word that was there, which is not present if it was inserted.
     * Returns {@link LongReader#UNCLEAR} if nothing was done and the key is not known to have a value.
     */
    final long insert(int owner, long first, long hash, long key, long value) {
        Batch batch = endpoint.batch(owner);
        int found = addFind(batch, 0, owner, first, hash, key);
        if (isInserted(batch, owner, first, hash, key, value)) {
            return LongBucket.ABSENT;
        }
        return batch.result(found);
    }

    /** Adds (6) of a key that has a value. The result is its word, or {@link LongReader#UNCLEAR}. */
    final int addFind(Batch batch, long position, int owner, long first, long hash, long key) {
        return find(batch, position, owner, first, hash, key, LongBucket.SMALLEST_PRESENT, LARGEST_WORD); // (6)
    }

    /** Removes the key. Returns the word that was there, or {@link LongReader#UNCLEAR} if nothing was done. */
    final long remove(int owner, long first, long hash, long key) {
        Batch batch = endpoint.batch(owner);
        int removed = addRemoval(batch, 0, owner, first, hash, key);
        complete(batch, owner, first, hash);
        return replaced(batch, removed, owner, first, hash, Blocks.REMOVED);
    }

    /** Adds (6) and (7) of {@link #remove}, under a guard. Returns the index of what {@link #replaced} tells. */
    final int addRemoval(Batch batch, long position, int owner, long first, long hash, long key) {
        return replace(batch, position, owner, first, hash, key, LongBucket.SMALLEST_PRESENT, LongBucket.ABSENT);
    }

    /**
     * Replaces the expected word by this one, if the key has it. Returns the word that was there, or
     * {@link LongReader#UNCLEAR} if the key was not found.
     */
    final long exchange(int owner, long first, long hash, long key, long expected, long word) {
        Batch batch = endpoint.batch(owner);
        int exchanged = addExchange(batch, 0, owner, first, hash, key, expected, word);
        complete(batch, owner, first, hash);
        return batch.result(exchanged); // 0 if it was skipped
    }

    /**
     * Adds (6) and (7) of {@link #exchange}, under a guard. The result is the word that was there, or
     * {@link LongReader#UNCLEAR}.
     */
    final int addExchange(Batch batch, long position, int owner, long first, long hash, long key, long expected,
            long word) {
        int found = find(batch, position, owner, first, hash, key, LongBucket.SMALLEST_UNMOVED, LARGEST_WORD); // (6)
        batch.guard(found);
        return batch.compareAndExchange(owner, firstBucket(owner, first, hash) + LongBucket.VALUE, expected,
                word); // (7)
    }

    // --- the parts of a batch ---

    /** Returns the number of the first bucket of the line where the key is at home. */
    private static long firstIndex(long block, long hash) {
        return Block.home(block, hash) & -LongReader.LINE_BUCKETS;
    }

    /** Returns the offset of the first bucket that the owner looks at. */
    final long firstBucket(int owner, long block, long hash) {
        return reader.bucket(owner, block, firstIndex(block, hash));
    }

    /**
     * Adds a search for the key, with a word in this range. The owner loads the word (4) before the key (5), as readers
     * do. So it does not mistake a key that is not written yet for this one. The order of buckets does not matter, nor
     * what lies on the path. Besides VOID ones, at most one bucket of a block has the key.
     */
    private int find(Batch batch, long position, int owner, long block, long hash, long key, long smallest,
            long greatest) {
        WordTest.put(batch, position + TEST_OF_VALUE, LongBucket.VALUE, EVERY_BIT, smallest, greatest); // (4)
        WordTest.putEqual(batch, position + TEST_OF_KEY, LongBucket.KEY, key); // (5)
        long index = firstIndex(block, hash);
        int count = (int) Math.min(BUCKETS, Block.contiguous(block, index));
        return batch.search(owner, reader.bucket(owner, block, index), LongBucket.SIZE, count,
                position + TEST_OF_VALUE, 2);
    }

    /** Adds (6), and (7) that replaces the word that was found, from this one on, by another. */
    private int replace(Batch batch, long position, int owner, long first, long hash, long key, long smallest,
            long word) {
        int found = find(batch, position, owner, first, hash, key, smallest, LARGEST_WORD); // (6)
        batch.guard(found);
        return batch.exchangeFound(owner, firstBucket(owner, first, hash) + LongBucket.VALUE, 0, word); // (7)
    }

    /** Returns the word that was replaced, or {@link LongReader#UNCLEAR} if none was. */
    static long replaced(Batch batch, int replaced) {
        return batch.succeeded(replaced) ? batch.result(replaced) : LongReader.UNCLEAR;
    }

    /** As the other one, and counts what has become of the entry. */
    private long replaced(Batch batch, int replaced, int owner, long first, long hash, long change) {
        long seen = replaced(batch, replaced);
        if (seen != LongReader.UNCLEAR && LongBucket.isPresent(seen) == (change == Blocks.REMOVED)) {
            blocks.note(owner, first, firstBucket(owner, first, hash) + batch.displacement(replaced), hash, change);
        }
        return seen;
    }

    /**
     * Adds (1) to (3), and completes the batch. Returns true if the key was inserted. It must come behind (6), which
     * would find what it inserts. A thread that is not the first one of the process to do so leaves it out. Most often
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
