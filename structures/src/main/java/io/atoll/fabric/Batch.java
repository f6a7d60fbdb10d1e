package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * Verbs that are posted at once and completed together: one round trip for any number of verbs (one doorbell on RDMA,
 * one packet on TCP). One thread at a time uses a batch:
 * <pre>{@code
 * Batch batch = fabric.batch();
 * batch.read(rank, bucket, 0, 32);
 * batch.read(rank, bucket, 32, 8);
 * batch.complete();
 * long state = batch.word(32);
 * }</pre>
 *
 * <p>Verbs to one rank take effect in the order in which they were added. Only reads overtake each other, where
 * {@link Guarantees#readsInOrder()} is false. After a verb that fails, no later verb to that rank is executed. A fabric
 * may execute a verb as soon as it is added. The caller places the words for a write in the buffer before it adds the
 * write. Words that were read, and results, are there after {@link #complete}.
 *
 * <p>A {@linkplain #guard guarded} verb takes effect only if an exchange of the same batch took place:
 * <pre>{@code
 * int reserved = batch.compareAndExchange(rank, state, FREE, RESERVED); batch.guard(reserved); batch.writeWord(rank,
 * entry, value); batch.writeWord(rank, state, READY); batch.complete(); boolean inserted = batch.succeeded(reserved);
 * }</pre> A guarded verb that is skipped changes nothing. A skipped read leaves the buffer as it is, and the result of
 * a skipped atomic is 0.
 *
 * <p>A {@link #search} finds a record, and what it guards moves to this record. So one round trip adds to the value of
 * a key wherever it lies, if it is there:
 * <pre>{@code
 * WordTest.putEqual(batch, 0, KEY, key);
 * int found = batch.search(rank, table, RECORD_BYTES, 16, 0, 1);
 * batch.guard(found);
 * int added = batch.getAndAdd(rank, table + VALUE, delta); // of the first record, moved to the one found
 * batch.complete();
 * boolean isPresent = batch.succeeded(found);
 * }</pre>
 * Guards chain, so a batch is a small program of the owner (PRISM, Burke et al., SOSP 2021: indirection, enhanced
 * compare-and-swap and chaining). It is not atomic: others may act between any two of its verbs.
 */
public interface Batch extends AutoCloseable {

    /** Bytes of the buffer of a thread's own batch. */
    long THREAD_BUFFER_BYTES = 32 << 10;

    /**
     * The bytes of its buffer that a virtual thread keeps. It has the others from their first use until {@link #close}.
     */
    long SMALL_BUFFER_BYTES = 2 << 10;

    /** The number of results that any batch can hold, hence of the atomics and searches in it. */
    int ATOMICS = 64;

    /** The most bytes that one search looks at. */
    int SEARCH_BYTES = 4 << 10;

    /** The most records of one {@link #readRecords}. */
    int RECORDS = 64;

    /** The most bytes that one {@link #readRecords} brings. */
    int RECORDS_BYTES = 32 << 10;

    /** Returns the number of results that this batch can hold: {@link #ATOMICS}, or more where they cost little. */
    int mostAtomics();

    /** Returns the buffer where reads arrive and writes depart. Positions are bytes in it. */
    MemorySegment buffer();

    /**
     * Returns the buffer for an operation that uses at most its first {@code bytes} bytes: the bytes behind may be
     * missing. The caller must ask for the buffer again after any verb or word that lies further behind.
     */
    MemorySegment buffer(long bytes);

    /** Returns the buffer as words. */
    LocalMemory memory();

    /** As {@link #buffer(long)}, as words. */
    LocalMemory memory(long bytes);

    /** Returns the word at a position of the buffer. */
    long word(long position);

    /** Places a word at a position of the buffer. */
    void setWord(long position, long value);

    void read(int rank, long offset, long position, long bytes);

    /**
     * Reads records, and the first word of each twice. A record arrives with its {@code stride} bytes, and behind them
     * stands its first word once more:
     * <pre>
     *   position                   position + stride
     *   +---------+----------------+---------+---------+------//--
     *   |  first  |  other words   |  first  |  first  |  of the next record
     *   +---------+----------------+---------+---------+------//--
     *     before                     after
     * </pre>
     * The first of these two is loaded before the other words of its record, the second one after them. Suppose
     * that every change of a record changes its first word. If both loads bring the same word, the record arrived as it
     * was at one moment. Nothing else is promised: the other words come in no order, and so do the records.
     *
     * <p>Where the {@linkplain Guarantees#guardsAtOwner() owner decides}, it is one verb. Otherwise it takes three
     * reads of each record. Where these are not executed at once, it takes up to two more round trips. In these the
     * batch posts everything that was added and waits for it.
     *
     * @param stride the bytes of a record, a multiple of 8
     * @param count of the records, from 1 to {@value #RECORDS}; they bring at most {@value #RECORDS_BYTES} bytes
     * @throws IllegalArgumentException if no such records can be read
     */
    void readRecords(int rank, long offset, long stride, int count, long position);

    void write(int rank, long offset, long position, long bytes);

    /**
     * Writes to one of two places that lie side by side, and leaves the other one as it is. A bit of the word that the
     * {@link #guard} has found says which place to leave: 0 the first one, 1 the second.
     * <pre>
     *   offset          offset + bytes
     *   +---------------+---------------+
     *   |    place 0    |    place 1    |     the bit is 0: writes place 1
     *   +---------------+---------------+     the bit is 1: writes place 0
     * </pre>
     * So a caller can write a new value beside the valid one. The caller need not know which place has the valid one:
     * the state of the record tells the owner. The word is the {@linkplain #result result} of the guard: of a search,
     * that of the first test; of an exchange, the one that was replaced.
     *
     * <p>Where the {@linkplain Guarantees#guardsAtOwner() owner decides}, it is one verb. Elsewhere it is a write: the
     * guard is answered when it is added.
     *
     * @param offset of the first place, which moves as any guarded verb
     * @param bytes of one place. Both must lie in the segment
     * @param bit its number, from 0 for the lowest one to 63
     * @throws IllegalStateException if nothing guards the write
     * @throws IllegalArgumentException if there is no such bit
     */
    void writeBeside(int rank, long offset, long position, long bytes, int bit);

    /** Writes one word that need not lie in the buffer. */
    void writeWord(int rank, long offset, long value);

    /** Returns the index of the result, which is the former value. */
    int compareAndExchange(int rank, long offset, long expected, long value);

    /** Returns the index of the result, which is the former value. */
    int getAndAdd(int rank, long offset, long delta);

    /**
     * Returns the index of the result, which is the former value.
     *
     * @throws UnsupportedOperationException if the fabric has no {@linkplain Guarantees#fetchOr() such verb}
     */
    int getAndBitwiseOr(int rank, long offset, long bits);

    /**
     * Looks for the first record that passes all tests, and returns the index of the result. The result is the word of
     * the first test in the record found, or 0 if no record passes. The search takes place in the order of the verbs,
     * and is no snapshot: others may change a record while it looks.
     *
     * <p>Where the {@linkplain Guarantees#guardsAtOwner() owner decides}, a search is one verb without a round trip of
     * its own. It loads the words of each record in the order of the tests, until one fails. Otherwise the batch posts
     * everything that was added, with one read of all records, and waits for it: one round trip. The words of a record
     * then arrive as those of any read do.
     *
     * @param offset of the first record
     * @param stride the bytes of a record, a multiple of 8
     * @param count of the records, at least 1; they have at most {@value #SEARCH_BYTES} bytes
     * @param position of the first {@link WordTest} in the buffer, where the tests lie one behind the other. The caller
     * leaves them there until the batch is completed
     * @param tests the number of tests, from 1 to {@value WordTest#MOST}
     * @throws IllegalArgumentException if there is no such search, or a tested word does not lie in the record
     * @throws IndexOutOfBoundsException if any of the records lies outside of the segment
     */
    int search(int rank, long offset, long stride, int count, long position, int tests);

    /**
     * Replaces the word that a search has found, if it is still the same: a {@link #compareAndExchange} that expects
     * the {@linkplain #result result} of the search and stores {@code (result & keep) + addend}. So -1 as {@code keep}
     * adds to the word, and 0 replaces it. Only what a search guards can do this. It can be a guard itself.
     *
     * @param offset of the word of the first test in the first record: it moves as any verb that the search guards
     * @return the index of the result, which is the former value
     * @throws IllegalStateException if the guard is no search
     */
    int exchangeFound(int rank, long offset, long keep, long addend);

    /** Returns what the atomic or search with that index found, or 0 if it was skipped. */
    long result(int index);

    /**
     * Guards the verbs that are added from now on, until the next {@code guard}, {@link #unguard} or completion. They
     * take effect only if this exchange takes place, or this search finds a record. A guard that is skipped, because of
     * its own guard, does neither. The verbs must go to the same rank.
     *
     * <p>The verbs move to the record that was found: each takes effect at its offset plus the {@link #displacement} of
     * its guard. So the caller gives offsets as for the first record. The words must lie in the segment whichever
     * record is found.
     *
     * <p>No round trip if the {@linkplain Guarantees#guardsAtOwner() owner decides}. Otherwise one, in which the batch
     * posts everything that was added and waits for it; none if the exchange is answered already, as a search is. So n
     * exchanges and then n guarded writes take two.
     *
     * @param index of an exchange or search that was added since the last completion
     * @throws IllegalArgumentException if it is none; a verb to another rank throws it, too
     */
    void guard(int index);

    /** Verbs that are added from now on take effect in any case, at their own offsets. */
    void unguard();

    /**
     * Returns true if the exchange with that index took place, or if the search with that index found a record. The
     * caller may ask after {@link #complete}. After a completion that failed this returns false if there is no
     * {@linkplain #answered answer}.
     */
    boolean succeeded(int index);

    /**
     * Returns the bytes by which everything moves that this exchange or search guards. They lead from the first record
     * to the one found. The displacement of its own guard is added, if it has one. Returns 0 if it has not {@link
     * #succeeded}.
     */
    long displacement(int index);

    /**
     * Returns true if it is known what the atomic or search with that index found, or that it was skipped. After a
     * completion that failed it may be false: nobody knows then if it was executed.
     */
    boolean answered(int index);

    /**
     * Posts the verbs that were added since the last completion, and returns when all of them have taken effect. The
     * batch is empty then, and the buffer is kept.
     */
    void complete();

    /**
     * Posts the verbs that were added. The caller must not touch the batch until {@link #poll} returns true or
     * {@link #complete} returns.
     */
    void post();

    /** Returns true when everything that was posted has taken effect. Throws if a verb has failed. */
    boolean poll();

    /**
     * Gives back the buffer, if this is not a thread's own batch. A thread's own batch may give back the bytes beyond
     * {@link #SMALL_BUFFER_BYTES}: operations that need more of them call this when they end. Their contents are lost
     * then.
     */
    @Override
    void close();
}
