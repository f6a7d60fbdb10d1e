package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.world.Reservations;
import java.util.function.LongFunction;
import java.util.function.Supplier;

/**
 * An asynchronous edit of one key of a {@link LongTable}.
 *
 * @param <T> the type of the result
 */
final class LongOperation<T> extends ReservingOperation<T> {

    private final LongTable table;
    private final long key;
    private final LongEdit edit;
    private final LongFunction<? extends T> result;
    private int searched; // the index of what the owner has found
    private long seen = LongBucket.ABSENT; // the word of the key's bucket, as it was when it was last seen

    /** @param result of the word that was there when the operation took effect, which is not present if none was */
    LongOperation(LongTable table, long key, LongEdit edit, LongFunction<? extends T> result, Supplier<T> whole) {
        super(table.endpoint, table.blocks, table.writer.participant.reservations(),
                LongBulkSearch.among(table.reader, key), whole);
        this.table = table;
        this.key = key;
        this.edit = edit;
        this.result = result;
    }

    @Override
    protected long bytes() {
        return search.mostBytes(); // SEARCH takes no more: it reads one line, behind what it uses
    }

    // --- the owner's search ---

    @Override
    boolean searches() {
        return edit.searches();
    }

    @Override
    int searchAtomics() {
        return LongEdit.SEARCH_ATOMICS + 1;
    }

    @Override
    long addSearch(Batch batch, long position) {
        searched = edit.addSearch(table.searcher, batch, position, owner, first, search.hash(0), key); // (6), (7)
        batch.unguard();
        if (edit.inserts()) {
            long home = table.reader.bucket(owner, first, Block.home(first, search.hash(0)));
            addInsertion(batch, home, LongBucket.FREE, position); // (1) to (3)
        }
        return position + LongSearcher.BYTES;
    }

    @Override
    Step searched(Batch batch) {
        if (isInserted(batch)) {
            return stored();
        }
        long word = edit.searched(batch, searched);
        if (word == LongReader.UNCLEAR || LongBucket.isMoved(word)) {
            return looked(batch);
        }
        seen = word;
        long change = change();
        return change == 0
                ? Step.DONE
                : ends(table.searcher.firstBucket(owner, first, search.hash(0)) + batch.displacement(searched), change);
    }

    // --- rounds of its own ---

    @Override
    Step decide(Batch batch, long found, long word) {
        if (found >= 0) {
            return decide(found, word);
        }
        seen = LongBucket.ABSENT;
        if (!edit.inserts()) {
            return Step.DONE;
        }
        if (found == LongReader.FULL) {
            return Step.ALONE;
        }
        return word == LongBucket.FREE ? reserve(~found, word) : refused();
    }

    /** Says what follows when the key's bucket has this word. */
    private Step decide(long bucket, long word) {
        if (LongBucket.isMoved(word)) {
            return Step.ALONE;
        }
        edit.check(key, word);
        seen = word;
        return edit.adds(word) || edit.changed(word) != word ? change(bucket) : Step.DONE;
    }

    @Override
    int addChange(Batch batch, long bucket) {
        return edit.adds(seen)
                ? batch.getAndAdd(owner, bucket, edit.delta())
                : batch.compareAndExchange(owner, bucket, seen, edit.changed(seen));
    }

    @Override
    Step changed(long bucket, long witness) {
        if (!edit.adds(seen)) {
            return witness == seen ? ends(bucket, change()) : decide(bucket, witness);
        }
        if (!LongBucket.isPresent(witness)) {
            return refused(); // it was removed or moved meanwhile, and the addition has had no effect
        }
        seen = witness;
        return Step.DONE;
    }

    /** Returns what is to be counted when the word that was seen has made way for another one. */
    private long change() {
        boolean isLiving = LongBucket.isPresent(edit.changed(seen));
        if (LongBucket.isPresent(seen) == isLiving) {
            return 0;
        }
        return isLiving ? Blocks.REVIVED : Blocks.REMOVED;
    }

    @Override
    long reservation(long word) {
        return table.writer.ownReservation;
    }

    @Override
    void addWrite(Batch batch, long bucket, long word, long position) {
        table.writer.write(batch, position, owner, bucket, key, LongBucket.value(edit.changed(LongBucket.ABSENT)));
    }

    @Override
    long counted(long word) {
        return Blocks.ADDED;
    }

    @Override
    Reservations.Undo undoing() {
        return table.writer.undoing;
    }

    @Override
    protected T result() {
        return result.apply(seen);
    }
}
