package io.atoll.fabric.rdma;

import io.atoll.disni.SendChain;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.StructureLocator;
import io.atoll.fabric.link.LinkedFabric;
import io.atoll.fabric.link.OutstandingRequests;
import io.atoll.fabric.link.PeerConnections;
import io.atoll.fabric.link.ThreadContexts;
import io.atoll.failure.FabricException;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.LongFunction;

/**
 * The fabric whose verbs the network card executes. Verbs on this rank's own segment go through the card as well, by a
 * connection to itself.
 */
final class RdmaFabric implements LinkedFabric, Fabric.Composed {

    private static final int MOST_SLOTS = 2 * Batch.ATOMICS;

    private final Guarantees guarantees;
    private final LocalMemory local;
    private final RdmaNetwork network;
    private final RegisteredMemory.Pool memory;
    private final int slots;
    private final ThreadMemoryPool buffers;
    private final ThreadContexts<QueuePairLane, RdmaThreadContext> threadContexts;

    RdmaFabric(Connector connector, Rdma settings, LocalMemory local) {
        this.guarantees = connector.device().guarantees(settings.readGuarantees());
        this.local = local;
        this.memory = new RegisteredMemory.Pool(connector.device());
        this.slots = Math.min(MOST_SLOTS, settings.depth() / 2);
        this.network = new RdmaNetwork(
                new PeerConnections<>(connector, settings.queuePairs(), new StructureLocator()));
        this.buffers = new ThreadMemoryPool(slabs(memory), slots);
        this.threadContexts = callers(network, settings.queuePairs(), buffers);
    }

    private RdmaFabric(RdmaFabric former, int lost, int born) {
        this.guarantees = former.guarantees;
        this.local = former.local;
        this.memory = former.memory;
        this.slots = former.slots;
        this.network = former.network.renewed(lost, born);
        this.buffers = former.buffers;
        this.threadContexts = renewed(former.threadContexts, network, buffers);
    }

    /** Creates the contexts of threads. They do not refer to the fabric. */
    static ThreadContexts<QueuePairLane, RdmaThreadContext> callers(RdmaThreadContext.Network network, int laneCount,
            ThreadMemoryPool buffers) {
        return new ThreadContexts<>(network::refuseIfClosed, laneCount, network.size(),
                lanes -> new RdmaThreadContext(network, lanes, buffers));
    }

    private static ThreadContexts<QueuePairLane, RdmaThreadContext> renewed(
            ThreadContexts<QueuePairLane, RdmaThreadContext> former,
            RdmaThreadContext.Network network, ThreadMemoryPool buffers) {
        return former.renewed(network::refuseIfClosed, lanes -> new RdmaThreadContext(network, lanes, buffers));
    }

    /** Ignores the memory of the host: the card reaches all segments, those of this host included. */
    @Override
    public RdmaFabric renewed(Fabric host, int rank, int born) {
        return new RdmaFabric(this, rank, born);
    }

    /**
     * Returns an allocator whose memory lasts until the fabric is closed. It does not refer to the fabric, so threads
     * that keep it do not keep a world that was left.
     */
    private static LongFunction<Registered> slabs(RegisteredMemory.Pool memory) {
        Object user = new Object();
        return bytes -> {
            RegisteredMemory slab = memory.allocate(user, bytes);
            return new Registered(slab.bytes(), slab.key());
        };
    }

    RegisteredMemory.Pool memory() {
        return memory;
    }

    @Override
    public PeerConnections<QueuePairLane> peerConnections() {
        return network.peerConnections();
    }

    /**
     * Finds out in which byte order the device returns old values. The first word of the own segment tells: with its
     * bytes reversed it is another value.
     */
    void detectByteOrder() {
        network.returnsOldValues(AtomicByteOrder.of(local.getVolatile(0), getAndAdd(rank(), 0, 0)));
    }

    /** Returns the context of the calling thread. */
    RdmaThreadContext rdmaThreadContext() {
        return threadContexts.caller();
    }

    @Override
    public int rank() {
        return peerConnections().rank();
    }

