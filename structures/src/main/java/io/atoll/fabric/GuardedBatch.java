package io.atoll.fabric;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the atomics and searches of a batch: what exchanges expect, where searches have found a record, and what
 * guards each of them. It decides searches, and reads records, for the batches whose owners do not.
 */
public abstract class GuardedBatch extends BufferedBatch {

    private static final int NONE = -1;

    private static final int FIRST_ENTRIES = 4;

    private enum Kind {
        UPDATE, EXCHANGE, EXCHANGE_FOUND, SEARCH
    }

    /** What is remembered of an atomic or a search. */
    private static final class Entry {
        private Kind kind = Kind.UPDATE;
        private int rank;
        private int guard; // the index of what guards it, or NONE
        private long expected; // by an exchange
        private long word; // what a search that was decided here has found, 0 of anything else
        private int displacement; // where such a search has found it
        private long reach; // the displacement of the last record of a search
    }

    // By their indices. They grow: there may be a great many threads, and most batches have few atomics.
    private Entry[] entries = {};
    private int count; // since the last completion
    private int guard = NONE; // of the verbs that are added now
    private final RecordSearch search = new RecordSearch();
    private MemorySegment records = MemorySegment.NULL; // which a search has read to decide here
    private @Nullable MappedMemory recordWords; // the words of the records

    /** @param words the words of the buffer */
    protected GuardedBatch(MemorySegment buffer, MappedMemory words) {
        super(buffer, words);
    }

    // --- what a fabric says; as it stands here, verbs are executed as they are added ---

    /** Fails while the batch must not be touched. */
    protected void refuseIfUnderWay() {
        // Nothing ever is.
    }

    /** Is called when this becomes the guard: a batch that decides here now waits until it is answered. */
    protected void guardBegins(int index) {
        // It was answered when it was added.
    }

    @Override
    public boolean answered(int index) {
        return true;
    }

    /**
     * Adds a search for the owner to decide, or decides it here by {@link #decide}.
     *
     * @param bytes of all records
     */
    protected abstract void addSearch(int index, int rank, long offset, long bytes, long stride, long position,
            int tests);

    /** Ends what was added: later reads must not overtake it. */
    protected void completeReads() {
        // They were executed as they were added.
    }

    /** Returns what an atomic or search that is answered found. */
    protected long found(int index) {
        return result(index);
    }

    /** Returns the displacement at which a search that is answered found a record, or {@link RecordSearch#NOWHERE}. */
    protected int foundAt(int index) {
        return entries[index].displacement;
    }

    // --- records ---

    /** Reads the records by reads, for the batches whose owners do not. */
    @Override
    public void readRecords(int rank, long offset, long stride, int count, long position) {
        checkRecords(stride, count, position);
        readOfRecords(rank, offset, stride, count, position, Layouts.WORD);
        completeReads();
        if (stride > Layouts.WORD) {
            readOfRecords(rank, offset + Layouts.WORD, stride, count, position + Layouts.WORD, stride - Layouts.WORD);
        }
        completeReads();
        readOfRecords(rank, offset, stride, count, position + stride, Layouts.WORD);
    }

    private void readOfRecords(int rank, long offset, long stride, int count, long position, long bytes) {
        for (int record = 0; record < count; record++) {
            read(rank, offset + record * stride, position + record * RecordRead.arriving(stride), bytes);
        }
    }

    /** Ensures that the buffer has room for records that arrive there. */
    protected final void checkRecords(long stride, int count, long position) {
        refuseIfUnderWay();
        if (!RecordRead.isPossible(stride, count)) {
            throw new IllegalArgumentException("no such records can be read: stride=" + stride + " count=" + count);
        }
        long bytes = RecordRead.arriving(stride) * count;
        reserve(position + bytes);
        Objects.checkFromIndexSize(position, bytes, bufferBytes());
    }

    // --- atomics ---

    @Override
    public int mostAtomics() {
        return ATOMICS;
    }

