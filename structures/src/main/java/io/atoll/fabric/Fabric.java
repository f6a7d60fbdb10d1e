package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The verbs by which ranks use each other's segments, without running code at the owner. What every structure is made of.
 *
 * <p>A word is named by the rank that owns it and its offset in bytes, a multiple of 8; lengths are whole words. Verbs of one thread to one
 * rank take effect in the order of their calls, with two exceptions: reads of one {@link Batch} overtake each other where
 * {@link Guarantees#readsInOrder()} is false, and a read of one word may overtake an earlier write of another until that is flushed, its batch is
 * completed, or an atomic comes between. All methods may be called by any thread.
 *
 * <p>Every verb throws {@link io.atoll.failure.RankUnreachableException} when the rank is not there, and
 * {@link IndexOutOfBoundsException} for what lies outside its segment.
 */
public interface Fabric extends AutoCloseable {

    /** This process's rank. */
    int rank();

    /** How many ranks the world has. */
    int size();

    Guarantees guarantees();

    /**
     * Returns whether a verb to that rank is executed before its call returns, or not at all. Elsewhere a verb that fails because its connection broke may have been
     * executed: only its answer is missing.
     */
    boolean executesAtOnce(int target);

    /** Copies from a segment; returns when the bytes are here. Cost: R. */
    void read(int rank, long offset, MemorySegment target, long position, long bytes);

    /** Cost: R. */
    long readWord(int rank, long offset);

    /**
     * Copies into a segment; returns when the source may be used again. The bytes have arrived, for everyone, after
     * {@link #flush} or after a later atomic of this thread to the same rank has returned. If they are lost, with a connection or with the rank, the thread's next
     * verb to that rank throws, once, also where the rank is back. Cost: W.
     */
    void write(int rank, long offset, MemorySegment source, long position, long bytes);

    /** As {@link #write}, of one word. Cost: W. */
    void writeWord(int rank, long offset, long value);

    /** Returns what was there; the exchange took place if that is {@code expected}. Cost: A. */
    long compareAndExchange(int rank, long offset, long expected, long value);

    /** Returns what was there. Cost: A. */
    long getAndAdd(int rank, long offset, long delta);

    /**
     * Returns what was there. Cost: A where {@link Guarantees#fetchOr()}; elsewhere R + A, repeated while others change the word
     * (lock-free), and R alone if the bits are set already.
     */
    default long getAndBitwiseOr(int rank, long offset, long bits) {
        long current = readWord(rank, offset);
        while ((current & bits) != bits) {
            long witness = compareAndExchange(rank, offset, current, current | bits);
            if (witness == current) {
                return current;
            }
            current = witness;
        }
        return current;
    }

    /**
     * Returns what was there. Cost: A where {@link Guarantees#fetchOr()}, and wait-free; elsewhere R + A, the A repeated while others
     * change the word (lock-free).
     */
    default long getAndSet(int rank, long offset, long value) {
        long current = readWord(rank, offset);
        while (true) {
            long witness = compareAndExchange(rank, offset, current, value);
            if (witness == current) {
                return current;
            }
            current = witness;
        }
    }

    /** Returns when every earlier write of every thread of this process to the rank has arrived. */
    void flush(int rank);

    /** Returns when every earlier write of every thread of this process to any rank has arrived. */
    void flush();

    /** The calling thread's own batch, empty, with a buffer of {@link Batch#THREAD_BUFFER_BYTES}. Valid until the thread's next call. */
    Batch batch();

    /** A batch of its own, for verbs that stay under way while the thread does something else. */
    Batch newBatch(long bufferBytes);

    /**
     * The rank's segment where it is mapped into this process and the CPU's atomics are the fabric's, so that loads and stores are the verbs; else null, also while
     * the rank is not reachable.
     */
    default @Nullable LocalMemory mapped(int rank) {
        return null;
    }

    /**
     * Whether every segment that can be reached, now or later, is mapped into this process: then every verb is a load
     * or a store of its CPU, and none
     * crosses to another one.
     */
    default boolean mapsEverySegment() {
        return false;
    }

    /**
     * Returns who is to be asked for what is {@linkplain #mapped}: this fabric, or the one that it wraps and maps the
     * same.
     */
    default Fabric mapping() {
        return this;
    }

    /** Tells this listener the rank whenever {@link #mapped} has begun to return something else for it. */
    default void whenRemapped(IntConsumer listener) {
        // Nothing is ever mapped.
    }

    /** This rank's own segment, by loads and stores of the CPU. {@link Endpoint} knows when that is allowed. */
    LocalMemory local();

    /** Tells failures which structure they are of. One for all fabrics that wrap each other. */
    StructureLocator structures();

    /** The time by which waits on this fabric are measured. */
    Clock clock();

    /** Every verb throws an {@link IllegalStateException} afterwards, and one that is under way in another thread may. */
    @Override
    void close();
}
