package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.WordTest;
import io.atoll.map.BucketTable.Change;
import io.atoll.map.BucketTable.Change.Outcome;
import io.atoll.memory.Layouts;
import io.atoll.world.Reservations;
import io.atoll.world.Reservations.Undone;

/**
 * Lets the owner find a key's {@link Bucket} (7) and change it (8, 2, 9), or else insert the key at its home (1 to 3),
 * in one batch. So a change is one round trip where the owner decides what guards. The numbers are those of
 * {@link Bucket}. An operation that has no effect this way goes on with the home, which it has then read as every
 * operation does at first. So it takes no longer than without.
 *
 * <p>A batch can fail after any part of it took effect. What it may have reserved is undone, but its writer does not
 * know where that is. It looks for a bucket with its key that (8) has reserved for this process. No other thread of the
 * process can have reserved that one by (8): all that look for a key hold its home meanwhile, and until this is undone.
 *
 * <p>That may be long after the operation has ended. Then the memory of its block may be another block's, which has the
 * same key, reserved by a thread that holds another home. So the undoing looks only in a block that is present, and is
 * pinned meanwhile. If the block has gone away, nothing in it was reserved. If it is present again, its homes are where
 * they were, and so are their holds.
 */
class BucketSearcher {

    /** What has become of a change. */
    enum Attempt {
        /** The owner does not search for this, or must not. */
        NOT_MADE,
        /** Nothing was done. The home is read. */
        UNCLEAR,
        /** The key had a value. */
        CHANGED,
        /** The key had none. */
        INSERTED;

        boolean isDone() {
            return this == CHANGED || this == INSERTED;
        }
    }

    /**
     * Buckets that the owner looks at. In a table that is three quarters full, 2 % of the keys lie behind them; in a
     * half-full one less than 0.1 %. The size of the buckets does not matter.
     */
    private static final int BUCKETS = 16;

    private static final int TESTS_OF_STATE = 2;

    // What an undoing needs to know beside the home: words that lie with the hold.
    private static final int BLOCK = 0;
    private static final int HASH = 1;
    private static final int KEY = 2;

    private static final long EVERY_BIT = -1;

    private final BucketTable table;
    private final BucketReader reader;
    private final BucketWriter writer;
    private final Endpoint endpoint;
    private final Bucket bucket;
    private final Reservations reservations;
    private final long reservation;
    private final long publication;
    private final Reservations.Undo undoing = this::undo; // made before it is needed, when there may be no memory

    // Positions in the batch's buffer, behind what an operation without a search uses.
    private final long record; // the bucket that was found
    private final long after; // its state as read after its value
    private final long tests;
    private final long testOfEven;
    private final long testOfOdd;

    private final boolean fits; // into a search and a small buffer

    BucketSearcher(BucketTable table) {
        this.table = table;
        this.reader = table.reader;
        this.writer = table.writer;
        this.endpoint = table.endpoint;
        this.bucket = reader.bucket;
        this.reservations = writer.participant.reservations();
        this.reservation = Bucket.reservation(writer.participant.rank(), writer.participant.incarnation());
        this.publication = Bucket.publication(writer.participant.rank(), writer.participant.incarnation());
        this.record = reader.span;
        this.after = record + bucket.size;
        this.tests = after + Layouts.WORD;
        this.testOfEven = tests + (TESTS_OF_STATE + keyWords()) * WordTest.BYTES;
        this.testOfOdd = testOfEven + WordTest.BYTES;
        // The owner is sent a value three times, and writes one of them: small ones are worth that.
        this.fits = TESTS_OF_STATE + keyWords() <= WordTest.MOST
                && testOfOdd + WordTest.BYTES <= Batch.SMALL_BUFFER_BYTES;
    }

    private int keyWords() {
        return (int) (bucket.keyBytes / Layouts.WORD);
    }

    /** Returns true if the owner of a key searches for it. */
    final boolean isFor(int owner) {
        return fits && endpoint.decidesAtOwner(owner);
    }

    /** Makes the change if the owner can find the key, or insert it. The batch has the key in its buffer. */
    final Attempt attempt(Batch batch, Change change) {
        if (!isFor(change.owner)) {
            return Attempt.NOT_MADE;
        }
        Outcome ofPresent = change.unseen(true);
        Outcome ofAbsent = change.unseen(false);
        if (ofPresent == null || ofAbsent == null) {
            return Attempt.NOT_MADE;
        }
        return ofPresent == Outcome.REMOVE
                ? remove(batch, change)
                : store(batch, change, ofPresent == Outcome.STORE, ofAbsent == Outcome.STORE);
    }

    // --- removing ---

