package io.atoll.map;

import io.atoll.completion.Operation;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.world.Reservations;
import java.util.function.LongFunction;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous operation on one key of a {@link LongTable}. It does by rounds what the table does by verbs one after
 * the other, and the numbers are those of {@link LongBucket}:
 * <pre>
 *   LOOK     reads (4, 5) until the key's bucket is known, or the one that it is to take
 *   CHANGE   exchanges the word of the key's bucket
 *   ADD      adds to it
 *   OCCUPY   reserves a FREE bucket (1); where the owner decides, writes it (2, 3) in the same round
 *   WRITE    writes the reserved bucket (2, 3)
 * </pre>
 *
 * <p>It begins anew if another caller was faster. It is left to the synchronous operation if that happens again and
 * again, if the block is being replaced, and if there is no bucket for the key.
 *
 * @param <T> the type of the result
 */
abstract class LongOperation<T> extends Operation<T> {

    private static final int[] ONE = {0};
    private static final int MOST_REFUSALS = 4;

    private enum Phase {
        LOOK, CHANGE, ADD, OCCUPY, WRITE
    }

    final LongTable table;
    final long key;
    private final LongBulkSearch search;
    private final int owner;
    private Phase phase = Phase.LOOK;
    private long first;
    private long bucket;
    private long seen = LongBucket.ABSENT; // the word of the key's bucket, as it was when it was last seen
    private int atomic; // the index of the round's atomic
    private int hold = Reservations.NOT_HELD;
    private int refusals;
    private long count; // what is to be counted

    LongOperation(LongTable table, long key) {
        this.table = table;
        this.key = key;
        this.search = LongBulkSearch.among(table.reader, key);
        this.owner = search.owner(0);
    }

    // --- what depends on the operation ---

    /** Returns what takes the place of this word, which is present or absent; the word itself if it is to stay. */
    abstract long changed(long word);

    /** Returns true if a key that is in no bucket gets one, for the value that {@link #changed} says. */
    abstract boolean inserts();

    /** Returns true if it adds to this word, in place of exchanging it. */
    boolean adds(long word) {
        return false;
    }

    /** Returns how much it adds. */
    long delta() {
        throw new AssertionError("adds nothing: operation=" + this);
    }

    /** Returns the result, by the word that was there when the operation took effect. */
    abstract T result(long former);

    @Override
    protected abstract T alone();

    // --- rounds ---

    @Override
    protected final Endpoint endpoint() {
        return table.endpoint;
    }

    @Override
    protected final int owner() {
        return owner;
    }

    @Override
    protected final @Nullable EpochManager epochs() {
        return table.blocks.epochs();
    }

    @Override
    protected final long bytes() {
        return LongBulkSearch.MOST_BYTES;
    }

    @Override
    protected final int atomics() {
        return 1;
    }

    @Override
    protected final Step begin() {
        first = table.blocks.firstAtRest(owner);
        if (first == Block.NONE) {
            return Step.ALONE;
        }
        search.begin(0, first);
        return Step.AGAIN;
    }

    @Override
    protected final void add(Batch batch, long position) {
        switch (phase) {
            case LOOK -> search.read(batch, ONE, 1, position);
            case CHANGE -> atomic = batch.compareAndExchange(owner, bucket, seen, changed(seen));
            case ADD -> atomic = batch.getAndAdd(owner, bucket, delta());
            case OCCUPY -> {
                atomic = batch.compareAndExchange(owner, bucket, LongBucket.FREE, table.writer.ownReservation); // (1)
                if (ownerDecides()) {
                    batch.guard(atomic);
                    write(batch, position);
                    batch.unguard();
                }
            }
            case WRITE -> write(batch, position);
            default -> throw new AssertionError(phase);
        }
    }

    private boolean ownerDecides() {
        return table.endpoint.guarantees().guardsAtOwner();
    }

    private void write(Batch batch, long position) {
        table.writer.write(batch, position, owner, bucket, key, LongBucket.value(changed(LongBucket.ABSENT)));
    }

    @Override
    protected final Step take(Batch batch, long position) {
        return switch (phase) {
            case LOOK -> looked(search.advance(batch, 0));
            case CHANGE -> exchanged(batch.result(atomic));
            case ADD -> added(batch.result(atomic));
            case OCCUPY -> occupied(batch.result(atomic));
            case WRITE -> inserted();
        };
    }

    private Step next(Phase following) {
        phase = following;
        return Step.AGAIN;
    }

    private Step looked(long found) {
        if (found == BucketReader.BEHIND) {
            return Step.AGAIN;
        }
        if (found >= 0) {
            bucket = found;
            return decide(search.state(0));
        }
        seen = LongBucket.ABSENT;
        if (!inserts()) {
            return Step.DONE;
        }
        if (found == BucketReader.FULL) {
            return Step.ALONE;
        }
        bucket = ~found;
        return search.state(0) == LongBucket.FREE && isHeld() ? next(Phase.OCCUPY) : refused();
    }

    private boolean isHeld() {
        hold = table.writer.participant.reservations().tryHold(owner, bucket);
        return hold != Reservations.NOT_HELD;
    }

    private void release() {
        table.writer.participant.reservations().release(hold);
        hold = Reservations.NOT_HELD;
    }

    /** Looks for the key anew, since another caller was faster. */
    private Step refused() {
        if (refusals++ == MOST_REFUSALS) {
            return Step.ALONE;
        }
        search.begin(0, first);
        return next(Phase.LOOK);
    }

    /** Says what follows when the key's bucket has this word. */
    private Step decide(long word) {
        if (LongBucket.isMoved(word)) {
            return Step.ALONE;
        }
        seen = word;
        if (adds(word)) {
            return next(Phase.ADD);
        }
        return changed(word) == word ? Step.DONE : next(Phase.CHANGE);
    }

