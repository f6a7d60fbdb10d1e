package io.atoll.fabric;

import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The verbs by which ranks use each other's segments: reads, writes and atomics. No code of the application runs at the
 * owner. Every structure is made of verbs. No verb has a default, so that no wrapper can forget one.
 *
 * <p>A caller names a word by the rank that owns it, and by its offset in that rank's segment. An offset is a number of
 * bytes, a multiple of 8. Lengths are whole words. Any thread may call all methods. Costs are in R, W and A: a remote
 * read, write and atomic.
 *
 * <p>Verbs of one thread to one rank take effect in the order of their calls, with two exceptions:
 * <ul>
 * <li>Reads of one {@link Batch} overtake each other where {@link Guarantees#readsInOrder()} is false.
 * <li>A read of one word may overtake an earlier write of another word. It does not if there is a flush, an atomic, or
 * the completion of the write's batch in between.
 * </ul>
 *
 * <p>Every verb throws {@link io.atoll.failure.RankUnreachableException} if the rank is not there. It throws
 * {@link IndexOutOfBoundsException} for an access outside the segment.
 */
public interface Fabric extends AutoCloseable {

    /** Returns this process's rank. */
    int rank();

    /** Returns the number of ranks of the world. */
    int size();

    Guarantees guarantees();

    /**
     * Returns true if a verb to that rank is executed before its call returns, or not at all. If false, a verb that
     * fails because its connection broke may have been executed: only its answer is missing.
     */
    boolean executesAtOnce(int target);

    /** Copies from a segment. Returns when the bytes are here. Cost: R. */
    void read(int rank, long offset, MemorySegment target, long position, long bytes);

    /** Cost: R. */
    long readWord(int rank, long offset);

    /**
     * Copies into a segment. Returns when the caller may use the source again. Once {@link #flush} or a later atomic of
     * this thread to that rank has returned, every rank can see the bytes. They may be lost with a connection or with
     * the rank. Then the thread's next verb to that rank throws, once, even if the rank is back. Cost: W.
     */
    void write(int rank, long offset, MemorySegment source, long position, long bytes);

    /** As {@link #write}, of one word. Cost: W. */
    void writeWord(int rank, long offset, long value);

    /** Returns the former value. The exchange took place if that is {@code expected}. Cost: A. */
    long compareAndExchange(int rank, long offset, long expected, long value);

    /** Returns the former value. Cost: A. */
    long getAndAdd(int rank, long offset, long delta);

    /**
     * Returns the former value. Cost: A where {@link Guarantees#fetchOr()}. Elsewhere R + A, repeated while others
     * change the word (lock-free), and R alone if the bits are set already.
     */
    long getAndBitwiseOr(int rank, long offset, long bits);

    /**
     * Returns the former value. Cost: A where {@link Guarantees#fetchOr()}, and wait-free. Elsewhere R + A, the A
     * repeated while others change the word (lock-free).
     */
    long getAndSet(int rank, long offset, long value);

    /** Returns when every earlier write of every thread of this process to the rank has arrived. */
    void flush(int rank);

    /** Returns when every earlier write of every thread of this process to any rank has arrived. */
    void flush();

    /**
     * Returns the calling thread's own batch, empty, with a buffer of {@link Batch#THREAD_BUFFER_BYTES}. It is valid
     * until the thread's next call.
     */
    Batch batch();

    /** Returns a new batch, for verbs that stay under way while the thread does something else. */
    Batch newBatch(long bufferBytes);

    /**
     * Returns the rank's segment if it is mapped into this process and the CPU's atomics are the fabric's. Then callers
     * may load and store there instead of using verbs. Returns null otherwise, and while the rank is not reachable.
     */
    default @Nullable LocalMemory mapped(int rank) {
        return null;
    }

    /**
     * Returns true if every segment that can be reached, now or later, is mapped into this process. Then every verb is
     * a load or a store of its CPU, and none crosses to another process.
     */
    default boolean mapsEverySegment() {
        return false;
    }

    /**
     * Returns the fabric to ask for {@link #mapped} segments. It is this one, or a wrapped one that maps the same and
     * answers in fewer instructions.
     */
    default Fabric mapping() {
        return this;
    }

    /** Tells this listener the rank whenever {@link #mapped} has begun to return something else for it. */
    default void whenRemapped(IntConsumer listener) {
        // By default no segment is ever mapped, so the listener is never called.
    }

    /** Returns this rank's own segment, by loads and stores of the CPU. {@link Endpoint} knows when that is allowed. */
    LocalMemory local();

    /**
     * Returns the locator that tells failures which structure they concern. All fabrics that wrap each other share one.
     */
    StructureLocator structures();

    /** Returns the clock that measures waits on this fabric. */
    Clock clock();

    /**
     * Closes the fabric. Every verb throws an {@link IllegalStateException} afterwards, and one that is under way in
     * another thread may.
     */
    @Override
    void close();

    /**
     * A fabric without the verbs of {@link Guarantees#fetchOr()}. They are composed here of a read and of
     * compare-and-exchanges, which are repeated while others change the word.
     */
    interface Composed extends Fabric {

        @Override
        default long getAndBitwiseOr(int rank, long offset, long bits) {
            return getAndBitwiseOr(this, rank, offset, bits);
        }

        @Override
        default long getAndSet(int rank, long offset, long value) {
            return getAndSet(this, rank, offset, value);
        }

        /** Does {@link Fabric#getAndBitwiseOr} by other verbs of the fabric. Cost: R + A, and R if the bits are set. */
        static long getAndBitwiseOr(Fabric fabric, int rank, long offset, long bits) {
            long current = fabric.readWord(rank, offset);
            while ((current & bits) != bits) {
                long witness = fabric.compareAndExchange(rank, offset, current, current | bits);
                if (witness == current) {
                    return current;
                }
                current = witness;
            }
            return current;
        }

        /** Does {@link Fabric#getAndSet} by other verbs of the fabric. Cost: R + A. */
        static long getAndSet(Fabric fabric, int rank, long offset, long value) {
            long current = fabric.readWord(rank, offset);
            while (true) {
                long witness = fabric.compareAndExchange(rank, offset, current, value);
                if (witness == current) {
                    return current;
                }
                current = witness;
            }
        }
    }
}
