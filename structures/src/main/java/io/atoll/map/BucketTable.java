package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.TableFullException;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import io.atoll.world.waiting.Reservations;

/**
 * The protocol of {@link DistributedMap} on {@link Bucket}s. Before an operation the caller places the key at {@link #KEY}, and the value behind it, in
 * the buffer of the owner's batch.
 *
 * <p>A finder never waits: it reads state, bucket and state again, and accepts the bucket if the state did not move. It sees the value that is being
 * replaced until it is. Whoever changes an entry waits while another does; who inserts a new key waits at a bucket that is reserved for
 * one, which might be the same. So such a bucket ends every search, as a FREE one does: nothing lies behind it. What a rank that dies in the middle
 * has reserved is repaired by whoever waits for it; who lives and cannot go on undoes it.
 *
 * <p>What a test overrides to break the protocol, or to stand still in the middle of it, is not private.
 */
class BucketTable {

    /** A bucket as it is written and one as it is read share a batch's buffer. */
    static final long LARGEST_BUCKET_BYTES = (Batch.THREAD_BUFFER_BYTES - 2 * Layouts.CACHE_LINE) / 2;

    /** As much as a read may bring without taking longer. */
    private static final long GROUP_BYTES = 4 * Layouts.CACHE_LINE;

    private static final long FULL = Long.MIN_VALUE;

    /** In place of a position: there is no living value. */
    static final long NONE = -1;

    /** What becomes of an entry. */
    enum Outcome {
        /** It stays as it is. */
        KEEP,
        /** It is what stands in the batch's buffer. */
        STORE,
        /** It has no value any more. */
        REMOVE,
        /** What {@link Change#compute} says, once the bucket is reserved. */
        COMPUTE
    }

    /** What an operation does with what it finds. */
    interface Change {

        /**
         * Says what becomes of the entry. Asked before anything is reserved, and anew whenever another has changed the entry before this one could.
         *
         * @param living the position in the buffer of the key's value, or {@link #NONE}
         */
        Outcome decide(Batch batch, long living);

        /** Likewise, asked once, while nobody else can change the entry. May use the table for other keys, and fail: the entry is left as it is then. */
        default Outcome compute(Batch batch, long living) {
            throw new AssertionError("decided before: change=" + this);
        }

        /** Puts key and value into the batch's buffer, before they are stored. */
        void place(Batch batch);
    }

    // Positions in a batch's buffer. The key of the operation lies as in a bucket whose state is at WRITTEN, the value behind it as in place 0.
    private static final long BEFORE = 0; // the state as read before the bucket
    private static final long AFTER = BEFORE + Layouts.WORD; // the state as read after it
    private static final long WRITTEN = Layouts.CACHE_LINE; // a bucket as it is to be written
    static final long KEY = WRITTEN + Layouts.WORD;

    final Endpoint endpoint;
    final Bucket bucket;
    private final String name;
    private final Participant participant;
    private final Placement placement;
    private final long[] blocks;
    private final long read; // position of the bucket, or the group, that was read
    private final int group; // buckets that are neighbours in probing, a power of two

    /** @param blocks where the buckets begin in each rank's segment */
    BucketTable(String name, Participant participant, Placement placement, Bucket bucket, long[] blocks) {
        this.name = name;
        this.participant = participant;
        this.endpoint = participant.endpoint();
        this.placement = placement;
        this.bucket = bucket;
        this.blocks = blocks;
        this.read = WRITTEN + bucket.size;
        this.group = (int) Math.min(placement.buckets(), Long.highestOneBit(Math.max(1, GROUP_BYTES / bucket.size)));
    }

    Placement placement() {
        return placement;
    }

    Participant participant() {
        return participant;
    }

    /** Position of the operation's value in the buffer. */
    long value() {
        return KEY + bucket.keyBytes;
    }

    /** The position of the key's value in the buffer, or {@link #NONE}. Cost: R. */
    long find(Batch batch, int owner, long home, Promise promise) {
        long index = locate(batch, owner, home, promise.isOnlyFinds() || whole(owner));
        return index >= 0 && Bucket.isLiving(batch.word(BEFORE))
                ? located(batch) + bucket.place(batch.word(BEFORE))
                : NONE;
    }