    private Attempt remove(Batch batch, Change change) {
        int found = find(batch, change); // (7)
        batch.guard(found);
        int removed = batch.exchangeFound(change.owner, from(change), EVERY_BIT, Bucket.removal());
        complete(batch, change);
        if (!batch.succeeded(removed)) {
            return Attempt.UNCLEAR;
        }
        long offset = from(change) + batch.displacement(found);
        try {
            decide(batch, change, found);
        } finally {
            table.count(change.owner, change.first, change.hash, offset, Blocks.REMOVED);
        }
        return Attempt.CHANGED;
    }

    /** Lets the change look at the value that the bucket had. */
    private void decide(Batch batch, Change change, int found) {
        change.decide(batch, record + (change.wantsValue() ? bucket.place(batch.result(found)) : bucket.value));
    }

    // --- storing ---

    /**
     * @param replaces true if a value is replaced; else it is kept
     * @param inserts true if the value is stored for a key that has none
     */
    private Attempt store(Batch batch, Change change, boolean replaces, boolean inserts) {
        int owner = change.owner;
        long home = reader.offset(owner, change.first, Block.home(change.first, change.hash));
        change.placeValue(batch);
        int hold = reservations.hold(owner, home);
        if (hold == Reservations.NOT_HELD) {
            return Attempt.NOT_MADE;
        }
        return store(batch, change, hold, reservations.words(hold, KEY + keyWords()), home, replaces, inserts);
    }

    /**
     * As the other one, once this thread holds the home, which ends here.
     *
     * @param words of the hold
     */
    private Attempt store(Batch batch, Change change, int hold, long[] words, long home, boolean replaces,
            boolean inserts) {
        int owner = change.owner;
        int reserved = BucketWriter.NOTHING_WRITTEN;
        int inserted = BucketWriter.NOTHING_WRITTEN;
        int found = 0;
        try {
            found = find(batch, change); // (7)
            batch.guard(found);
            if (replaces) {
                reserved = batch.exchangeFound(owner, from(change), EVERY_BIT, reservation); // (8)
                writeBeside(batch, change, reserved); // (2)
                batch.guard(reserved);
                batch.getAndAdd(owner, from(change), publication); // (9)
            } else if (change.wantsValue()) {
                batch.read(owner, from(change), after, Layouts.WORD); // (6)
            }
            batch.unguard();
            if (inserts) {
                inserted = batch.compareAndExchange(owner, home, Bucket.FREE, writer.reserved(Bucket.FREE)); // (1)
                batch.guard(inserted);
                writer.write(batch, owner, home, Bucket.FREE, BucketReader.WRITTEN); // (2) and (3)
            }
            complete(batch, change);
            reservations.release(hold);
        } catch (VirtualMachineError | LinkageError error) {
            afterError(error, undo(hold, words, batch, change, home), batch, change, reserved, inserted);
        } catch (Throwable failure) {
            undo(hold, words, batch, change, home);
            throw failure;
        }
        return concluded(batch, change, home, found, reserved, inserted);
    }

    /** Adds the write of the value to the place that is not living: the owner asks the low bit of the version. */
    private void writeBeside(Batch batch, Change change, int reserved) {
        WordTest.put(batch, testOfEven, bucket.state, Bucket.PLACE_BIT, 0, 0);
        WordTest.put(batch, testOfOdd, bucket.state, Bucket.PLACE_BIT, Bucket.PLACE_BIT, Bucket.PLACE_BIT);
        writeIf(batch, change, reserved, testOfOdd, 0);
        writeIf(batch, change, reserved, testOfEven, 1);
    }

    private void writeIf(Batch batch, Change change, int reserved, long test, int place) {
        batch.guard(reserved);
        batch.guard(batch.search(change.owner, from(change), bucket.size, 1, test, 1));
        batch.write(change.owner, from(change) + bucket.value + place * bucket.valueBytes, reader.value(),
                bucket.valueBytes);
    }

    /** Returns if the value is stored, though the error has struck. Else throws the error. */
    private static void afterError(Error error, Undone undone, Batch batch, Change change, int reserved,
            int inserted) {
        boolean isReplaced = BucketWriter.undone(undone, batch, reserved) == Undone.BEFORE;
        if (isReplaced && change.wantsValue()) {
            throw error; // what was there is not known
        }
        BucketWriter.afterError(error, isReplaced ? undone : BucketWriter.undone(undone, batch, inserted), Bucket.FREE,
                change);
    }

    private Attempt concluded(Batch batch, Change change, long home, int found, int reserved, int inserted) {
        if (inserted != BucketWriter.NOTHING_WRITTEN && batch.succeeded(inserted)) {
            change.decide(batch, BucketReader.NONE);
            table.count(change.owner, change.first, change.hash, home, Blocks.ADDED);
            return Attempt.INSERTED;
        }
        boolean isDone = reserved == BucketWriter.NOTHING_WRITTEN
                ? isKept(batch, change, found)
                : batch.succeeded(reserved);
        if (!isDone) {
            return Attempt.UNCLEAR;
        }
        decide(batch, change, found);
        return Attempt.CHANGED;
    }

