package io.atoll.fabric.shm;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Fabric;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.lang.foreign.Arena;
import java.util.Map;

/** A world of one: its segment is memory of this process and ends with it. */
final class SingleRankAttachment implements Attachment {

    private static final int INCARNATION = 1;

    private final Arena arena = Arena.ofShared();
    private final SharedMemoryFabric fabric;

    SingleRankAttachment(WorldIdentity world, long segmentBytes) {
        fabric = new SharedMemoryFabric(0, 1, allocate(segmentBytes));
        SegmentHeader.write(fabric.local(), world, 0, INCARNATION);
    }

    private MappedMemory allocate(long bytes) {
        try {
            return new MappedMemory(arena.allocate(bytes, Layouts.CACHE_LINE));
        } catch (OutOfMemoryError failure) {
            arena.close();
            throw new JoinRefusedException(Reason.NO_SPACE,
                    "the segment does not fit into memory, make it smaller: askedBytes=" + bytes, failure);
        }
    }

    @Override
    public Fabric fabric() {
        return fabric;
    }

    @Override
    public int incarnation() {
        return INCARNATION;
    }

    @Override
    public Map<String, String> address() {
        return Map.of();
    }

    @Override
    public Presence presence(int rank) {
        return new Presence(State.PRESENT, INCARNATION);
    }

    @Override
    public void connect(int rank, int incarnation, Map<String, String> address) {
        // There is nobody but this rank.
    }

    @Override
    public void fence(int rank) {
        throw new IllegalArgumentException("a world of one rank has no peers: rank=" + rank);
    }

    /** What a process has stored is there when the process has ended. */
    @Override
    public boolean isFenced(int rank, int incarnation, int segment) {
        return true;
    }

    @Override
    public void close() {
        if (arena.scope().isAlive()) {
            fabric.close();
            arena.close();
        }
    }
}
