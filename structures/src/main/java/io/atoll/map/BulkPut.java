package io.atoll.map;

import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.map.BucketTable.Change;
import io.atoll.world.Reservations;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Stores values of several keys in {@link Bucket}s of other ranks.
 *
 * @param <T> a key with its value
 */
class BulkPut<T> extends PutRounds {

    /** Puts an entry into the buffer as it stands in a bucket. */
    public interface Encoder<T> {
        void encode(T entry, Batch batch, long position);
    }

    private final BucketTable table;
    private final SeveralKeys<T> entries;
    private final Encoder<T> encoder;
    private final boolean readsFormer;

    /**
     * @param entries at least one, and none of an owner whose verbs are executed at once
     * @param readsFormer true if the values are needed that are there
     */
    BulkPut(BucketTable table, SeveralKeys<T> entries, Encoder<T> encoder, boolean readsFormer, LostOwners lost) {
        super(table.participant(), table.blocks, new BucketBulkSearch(table.reader, entries,
                BucketBulkSearch.Reach.of(table.reader, entries.owner(0)), readsFormer), lost, entries.count(),
                table.reader.read,
                table.reader.bucket.size);
        this.table = table;
        this.entries = entries;
        this.encoder = encoder;
        this.readsFormer = readsFormer;
    }

    /** Stores the entries. Returns those that are left. */
    List<T> put() {
        int[] left = run();
        return left.length == 0 ? List.of() : IntStream.of(left).mapToObj(entries::key).toList();
    }

    @Override
    long firstToChange(int owner, @Nullable Token token) {
        return table.firstToChange(owner, token);
    }

    @Override
    boolean isReserved(long state) {
        return Bucket.kind(state) == Bucket.RESERVED;
    }

    @Override
    long exchanged(int key, long state) {
        return table.writer.reserved(state);
    }

    @Override
    boolean isWritten(long state) {
        return true;
    }

    @Override
    void write(Batch batch, int key, long offset, long state, long position) {
        encoder.encode(entries.key(key), batch, position);
        table.writer.write(batch, entries.owner(key), offset, state, position);
    }

    @Override
    @Nullable BulkReplacement replacement() {
        return readsFormer || !table.searches(entries.owner(0))
                ? null
                : new BucketBulkReplacement<>(table, search, entries, encoder);
    }

    @Override
    Reservations.Undo undoing() {
        return table.writer.undoing;
    }

    @Override
    long counted(long state) {
        return BucketTable.counted(state, Change.Outcome.STORE);
    }
}