    /** Returns true if the key has a value, which was read whole if it is wanted. */
    private boolean isKept(Batch batch, Change change, int found) {
        return batch.succeeded(found)
                && (!change.wantsValue() || reader.accepts(batch.result(found), batch.word(after)));
    }

    // --- the parts of a batch ---

    /** Returns the number of the first bucket of the group where the key is at home. */
    private long firstIndex(long first, long hash) {
        return Block.home(first, hash) & -reader.group;
    }

    /** Returns the offset of the first bucket that the owner looks at. */
    private long from(Change change) {
        return reader.offset(change.owner, change.first, firstIndex(change.first, change.hash));
    }

    /** Returns how many buckets the owner looks at. */
    private int count(long first, long hash) {
        long most = Math.min(BUCKETS, Batch.SEARCH_BYTES / bucket.size);
        return (int) Math.min(most, Block.contiguous(first, firstIndex(first, hash)));
    }

    /**
     * Adds a search for the key in a bucket that is READY, and a read of both places if the value is wanted (5). The
     * owner loads the state (4) before the key, as a reader does. So the key that it sees is the bucket's for good. The
     * last version is left out: adding to it would leave its bits. Neither the order of buckets matters nor what lies
     * on the path, since at most one bucket of a block has the key.
     */
    private int find(Batch batch, Change change) {
        WordTest.put(batch, tests, bucket.state, Bucket.KIND_MASK, Bucket.READY, Bucket.READY); // (4)
        WordTest.put(batch, tests + WordTest.BYTES, bucket.state, Bucket.VERSION_BITS, 0,
                Bucket.LAST_BUT_ONE_VERSION);
        int number = TESTS_OF_STATE;
        for (long at = 0; at < bucket.keyBytes; at += Layouts.WORD) {
            WordTest.putEqual(batch, tests + number++ * WordTest.BYTES, bucket.key + at,
                    batch.word(BucketReader.KEY + at));
        }
        long from = from(change);
        int found = batch.search(change.owner, from, bucket.size, count(change.first, change.hash), tests,
                number);
        if (change.wantsValue()) {
            batch.guard(found);
            batch.read(change.owner, from + bucket.value, record + bucket.value, 2 * bucket.valueBytes); // (5)
        }
        return found;
    }

    /** Completes the batch, and reads the home in the end. */
    private void complete(Batch batch, Change change) {
        batch.unguard();
        reader.addHome(batch, change.owner, change.first, change.hash, reader.whole(change.owner));
        batch.complete();
    }

    // --- undoing ---

    /** Undoes what the batch may have reserved, at once or later. Allocates nothing: memory may be what was missing. */
    private Undone undo(int hold, long[] words, Batch batch, Change change, long home) {
        words[BLOCK] = change.first;
        words[HASH] = change.hash;
        for (int word = 0; word < keyWords(); word++) {
            words[KEY + word] = batch.word(BucketReader.KEY + word * Layouts.WORD);
        }
        return reservations.undo(hold, change.owner, home, hold, undoing);
    }

    /** Undoes (8) where the key was found, and (1) at its home. Returns true if one of them had taken effect. */
    private boolean undo(int owner, long home, long hold) {
        Token token = table.blocks.beginToUndo(owner);
        try {
            long[] words = reservations.words((int) hold, KEY + keyWords());
            if (!table.blocks.isPresent(owner, words[BLOCK])) {
                return false;
            }
            boolean wasReserved = writer.repair(owner, home, writer.reserved(Bucket.FREE));
            return isFoundUndone(owner, words) || wasReserved;
        } finally {
            Blocks.endUndoing(token);
        }
    }

    /** It uses no batch, since a thread may come here in the middle of another operation. */
    private boolean isFoundUndone(int owner, long[] words) {
        boolean wasReserved = false;
        long from = reader.offset(owner, words[BLOCK], firstIndex(words[BLOCK], words[HASH]));
        long end = from + count(words[BLOCK], words[HASH]) * bucket.size;
        for (long offset = from; offset < end; offset += bucket.size) {
            long state = endpoint.readWord(owner, offset);
            if (Bucket.isFoundBy(writer.participant.rank(), writer.participant.incarnation(), state)
                    && isKey(owner, offset, words)) {
                wasReserved |= writer.repair(owner, offset, state);
            }
        }
        return wasReserved;
    }

    private boolean isKey(int owner, long offset, long[] words) {
        for (int word = 0; word < keyWords(); word++) {
            if (endpoint.readWord(owner, offset + bucket.key + word * Layouts.WORD) != words[KEY + word]) {
                return false;
            }
        }
        return true;
    }
}
