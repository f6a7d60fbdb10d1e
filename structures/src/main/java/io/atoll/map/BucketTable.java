package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.map.BucketTable.Change.Outcome;
import io.atoll.memory.LocalMemory;
import io.atoll.promise.Promise;
import io.atoll.promise.PromiseWatch;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of a map of any keys and values on {@link Bucket}s. An operation begins. If it is to change something,
 * it asks for the block in which its key is looked for first. It places the key at {@link BucketReader#KEY} in the
 * buffer of the owner's batch, does its work, and ends:
 * <pre>{@code
 * Token token = table.begin();
 * try {
 *     long first = table.firstToChange(owner, token);
 *     ...
 * } finally {
 *     table.end(token);
 * }
 * }</pre>
 *
 * <p>A finder never waits; it sees a value that is being replaced until it is replaced. An operation that changes an
 * entry waits while another one does. An operation that inserts a new key waits at a bucket that is reserved for one.
 * It might be the same key. If a rank dies in the middle, an operation that waits for it repairs what it has reserved.
 * A rank that lives and cannot go on undoes that itself.
 */
class BucketTable {

    final BucketReader reader;
    final BucketWriter writer;
    final Endpoint endpoint;
    final Blocks blocks;
    private final @Nullable PromiseWatch watch;
    private final Mover mover;
    final BucketSearcher searcher;
    private final BucketComputer computer;
    private final BucketTable alone;

    /**
     * @param hashing of the keys in the buckets
     * @param watch null if promises are not watched over
     */
    BucketTable(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing,
            @Nullable PromiseWatch watch) {
        var reader = new BucketReader(participant.endpoint(), bucket, blocks, hashing);
        this(new BucketWriter(name, participant, reader), BucketMover::new, watch);
    }

    @SuppressWarnings("this-escape") // the mover keeps it, and asks nothing of it before it moves
    BucketTable(BucketWriter writer, Function<BucketTable, Mover> movers, @Nullable PromiseWatch watch) {
        this.writer = writer;
        this.reader = writer.reader;
        this.endpoint = reader.endpoint;
        this.blocks = reader.blocks;
        this.watch = watch;
        this.mover = movers.apply(this);
        this.searcher = new BucketSearcher(this);
        this.computer = new BucketComputer(this);
        this.alone = new BucketTable(this);
    }

    /** Makes a table for a thread that is alone with this rank's entries. */
    private BucketTable(BucketTable table) {
        this.writer = table.writer.alone();
        this.reader = writer.reader;
        this.endpoint = reader.endpoint;
        this.blocks = table.blocks;
        this.watch = table.watch;
        this.mover = new BucketMover(this);
        this.searcher = new BucketSearcher(this);
        this.computer = new BucketComputer(this);
        this.alone = this;
    }

    /** Checks a use of the map against what callers have promised. Called before each operation. */
    final void enter(MapPromises use) {
        if (watch != null) {
            watch.enter(use);
        }
    }

    /** Returns this table for the only thread that uses this rank's entries. */
    public final BucketTable alone() {
        return alone;
    }

    /** @throws IllegalStateException if a local operation is on another rank's key */
    public final void checkOwn(int owner) {
        writer.participant.checkOwn(writer.name, owner);
    }

    public final Participant participant() {
        return writer.participant;
    }

    public final int ranks() {
        return blocks.ranks();
    }

    public final int owner(long hash) {
        return KeyHash.rank(hash, ranks());
    }

    /** Returns the number of buckets over all ranks. */
    public final long buckets() {
        Token token = begin();
        try {
            return blocks.buckets();
        } finally {
            end(token);
        }
    }

    public final @Nullable Token begin() {
        return blocks.begin();
    }

    /** As {@link #begin}, for an operation that changes something. */
    public final @Nullable Token beginToChange() {
        return blocks.beginToChange();
    }

    public final void end(@Nullable Token token) {
        blocks.end(token);
    }

    /** Returns the block in which a key whose entry is to be changed is looked for first. Uses the thread's batch. */
    public final long firstToChange(int owner, @Nullable Token token) {
        return blocks.firstToChange(owner, token, mover);
    }

    /**
     * As {@link #find}, before any batch is asked for. Returns {@link BucketReader#BEHIND} if the key has to be looked
     * for by verbs. Cost: none.
     *
     * @param buffer with the key at {@link BucketReader#KEY}; the value is put behind it
     */
    public final long findMapped(MemorySegment buffer, int owner, long hash, Promise.Reading promise) {
        LocalMemory mapped = endpoint.mapped(owner);
        if (mapped == null) {
            return BucketReader.BEHIND;
        }
        boolean still = promise == Promise.onlyReads();
        return reader.probeMapped(mapped, buffer, owner, blocks.first(owner), hash, still);
    }

    /** Returns the position of the key's value in the buffer, or {@link BucketReader#NONE}. Cost: R. */
    public final long find(Batch batch, int owner, long hash, Promise.Reading promise) {
        boolean whole = promise == Promise.onlyReads() || reader.arrivesWhole(owner);
        return reader.living(batch, reader.locate(batch, owner, blocks.first(owner), hash, whole));
    }

    /**
     * Puts the entry, without a look first, into the bucket where the search for its key begins. Most of these buckets
     * are free. Returns false if this one is not; then nothing was done. Cost: A + W; A if it is not free.
     */
    public final boolean insertAtHome(Batch batch, int owner, long first, long hash) {
        long home = reader.offset(owner, first, Block.home(first, hash));
        if (writer.exchange(batch, owner, home, Bucket.FREE, null) != Bucket.FREE) {
            return false;
        }
        count(owner, first, hash, home, Blocks.ADDED);
        return true;
    }

    /** Returns the owner's segment if an entry can be inserted there without a batch; else null. */
    public final @Nullable LocalMemory mappedToInsert(int owner) {
        return endpoint.executesAtOnce(owner) ? endpoint.mappedUniformly(owner) : null;
    }

    /**
     * As {@link #insertAtHome}, for an entry of two words in a mapped segment. The bucket may be any one where the
     * search for the key ends.
     */
    public final boolean insertAt(LocalMemory mapped, int owner, long first, long hash, long offset, long key,
            long value) {
        if (!writer.occupy(mapped, owner, offset, key, value)) {
            return false;
        }
        count(owner, first, hash, offset, Blocks.ADDED);
        return true;
    }

    /** Returns true if the owner searches for keys. Then {@link #change} also inserts a new key in one round trip. */
    public final boolean searches(int owner) {
        return searcher.isFor(owner);
    }

    /**
     * Makes the change. Returns true if the key had no value and the change was not to keep it so. Cost: R. It is A
     * more if the value is removed, and A + W more if one is stored or computed. It is W more if one is computed for a
     * key that was never there. All of it is one round trip if the owner {@linkplain BucketSearcher finds the key}; two
     * if a function {@linkplain BucketComputer computes} in between what is stored.
     */
    public boolean change(Change change) {
        int owner = change.owner;
        Batch batch = change.batchWithKey(endpoint);
        BucketSearcher.Attempt attempt = change.computes()
                ? computer.attempt(batch, change)
                : searcher.attempt(batch, change);
        if (attempt.isDone()) {
            return attempt == BucketSearcher.Attempt.INSERTED;
        }
        boolean isRead = attempt == BucketSearcher.Attempt.UNCLEAR;
        while (true) {
            long found = reader.locate(batch, owner, change.first, change.hash, reader.arrivesWhole(owner), isRead);
            isRead = false;
            long offset = found < 0 ? ~found : found;
            long state = found < 0 ? Bucket.FREE : BucketReader.located(batch);
            long living = reader.living(batch, found);
            Outcome outcome = change.decide(batch, living);
            if (outcome == Outcome.KEEP) {
                return false;
            }
            if (found == BucketReader.FULL) {
                blocks.grow(owner, change.first);
                batch = change.batchWithKey(endpoint); // growing has used the thread's batch
            } else if (Bucket.kind(state) == Bucket.RESERVED) {
                writer.settle(owner, offset, state);
            } else {
                long witness = perform(batch, change, offset, state, living, outcome);
                if (witness == state) {
                    return living == BucketReader.NONE;
                }
                change.refused();
                if (reader.waitsAt(witness)) {
                    writer.settle(owner, offset, witness);
                }
            }
        }
    }

    /**
     * Makes this become of the entry, if its bucket still is in this state. Returns the state that it found: another
     * one if nothing was done.
     */
    private long perform(Batch batch, Change change, long offset, long state, long living, Outcome outcome) {
        if (outcome == Outcome.COMPUTE) {
            return computer.compute(batch, change, offset, state, living);
        }
        long witness;
        if (outcome == Outcome.STORE) {
            change.offers(offset, state);
            change.placeValue(batch);
            witness = writer.exchange(batch, change.owner, offset, state, change);
        } else {
            witness = endpoint.compareAndExchange(change.owner, offset, state, Bucket.removed(state));
        }
        if (witness == state) {
            count(change, offset, counted(state, outcome));
        }
        return witness;
    }

    /** Returns what {@link Blocks#count} is told when this becomes of a bucket. */
    static long counted(long state, Outcome outcome) {
        return switch (outcome) {
            case STORE -> Bucket.isLiving(state) ? 0 : state == Bucket.FREE ? Blocks.ADDED : Blocks.REVIVED;
            case REMOVE -> Blocks.REMOVED;
            default -> state == Bucket.FREE ? Blocks.CLAIMED : 0;
        };
    }

    final void count(Change change, long offset, long becomes) {
        count(change.owner, change.first, change.hash, offset, becomes);
    }

    final void count(int owner, long first, long hash, long offset, long change) {
        if (change != 0) {
            blocks.note(owner, first, offset, hash, change);
        }
    }

    // --- counting ---

    /** Takes the buffer of a batch with a living bucket in it. Returns how many entries the bucket stands for. */
    public interface EntryCounter {
        long count(Batch batch, long value);
    }

    /** Returns how many entries a rank has. */
    public final long count(int owner, EntryCounter counter) {
        long sum = 0;
        var counts = new BucketIterator<Long>(reader, owner,
                (batch, key, value, read) -> read.add(counter.count(batch, value)));
        while (counts.hasNext()) {
            sum += counts.next();
        }
        return sum;
    }

    /** Returns true if no key of that rank has a value. */
    public final boolean isEmpty(int owner) {
        return !new BucketIterator<>(reader, owner, (batch, key, value, read) -> read.add(key)).hasNext();
    }

    /**
     * An operation's change of the entry of a key. The key stays in the buffer of the owner's batch from when it is
     * looked for until the entry is stored.
     */
    abstract static class Change {

        /** What becomes of an entry. */
        enum Outcome {
            /** The entry stays as it is. */
            KEEP,
            /** The entry becomes what stands in the batch's buffer. */
            STORE,
            /** The entry has no value any more. */
            REMOVE,
            /** The entry becomes what {@link Change#compute} says, once the bucket is reserved. */
            COMPUTE
        }

        final int owner;
        long first;
        final long hash;

        /** Where the change's part of the batch's buffer begins, if others have parts of it, too. */
        long position;
        // The indexes of the batch's results, where the owner searches.
        int found;
        int exchanged;
        int inserted;
        // The bucket that the entry was last offered to, and the state that it must have to take it.
        long offset;
        long before;

        /** @param first the block in which the key is looked for first */
        Change(int owner, long first, long hash) {
            this.owner = owner;
            this.first = first;
            this.hash = hash;
        }

        /** Makes the search begin in this block from now on, because the thread's pin is a new one. */
        final void searchFrom(long block) {
            first = block;
        }

        final void offers(long bucket, long state) {
            offset = bucket;
            before = state;
        }

        /** Returns the thread's batch for the owner, with the key in its buffer. */
        final Batch batchWithKey(Endpoint endpoint) {
            Batch batch = endpoint.batch(owner);
            placeKey(batch);
            return batch;
        }

        /** Puts the key into the batch's buffer, at {@link BucketReader#KEY}. */
        abstract void placeKey(Batch batch);

        /**
         * Decides what becomes of the entry. It is asked before anything is reserved. It is asked anew whenever another
         * thread has changed the entry before this one could.
         *
         * @param living the position in the buffer of the key's value, or {@link BucketReader#NONE}
         */
        abstract Outcome decide(Batch batch, long living);

        /**
         * Returns what {@link #decide} returns for every value, or without a value. Returns null if that depends on the
         * value. So the owner can make the change before this process has seen the value. Then {@code decide} is called
         * afterwards.
         *
         * @param isPresent true if there is a value
         */
        @Nullable Outcome unseen(boolean isPresent) {
            return null;
        }

        /** Returns true if it is known before the value is seen that {@link #compute} may be asked. */
        final boolean computes() {
            return unseen(true) == Outcome.COMPUTE || unseen(false) == Outcome.COMPUTE;
        }

        /** Returns true if {@link #decide} looks at the value, even if only to keep it for the caller. */
        boolean wantsValue() {
            return true;
        }

        /**
         * As {@link #decide}, but it is asked once, while the bucket is reserved. It may use the table for other keys.
         * If it throws, the entry stays as it is.
         */
        Outcome compute(Batch batch, long living) {
            throw new AssertionError("decided before: change=" + this);
        }

        /** Puts the value that is to be stored into the batch's buffer, behind the key. */
        abstract void placeValue(Batch batch);

        /** Tells that another thread has changed the entry first: what was placed is stored nowhere. */
        void refused() {
            // What was placed lies in the buffer only.
        }
    }
}