    /** True if the key had no value; it has the given one then. Else {@code otherwise} decides. Cost: A + W for a key that was never there. */
    boolean insert(Batch batch, int owner, long home, Change otherwise) {
        // Without a look first: into a bucket that is free, as most are, an insertion costs A + W.
        return exchange(batch, owner, home, Bucket.FREE) == Bucket.FREE || change(batch, owner, home, otherwise);
    }

    /**
     * True if the key had no value and something was to become of that. Cost: R; + A if the value is removed, + A + W if one is stored or computed; W more
     * if one is computed for a key that was never there.
     */
    boolean change(Batch batch, int owner, long home, Change change) {
        while (true) {
            long index = locate(batch, owner, home, whole(owner));
            long state = index < 0 ? Bucket.FREE : batch.word(BEFORE);
            long living = Bucket.isLiving(state) ? located(batch) + bucket.place(state) : NONE;
            Outcome outcome = change.decide(batch, living);
            if (outcome == Outcome.KEEP) {
                return false;
            }
            if (Bucket.kind(state) == Bucket.RESERVED) {
                settle(owner, index, state);
            } else if (perform(batch, owner, index, state, living, outcome, change)) {
                return living == NONE;
            }
        }
    }

    /** False if the entry was not any more what it was when {@link #locate} found it; then nothing was done. */
    private boolean perform(Batch batch, int owner, long located, long state, long living, Outcome outcome,
            Change change) {
        if (located == FULL) {
            throw new TableFullException(name, owner, placement.buckets());
        }
        long index = located < 0 ? ~located : located;
        if (outcome == Outcome.REMOVE) {
            return endpoint.compareAndExchange(owner, stateOf(owner, index), state, Bucket.removed(state)) == state;
        }
        if (outcome == Outcome.STORE) {
            change.place(batch);
        }
        long witness = outcome == Outcome.STORE
                ? exchange(batch, owner, index, state)
                : compute(batch, owner, index, state, living, change);
        if (waitsAt(witness)) {
            settle(owner, index, witness);
        }
        return witness == state;
    }

    /** Puts the entry into the bucket if its state still is this one, FREE or with the key; returns what it was. */
    private long exchange(Batch batch, int owner, long index, long state) {
        if (isComputed(owner, index)) {
            return reserved(Bucket.NAMED);
        }
        long reservation = reserved(state);
        int hold = participant.reservations().hold(owner, stateOf(owner, index));
        boolean reserved = !endpoint.executesAtOnce(owner); // may be, then, whatever becomes of the exchange
        try {
            long witness = endpoint.compareAndExchange(owner, stateOf(owner, index), state, reservation);
            if (witness == state) {
                reserved = true;
                write(batch, owner, index, state);
            }
            participant.reservations().release(hold);
            return witness;
        } catch (RuntimeException | Error failure) {
            if (reserved) {
                participant.reservations().undo(hold, owner, () -> repair(owner, index, reservation));
            }
            throw failure;
        }
    }

    private long reserved(long state) {
        return Bucket.reserved(state, participant.rank(), participant.incarnation());
    }

    private void write(Batch batch, int owner, long index, long state) {
        if (state == Bucket.FREE) {
            fill(batch, owner, index);
        } else {
            update(batch, owner, index, state);
        }
    }

    // --- computing ---

    /** As {@link #exchange}, with what the change computes once the bucket is reserved. */
    private long compute(Batch batch, int owner, long index, long state, long living, Change change) {
        long witness = reserve(batch, owner, index, state);
        if (witness == state) {
            long named = state == Bucket.FREE ? Bucket.NAMED : state;
            Outcome outcome;
            try {
                outcome = change.compute(batch, living);
            } catch (RuntimeException | Error failure) {
                participant.reservations()
                        .withdraw(owner, stateOf(owner, index), () -> repair(owner, index, reserved(named)));
                throw failure;
            }
            conclude(owner, index, named, outcome, change);
        }
        return witness;
    }

    /** Whether a thread of this process asks a function about it; then it is reserved, with a key, and must not be waited for before its key is known. */
    private boolean isComputed(int owner, long index) {
        return participant.reservations().isKept(owner, stateOf(owner, index));
    }