    @Override
    public int size() {
        return network.size();
    }

    @Override
    public Guarantees guarantees() {
        return guarantees;
    }

    @Override
    public boolean executesAtOnce(int target) {
        return false;
    }

    @Override
    public void read(int target, long offset, MemorySegment into, long position, long bytes) {
        Objects.checkFromIndexSize(position, bytes, into.byteSize());
        RdmaThreadContext thread = rdmaThreadContext();
        network.lane(thread.lanes(), target, "read", offset, bytes);
        thread.read(target, offset, into, position, bytes);
    }

    @Override
    public long readWord(int target, long offset) {
        RdmaBatch single = rdmaThreadContext().single().emptied();
        single.read(target, offset, 0, Long.BYTES);
        single.complete();
        return single.word(0);
    }

    @Override
    public void write(int target, long offset, MemorySegment source, long position, long bytes) {
        Objects.checkFromIndexSize(position, bytes, source.byteSize());
        RdmaThreadContext thread = rdmaThreadContext();
        network.lane(thread.lanes(), target, "write", offset, bytes);
        thread.write(target, offset, source, position, bytes);
    }

    @Override
    public void writeWord(int target, long offset, long value) {
        rdmaThreadContext().writeWord(target, offset, value);
    }

    @Override
    public long compareAndExchange(int target, long offset, long expected, long value) {
        RdmaBatch single = rdmaThreadContext().single().emptied();
        single.compareAndExchange(target, offset, expected, value);
        single.complete();
        return single.result(0);
    }

    @Override
    public long getAndAdd(int target, long offset, long delta) {
        RdmaBatch single = rdmaThreadContext().single().emptied();
        single.getAndAdd(target, offset, delta);
        single.complete();
        return single.result(0);
    }

    @Override
    public void flush(int target) {
        peerConnections().flush(rdmaThreadContext().lanes(), target);
    }

    @Override
    public void flush() {
        peerConnections().flush(rdmaThreadContext().lanes());
    }

    /** Returns how many work requests the present connections have posted to a rank. This is the true cost of verbs. */
    long workRequests(int target) {
        return peerConnections().posted(target);
    }

    @Override
    public Batch batch() {
        network.refuseIfClosed();
        return rdmaThreadContext().batch().emptied();
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        network.refuseIfClosed();
        return newBatch(new RdmaBatch.Size(slots, Batch.ATOMICS, slots, bufferBytes));
    }

    /** Returns the calling thread's lane to that rank. */
    QueuePairLane lane(int target, String verb, long offset, long bytes) {
        return network.lane(rdmaThreadContext().lanes(), target, verb, offset, bytes);
    }

    /** Returns a batch with memory of its own, for any thread that uses it. */
    private Batch newBatch(RdmaBatch.Size size) {
        OutstandingRequests outstandingRequests = new OutstandingRequests();
        RdmaBatch.Ways ways = new RdmaBatch.Ways() {
            @Override
            public QueuePairLane lane(int target, String verb, long offset, long bytes) {
                return RdmaFabric.this.lane(target, verb, offset, bytes);
            }

            @Override
            public void read(int target, long offset, MemorySegment into, long bytes) {
                rdmaThreadContext().read(target, offset, into, 0, bytes);
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
        // Only the batch refers to these ways, so the memory lives as long as the batch.
        RegisteredMemory own = memory.allocate(ways, size.bytes(), outstandingRequests::settle);
        return new RdmaBatch(ways, size, new Registered(own.bytes(), own.key()), outstandingRequests,
                new SendChain(RdmaBatch.templates(size.slots())), null, own::close);
    }

    @Override
    public LocalMemory local() {
        network.refuseIfClosed();
        return local;
    }

    @Override
    public StructureLocator structures() {
        return peerConnections().structures();
    }

    @Override
    public Clock clock() {
        return Clock.SYSTEM;
    }

    /** Ends every connection of this rank to others, and gives its memory back. */
    @Override
    public void close() {
        peerConnections().close();
        memory.close();
    }
}
