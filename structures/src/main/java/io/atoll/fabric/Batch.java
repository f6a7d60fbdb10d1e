package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * Verbs that are posted at once and completed together: one round trip, however many they are (one doorbell on RDMA, one packet
 * on TCP). Used by one thread at a time:
 * <pre>{@code
 * Batch batch = fabric.batch();
 * batch.read(rank, bucket, 0, 32);
 * batch.read(rank, bucket, 32, 8);
 * batch.complete();
 * long state = batch.word(32);
 * }</pre>
 *
 * <p>Verbs to one rank take effect in the order in which they were added, except that reads overtake each other where
 * {@link Guarantees#readsInOrder()} is false. Behind one that fails, none to that rank is executed. A fabric may execute a verb as soon as it is added. Words for a
 * write are placed in the buffer before the write is added; words that were read, and results, are there after {@link #complete}.
 */
public interface Batch extends AutoCloseable {

    /** Bytes of the buffer of a thread's own batch. */
    long THREAD_BUFFER_BYTES = 32 << 10;

    /** So many of them a virtual thread keeps; the others it has from their first use until {@link #close}. */
    long SMALL_BUFFER_BYTES = 2 << 10;

    /** Results that a batch can hold, hence atomics in it. */
    int ATOMICS = 64;

    /** Where reads arrive and writes depart; positions are bytes in it. */
    MemorySegment buffer();

    /**
     * The buffer for an operation that uses no more than so many bytes at its beginning: what lies behind may be missing. To be asked for again after any verb or word that
     * lies further behind.
     */
    default MemorySegment buffer(long bytes) {
        return buffer();
    }

    /** The buffer as words. */
    LocalMemory memory();

    /** As {@link #buffer(long)}, as words. */
    default LocalMemory memory(long bytes) {
        return memory();
    }

    /** The word at a position of the buffer. */
    long word(long position);

    /** Places a word at a position of the buffer. */
    void setWord(long position, long value);

    void read(int rank, long offset, long position, long bytes);

    void write(int rank, long offset, long position, long bytes);

    /** Writes one word that need not lie in the buffer. */
    void writeWord(int rank, long offset, long value);

    /** Returns the index of the result: what was there. */
    int compareAndExchange(int rank, long offset, long expected, long value);

    /** Returns the index of the result: what was there. */
    int getAndAdd(int rank, long offset, long delta);

    /** What the atomic of that index found. */
    long result(int index);

    /** Posts what was added since the last completion and returns when all of it has taken effect. The batch is empty then, the buffer is kept. */
    void complete();

    /** Posts what was added; the batch must not be touched until {@link #poll} is true or {@link #complete} returns. */
    void post();

    /** True when everything that was posted has taken effect. Throws what went wrong with it. */
    boolean poll();

    /**
     * Returns the buffer of a batch of its own. Of a thread's own batch, may return what is more than {@link #SMALL_BUFFER_BYTES}: operations that need more call it
     * when they end. What lay there is lost then.
     */
    @Override
    void close();
}
