package io.atoll.fabric;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Remembers the atomics and searches of a batch: what each exchange expects, which record each search has found, and
 * what guards each of them. If a fabric's owners do not run searches, this class runs them here: it reads the records
 * and tests them. To decide a search is to say which record it finds.
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
        private long word; // the word that a search has found, if it was decided here; else 0
        private int displacement; // of the record that such a search has found
        private long reach; // the displacement of the last record of a search: the most that it can move a verb
    }

    // By their indices. They grow: there may be a great many threads, and most batches have few atomics.
    private Entry[] entries = {};
    private int count; // since the last completion
    private int guard = NONE; // of the verbs that the caller adds now
    private final RecordSearch search = new RecordSearch();
    private MemorySegment records = MemorySegment.NULL; // copies of the records of a search that is decided here
    private @Nullable MappedMemory recordWords; // the words of these copies

    /** @param words the words of the buffer */
    protected GuardedBatch(MemorySegment buffer, MappedMemory words) {
        super(buffer, words);
    }

    // --- what a fabric overrides if it does not execute each verb as the caller adds it ---

    /** Throws while verbs are posted and not completed: the caller must not touch the batch. */
    protected void refuseIfUnderWay() {
        // Each verb is complete when it has been added.
    }

    /** Is called when the caller makes this the guard. A batch that decides here waits for its answer now. */
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

    /** Returns when the reads that were added have been executed: later reads must not overtake them. */
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

    /** Reads records by three plain reads, for fabrics that have no such verb. */
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

    /** Returns the index of the next atomic or search. The batch has it only after {@link #remember}. */
    protected final int nextIndex() {
        if (count == entries.length) {
            makeRoom();
        }
        entries[count].word = 0;
        return count;
    }

    /** Without enough memory it throws, and changes nothing. */
    private void makeRoom() {
        if (count == mostAtomics()) {
            throw new IllegalStateException("too many atomics in one batch: maximum=" + mostAtomics());
        }
        Entry[] more = Arrays.copyOf(entries, Math.clamp(2 * count, FIRST_ENTRIES, mostAtomics()));
        for (int index = count; index < more.length; index++) {
            more[index] = new Entry();
        }
        entries = more;
    }

    /** Adds the next atomic. Returns its index. */
    protected final int remember(int index) {
        entries[index].kind = Kind.UPDATE;
        entries[index].guard = guard;
        count = index + 1;
        return index;
    }

    private int rememberGuard(int index, int rank, Kind kind) {
        remember(index);
        entries[index].kind = kind;
        entries[index].rank = rank;
        return index;
    }

    /** Adds the next atomic, which is an exchange. */
    protected final int rememberExchange(int index, int rank, long expected) {
        entries[index].expected = expected;
        return rememberGuard(index, rank, Kind.EXCHANGE);
    }

    /** Adds the next atomic, which is an exchange of what its guard finds. */
    protected final int rememberExchangeFound(int index, int rank) {
        return rememberGuard(index, rank, Kind.EXCHANGE_FOUND);
    }

    /** Returns the number of atomics and searches that were added since the last completion. */
    protected final int atomics() {
        return count;
    }

    /** The fabric calls this when the batch is empty again. Results stay. */
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
        int index = nextIndex();
        addSearch(index, rank, offset, bytes, stride, position, tests);
        entries[index].reach = bytes - stride;
        return rememberGuard(index, rank, Kind.SEARCH);
    }

    /** Decides a search: looks at its records, which lie in this memory. */
    protected final void decide(int index, LocalMemory memory, long offset, long bytes, long stride, long position,
            int tests) {
        Objects.checkFromIndexSize(offset, bytes, memory.size());
        search.run(memory, offset, bytes, stride, presentBuffer(), position, tests);
        rememberFound(index, search.word(), search.displacement());
    }

    /** Decides a search that is skipped. */
    protected final void decideNothing(int index) {
        rememberFound(index, 0, RecordSearch.NOWHERE);
    }

    /** Notes what a search has found. */
    protected final void rememberFound(int index, long word, int displacement) {
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

    /** Writes by a plain write once the guard is answered, for fabrics that have no such verb. */
    @Override
    public void writeBeside(int rank, long offset, long position, long bytes, int bit) {
        checkBeside(bit);
        boolean isFirst = (found(guard) >>> bit & 1) != 0;
        write(rank, isFirst ? offset : offset + bytes, position, bytes);
    }

    /** Throws if a write beside a place cannot be added now. */
    protected final void checkBeside(int bit) {
        refuseIfUnderWay();
        if (bit < 0 || bit >= Long.SIZE) {
            throw new IllegalArgumentException("a word has no such bit: bit=" + bit);
        }
        if (guard == NONE) {
            throw new IllegalStateException("nothing guards the write, so it lies beside nothing: bit=" + bit);
        }
    }

    /** Returns the search that guards the verbs that are added now. */
    protected final int searchThatGuards() {
        refuseIfUnderWay();
        if (guard == NONE || !isSearch(guard)) {
            throw new IllegalStateException(
                    "no search guards the exchange of what was found: guard=" + guard);
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
        return succeeded(index) ? displacementSoFar(index) : 0;
    }

    /** Returns the sum of the displacements of a guard and of its own guards. Searches without an answer count as 0. */
    private long displacementSoFar(int index) {
        Entry entry = entries[index];
        long own = entry.kind == Kind.SEARCH && answered(index) ? Math.max(foundAt(index), 0) : 0;
        return entry.guard == NONE ? own : own + displacementSoFar(entry.guard);
    }

    /** Returns the offset of a verb that is added now, moved by the guards that are answered already. */
    protected final long moved(long offset) {
        return guard == NONE ? offset : offset + displacementSoFar(guard);
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

    /** Returns true if a verb to this rank must be skipped. Its guard, if it has one, must be answered. */
    protected final boolean isSkipped(int rank) {
        return isGuarded(rank) && !succeeded(guard);
    }
}
