package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.failure.FabricException;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.LocalMemory;
import io.atoll.promise.Promise;
import io.atoll.world.Participant;
import io.atoll.world.Reservations.Undone;
import java.lang.foreign.MemorySegment;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of a map of any keys and values on {@link Bucket}s. An operation begins. If it is to change something,
 * it asks for the block in which its key is looked for first. It places the key at {@link #KEY} in the buffer of the
 * owner's batch, does its work, and ends:
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
class BucketTable extends BucketWriter {

    private final Mover mover;
    private final BucketTable alone;

    /** @param hashing of the keys in the buckets */
    @SuppressWarnings("this-escape") // the mover keeps it, and asks nothing of it before it moves
    public BucketTable(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing) {
        this(name, participant, blocks, bucket, hashing, BucketMover::new);
    }

    BucketTable(String name, Participant participant, Blocks blocks, Bucket bucket, Hashing hashing,
            Function<BucketTable, Mover> movers) {
        super(name, participant, participant.endpoint(), bucket, blocks, hashing);
        this.mover = movers.apply(this);
        this.alone = new BucketTable(this);
    }

    /** Makes a table for a thread that is alone with this rank's entries. */
    private BucketTable(BucketTable table) {
        super(table.name, table.participant, table.endpoint.alone(), table.bucket, table.blocks, table.hashing);
        this.mover = new BucketMover(this);
        this.alone = this;
    }

    /** Returns this table for the only thread that uses this rank's entries. */
    public final BucketTable alone() {
        return alone;
    }

    /** @throws IllegalStateException if a local operation is on another rank's key */
    public final void checkOwn(int owner) {
        participant.checkOwn(name, owner);
    }

    public final Participant participant() {
        return participant;
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
     * As {@link #find}, before any batch is asked for. Returns {@link #BEHIND} if the key has to be looked for by
     * verbs. Cost: none.
     *
     * @param buffer with the key at {@link #KEY}; the value is put behind it
     * @param first the block in which the search begins
     */
    public final long findMapped(MemorySegment buffer, int owner, long first, long hash, Promise.Finding promise) {
        LocalMemory mapped = endpoint.mapped(owner);
        if (mapped == null) {
            return BEHIND;
        }
        boolean still = promise == Promise.onlyFinds();
        return glance(mapped, buffer, owner, first, hash, still);
    }

    /** Returns the position of the key's value in the buffer, or {@link #NONE}. Cost: R. */
    public final long find(Batch batch, int owner, long hash, Promise.Finding promise) {
        boolean whole = promise == Promise.onlyFinds() || whole(owner);
        return living(batch, locate(batch, owner, blocks.first(owner), hash, whole));
    }

    /**
     * Puts the entry, without a look first, into the bucket where the search for its key begins. Most of these buckets
     * are free. Returns false if this one is not; then nothing was done. Cost: A + W; A if it is not free.
     */
    public final boolean insertAtHome(Batch batch, int owner, long first, long hash) {
        long home = offset(owner, first, Block.home(first, hash));
        if (exchange(batch, owner, home, Bucket.FREE, null) != Bucket.FREE) {
            return false;
        }
        count(owner, first, hash, home, Blocks.ADDED);
        return true;
    }

    /** Returns the owner's segment if an entry can be inserted there without a batch; else null. */
    public final @Nullable LocalMemory mappedToInsert(int owner) {
        return endpoint.executesAtOnce(owner) ? endpoint.mapped(owner) : null;
    }

    /**
     * As {@link #insertAtHome(Batch, int, long, long)}, for an entry of two words, if the owner's segment is mapped.
     */
    public final boolean insertAtHome(LocalMemory mapped, int owner, long first, long hash, long key, long value) {
        long home = offset(owner, first, Block.home(first, hash));
        if (!occupy(mapped, owner, home, key, value)) {
            return false;
        }
        count(owner, first, hash, home, Blocks.ADDED);
        return true;
    }

    /**
     * Makes the change. Returns true if the key had no value and the change was not to keep it so. Cost: R; + A if the
     * value is removed, + A + W if one is stored or computed; W more if one is computed for a key that was never there.
     */
    public boolean change(Batch batch, Change change) {
        int owner = change.owner;
        while (true) {
            long found = locate(batch, owner, change.first, change.hash, whole(owner));
            long state = found < 0 ? Bucket.FREE : located(batch);
            long living = living(batch, found);
            Outcome outcome = change.decide(batch, living);
            if (outcome == Outcome.KEEP) {
                return false;
            }
            if (found == FULL) {
                blocks.grow(owner, change.first);
                change.placeKey(endpoint.batch(owner));
            } else if (Bucket.kind(state) == Bucket.RESERVED) {
                settle(owner, found, state);
            } else if (perform(batch, change, found < 0 ? ~found : found, state, living, outcome)) {
                return living == NONE;
            }
        }
    }

    /** Returns false if the entry was no longer what it was when {@link #locate} found it; then nothing was done. */
    private boolean perform(Batch batch, Change change, long offset, long state, long living, Outcome outcome) {
        if (outcome == Outcome.COMPUTE) {
            return compute(batch, change, offset, state, living);
        }
        if (outcome == Outcome.STORE) {
            change.place(batch);
        }
        long witness = outcome == Outcome.STORE
                ? exchange(batch, change.owner, offset, state, change)
                : endpoint.compareAndExchange(change.owner, offset, state, Bucket.removed(state));
        return isDone(change, offset, state, witness, outcome);
    }

    private boolean isDone(Change change, long offset, long state, long witness, Outcome outcome) {
        if (witness == state) {
            count(change.owner, change.first, change.hash, offset, counted(state, outcome));
        } else {
            change.refused();
            if (waitsAt(witness)) {
                settle(change.owner, offset, witness);
            }
        }
        return witness == state;
    }

    /** Returns what {@link Blocks#count} is told when this becomes of a bucket. */
    static long counted(long state, Outcome outcome) {
        return switch (outcome) {
            case STORE -> Bucket.isLiving(state) ? 0 : state == Bucket.FREE ? Blocks.ADDED : Blocks.REVIVED;
            case REMOVE -> Blocks.REMOVED;
            default -> state == Bucket.FREE ? Blocks.CLAIMED : 0;
        };
    }

    final void count(int owner, long first, long hash, long offset, long change) {
        if (change != 0) {
            blocks.note(owner, first, offset, hash, change);
        }
    }

    // --- computing ---

    /** As {@link #perform}, with what the change computes once the bucket is reserved. */
    private boolean compute(Batch batch, Change change, long offset, long state, long living) {
        var word = new GlobalPointer(change.owner, offset);
        long witness = reserve(batch, word, state);
        Outcome outcome = Outcome.KEEP;
        if (witness == state) {
            try {
                outcome = compute(batch, change, word, state == Bucket.FREE ? Bucket.NAMED : state, living);
            } catch (Throwable failure) {
                countKept(change, offset, state, failure);
                throw failure;
            }
        }
        return isDone(change, offset, state, witness, outcome);
    }

    private Outcome compute(Batch batch, Change change, GlobalPointer word, long state, long living) {
        Outcome outcome;
        try {
            outcome = change.compute(batch, living);
        } catch (Throwable failure) {
            participant.reservations().withdraw(word, reserved(state), undoing);
            throw failure;
        }
        conclude(word, state, outcome, change);
        return outcome;
    }

    private void conclude(GlobalPointer word, long state, Outcome outcome, Change change) {
        int owner = word.rank();
        long reserved = reserved(state);
        int hold = participant.reservations().resume(word, reserved, undoing);
        boolean isWriting = false;
        try {
            switch (outcome) {
                case STORE -> {
                    // Asked for anew: the function may have used this thread's batch, and left verbs in it that failed.
                    Batch batch = endpoint.batch(owner);
                    change.place(batch);
                    isWriting = true;
                    update(batch, owner, word.offset(), state);
                }
                case REMOVE ->
                    endpoint.compareAndExchange(owner, word.offset(), reserved, Bucket.removed(state));
                default -> repair(owner, word.offset(), reserved);
            }
            participant.reservations().release(hold);
        } catch (VirtualMachineError | LinkageError error) {
            Undone undone = participant.reservations().undo(hold, owner, word.offset(), reserved, undoing);
            // A removal writes one word, so it is done if the bucket is not reserved any more.
            afterError(error, isWriting || outcome == Outcome.REMOVE ? undone : Undone.NOW, state, change);
        } catch (Throwable failure) {
            participant.reservations().undo(hold, owner, word.offset(), reserved, undoing);
            throw failure;
        }
    }

    /**
     * Counts a bucket that was taken for a key. It is the key's from now on, whatever has become of the function, so it
     * counts as taken.
     */
    private void countKept(Change change, long offset, long state, Throwable failure) {
        try {
            count(change.owner, change.first, change.hash, offset, counted(state, Outcome.KEEP));
        } catch (FabricException uncounted) {
            failure.addSuppressed(uncounted);
        }
    }

    /** Takes the buffer of a batch with a living bucket in it. Returns how many entries the bucket stands for. */
    public interface EntryCounter {
        long count(Batch batch, long value);
    }

    /** Returns how many entries a rank has. */
    public final long count(int owner, EntryCounter counter) {
        long sum = 0;
        var counts = new BucketIterator<Long>(this, owner,
                (batch, key, value, read) -> read.add(counter.count(batch, value)));
        while (counts.hasNext()) {
            sum += counts.next();
        }
        return sum;
    }

    /** Returns true if no key of that rank has a value. */
    public final boolean isEmpty(int owner) {
        return !new BucketIterator<>(this, owner, (batch, key, value, read) -> read.add(key)).hasNext();
    }
}
