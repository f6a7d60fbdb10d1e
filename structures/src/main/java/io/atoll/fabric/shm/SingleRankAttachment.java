package io.atoll.fabric.shm;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Fabric;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import io.atoll.memory.MemoryPlace;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A world of one rank: its segment is memory of this process and ends with it. A user who starts two processes, and
 * forgets to make the world larger, has two worlds that share nothing. The second process reports that, but it is not
 * refused. Two applications of a machine, or a test beside a running application, may mean just that. One such process
 * at a time has the sign. When that process ends, another one takes it, so that the next process to come reports it,
 * too.
 */
final class SingleRankAttachment implements Attachment {

    private static final Logger LOG = LoggerFactory.getLogger(SingleRankAttachment.class);

    private static final int INCARNATION = 1;

    private static final Duration SIGN_INTERVAL = Duration.ofSeconds(1);

    private final Arena arena = Arena.ofShared();
    private final MappedMemory memory;
    private final SharedMemoryFabric fabric;
    private final WorldFiles files;
    private final String name;
    private final BackgroundThread signing; // started only if another process has the sign
    private volatile @Nullable RankLock sign; // shows this world to other processes

    /** @param files that the world would have if it were larger */
    SingleRankAttachment(WorldIdentity world, long segmentBytes, WorldFiles files) {
        memory = allocate(segmentBytes);
        fabric = new SharedMemoryFabric(0, 1, memory);
        SegmentHeader.write(fabric.local(), world, 0, INCARNATION, MemoryPlace.PRIVATE);
        this.files = files;
        this.name = world.name();
        this.signing = new BackgroundThread("atoll-sign-" + name,
                BackgroundThread.afterEvery(SIGN_INTERVAL, this::takeSign));
        warnIfUsed();
        takeSign();
        if (sign == null) {
            signing.wake();
        }
        removeSignsOfEnded();
    }

    /** Nothing depends on the sign. If the folder cannot be used, or another user has the name, there is no warning. */
    private void warnIfUsed() {
        try {
            if (files.isUsedByAnotherProcess()) {
                LOG.warn("another process of this machine has a world of this name, and shares nothing with this one."
                        + " To share one world set the size to 2 at both (atoll.world.size=2), else choose another name"
                        + " (atoll.world.name): world={} size=1", name);
            }
        } catch (IOException | JoinRefusedException unusable) {
            LOG.debug("cannot tell whether another process has a world of this name: world={}", name, unusable);
        }
    }

    /**
     * A killed process leaves its sign behind, and the next process to come removes it. So in the long run no file is
     * left.
     */
    private void removeSignsOfEnded() {
        try {
            files.removeSignsOfEnded();
        } catch (IOException | JoinRefusedException unusable) {
            LOG.debug("cannot remove the signs of worlds that have ended: files={}", files, unusable);
        }
    }

    private void takeSign() {
        try {
            sign = files.signOfOne().orElse(null);
            if (sign != null) {
                signing.stop();
            }
        } catch (IOException | JoinRefusedException unusable) {
            LOG.debug("cannot tell other processes of this world: world={}", name, unusable);
        }
    }

    @Override
    public List<BackgroundThread> background() {
        return List.of(signing);
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
        // There is no other rank.
    }

    @Override
    public void fence(int rank) {
        throw new IllegalArgumentException("a world of one rank has no peers: rank=" + rank);
    }

    /** Everything that a process has stored is there when the process has ended. */
    @Override
    public boolean isFenced(int rank, int incarnation, int segment) {
        return true;
    }

    @Override
    public void withdraw(JoinRefusedException reason) {
        memory.refuseWith(offset -> fabric.fenced(reason, 0, offset));
        free();
    }

    @Override
    public void release() {
        fabric.close();
        free();
    }

    @Override
    public void close() {
        release();
    }

    private void free() {
        if (arena.scope().isAlive()) {
            signing.end();
            arena.close();
            removeSign();
        }
    }

    private void removeSign() {
        RankLock taken = sign;
        if (taken == null) {
            return;
        }
        try {
            files.remove(taken);
        } catch (IOException failure) {
            LOG.debug("cannot remove the sign of this world: files={}", files, failure);
        }
    }
}
