package io.atoll.fabric.tcp;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.StructureLocator;
import io.atoll.fabric.link.LinkedFabric;
import io.atoll.fabric.link.PeerConnections;
import io.atoll.fabric.link.ThreadContexts;
import io.atoll.failure.FabricException;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Verbs by TCP, which the CPU of the owner executes. If a segment is mapped here, the CPU of this process executes them
 * instead. Both ways use the atomics of one CPU on one memory, so they may access a word at the same time.
 */
final class TcpFabric implements LinkedFabric {

    private static final Guarantees GUARANTEES = new Guarantees(AtomicDomain.COHERENT_WITH_CPU, Long.BYTES, true, true,
            true);

    private final TcpNetwork network;
    private final Fabric host;
    private final PeerConnections<TcpLane> peerConnections;
    private final LaneMonitor laneMonitor;
    private final AtomicIntegerArray wereNear; // 1 for a rank that was near at some time: see TcpNetwork
    private final ThreadContexts<TcpLane, TcpThreadContext> threadContexts;

    /** @param host the fabric of this host, which has the segment of this rank */
    TcpFabric(Fabric host, TcpConnector connector, int laneCount) {
        TcpNetwork ways = network(host, new PeerConnections<>(connector, laneCount, host.structures()));
        this(host, connector.laneMonitor(), ways, new AtomicIntegerArray(host.size()),
                new ThreadContexts<>(ways.peerConnections()::refuseIfClosed, laneCount, host.size(),
                        lanes -> new TcpThreadContext(ways, lanes)));
    }

    private TcpFabric(Fabric host, LaneMonitor laneMonitor, TcpNetwork network, AtomicIntegerArray wereNear,
            ThreadContexts<TcpLane, TcpThreadContext> threadContexts) {
        this.host = host;
        this.laneMonitor = laneMonitor;
        this.peerConnections = network.peerConnections();
        this.network = network;
        this.wereNear = wereNear;
        this.threadContexts = threadContexts;
        host.whenRemapped(this::remap);
        for (int target = 0; target < host.size(); target++) {
            remap(target);
        }
    }

    private static TcpNetwork network(Fabric host, PeerConnections<TcpLane> peerConnections) {
        return new TcpNetwork(new AtomicReferenceArray<>(host.size()), peerConnections);
    }

    @Override
    public TcpFabric renewed(Fabric renewedHost, int rank, int born) {
        TcpNetwork ways = network(renewedHost, peerConnections.renewed(rank, born, renewedHost.structures()));
        AtomicIntegerArray near = new AtomicIntegerArray(wereNear.length());
        for (int target = 0; target < near.length(); target++) {
            near.set(target, target == rank ? 0 : wereNear.get(target));
        }
        return new TcpFabric(renewedHost, laneMonitor, ways, near,
                threadContexts.renewed(ways.peerConnections()::refuseIfClosed,
                        lanes -> new TcpThreadContext(ways, lanes)));
    }

    @Override
    public PeerConnections<TcpLane> peerConnections() {
        return peerConnections;
    }

    /** Returns the monitor of all lanes, those that have ended included. */
    LaneMonitor laneMonitor() {
        return laneMonitor;
    }

    private boolean isNear(int target) {
        return network.near(target) != null;
    }

    @Override
    public int rank() {
        return host.rank();
    }

    @Override
    public int size() {
        return host.size();
    }

    @Override
    public Guarantees guarantees() {
        return GUARANTEES;
    }

    /**
     * Also returns true for a rank of this host that has ended. What callers choose by it stays right until the rank
     * comes back on another host.
     */
    @Override
    public boolean executesAtOnce(int target) {
        return wereNear.get(target) == 1 && !peerConnections.isOpen(target);
    }

    private void remap(int target) {
        LocalMemory mapped = host.mapped(target);
        network.mapped().set(target, mapped);
        if (mapped != null) {
            wereNear.set(target, 1);
        }
    }

    @Override
    public void read(int target, long offset, MemorySegment into, long position, long bytes) {
        Objects.checkFromIndexSize(position, bytes, into.byteSize());
        if (isNear(target)) {
            host.read(target, offset, into, position, bytes);
        } else {
            threadContexts.caller().read(target, offset, into, position, bytes);
        }
    }

    @Override
    public long readWord(int target, long offset) {
        return isNear(target) ? host.readWord(target, offset) : threadContexts.caller().readWord(target, offset);
    }

    @Override
    public void write(int target, long offset, MemorySegment source, long position, long bytes) {
        Objects.checkFromIndexSize(position, bytes, source.byteSize());
        if (isNear(target)) {
            host.write(target, offset, source, position, bytes);
        } else {
            threadContexts.caller().write(target, offset, source, position, bytes);
        }
    }

    @Override
    public void writeWord(int target, long offset, long value) {
        if (isNear(target)) {
            host.writeWord(target, offset, value);
        } else {
            threadContexts.caller().writeWord(target, offset, value);
        }
    }

    @Override
    public long compareAndExchange(int target, long offset, long expected, long value) {
        return isNear(target)
                ? host.compareAndExchange(target, offset, expected, value)
                : threadContexts.caller()
                        .update(target, Frame.COMPARE_AND_EXCHANGE, "compareAndExchange", offset, expected,
                                value);
    }

    @Override
    public long getAndAdd(int target, long offset, long delta) {
        return isNear(target)
                ? host.getAndAdd(target, offset, delta)
                : threadContexts.caller().update(target, Frame.GET_AND_ADD, "getAndAdd", offset, delta, 0);
    }

    @Override
    public long getAndBitwiseOr(int target, long offset, long bits) {
        return isNear(target)
                ? host.getAndBitwiseOr(target, offset, bits)
                : threadContexts.caller().update(target, Frame.GET_AND_BITWISE_OR, "getAndBitwiseOr", offset, bits, 0);
    }

    @Override
    public long getAndSet(int target, long offset, long value) {
        return isNear(target)
                ? host.getAndSet(target, offset, value)
                : threadContexts.caller().update(target, Frame.GET_AND_SET, "getAndSet", offset, value, 0);
    }

    @Override
    public void flush(int target) {
        if (isNear(target)) {
            host.flush(target);
        } else {
            flushLanes(() -> peerConnections.flush(threadContexts.caller().lanes(), target));
        }
    }

    @Override
    public void flush() {
        peerConnections.refuseIfClosed();
        host.flush();
        flushLanes(() -> peerConnections.flush(threadContexts.caller().lanes()));
    }

    private void flushLanes(Runnable flush) {
        try {
            flush.run();
        } catch (FabricException failure) {
            throw network.named(failure);
        }
    }

    @Override
    public Batch batch() {
        peerConnections.refuseIfClosed();
        return threadContexts.caller().batch().emptied();
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        peerConnections.refuseIfClosed();
        return TcpBatch.ofItsOwn(network, () -> threadContexts.caller().lanes(), bufferBytes);
    }

    @Override
    public @Nullable LocalMemory mapped(int target) {
        return host.mapped(target);
    }

    @Override
    public void whenRemapped(IntConsumer listener) {
        host.whenRemapped(listener);
    }

    @Override
    public LocalMemory local() {
        peerConnections.refuseIfClosed();
        return host.local();
    }

    @Override
    public StructureLocator structures() {
        return host.structures();
    }

    @Override
    public Clock clock() {
        return Clock.SYSTEM;
    }

    /** Ends every lane. The memory of this host belongs to the attachment. */
    @Override
    public void close() {
        peerConnections.close();
        host.close();
    }
}
