package io.atoll.map;

import io.atoll.completion.Operation;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.map.BucketTable.Change.Outcome;
import io.atoll.world.Reservations;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * An asynchronous edit of one entry whose key and value lie in a {@link Bucket}. It does by rounds what the table does
 * by verbs one after the other, and the numbers are those of {@link Bucket}:
 * <pre>
 *   LOOK     reads (4, 5, 6) until the key's bucket is known, or the one that it is to take; then the edit decides
 *   RESERVE  reserves the bucket (1); where the owner decides, writes it (2, 3) in the same round
 *   WRITE    writes the reserved bucket (2, 3)
 *   REMOVE   exchanges the state
 * </pre>
 *
 * <p>It begins anew if another caller was faster. It is left to the synchronous operation if that happens again and
 * again, if the block is being replaced, if there is no bucket for the key, and if the edit computes the value. So it
 * is where reads overtake each other, and buckets do not arrive whole.
 *
 * @param <R> the type of the result
 */
final class EntryOperation<K, V, R> extends Operation<R> {

    private static final int[] ONE = {0};
    private static final int MOST_REFUSALS = 4;

    private enum Phase {
        LOOK, RESERVE, WRITE, REMOVE
    }

    private final InlineEntries<K, V> entries;
    private final BucketTable table;
    private final K key;
    private final Entries.Edit<V> edit;
    private final Function<Boolean, R> result;
    private final Supplier<R> alone;
    private final BucketBulkSearch search;
    private final boolean isSearchOfOneRound;
    private final int owner;
    private Phase phase = Phase.LOOK;
    private long first;
    private long offset;
    private long state;
    private boolean wasAbsent;
    private int exchange; // the index of the round's atomic
    private int hold = Reservations.NOT_HELD;
    private int refusals;
    private long count; // what is to be counted

    /** @param result is told what {@link Entries#change} returns */
    EntryOperation(InlineEntries<K, V> entries, SeveralKeys<K> one, Entries.Edit<V> edit,
            Function<Boolean, R> result, Supplier<R> alone) {
        this.entries = entries;
        this.table = entries.table;
        this.key = one.key(0);
        this.edit = edit;
        this.result = result;
        this.alone = alone;
        this.owner = one.owner(0);
        BucketBulkSearch.Reach reach = BucketBulkSearch.Reach.of(table.reader, owner);
        this.isSearchOfOneRound = reach.whole() || reach.inOrder();
        this.search = new BucketBulkSearch(table.reader, one, reach, true);
    }

    @Override
    protected Endpoint endpoint() {
        return table.endpoint;
    }

    @Override
    protected int owner() {
        return owner;
    }

    @Override
    protected @Nullable EpochManager epochs() {
        return table.blocks.epochs();
    }

    @Override
    protected long scratchBytes() {
        return table.reader.read;
    }

    @Override
    protected long bytes() {
        return Math.min(search.mostBytes(), Batch.THREAD_BUFFER_BYTES - scratchBytes());
    }

    @Override
    protected int atomics() {
        return 1;
    }

    @Override
    protected Step begin() {
        first = table.blocks.firstAtRest(owner);
        if (first == Block.NONE || !isSearchOfOneRound) {
            return Step.ALONE;
        }
        search.begin(0, first);
        return Step.AGAIN;
    }

    @Override
    protected void add(Batch batch, long position) {
        switch (phase) {
            case LOOK -> search.read(batch, ONE, 1, position);
            case RESERVE -> {
                exchange = batch.compareAndExchange(owner, offset, state, table.writer.reserved(state)); // (1)
                if (ownerDecides()) {
                    batch.guard(exchange);
                    write(batch, position);
                    batch.unguard();
                }
            }
            case WRITE -> write(batch, position);
            case REMOVE -> exchange = batch.compareAndExchange(owner, offset, state, Bucket.removed(state));
            default -> throw new AssertionError(phase);
        }
    }

    private boolean ownerDecides() {
        return table.endpoint.guarantees().guardsAtOwner();
    }

    private void write(Batch batch, long position) {
        entries.encode(key, Objects.requireNonNull(edit.value), batch, position);
        table.writer.write(batch, owner, offset, state, position);
    }

    @Override
    protected Step take(Batch batch, long position) {
        return switch (phase) {
            case LOOK -> looked(batch, search.advance(batch, 0));
            case RESERVE -> reserved(batch.result(exchange));
            case WRITE -> stored();
            case REMOVE -> batch.result(exchange) == state ? ends(Outcome.REMOVE) : refused();
        };
    }

    private Step next(Phase following) {
        phase = following;
        return Step.AGAIN;
    }

    private Step looked(Batch batch, long found) {
        if (found == BucketReader.BEHIND) {
            return Step.AGAIN;
        }
        offset = found < 0 ? ~found : found;
        state = search.state(0);
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
        if (outcome == Outcome.REMOVE) {
            return next(Phase.REMOVE);
        }
        return isHeld() ? next(Phase.RESERVE) : refused();
    }

    private boolean isHeld() {
        hold = table.participant().reservations().tryHold(owner, offset);
        return hold != Reservations.NOT_HELD;
    }

    private void release() {
        table.participant().reservations().release(hold);
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

    private Step reserved(long witness) {
        if (witness != state) {
            release();
            return refused();
        }
        return ownerDecides() ? stored() : next(Phase.WRITE);
    }

    private Step stored() {
        release();
        return ends(Outcome.STORE);
    }

    private Step ends(Outcome outcome) {
        count = BucketTable.counted(state, outcome);
        return count != 0 && table.blocks.isCounted(owner, first, offset, search.hash(0))
                ? Step.AFTERWARDS
                : Step.DONE;
    }

    @Override
    protected R result() {
        return result.apply(wasAbsent);
    }

    @Override
    protected R alone() {
        return alone.get();
    }

    /** Counts, which may begin to grow the block. */
    @Override
    protected void afterwards() {
        Token token = table.beginToChange();
        try {
            table.count(owner, first, search.hash(0), offset, count);
        } finally {
            table.end(token);
        }
    }

    @Override
    protected boolean isInDoubt() {
        return hold != Reservations.NOT_HELD;
    }

    @Override
    protected void undo() {
        int held = hold;
        hold = Reservations.NOT_HELD;
        table.participant()
                .reservations()
                .undo(held, owner, offset, table.writer.reserved(state), table.writer.undoing);
    }
}