    /** Returns the index of the next atomic or search. It counts as added only after {@link #keep}. */
    protected final int next() {
        if (count == entries.length) {
            makeRoom();
        }
        entries[count].word = 0;
        return count;
    }

    /** If there is not enough memory, all stays as it is. */
    private void makeRoom() {
        if (count == mostAtomics()) {
            throw new IllegalStateException("too many atomics in one batch: maximum=" + mostAtomics());
        }
        Entry[] more = Arrays.copyOf(entries, Math.max(FIRST_ENTRIES, 2 * count));
        for (int index = count; index < more.length; index++) {
            more[index] = new Entry();
        }
        entries = more;
    }

    /** Adds the next atomic. */
    protected final int keep(int index) {
        entries[index].kind = Kind.UPDATE;
        entries[index].guard = guard;
        count = index + 1;
        return index;
    }

    private int keepGuard(int index, int rank, Kind kind) {
        keep(index);
        entries[index].kind = kind;
        entries[index].rank = rank;
        return index;
    }

    /** Adds the next atomic, which is an exchange. */
    protected final int keepExchange(int index, int rank, long expected) {
        entries[index].expected = expected;
        return keepGuard(index, rank, Kind.EXCHANGE);
    }

    /** Adds the next atomic, which is an exchange of what its guard finds. */
    protected final int keepExchangeFound(int index, int rank) {
        return keepGuard(index, rank, Kind.EXCHANGE_FOUND);
    }

    /** Returns the number of atomics and searches that were added since the last completion. */
    protected final int atomics() {
        return count;
    }

    /** Is to be called when the batch is empty again. Results stay. */
    protected final void forgetAtomics() {
        count = 0;
        guard = NONE;
    }

    // --- searches ---

    @Override
    public final int search(int rank, long offset, long stride, int number, long position, int tests) {
        refuseIfUnderWay();
        reserve(position + tests * WordTest.BYTES);
        Objects.checkFromIndexSize(position, tests * WordTest.BYTES, bufferBytes());
        long bytes = stride * number;
        if (!RecordSearch.isPossible(bytes, stride, presentBuffer(), position, tests)) {
            throw new IllegalArgumentException("there is no such search: stride=" + stride + " count=" + number
                    + " tests=" + tests);
        }
        int index = next();
        addSearch(index, rank, offset, bytes, stride, position, tests);
        entries[index].reach = bytes - stride;
        return keepGuard(index, rank, Kind.SEARCH);
    }

    /** Decides a search: looks at its records, which lie in this memory. */
    protected final void decide(int index, LocalMemory memory, long offset, long bytes, long stride, long position,
            int tests) {
        Objects.checkFromIndexSize(offset, bytes, memory.size());
        search.run(memory, offset, bytes, stride, presentBuffer(), position, tests);
        keepFound(index, search.word(), search.displacement());
    }

    /** Decides a search that is skipped. */
    protected final void decideNothing(int index) {
        keepFound(index, 0, RecordSearch.NOWHERE);
    }

    /** Says what a search has found. */
    protected final void keepFound(int index, long word, int displacement) {
        entries[index].word = word;
        entries[index].displacement = displacement;
    }

    /** Returns memory into which the records of a search are to be read. */
    protected final MemorySegment roomForRecords(long bytes) {
        if (records.byteSize() < bytes) {
            records = MemorySegment.ofArray(new long[Math.toIntExact(bytes / Long.BYTES)]);
            recordWords = new MappedMemory(records);
        }
        return records;
    }

    /** Decides a search whose records were read into the {@linkplain #roomForRecords room} for them. */
    protected final void decideRead(int index, long bytes, long stride, long position, int tests) {
        decide(index, Objects.requireNonNull(recordWords), 0, bytes, stride, position, tests);
    }

    /** Returns what the search found if it was decided here. */
    protected final long decided(int index) {
        return entries[index].word;
    }

    protected final boolean isSearch(int index) {
        return entries[index].kind == Kind.SEARCH;
    }

