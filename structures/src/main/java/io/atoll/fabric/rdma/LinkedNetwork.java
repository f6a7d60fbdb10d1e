package io.atoll.fabric.rdma;

import io.atoll.fabric.StructureLocator;
import io.atoll.fabric.link.Links;
import io.atoll.fabric.link.ThreadLanes;
import io.atoll.failure.FabricException;

/**
 * The links to all ranks. This class does not refer to the fabric. A thread keeps objects that lead here. They must not
 * lead back to the place where they are kept: they would then live as long as the thread.
 */
final class LinkedNetwork implements Caller.Network {

    private final Links<QueuePairLane> links;
    private volatile OldValues oldValues = OldValues.AS_IN_MEMORY;

    LinkedNetwork(Links<QueuePairLane> links) {
        this.links = links;
    }

    /** As {@link Links#renewed}. */
    LinkedNetwork renewed(int lost, int born) {
        LinkedNetwork renewed = new LinkedNetwork(links.renewed(lost, born, new StructureLocator()));
        renewed.returnsOldValues(oldValues);
        return renewed;
    }

    Links<QueuePairLane> links() {
        return links;
    }

    @Override
    public int size() {
        return links.size();
    }

    void returnsOldValues(OldValues found) {
        oldValues = found;
    }

    @Override
    public long fromDevice(long old) {
        return oldValues.value(old);
    }

    @Override
    public QueuePairLane lane(ThreadLanes<QueuePairLane> thread, int target, String verb, long offset, long bytes) {
        return links.lane(thread, target, verb, offset, bytes);
    }

    @Override
    public FabricException named(FabricException failure) {
        return links.named(failure);
    }

    @Override
    public void refuseIfClosed() {
        links.refuseIfClosed();
    }
}
