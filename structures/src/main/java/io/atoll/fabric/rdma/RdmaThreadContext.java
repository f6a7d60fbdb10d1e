package io.atoll.fabric.rdma;

import io.atoll.disni.SendChain;
import io.atoll.fabric.link.ThreadLanes;
import io.atoll.fabric.rdma.RdmaBatch.Ways;
import io.atoll.failure.FabricException;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Gives one thread access to the fabric: its lanes and its registered memory. A thread always uses the same lanes, so
 * that its verbs keep their order.
 */
final class RdmaThreadContext {

    private final ThreadLanes<QueuePairLane> lanes;
    private final Ways ways;
    private final RegisteredBuffers transfers;
    private final RdmaBatch batch;
    private final RdmaBatch single;
    // Writes that no thread waits for. One batch is filled while the other one departs.
    private RdmaBatch outgoing;
    private RdmaBatch departing;
    private long outgoingBytes;

    /** The connections by which threads reach the ranks. */
    interface Network {

        int size();

        /** Returns the lane of the thread to these words. Fails if the rank's segment has no such words. */
        QueuePairLane lane(ThreadLanes<QueuePairLane> thread, int rank, String verb, long offset, long bytes);

        long fromDevice(long old);

        /** Returns the failure, extended by the name of the structure that was accessed. */
        FabricException named(FabricException failure);

        /** @throws IllegalStateException once this process has left its world */
        void refuseIfClosed();
    }

    /** Creates the context of the calling thread. */
    RdmaThreadContext(Network network, ThreadLanes<QueuePairLane> lanes, ThreadMemoryPool buffers) {
        this.lanes = lanes;
        this.transfers = buffers.transfers();
        this.ways = ways(network);
        ThreadMemoryPool.Share share = buffers.of(Thread.currentThread());
        ThreadMemory memory = new ThreadMemory(share.pool(), buffers.whole());
        SegmentAllocator parts = SegmentAllocator.slicingAllocator(memory.kept().bytes());
        MemorySegment[] each = Stream.of(share.batch(), share.single(), share.outgoing(), share.outgoing())
                .map(size -> parts.allocate(size.bytes(), Layouts.CACHE_LINE))
                .toArray(MemorySegment[]::new);
        this.batch = batch(share.batch(), memory, 0, each,
                new SendChain(RdmaBatch.templates(share.batch().slots()), parts), memory);
        // These batches post each verb at once, so they can share one chain.
        SendChain one = new SendChain(RdmaBatch.templates(1), parts);
        this.single = batch(share.single(), memory, 1, each, one, null);
        this.outgoing = batch(share.outgoing(), memory, 2, each, one, null);
        this.departing = batch(share.outgoing(), memory, 3, each, one, null);
        memory.returnAfter(this);
    }

    private Ways ways(Network network) {
        return new Ways() {
            @Override
            public QueuePairLane lane(int rank, String verb, long offset, long bytes) {
                return network.lane(RdmaThreadContext.this.lanes, rank, verb, offset, bytes);
            }

            @Override
            public void read(int rank, long offset, MemorySegment into, long bytes) {
                RdmaThreadContext.this.read(rank, offset, into, 0, bytes);
            }

            @Override
            public long fromDevice(long old) {
                return network.fromDevice(old);
            }

            @Override
            public FabricException named(FabricException failure) {
                return network.named(failure);
            }
        };
    }

    private RdmaBatch batch(RdmaBatch.Size size, ThreadMemory memory, int number, MemorySegment[] parts,
            SendChain chain, @Nullable ThreadMemory growth) {
        return new RdmaBatch(ways, size, new Registered(parts[number], memory.kept().key()), memory.pending(number),
                chain, growth, () -> {});
    }

    RdmaBatch batch() {
        return batch;
    }

    /** Returns the batch for a single verb that the thread waits for. */
    RdmaBatch single() {
        return single;
    }

    ThreadLanes<QueuePairLane> lanes() {
        return lanes;
    }

    // --- words outside of a batch ---

    /** Reads words. Returns when they have arrived. */
    void read(int rank, long offset, MemorySegment into, long position, long bytes) {
        withRoomFor(bytes, buffer -> {
            long at = 0;
            do {
                long part = Math.min(bytes - at, buffer.bufferBytes());
                buffer.emptied().read(rank, offset + at, 0, part);
                buffer.complete();
                MemorySegment.copy(buffer.buffer(part), 0, into, position + at, part);
                at += part;
            } while (at < bytes);
        });
    }

    /** Runs the action on the batch for single verbs. Lends it a whole buffer if its own one is too small. */
    private void withRoomFor(long bytes, Consumer<RdmaBatch> action) {
        if (bytes <= single.bufferBytes() || isWhole(single)) {
            action.accept(single);
            return;
        }
        Registered lent = transfers.take();
        try {
            single.emptied().use(lent);
            action.accept(single);
        } finally {
            try {
                single.emptied();
            } finally {
                single.useKept();
                transfers.giveBack(lent);
            }
        }
    }

    private static boolean isWhole(RdmaBatch batch) {
        return batch.bufferBytes() >= RdmaBatch.THREAD_BUFFER_BYTES;
    }

    /** Starts to write words. Returns when the caller may use the source again. */
    void write(int rank, long offset, MemorySegment source, long position, long bytes) {
        if (bytes > outgoing.bufferBytes() && !isWhole(single)) {
            withRoomFor(bytes, buffer -> writeBy(buffer, rank, offset, source, position, bytes));
            return;
        }
        long at = 0;
        do {
            long part = Math.min(bytes - at, outgoing.bufferBytes());
            long place = reserve(part);
            MemorySegment.copy(source, position + at, outgoing.buffer(part), place, part);
            outgoing.write(rank, offset + at, place, part);
            outgoing.postAdded(false);
            at += part;
        } while (at < bytes);
    }

    private static void writeBy(RdmaBatch buffer, int rank, long offset, MemorySegment source, long position,
            long bytes) {
        for (long at = 0; at < bytes; at += buffer.bufferBytes()) {
            long part = Math.min(bytes - at, buffer.bufferBytes());
            buffer.emptied();
            MemorySegment.copy(source, position + at, buffer.buffer(part), 0, part);
            buffer.write(rank, offset + at, 0, part);
            buffer.postAdded(false);
        }
    }

    void writeWord(int rank, long offset, long value) {
        long place = reserve(Long.BYTES);
        outgoing.setWord(place, value);
        outgoing.write(rank, offset, place, Long.BYTES);
        outgoing.postAdded(false);
    }

    /** Reserves room for outgoing bytes. Waits for earlier writes if there is none. */
    private long reserve(long bytes) {
        if (outgoingBytes + bytes > outgoing.bufferBytes()) {
            RdmaBatch full = outgoing;
            outgoing = departing.emptied();
            departing = full;
            outgoingBytes = 0;
        }
        long place = outgoingBytes;
        outgoingBytes += bytes;
        return place;
    }
}