    @Override
    public int exchangeFound(int rank, long offset, long keep, long addend) {
        long found = found(searchThatGuards());
        return compareAndExchange(rank, offset, found, (found & keep) + addend);
    }

    /** Writes by a write, for the batches whose owners do not decide, once the guard is answered. */
    @Override
    public void writeBeside(int rank, long offset, long position, long bytes, int bit) {
        checkBeside(bit);
        boolean isFirst = (found(guard) >>> bit & 1) != 0;
        write(rank, isFirst ? offset : offset + bytes, position, bytes);
    }

    /** Ensures that a write beside what this bit names can be added now. */
    protected final void checkBeside(int bit) {
        refuseIfUnderWay();
        if (bit < 0 || bit >= Long.SIZE) {
            throw new IllegalArgumentException("a word has no such bit: bit=" + bit);
        }
        if (guard == NONE) {
            throw new IllegalStateException("what nothing guards lies beside nothing: bit=" + bit);
        }
    }

    /** Returns the search that guards the verbs that are added now. */
    protected final int searchThatGuards() {
        refuseIfUnderWay();
        if (guard == NONE || !isSearch(guard)) {
            throw new IllegalStateException("what no search guards has found nothing: guard=" + guard);
        }
        return guard;
    }

    // --- guards ---

    @Override
    public final void guard(int index) {
        refuseIfUnderWay();
        if (index < 0 || index >= count || entries[index].kind == Kind.UPDATE) {
            throw new IllegalArgumentException("a guard is an exchange or search that was added since the last"
                    + " completion: index=" + index + " atomics=" + count);
        }
        guard = index;
        guardBegins(index);
    }

    @Override
    public final void unguard() {
        guard = NONE;
    }

    @Override
    public final boolean succeeded(int index) {
        Entry entry = entries[index];
        if (entry.kind == Kind.UPDATE) {
            throw new IllegalArgumentException("the atomic is no exchange: index=" + index);
        }
        return answered(index) && (entry.guard == NONE || succeeded(entry.guard)) && switch (entry.kind) {
            case UPDATE -> false;
            case EXCHANGE -> found(index) == entry.expected;
            case EXCHANGE_FOUND -> found(index) == found(entry.guard);
            case SEARCH -> foundAt(index) != RecordSearch.NOWHERE;
        };
    }

    @Override
    public final long displacement(int index) {
        return succeeded(index) ? known(index) : 0;
    }

    /** Returns the displacement of a guard, as far as the searches in its chain are answered. */
    private long known(int index) {
        Entry entry = entries[index];
        long own = entry.kind == Kind.SEARCH && answered(index) ? Math.max(foundAt(index), 0) : 0;
        return entry.guard == NONE ? own : own + known(entry.guard);
    }

    /** Returns the offset at which a verb that is added now is to take effect, as far as that is known here. */
    protected final long moved(long offset) {
        return guard == NONE ? offset : offset + known(guard);
    }

    /** Returns the most bytes by which a verb that is added now moves. */
    protected final long reach() {
        return guard == NONE ? 0 : reach(guard);
    }

    private long reach(int index) {
        Entry entry = entries[index];
        long own = entry.kind == Kind.SEARCH ? answered(index) ? Math.max(foundAt(index), 0) : entry.reach : 0;
        return entry.guard == NONE ? own : own + reach(entry.guard);
    }

    /** Returns true if a verb to this rank is guarded. Refuses it if the guard is of another rank. */
    protected final boolean isGuarded(int rank) {
        if (guard != NONE && entries[guard].rank != rank) {
            throw new IllegalArgumentException("a guarded verb goes to the rank of its exchange: rank=" + rank
                    + " exchange=" + entries[guard].rank);
        }
        return guard != NONE;
    }

    /** Returns the exchange or search that guards the verbs that are added now. */
    protected final int guardIndex() {
        return guard;
    }

    /** Returns true if a verb to this rank is not to be executed. Its guard, if it has one, is answered. */
    protected final boolean isSkipped(int rank) {
        return isGuarded(rank) && !succeeded(guard);
    }
}
