package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import io.atoll.world.Reservations.Undone;
import java.util.Arrays;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Stores values of several keys of other ranks in rounds, each of which is one round trip to all their owners. A key
 * takes three rounds if nothing is in its way: one looks for its bucket, the next one reserves it (1), and one more
 * writes it (2, 3). A round does each of these for some of the keys:
 * <pre>
 *   round      1            2            3            4
 *   look for   keys 0-63    keys 64-127  keys 128-191
 *   reserve                 keys 0-63    keys 64-127  keys 128-191
 *   write                                keys 0-63    keys 64-127
 * </pre>
 *
 * <p>It never waits, because others may have reserved what is missing here, and wait for what is reserved here. A key
 * goes back to be looked for if its bucket is reserved, or is no longer as found. After {@value #MOST_REFUSALS} such
 * rounds it is left to the caller. So is a key for which there is no bucket.
 *
 * <p>Two of the keys may want the same bucket. The second one looks for another when the first one is written.
 *
 * <p>{@link #run} does all rounds. Another thread of control calls {@link #fill}, completes the batch, calls
 * {@link #take}, and so on; if anything fails, it calls {@link #abandon}. One thread does all that: its pin lasts from
 * one call to the next.
 */
abstract class PutRounds {

    /** Keys that go round together, before what has become of them is counted. */
    private static final int WAVE = 256;

    /** For as many keys of its owner, a block that is being replaced is helped as by an operation on one key. */
    private static final int KEYS_FOR_A_HELP = 64;

    private static final int MOST_REFUSALS = 4;

    private final Endpoint endpoint;
    private final Reservations reservations;
    private final Blocks blocks;
    final BulkSearch search;
    private final int count;
    private final long entries; // position in the buffer of what is written
    private final long entryBytes;
    private final int[] begun; // how many keys of each owner
    private final long[] firsts; // where the search for each key began
    private final long[] offsets; // of the bucket that was found for each key
    private final long[] states; // of that bucket, as it was found
    private final int[] holds; // NOT_HELD unless the bucket may be reserved for the key
    private final byte[] refusals;
    private final boolean[] stored;
    // Numbers of keys: those that are looked for, whose buckets were found, and whose buckets are reserved.
    private final int[] sought;
    private final int[] found;
    private final int[] reserved;
    private final long[] witnesses = new long[Batch.ATOMICS]; // what the exchanges of a round have found
    private int soughtCount;
    private int foundCount;
    private int reservedCount;
    // The wave that is under way: these keys, none before the first wave and behind the last one.
    private int from;
    private int to;
    private boolean isUnderWay;
    private @Nullable Token token;
    private int exchanges; // of the present round
    private int read; // keys for which the present round reads

    /**
     * @param search for the keys; none belongs to a rank whose verbs are executed at once
     * @param entries position in the buffer from which on a round may use it
     * @param entryBytes what an entry takes there
     */
    PutRounds(Participant participant, Blocks blocks, BulkSearch search, int count, long entries, long entryBytes) {
        this.endpoint = participant.endpoint();
        this.reservations = participant.reservations();
        this.blocks = blocks;
        this.search = search;
        this.count = count;
        this.entries = entries;
        this.entryBytes = entryBytes;
        this.begun = new int[blocks.ranks()];
        this.firsts = new long[count];
        this.offsets = new long[count];
        this.states = new long[count];
        this.holds = new int[count];
        Arrays.fill(holds, Reservations.NOT_HELD);
        this.refusals = new byte[count];
        this.stored = new boolean[count];
        this.sought = new int[Math.min(count, WAVE)];
        this.found = new int[sought.length];
        this.reserved = new int[sought.length];
    }

    // --- what depends on the table ---

    /** Returns true if a thread waits until a bucket in this state is in another one. */
    abstract boolean isReserved(long state);

    /** Returns what is exchanged for the state of the key's bucket. */
    abstract long exchanged(int key, long state);

    /** Returns true if an exchange of this state reserves the bucket, and a write follows. */
    abstract boolean isWritten(long state);

    abstract void write(Batch batch, int key, long offset, long state, long position);

    abstract Reservations.Undo undoing();

    /** Returns what {@link Blocks#count} is told of a bucket of that state that was stored to; 0 if nothing. */
    abstract long counted(long state);

    abstract long firstToChange(int owner, @Nullable Token token);

    // --- all rounds ---

    /** Stores the values. Returns the numbers of the keys that are left. */
    final int[] run() {
        try (Batch batch = endpoint.batch()) {
            run(batch);
        }
        return left();
    }

    private void run(Batch batch) {
        try {
            while (fill(batch)) {
                batch.complete();
                take(batch);
            }
        } catch (Throwable failure) {
            abandon(failure);
            throw failure;
        }
    }

    /** Returns the numbers of the keys that are not stored. */
    final int[] left() {
        return IntStream.range(0, count).filter(key -> !stored[key]).toArray();
    }

    /**
     * Adds the verbs of the next round. Returns false if nothing is left to do; then it adds nothing. Between two waves
     * it may help or begin to replace blocks, which uses the thread's batch.
     */
    final boolean fill(Batch batch) {
        while (soughtCount + foundCount + reservedCount == 0) {
            if (isUnderWay) {
                end(null);
            }
            if (to == count) {
                return false;
            }
            begin();
        }
        fillRound(batch);
        return true;
    }

    /** Takes what the round has found, once its batch is complete. */
    final void take(Batch batch) {
        if (endpoint.guarantees().readsInOrder()) {
            keepResults(batch);
        }
        finish();
        judge();
        advanceAll(batch);
    }

    /** Ends after a failure, of a batch or anything else. What was reserved is undone. */
    final void abandon(Throwable failure) {
        if (!isUnderWay) {
            return;
        }
        // This allocates nothing, as far as a bucket is undone at once.
        for (int place = 0; place < reservedCount; place++) {
            // This one was reserved for certain. If it is not any more, it is written.
            stored[reserved[place]] = undo(reserved[place]) == Undone.BEFORE;
        }
        for (int key = from; key < to; key++) {
            if (holds[key] != Reservations.NOT_HELD) {
                undo(key);
            }
        }
        end(failure);
    }

    // --- a wave ---

    private void begin() {
        from = to;
        to = Math.min(count, from + WAVE);
        // An operation for each wave, because nothing that is retired meanwhile is freed before its end.
        token = blocks.beginToChange();
        isUnderWay = true;
        for (int key = from; key < to; key++) {
            int owner = search.owner(key);
            firsts[key] = begun[owner]++ % KEYS_FOR_A_HELP == 0 ? firstToChange(owner, token) : blocks.first(owner);
            search.begin(key, firsts[key]);
            sought[soughtCount++] = key;
        }
    }

    private void end(@Nullable Throwable failure) {
        try {
            countAll(failure);
        } finally {
            isUnderWay = false;
            blocks.end(token);
        }
    }

    private Undone undo(int key) {
        int hold = holds[key];
        holds[key] = Reservations.NOT_HELD;
        return reservations.undo(hold, search.owner(key), offsets[key], exchanged(key, states[key]), undoing());
    }

    /** Counts what was stored, once nothing is reserved: a count may begin to grow, which takes long. */
    private void countAll(@Nullable Throwable failure) {
        try {
            for (int key = from; key < to; key++) {
                long change = stored[key] ? counted(states[key]) : 0;
                if (change != 0) {
                    blocks.note(search.owner(key), firsts[key], offsets[key], search.hash(key), change);
                }
            }
        } catch (FabricException uncounted) {
            if (failure == null) {
                throw uncounted;
            }
            failure.addSuppressed(uncounted);
        }
    }

    // --- one round ---

    private void fillRound(Batch batch) {
        long position = entries;
        for (int place = 0; place < reservedCount; place++) {
            int key = reserved[place];
            write(batch, key, offsets[key], states[key], position);
            position += entryBytes;
        }
        exchanges = exchange(batch);
        if (!endpoint.guarantees().readsInOrder()) {
            batch.complete(); // the search may complete it more than once, and the results are those of the last time
            keepResults(batch);
        }
        // Behind the exchanges: it sees what they have reserved. A batch has room for the exchanges of so many keys.
        read = search.read(batch, sought, Math.min(soughtCount, Batch.ATOMICS), position);
    }

    private void keepResults(Batch batch) {
        for (int place = 0; place < exchanges; place++) {
            witnesses[place] = batch.result(place);
        }
    }

    /** Exchanges as many states as there are results, and room for entries. Returns how many. */
    private int exchange(Batch batch) {
        int most = Math.clamp((Batch.THREAD_BUFFER_BYTES - entries) / entryBytes, 1, Batch.ATOMICS);
        int added = 0;
        int place = 0;
        for (; place < foundCount && added < most; place++) {
            int key = found[place];
            if (!isWritten(states[key]) || isHeld(key)) {
                found[added++] = key;
                batch.compareAndExchange(search.owner(key), offsets[key], states[key], exchanged(key, states[key]));
            } else if (isWantedTwice(key, added)) {
                sought[soughtCount++] = key;
            } else {
                refuse(key);
            }
        }
        System.arraycopy(found, place, found, added, foundCount - place);
        foundCount -= place - added;
        return added;
    }

    private boolean isHeld(int key) {
        holds[key] = reservations.tryHold(search.owner(key), offsets[key]);
        return holds[key] != Reservations.NOT_HELD;
    }

    /** Returns true if another one of the keys is about to take the key's bucket. */
    private boolean isWantedTwice(int key, int added) {
        return isAmong(reserved, reservedCount, key) || isAmong(found, added, key);
    }

    private boolean isAmong(int[] others, int othersCount, int key) {
        for (int place = 0; place < othersCount; place++) {
            int other = others[place];
            if (offsets[other] == offsets[key] && search.owner(other) == search.owner(key)) {
                return true;
            }
        }
        return false;
    }

    /** Looks for the key anew, or leaves it. */
    private void refuse(int key) {
        if (refusals[key]++ < MOST_REFUSALS) {
            sought[soughtCount++] = key;
        }
    }

    /** What was written has arrived. */
    private void finish() {
        for (int place = 0; place < reservedCount; place++) {
            int key = reserved[place];
            release(key);
            stored[key] = true;
        }
        reservedCount = 0;
    }

    private void release(int key) {
        if (holds[key] != Reservations.NOT_HELD) {
            reservations.release(holds[key]);
            holds[key] = Reservations.NOT_HELD;
        }
    }

    private void judge() {
        for (int place = 0; place < exchanges; place++) {
            int key = found[place];
            if (!hasTaken(witnesses[place], states[key])) {
                release(key);
                refuse(key);
            } else if (isWritten(states[key])) {
                reserved[reservedCount++] = key;
            } else {
                stored[key] = true;
            }
        }
        System.arraycopy(found, exchanges, found, 0, foundCount - exchanges);
        foundCount -= exchanges;
    }

    /** Returns true if an exchange that found this has taken place. */
    boolean hasTaken(long witness, long state) {
        return witness == state;
    }

    /** Takes the searches further for which the round has read. */
    private void advanceAll(Batch batch) {
        int wanted = soughtCount;
        soughtCount = 0;
        for (int place = 0; place < wanted; place++) {
            int key = sought[place];
            if (place >= read || !isDecided(batch, key)) {
                sought[soughtCount++] = key;
            }
        }
    }

    private boolean isDecided(Batch batch, int key) {
        long bucket = search.advance(batch, key);
        if (bucket == BucketReader.BEHIND || bucket == BucketReader.FULL) {
            return bucket == BucketReader.FULL;
        }
        offsets[key] = bucket < 0 ? ~bucket : bucket;
        states[key] = search.state(key);
        if (isReserved(states[key])) {
            return refusals[key]++ >= MOST_REFUSALS;
        }
        found[foundCount++] = key;
        return true;
    }
}
