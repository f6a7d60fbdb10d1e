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
 * int reserved = batch.compareAndExchange(rank, state, FREE, RESERVED);
 * batch.guard(reserved);
 * batch.writeWord(rank, entry, value);
 * batch.writeWord(rank, state, READY);
 * batch.complete();
 * boolean inserted = batch.exchanged(reserved);
 * }</pre>
 * A guarded verb that is skipped changes nothing: a skipped read leaves the buffer as it is, and the result of a
 * skipped atomic is 0.
 */
public interface Batch extends AutoCloseable {

    /** Bytes of the buffer of a thread's own batch. */
    long THREAD_BUFFER_BYTES = 32 << 10;

    /**
     * The bytes of its buffer that a virtual thread keeps. It has the others from their first use until {@link #close}.
     */
    long SMALL_BUFFER_BYTES = 2 << 10;

    /** The number of results that any batch can hold, hence of the atomics in it. */
    int ATOMICS = 64;

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

    void write(int rank, long offset, long position, long bytes);

    /** Writes one word that need not lie in the buffer. */
    void writeWord(int rank, long offset, long value);

    /** Returns the index of the result, which is the former value. */
    int compareAndExchange(int rank, long offset, long expected, long value);

    /** Returns the index of the result, which is the former value. */
    int getAndAdd(int rank, long offset, long delta);

    /** Returns what the atomic with that index found, or 0 if it was skipped. */
    long result(int index);

    /**
     * Guards the verbs that are added from now on, until the next {@code guard}, {@link #unguard} or completion. They
     * take effect only if this exchange takes place. If it is guarded itself and is skipped, it does not take place.
     * The verbs must go to the same rank. No round trip if the {@linkplain Guarantees#guardsAtOwner() owner decides}.
     * Otherwise one, in which the batch posts everything that was added and waits for it; none if the exchange is
     * answered already. So n exchanges and then n guarded writes take two.
     *
     * @param index of a {@link #compareAndExchange} that was added since the last completion
     * @throws IllegalArgumentException if it is none; a verb to another rank throws it, too
     */
    void guard(int index);

    /** Verbs that are added from now on take effect in any case. */
    void unguard();

    /**
     * Returns true if the exchange with that index was executed and found what it expected. It is known after
     * {@link #complete}. After a completion that failed it is false if the exchange is not {@link #answered}.
     */
    boolean exchanged(int index);

    /**
     * Returns true if it is known what the atomic with that index found, or that it was skipped. After a completion
     * that failed it may be false: nobody knows then if the atomic was executed.
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
