package io.atoll.fabric.verbs;

import io.atoll.fabric.StructureLocator;
import io.atoll.fabric.verbs.link.Lane;
import io.atoll.fabric.verbs.link.Link;
import io.atoll.failure.FabricException;
import io.atoll.memory.Layouts;
import java.util.Objects;

/**
 * The links to all ranks. Knows nothing of the fabric: what a thread has, and leads here, must not lead back to where it is kept. Else it would stay as long as its thread does.
 */
final class LinkedNetwork implements Caller.Network {

    private final int rank;
    private final Link[] links;
    private final StructureLocator structures = new StructureLocator();
    private volatile OldValues oldValues = OldValues.AS_IN_MEMORY;
    private volatile boolean closed;

    LinkedNetwork(int rank, Link[] links) {
        this.rank = rank;
        this.links = links;
    }

    int rank() {
        return rank;
    }

    @Override
    public int size() {
        return links.length;
    }

    Link link(int other) {
        return links[other];
    }

    StructureLocator structures() {
        return structures;
    }

    void returnsOldValues(OldValues found) {
        oldValues = found;
    }

    @Override
    public long fromDevice(long old) {
        return oldValues.value(old);
    }

    @Override
    public Lane lane(Caller thread, int target, String verb, long offset, long bytes) {
        refuseIfClosed(target, offset);
        if (((offset | bytes) & (Layouts.WORD - 1)) != 0) {
            throw new IllegalArgumentException("whole words only: offset=" + offset + " bytes=" + bytes);
        }
        Lane lane = way(thread, target, verb, offset);
        Objects.checkFromIndexSize(offset, bytes, lane.remote().bytes());
        return lane;
    }

    private Lane way(Caller thread, int target, String verb, long offset) {
        try {
            return thread.lane(links[target], target, verb, offset);
        } catch (FabricException failure) {
            throw named(failure);
        }
    }

    @Override
    public FabricException named(FabricException failure) {
        return failure.in(structures.find(failure.rank(), failure.offset()));
    }

    void flush() {
        for (Link link : links) {
            if (link.isOpen()) {
                link.flush();
            }
        }
    }

    @Override
    public void refuseIfClosed() {
        refuseIfClosed(rank, FabricException.WHOLE_SEGMENT);
    }

    private void refuseIfClosed(int target, long offset) {
        if (closed) {
            throw new IllegalStateException(
                    "this process has left its world: " + structures.facts(target, offset) + "rank=" + rank);
        }
    }

    void close() {
        closed = true;
        for (Link link : links) {
            link.close("this process has left");
        }
        for (Link link : links) {
            link.awaitAttempts();
        }
    }
}