    /** Reserves the bucket, with the key in it: whoever looks for another one need not wait for the function, which may do so itself. */
    private long reserve(Batch batch, int owner, long index, long state) {
        if (isComputed(owner, index)) {
            return reserved(Bucket.NAMED);
        }
        long offset = stateOf(owner, index);
        int hold = participant.reservations().hold(owner, offset);
        boolean reserved = !endpoint.executesAtOnce(owner);
        try {
            long witness = endpoint.compareAndExchange(owner, offset, state, reserved(state));
            if (witness != state) {
                participant.reservations().release(hold);
                return witness;
            }
            reserved = true;
            if (state == Bucket.FREE) {
                writeFirst(batch, owner, index, reserved(Bucket.NAMED), bucket.keyBytes);
            }
            participant.reservations().keep(hold, owner, offset);
            return witness;
        } catch (RuntimeException | Error failure) {
            if (reserved) {
                participant.reservations().undo(hold, owner, () -> {
                    repair(owner, index, reserved(state));
                    repair(owner, index, reserved(Bucket.NAMED));
                });
            }
            throw failure;
        }
    }

    private void conclude(int owner, long index, long state, Outcome outcome, Change change) {
        long offset = stateOf(owner, index);
        Runnable undoing = () -> repair(owner, index, reserved(state));
        int hold = participant.reservations().resume(owner, offset, undoing);
        try {
            switch (outcome) {
                case STORE -> {
                    // Asked for anew: the function may have used this thread's batch, and left verbs in it that failed.
                    Batch batch = endpoint.batch(owner);
                    change.place(batch);
                    update(batch, owner, index, state);
                }
                case REMOVE -> endpoint.compareAndExchange(owner, offset, reserved(state), Bucket.removed(state));
                default -> undoing.run();
            }
            participant.reservations().release(hold);
        } catch (RuntimeException | Error failure) {
            participant.reservations().undo(hold, owner, undoing);
            throw failure;
        }
    }

    // --- writing ---

    void fill(Batch batch, int owner, long index) {
        writeFirst(batch, owner, index, Bucket.settled(Bucket.READY, 0), bucket.keyBytes + bucket.valueBytes);
    }

    /** Writes what follows the state, and the state after it. */
    private void writeFirst(Batch batch, int owner, long index, long state, long bytes) {
        long offset = stateOf(owner, index);
        if (whole(owner)) {
            batch.setWord(WRITTEN, state);
            batch.write(owner, offset, WRITTEN, Layouts.WORD + bytes);
        } else {
            batch.write(owner, offset + bucket.key, KEY, bytes);
            // (1) after key and value, in the order of the batch: pairs with the first read of the state in readBucket (3).
            batch.writeWord(owner, offset, state);
        }
        batch.complete();
    }

    void update(Batch batch, int owner, long index, long state) {
        long changed = Bucket.settled(Bucket.READY, Bucket.version(state) + 1);
        batch.write(owner, stateOf(owner, index) + target(state, changed), value(), bucket.valueBytes);
        // (2) after the value, in the order of the batch: pairs with the reads of the state in readBucket (3), (4).
        batch.writeWord(owner, stateOf(owner, index), changed);
        batch.complete();
    }

    /** Where an update writes: beside the living value, so that a crash half-way leaves that whole. */
    long target(long state, long changed) {
        return bucket.place(changed);
    }

    /**
     * Finds the bucket of the key, its state then at {@link #BEFORE} and its position at {@link #AFTER}; or the complement of the one where it is to be
     * inserted, FREE or reserved for a new key; or {@link #FULL}.
     *
     * @param whole whether one read brings buckets as they are
     */
    private long locate(Batch batch, int owner, long home, boolean whole) {
        for (long steps = 0; steps < placement.buckets(); steps++) {
            long index = placement.bucket(home, steps, group);
            long position = look(batch, owner, index, steps % group == 0, whole);
            long state = batch.word(position);
            if (Bucket.hasKey(state)) {
                if (isKey(batch, position + bucket.key)) {
                    batch.setWord(BEFORE, state);
                    batch.setWord(AFTER, position);
                    return index;
                }
            } else if (state == Bucket.FREE || waitsAt(state)) {
                return ~index;
            }
        }
        return FULL;
    }

