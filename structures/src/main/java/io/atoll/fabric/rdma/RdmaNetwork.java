package io.atoll.fabric.rdma;

import io.atoll.fabric.StructureLocator;
import io.atoll.fabric.link.PeerConnections;
import io.atoll.fabric.link.ThreadLanes;
import io.atoll.failure.FabricException;

/**
 * The connections to all ranks. This class does not refer to the fabric. A thread keeps objects that lead here. They
 * must not lead back to the place where they are kept: they would then live as long as the thread.
 */
final class RdmaNetwork implements RdmaThreadContext.Network {

    private final PeerConnections<QueuePairLane> peerConnections;
    private volatile AtomicByteOrder atomicByteOrder = AtomicByteOrder.AS_IN_MEMORY;

    RdmaNetwork(PeerConnections<QueuePairLane> peerConnections) {
        this.peerConnections = peerConnections;
    }

    /** As {@link PeerConnections#renewed}. */
    RdmaNetwork renewed(int lost, int born) {
        RdmaNetwork renewed = new RdmaNetwork(peerConnections.renewed(lost, born, new StructureLocator()));
        renewed.returnsOldValues(atomicByteOrder);
        return renewed;
    }

    PeerConnections<QueuePairLane> peerConnections() {
        return peerConnections;
    }

    @Override
    public int size() {
        return peerConnections.size();
    }

    void returnsOldValues(AtomicByteOrder found) {
        atomicByteOrder = found;
    }

    @Override
    public long fromDevice(long old) {
        return atomicByteOrder.value(old);
    }

    @Override
    public QueuePairLane lane(ThreadLanes<QueuePairLane> thread, int target, String verb, long offset, long bytes) {
        return peerConnections.lane(thread, target, verb, offset, bytes);
    }

    @Override
    public FabricException named(FabricException failure) {
        return peerConnections.named(failure);
    }

    @Override
    public void refuseIfClosed() {
        peerConnections.refuseIfClosed();
    }
}
