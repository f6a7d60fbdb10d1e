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
 * Lets the owner find a key's {@link Bucket} (7) and change it (8, 2, 9). If the owner does not find it, it inserts the
 * key at its home (1 to 3). All of it is one batch, so a change is one round trip where the owner decides guards. The
 * numbers are those of {@link Bucket}. The batch also reads the home, as the first round trip of any search does. So an
 * operation that has had no effect goes on with that bucket, and has lost no time.
 *
 * <p>A batch can fail after any part of it took effect. Then the writer must undo what the batch may have reserved, but
 * does not know which bucket that is. It looks for a bucket with its key that (8) has reserved for this process. No
 * other thread of the process can have reserved that one by (8). Each holds the home of its key, from before its batch
 * until it has undone what it must. A thread that asks a function ({@link BucketComputer}) holds nothing while it asks.
 * It says first which bucket it keeps.
 *
 * <p>The undoing may come long after the operation has ended. By then the memory may belong to another block. In that
 * block a thread may have reserved the same key while it holds another home. So the undoing looks only in a block that
 * is {@linkplain Blocks#isPresent present}, and is pinned meanwhile. If the block has gone away, nothing in it was
 * reserved. If it is present again, its homes are where they were, and so are their holds.
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

    /** The results that a change has in a batch at most: of a search, two exchanges and an addition. */
    static final int ATOMICS = 4;

    private static final int TESTS_OF_STATE = 2;

    // What an undoing needs to know, in words that are there before anything is reserved. The home's offset is not
    // asked for again. By then it may take a verb to the owner, or the block may have gone away.
    private static final int BLOCK = 0;
    private static final int HASH = 1;
    private static final int HOME = 2;
    private static final int KEY = 3;

    private static final long EVERY_BIT = -1;

    private final BucketTable table;
    private final BucketReader reader;
    private final BucketWriter writer;
    private final Endpoint endpoint;
    private final Bucket bucket;
    private final Reservations reservations;
    final long reservation;
    private final long publication;
    private final Reservations.Undo undoing = this::undo; // made before it is needed, when there may be no memory

    // Positions in the batch's buffer, behind what an operation without a search uses.
    private final long record; // the bucket that was found
    private final long after; // its state as read after its value
    private final long tests;
    private final long end; // of what a change uses

    private final boolean fits; // into a search and a small buffer

    /** A guess, by what was put together last: true if the next keys may be new. */
    boolean expectsNewKeys = true;

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
        this.end = tests + testBytes();
        // The owner is sent a value twice, and writes it once: small ones are worth that.
        this.fits = TESTS_OF_STATE + keyWords() <= WordTest.MOST && end <= Batch.SMALL_BUFFER_BYTES;
    }

    private int keyWords() {
        return (int) (bucket.keyBytes / Layouts.WORD);
    }

    private long testBytes() {
        return (TESTS_OF_STATE + keyWords()) * WordTest.BYTES;
    }

    /** Returns true if the owner of a key searches for it. */
    final boolean isFor(int owner) {
        return fits && endpoint.decidesAtOwner(owner);
    }

    /** Makes the change if the owner can find the key, or insert it. The batch has the key in its buffer. */
    final Attempt attempt(Batch batch, Change change) {
        if (!isFor(change.owner) || change.unseen(true) == null || change.unseen(false) == null) {
            return Attempt.NOT_MADE;
        }
        return reserves(change) ? store(batch, change) : remove(batch, change);
    }

    // --- in a batch with others ---

    /** Returns how many bytes of the buffer a change uses, from its position on. */
    final long bytes() {
        return end;
    }

    /** Returns true if the change may reserve a bucket. The caller holds the {@link #home} then. */
    static boolean reserves(Change change) {
        return change.unseen(true) != Outcome.REMOVE;
    }

    /**
     * Adds all that makes the change if the owner finds the key, or else if its home is FREE. The key is in the
     * change's part of the buffer, and so is the value. The batch may be guarded afterwards.
     */
    final void add(Batch batch, Change change) {
        if (reserves(change)) {
            addStorage(batch, change);
        } else {
            addRemoval(batch, change);
        }
    }

    /** Returns what the batch has made of the change. */
    final Attempt outcome(Batch batch, Change change) {
        if (change.inserted != BucketWriter.NOTHING_WRITTEN && batch.succeeded(change.inserted)) {
            return Attempt.INSERTED;
        }
        boolean isDone = change.exchanged == BucketWriter.NOTHING_WRITTEN
                ? isKept(batch, change)
                : batch.succeeded(change.exchanged);
        return isDone ? Attempt.CHANGED : Attempt.UNCLEAR;
    }

    /** Returns true if the key has a value, which was read whole if it is wanted. */
    private boolean isKept(Batch batch, Change change) {
        return batch.succeeded(change.found) && (!change.wantsValue()
                || reader.accepts(batch.result(change.found), batch.word(change.position + after)));
    }

    /** Lets a change that is done look at the value that the bucket had. */
    final void decide(Batch batch, Change change, Attempt attempt) {
        if (attempt == Attempt.INSERTED) {
            change.decide(batch, BucketReader.NONE);
        } else {
            change.decide(batch, living(batch, change));
        }
    }

    /** Returns the position of the value that was found, if the change wants it. */
    final long living(Batch batch, Change change) {
        long place = change.wantsValue() ? bucket.place(batch.result(change.found)) : bucket.value;
        return change.position + record + place;
    }

    /** Returns the offset of the bucket that a change has changed. */
    final long offset(Batch batch, Change change, Attempt attempt) {
        return attempt == Attempt.INSERTED ? home(change) : from(change) + batch.displacement(change.found);
    }

    /** Returns what is to be counted of a change that is done, or 0. */
    static long counted(Change change, Attempt attempt) {
        if (attempt == Attempt.INSERTED) {
            return Blocks.ADDED;
        }
        return reserves(change) ? 0 : Blocks.REMOVED;
    }

    // --- of several keys in one batch ---

    /** Returns how many bytes of the buffer a key takes: its entry, as it stands in a bucket, and its tests. */
    final long replacementBytes() {
        return bucket.size + testBytes();
    }

    /** Returns the position of the key of an entry with this position. */
    final long key(long entry) {
        return entry + bucket.key;
    }

    /**
     * Adds what replaces the value of a key, if the owner finds it, and leaves the batch with a guard. The caller holds
     * the {@link #home}. Returns the index of the result of (8), which is the state of the bucket before.
     *
     * @param position of the entry
     */
    final int addReplacement(Batch batch, int owner, long first, long hash, long position) {
        batch.guard(find(batch, owner, first, hash, key(position), position + bucket.size)); // (7)
        return replace(batch, owner, firstBucket(owner, first, hash), position + bucket.value);
    }

    final Attempt concluded(Batch batch, Change change) {
        Attempt attempt = outcome(batch, change);
        if (attempt.isDone()) {
            long offset = offset(batch, change, attempt);
            try {
                decide(batch, change, attempt);
            } finally {
                table.count(change.owner, change.first, change.hash, offset, counted(change, attempt));
            }
        }
        return attempt;
    }

    // --- removing ---

    private Attempt remove(Batch batch, Change change) {
        addRemoval(batch, change);
        complete(batch, change);
        return concluded(batch, change);
    }

    private void addRemoval(Batch batch, Change change) {
        change.inserted = BucketWriter.NOTHING_WRITTEN;
        find(batch, change); // (7)
        batch.guard(change.found);
        change.exchanged = batch.exchangeFound(change.owner, from(change), EVERY_BIT, Bucket.removal());
    }

    // --- storing ---

    private Attempt store(Batch batch, Change change) {
        change.placeValue(batch);
        long home = home(change);
        int hold = reservations.hold(change.owner, home);
        if (!Reservations.keepsOut(hold)) {
            return Attempt.NOT_MADE;
        }
        return store(batch, change, home, hold, reservations.words(hold, words()));
    }

    /**
     * As the other one, once this thread holds the home, which ends here.
     *
     * @param words of the hold
     */
    private Attempt store(Batch batch, Change change, long home, int hold, long[] words) {
        try {
            addStorage(batch, change);
            complete(batch, change);
            reservations.release(hold);
        } catch (VirtualMachineError | LinkageError error) {
            afterError(error, undo(hold, words, home, batch, change), batch, change);
        } catch (Throwable failure) {
            undo(hold, words, home, batch, change);
            throw failure;
        }
        return concluded(batch, change);
    }

    final void addStorage(Batch batch, Change change) {
        int owner = change.owner;
        change.exchanged = BucketWriter.NOTHING_WRITTEN;
        change.inserted = BucketWriter.NOTHING_WRITTEN;
        find(batch, change); // (7)
        batch.guard(change.found);
        if (change.unseen(true) == Outcome.STORE) {
            change.exchanged = replace(batch, owner, from(change), change.position + reader.value());
        } else if (change.unseen(true) == Outcome.COMPUTE) {
            change.exchanged = batch.exchangeFound(owner, from(change), EVERY_BIT, reservation); // behind (5): (8)
        } else if (change.wantsValue()) {
            batch.read(owner, from(change), change.position + after, Layouts.WORD); // (6)
        }
        batch.unguard();
        if (change.unseen(false) != Outcome.KEEP) {
            long home = home(change);
            change.inserted = batch.compareAndExchange(owner, home, Bucket.FREE, writer.reserved(Bucket.FREE)); // (1)
            batch.guard(change.inserted);
            if (change.unseen(false) == Outcome.COMPUTE) {
                writer.name(batch, owner, home, change.position + BucketReader.WRITTEN);
            } else {
                writer.write(batch, owner, home, Bucket.FREE, change.position + BucketReader.WRITTEN); // (2) and (3)
            }
        }
    }

    /**
     * Adds what replaces the value of the bucket that was found, under the guard of (7). Returns the index of the
     * result of (8), which is the state of the bucket before, and leaves that as the guard.
     *
     * @param from the offset of the first bucket that the owner looks at
     * @param value the position of the other value
     */
    private int replace(Batch batch, int owner, long from, long value) {
        int reserved = batch.exchangeFound(owner, from, EVERY_BIT, reservation); // (8)
        batch.guard(reserved);
        batch.writeBeside(owner, from + bucket.value, value, bucket.valueBytes, Bucket.PLACE_SHIFT); // (2)
        batch.getAndAdd(owner, from, publication); // (9)
        return reserved;
    }

    /** Returns if the value is stored, though the error has struck. Else throws the error. */
    private static void afterError(Error error, Undone undone, Batch batch, Change change) {
        boolean isReplaced = BucketWriter.undone(undone, batch, change.exchanged) == Undone.BEFORE;
        if (isReplaced && change.wantsValue()) {
            throw error; // what was there is not known
        }
        BucketWriter.afterError(error,
                isReplaced ? undone : BucketWriter.undone(undone, batch, change.inserted), Bucket.FREE, change);
    }

    // --- the parts of a batch ---

    /** Returns the number of the first bucket of the group where the key is at home. */
    private long firstIndex(long first, long hash) {
        return Block.home(first, hash) & -reader.group;
    }

    /** Returns the offset of the bucket where the key is inserted if it has none. */
    final long home(Change change) {
        return home(change.owner, change.first, change.hash);
    }

    /** As the other one, of a key in this block. */
    final long home(int owner, long first, long hash) {
        return reader.offset(owner, first, Block.home(first, hash));
    }

    private long from(Change change) {
        return firstBucket(change.owner, change.first, change.hash);
    }

    /** Returns the offset of the first bucket that the owner looks at. */
    final long firstBucket(int owner, long first, long hash) {
        return reader.offset(owner, first, firstIndex(first, hash));
    }

    /** Returns how many buckets the owner looks at. */
    private int count(long first, long hash) {
        long most = Math.min(BUCKETS, Batch.SEARCH_BYTES / bucket.size);
        return (int) Math.min(most, Block.contiguous(first, firstIndex(first, hash)));
    }

    /** Adds a search for the key, and a read of both places if the value is wanted (5). */
    private void find(Batch batch, Change change) {
        change.found = find(batch, change.owner, change.first, change.hash, change.position + BucketReader.KEY,
                change.position + tests);
        if (change.wantsValue()) {
            batch.guard(change.found);
            batch.read(change.owner, from(change) + bucket.value, change.position + record + bucket.value,
                    2 * bucket.valueBytes); // (5)
        }
    }

    /**
     * Adds a search for the key in a bucket that is READY. The owner loads the state (4) before the key, as a reader
     * does. So the key that it sees is the bucket's for good. A bucket of the last version does not pass: an addition
     * would carry into the next bits. The order of buckets does not matter, nor what lies on the path: at most one
     * bucket of a block has the key. Returns the index of the result.
     *
     * @param key its position in the buffer
     * @param at the position of the tests
     */
    private int find(Batch batch, int owner, long first, long hash, long key, long at) {
        WordTest.put(batch, at, bucket.state, Bucket.KIND_MASK, Bucket.READY, Bucket.READY); // (4)
        WordTest.put(batch, at + WordTest.BYTES, bucket.state, Bucket.VERSION_BITS, 0, Bucket.LAST_BUT_ONE_VERSION);
        int number = TESTS_OF_STATE;
        for (long word = 0; word < bucket.keyBytes; word += Layouts.WORD) {
            WordTest.putEqual(batch, at + number++ * WordTest.BYTES, bucket.key + word, batch.word(key + word));
        }
        return batch.search(owner, firstBucket(owner, first, hash), bucket.size, count(first, hash), at, number);
    }

    /** Completes the batch, and reads the home in the end. */
    final void complete(Batch batch, Change change) {
        batch.unguard();
        reader.addHome(batch, change.owner, change.first, change.hash, reader.arrivesWhole(change.owner));
        batch.complete();
    }

    // --- undoing ---

    /** Returns how many words of its hold an undoing of a change has to know. */
    final int words() {
        return KEY + keyWords();
    }

    /** Notes what an undoing of the change has to know, in words of the hold. The batch has the key in its buffer. */
    final void note(long[] words, long home, Batch batch, Change change) {
        note(words, 0, home, change.first, change.hash, batch, change.position + BucketReader.KEY);
    }

    /**
     * As the other one, for the key of this block that has this position in the buffer.
     *
     * @param from the first of the words
     */
    final void note(long[] words, int from, long home, long first, long hash, Batch batch, long key) {
        words[from + BLOCK] = first;
        words[from + HASH] = hash;
        words[from + HOME] = home;
        for (int word = 0; word < keyWords(); word++) {
            words[from + KEY + word] = batch.word(key + word * Layouts.WORD);
        }
    }

    final Undone undo(int hold, long[] words, long home, Batch batch, Change change) {
        note(words, home, batch, change);
        return undo(hold, change.owner);
    }

    /** As the other one, of what these words tell from there on. The action is told where they begin. */
    final Undone undo(int hold, int owner, long[] words, int from, Reservations.Undo action) {
        return reservations.undo(hold, owner, words[from + HOME], from, action);
    }

    /**
     * Undoes what the batch may have reserved, at once or later, and ends the hold, whose words tell what that is. It
     * allocates nothing: memory may be what was missing.
     */
    final Undone undo(int hold, int owner) {
        long home = reservations.words(hold, words())[HOME];
        return reservations.undo(hold, owner, home, hold, undoing);
    }

    private boolean undo(int owner, long home, long hold) {
        return undo(owner, home, reservations.words((int) hold, words()), 0);
    }

    /**
     * Undoes (8) where the key was found, and (1) at its home, named or not. Returns true if one had taken effect.
     *
     * @param words that were {@linkplain #note noted}
     * @param from the first of them
     */
    final boolean undo(int owner, long home, long[] words, int from) {
        Token token = table.blocks.beginToUndo(owner);
        try {
            long first = words[from + BLOCK];
            if (!table.blocks.isPresent(owner, first)) {
                return false;
            }
            boolean wasReserved = writer.repair(owner, home, writer.reserved(Bucket.FREE))
                    || writer.repairNamed(owner, first, home, words[from + HASH]);
            return isFoundUndone(owner, words, from) || wasReserved;
        } finally {
            Blocks.endUndoing(token);
        }
    }

    /**
     * It uses no batch, since a thread may come here in the middle of another operation. A bucket that a thread keeps
     * for a function is not this undoing's. A thread begins and ends to keep it while it holds the home.
     */
    private boolean isFoundUndone(int owner, long[] words, int from) {
        boolean wasReserved = false;
        long first = words[from + BLOCK];
        long hash = words[from + HASH];
        long begin = firstBucket(owner, first, hash);
        long end = begin + count(first, hash) * bucket.size;
        for (long offset = begin; offset < end; offset += bucket.size) {
            long state = endpoint.readWord(owner, offset);
            if (Bucket.isFoundBy(writer.participant.rank(), writer.participant.incarnation(), state)
                    && isKey(owner, offset, words, from + KEY)
                    && !reservations.isKept(owner, offset)) {
                wasReserved |= writer.repair(owner, offset, state);
            }
        }
        return wasReserved;
    }

    private boolean isKey(int owner, long offset, long[] words, int key) {
        for (int word = 0; word < keyWords(); word++) {
            if (endpoint.readWord(owner, offset + bucket.key + word * Layouts.WORD) != words[key + word]) {
                return false;
            }
        }
        return true;
    }
}