    private Step exchanged(long witness) {
        if (witness != seen) {
            return decide(witness);
        }
        boolean isLiving = LongBucket.isPresent(changed(seen));
        if (LongBucket.isPresent(seen) == isLiving) {
            return Step.DONE;
        }
        return counts(isLiving ? Blocks.REVIVED : Blocks.REMOVED);
    }

    private Step added(long witness) {
        if (!LongBucket.isPresent(witness)) {
            return refused(); // it was removed or moved meanwhile, and the addition has had no effect
        }
        seen = witness;
        return Step.DONE;
    }

    private Step occupied(long witness) {
        if (witness != LongBucket.FREE) {
            release();
            return refused();
        }
        return ownerDecides() ? inserted() : next(Phase.WRITE);
    }

    private Step inserted() {
        release();
        return counts(Blocks.ADDED);
    }

    private Step counts(long change) {
        count = change;
        return table.blocks.isCounted(owner, first, bucket, search.hash(0)) ? Step.AFTERWARDS : Step.DONE;
    }

    @Override
    protected final T result() {
        return result(seen);
    }

    /** Counts, which may begin to grow the block. */
    @Override
    protected final void afterwards() {
        Token token = table.blocks.beginToChange();
        try {
            table.blocks.note(owner, first, bucket, search.hash(0), count);
        } finally {
            table.blocks.end(token);
        }
    }

    @Override
    protected final boolean isInDoubt() {
        return hold != Reservations.NOT_HELD;
    }

    @Override
    protected final void undo() {
        int held = hold;
        hold = Reservations.NOT_HELD;
        table.writer.participant.reservations()
                .undo(held, owner, bucket, table.writer.ownReservation, table.writer.undoing);
    }

    // --- the operations ---

    /** Looks for the key's value. */
    static final class Find<T> extends LongOperation<T> {

        private final LongFunction<T> result;

        /** @param result by the key's word, which is not present if the key has no value */
        Find(LongTable table, long key, LongFunction<T> result) {
            super(table, key);
            this.result = result;
        }

        @Override
        long changed(long word) {
            return word;
        }

        @Override
        boolean inserts() {
            return false;
        }

        @Override
        T result(long former) {
            return result.apply(former);
        }

        @Override
        protected T alone() {
            return result.apply(table.words(new long[]{key})[0]);
        }
    }

    /** Gives the key a value. */
    static final class Put<T> extends LongOperation<T> {

        private final long value;
        private final LongFunction<T> result;

        Put(LongTable table, long key, long value, LongFunction<T> result) {
            super(table, key);
            this.value = value;
            this.result = result;
        }

        @Override
        long changed(long word) {
            return LongBucket.present(value);
        }

        @Override
        boolean inserts() {
            return true;
        }

        @Override
        T result(long former) {
            return result.apply(former);
        }

        @Override
        protected T alone() {
            return result.apply(table.put(key, value));
        }
    }

    /** Gives the key a value if it has none. */
    static final class Insert extends LongOperation<Boolean> {

        private final long value;

        Insert(LongTable table, long key, long value) {
            super(table, key);
            this.value = value;
        }

        @Override
        long changed(long word) {
            return LongBucket.isPresent(word) ? word : LongBucket.present(value);
        }

        @Override
        boolean inserts() {
            return true;
        }

        @Override
        Boolean result(long former) {
            return !LongBucket.isPresent(former);
        }

        @Override
        protected Boolean alone() {
            return table.insert(key, value);
        }
    }

    /** Adds to the key's value. */
    static final class Add extends LongOperation<Long> {

        private final long delta;

        Add(LongTable table, long key, long delta) {
            super(table, key);
            this.delta = delta;
        }

        @Override
        long changed(long word) {
            return LongBucket.present(delta);
        }

        @Override
        boolean inserts() {
            return true;
        }

        @Override
        boolean adds(long word) {
            if (LongBucket.isPresent(word)) {
                LongTable.checkSum(key, LongBucket.value(word), delta);
                return true;
            }
            return false;
        }

        @Override
        long delta() {
            return delta;
        }

        @Override
        Long result(long former) {
            return LongBucket.isPresent(former) ? LongBucket.value(former) + delta : delta;
        }

        @Override
        protected Long alone() {
            return table.increment(key, delta);
        }
    }

    /** Gives the key a value if it has the expected one. */
    static final class Replace extends LongOperation<Boolean> {

        private final long expected;
        private final long value;

        Replace(LongTable table, long key, long expected, long value) {
            super(table, key);
            this.expected = expected;
            this.value = value;
        }

        @Override
        long changed(long word) {
            return word == LongBucket.present(expected) ? LongBucket.present(value) : word;
        }

        @Override
        boolean inserts() {
            return false;
        }

        @Override
        Boolean result(long former) {
            return former == LongBucket.present(expected);
        }

        @Override
        protected Boolean alone() {
            return table.compareAndSet(key, expected, value);
        }
    }

    /** Removes the key. */
    static final class Remove extends LongOperation<Long> {

        private final long defaultValue;

        Remove(LongTable table, long key, long defaultValue) {
            super(table, key);
            this.defaultValue = defaultValue;
        }

        @Override
        long changed(long word) {
            return LongBucket.ABSENT;
        }

        @Override
        boolean inserts() {
            return false;
        }

        @Override
        Long result(long former) {
            return LongBucket.isPresent(former) ? LongBucket.value(former) : defaultValue;
        }

        @Override
        protected Long alone() {
            return table.remove(key, defaultValue);
        }
    }
}
