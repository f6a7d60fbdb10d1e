package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.map.BucketSearcher.Attempt;
import io.atoll.map.BucketTable.Change;
import io.atoll.map.BucketTable.Change.Outcome;
import io.atoll.world.Reservations;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous edit of one entry whose key and value lie in a {@link Bucket}. An edit that computes the value is
 * left to the synchronous operation. So is every edit where reads overtake each other, and buckets do not arrive whole.
 *
 * @param <R> the type of the result
 */
final class EntryOperation<K, V, R> extends ReservingOperation<R> {

    private final InlineEntries<K, V> entries;
    private final BucketTable table;
    private final K key;
    private final Entries.Edit<V> edit;
    private final Function<Boolean, R> result;
    private final boolean isSearchOfOneRound;
    private final @Nullable Searched searched; // null if the owner cannot search for it
    private boolean isHomeHeld; // by SEARCH, and noted in the words of the hold
    private long state; // of the key's bucket, or of the one that it is to take
    private boolean wasAbsent;

    /** @param result is told what {@link Entries#change} returns */
    EntryOperation(InlineEntries<K, V> entries, SeveralKeys<K> one, Entries.Edit<V> edit,
            Function<Boolean, R> result, Supplier<R> whole) {
        super(entries.table.endpoint, entries.table.blocks, entries.table.participant().reservations(),
                BucketBulkSearch.among(entries.table.reader, one), whole);
        this.entries = entries;
        this.table = entries.table;
        this.key = one.key(0);
        this.edit = edit;
        this.result = result;
        this.isSearchOfOneRound = table.reader.arrivesWhole(owner) || table.endpoint.readsInOrder(owner);
        boolean isKnown = edit.unseen(true) != null && edit.unseen(false) != null && !edit.computes();
        this.searched = isKnown && table.searches(owner) ? new Searched() : null;
    }

    @Override
    protected long scratchBytes() {
        return table.reader.read;
    }

    @Override
    protected long bytes() {
        long bytes = search.mostBytes() + (searched == null ? 0 : table.searcher.bytes());
        return Math.min(bytes, Batch.THREAD_BUFFER_BYTES - scratchBytes());
    }

    @Override
    protected Step begin() {
        return isSearchOfOneRound ? super.begin() : Step.ALONE;
    }

    // --- the owner's search ---

    /** The edit, as the owner is told to make it. The key lies in memory of its own. */
    private final class Searched extends Change {

        private final MemorySegment encoded;

        private Searched() {
            super(EntryOperation.this.owner, Block.NONE, EntryOperation.this.search.hash(0));
            this.encoded = entries.encodedKey(key);
        }

        @Override
        void placeKey(Batch batch) {
            MemorySegment.copy(encoded, 0, batch.buffer(), position + BucketReader.KEY, encoded.byteSize());
        }

        @Override
        Outcome decide(Batch batch, long living) {
            return edit.decide(entries.present(batch, living));
        }

        @Override
        @Nullable Outcome unseen(boolean isPresent) {
            return edit.unseen(isPresent);
        }

        @Override
        boolean wantsValue() {
            return edit.wantsValue();
        }

        @Override
        void placeValue(Batch batch) {
            entries.encodeValue(Objects.requireNonNull(edit.value), batch, position + table.reader.value());
        }
    }

    @Override
    boolean searches() {
        return searched != null;
    }

    @Override
    int searchAtomics() {
        return BucketSearcher.ATOMICS;
    }

    @Override
    long addSearch(Batch batch, long position) {
        Searched change = Objects.requireNonNull(searched);
        change.searchFrom(first);
        change.position = position;
        change.placeKey(batch);
        if (BucketSearcher.reserves(change)) {
            long home = table.searcher.home(change);
            if (!isHeldFromOthers(home)) {
                return position; // its undoing would take for its own what that thread reserves
            }
            table.searcher.note(words(table.searcher.words()), home, batch, change);
            isHomeHeld = true;
            change.placeValue(batch);
        }
        table.searcher.add(batch, change);
        batch.unguard();
        return position + table.searcher.bytes();
    }

    @Override
    Step searched(Batch batch) {
        Searched change = Objects.requireNonNull(searched);
        Attempt attempt = table.searcher.outcome(batch, change);
        release();
        isHomeHeld = false;
        if (!attempt.isDone()) {
            return looked(batch);
        }
        wasAbsent = attempt == Attempt.INSERTED;
        Step following = ends(table.searcher.offset(batch, change, attempt), BucketSearcher.counted(change, attempt));
        table.searcher.decide(batch, change, attempt);
        return following;
    }

    // --- rounds of its own ---

    @Override
    Step decide(Batch batch, long found, long word) {
        state = word;
        long living = table.reader.living(batch, found);
        wasAbsent = living == BucketReader.NONE;
        Outcome outcome = edit.decide(entries.present(batch, living));
        if (outcome == Outcome.KEEP) {
            wasAbsent = false;
            return Step.DONE;
        }
        if (outcome == Outcome.COMPUTE || found == BucketReader.FULL) {
            return Step.ALONE;
        }
        if (Bucket.kind(state) == Bucket.RESERVED) {
            return refused();
        }
        long bucket = found < 0 ? ~found : found;
        return outcome == Outcome.REMOVE ? change(bucket) : reserve(bucket, state);
    }

    @Override
    int addChange(Batch batch, long bucket) {
        return batch.compareAndExchange(owner, bucket, state, Bucket.removed(state));
    }

    @Override
    Step changed(long bucket, long witness) {
        return witness == state ? ends(bucket, BucketTable.counted(state, Outcome.REMOVE)) : refused();
    }

    @Override
    long reservation(long word) {
        return table.writer.reserved(word);
    }

    @Override
    void addWrite(Batch batch, long bucket, long word, long position) {
        entries.encode(key, Objects.requireNonNull(edit.value), batch, position);
        table.writer.write(batch, owner, bucket, word, position);
    }

    @Override
    long counted(long word) {
        return BucketTable.counted(word, Outcome.STORE);
    }

    @Override
    Reservations.Undo undoing() {
        return table.writer.undoing;
    }

    /** What SEARCH has reserved may lie in any of the buckets in which the owner looked. */
    @Override
    void undo(int held) {
        if (isHomeHeld) {
            table.searcher.undo(held, owner);
        } else {
            super.undo(held);
        }
    }

    @Override
    protected R result() {
        return result.apply(wasAbsent);
    }
}