    /** Position of the bucket in the buffer; what arrives whole is read in groups. */
    private long look(Batch batch, int owner, long index, boolean firstOfGroup, boolean whole) {
        if (!whole) {
            readBucket(batch, owner, stateOf(owner, index), read);
            return read;
        }
        if (firstOfGroup) {
            batch.read(owner, stateOf(owner, index & -group), read, group * bucket.size);
            batch.complete();
        }
        return read + (index & group - 1) * bucket.size;
    }

    private static long located(Batch batch) {
        return batch.word(AFTER);
    }

    boolean isKey(Batch batch, long position) {
        for (long at = 0; at < bucket.keyBytes; at += Layouts.WORD) {
            if (batch.word(position + at) != batch.word(KEY + at)) {
                return false;
            }
        }
        return true;
    }

    boolean waitsAt(long state) {
        return Bucket.kind(state) == Bucket.RESERVED && Bucket.origin(state) == Bucket.FREE;
    }

    private boolean whole(int owner) {
        return endpoint.atomicReadBytes(owner) >= bucket.size;
    }

    private void readBucket(Batch batch, int owner, long offset, long position) {
        do {
            // (3) first: a state other than FREE and RESERVED was written (1) after the key.
            batch.read(owner, offset, BEFORE, Layouts.WORD);
            completeUnlessOrdered(batch, owner);
            batch.read(owner, offset, position, bucket.size);
            completeUnlessOrdered(batch, owner);
            // (4) last: if the state has not moved, nobody has written (2) to the place that it names.
            batch.read(owner, offset, AFTER, Layouts.WORD);
            batch.complete();
        } while (!accepts(batch.word(BEFORE), batch.word(AFTER)));
        batch.setWord(position, batch.word(BEFORE));
    }

    boolean accepts(long stateBefore, long stateAfter) {
        return stateBefore == stateAfter;
    }

    private void completeUnlessOrdered(Batch batch, int owner) {
        if (!endpoint.readsInOrder(owner)) {
            batch.complete();
        }
    }

    private void settle(int owner, long index, long reserved) {
        if (participant.reservations().isKeptByThisThread(owner, stateOf(owner, index))) {
            throw new IllegalStateException("a function must not change the entry that it is asked about: map=" + name);
        }
        participant.reservations()
                .awaitSettled(owner, stateOf(owner, index), reserved, Bucket.rank(reserved),
                        Bucket.incarnation(reserved), () -> repair(owner, index, reserved), "change " + name);
    }

    private void repair(int owner, long index, long reserved) {
        endpoint.compareAndExchange(owner, stateOf(owner, index), reserved, undone(reserved));
    }

    long undone(long reserved) {
        return Bucket.undone(reserved);
    }

    long stateOf(int owner, long index) {
        return blocks[owner] + index * bucket.size;
    }

    /** Takes the buffer of a batch with an entry in it: the key's position and the value's. */
    interface EntryReader {
        void read(Batch batch, long key, long value);
    }

    /**
     * Reads the living entries among the buckets from {@code index} on, as many as the buffer holds; returns the index after the last.
     */
    long readEntries(int owner, long index, EntryReader reader) {
        Batch batch = endpoint.batch(owner);
        long count = Math.min(Math.max(1, (Batch.THREAD_BUFFER_BYTES - read) / bucket.size),
                placement.buckets() - index);
        if (whole(owner)) {
            batch.read(owner, stateOf(owner, index), read, count * bucket.size);
            batch.complete();
        }
        for (int at = 0; at < count; at++) {
            long position = read + at * bucket.size;
            if (!whole(owner)) {
                readBucket(batch, owner, stateOf(owner, index + at), position);
            }
            if (Bucket.isLiving(batch.word(position))) {
                reader.read(batch, position + bucket.key, position + bucket.place(batch.word(position)));
            }
        }
        return index + count;
    }

    /** Whether no key of that rank has a value. Cost: that of {@link #readEntries}, up to the first. */
    final boolean isEmpty(int owner) {
        boolean[] empty = {true};
        for (long index = 0; empty[0] && index < placement.buckets();) {
            index = readEntries(owner, index, (batch, key, value) -> empty[0] = false);
        }
        return empty[0];
    }
}
