package io.atoll.fabric.rdma;

import io.atoll.disni.SendChain;
import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;
import java.util.function.LongFunction;

/**
 * Provides the registered memory of this process's threads. A platform thread keeps all memory that its verbs may need,
 * which is less than its stack takes. There may be 10,000 virtual threads. Each of them keeps what operations on one
 * element need, about 4 KiB. It borrows a whole buffer for anything that takes more. A thread's memory returns to the
 * pools when the thread has ended.
 */
final class ThreadMemoryPool {

    private static final int PLATFORM_OUTGOING_BYTES = 16 << 10;

    // The sizes of what a virtual thread keeps. Together with what they keep for their own segment, 10,000 virtual
    // threads take 64 MB, whole buffers included.
    private static final int VIRTUAL_SLOTS = 6;
    private static final int VIRTUAL_WORDS = 8;
    private static final int VIRTUAL_SINGLE_BYTES = 64;
    private static final int VIRTUAL_OUTGOING_BYTES = 128;

    /** The most whole buffers that virtual threads hold at a time: for operations, and for single verbs. */
    private static final int MOST_WHOLE = 64;
    private static final int MOST_TRANSFERS = 32;

    /** The sizes of what a thread keeps, and the pool that it takes its memory from. */
    record Share(RegisteredBuffers pool, RdmaBatch.Size batch, RdmaBatch.Size single, RdmaBatch.Size outgoing) {

        private static Share of(LongFunction<Registered> slabs, RdmaBatch.Size batch, RdmaBatch.Size single,
                RdmaBatch.Size outgoing) {
            long bytes = batch.bytes() + single.bytes() + 2 * outgoing.bytes()
                    + SendChain.bytes(batch.slots()) + SendChain.bytes(1);
            return new Share(
                    new RegisteredBuffers(slabs, Layouts.roundUp(bytes, Layouts.CACHE_LINE), RegisteredBuffers.ANY),
                    batch, single, outgoing);
        }
    }

    private final Share platform;
    private final Share virtual;
    private final RegisteredBuffers whole;
    private final RegisteredBuffers transfers;

    /**
     * @param slabs registers as many bytes of memory as it is asked for
     * @param slots requests that a platform thread posts at once
     */
    ThreadMemoryPool(LongFunction<Registered> slabs, int slots) {
        this.platform = Share.of(slabs, new RdmaBatch.Size(slots, Batch.ATOMICS, slots, Batch.THREAD_BUFFER_BYTES),
                new RdmaBatch.Size(1, 1, 0, Batch.THREAD_BUFFER_BYTES),
                new RdmaBatch.Size(1, 0, 0, PLATFORM_OUTGOING_BYTES));
        this.virtual = Share.of(slabs,
                new RdmaBatch.Size(Math.min(slots, VIRTUAL_SLOTS), Batch.ATOMICS, VIRTUAL_WORDS,
                        Batch.SMALL_BUFFER_BYTES),
                new RdmaBatch.Size(1, 1, 0, VIRTUAL_SINGLE_BYTES),
                new RdmaBatch.Size(1, 0, 0, VIRTUAL_OUTGOING_BYTES));
        this.whole = new RegisteredBuffers(slabs, Batch.THREAD_BUFFER_BYTES, MOST_WHOLE);
        this.transfers = new RegisteredBuffers(slabs, Batch.THREAD_BUFFER_BYTES, MOST_TRANSFERS);
    }

    Share of(Thread owner) {
        return owner.isVirtual() ? virtual : platform;
    }

    /** Returns the pool of whole buffers for operations. */
    RegisteredBuffers whole() {
        return whole;
    }

    /**
     * Returns the pool of whole buffers for single verbs. A thread that holds one of them waits only for the device.
     */
    RegisteredBuffers transfers() {
        return transfers;
    }
}
