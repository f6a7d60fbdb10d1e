package io.atoll.fabric.shm;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Fabric;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.Arena;
import java.nio.file.AccessDeniedException;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;

/** A rank among others of its host: holds its lock, owns its segment file, maps those of the others. */
final class SharedMemoryAttachment implements Attachment {

    // A process that was killed gives its lock back when the kernel has torn it down.
    private static final Duration CLAIM_TIMEOUT = Duration.ofSeconds(1);
    // A peer that looks whether a rank lives holds its lock for an instant.
    private static final Duration GLANCE_TIMEOUT = Duration.ofMillis(30);
    private static final Duration LEAVE_TIMEOUT = Duration.ofSeconds(5);

    private final SharedMemory settings;
    private final WorldIdentity world;
    private final int rank;
    private final RankLock lock;
    private final Arena arena = Arena.ofShared();
    private final SharedMemoryFabric fabric;
    private final int incarnation;
    // What was mapped stays mapped until the end: a thread may be in the middle of a verb on it.
    private final @Nullable Mapping[] mappings;
    private boolean closed;

    private record Mapping(Object identity, MappedMemory memory) {}

    static SharedMemoryAttachment open(SharedMemory settings, WorldIdentity world, OptionalInt rank,
            long segmentBytes) {
        int claimed = -1;
        try {
            if (rank.isPresent()) {
                claimed = rank.getAsInt();
                RankLock lock = RankLock
                        .tryAcquire(new SegmentFile(settings.folder(), world, claimed).lock(), CLAIM_TIMEOUT)
                        .orElseThrow(() -> taken(world, rank.getAsInt()));
                return open(settings, world, claimed, lock, segmentBytes);
            }
            for (claimed = 0; claimed < world.size(); claimed++) {
                Optional<RankLock> lock = RankLock.tryAcquire(new SegmentFile(settings.folder(), world, claimed).lock(),
                        GLANCE_TIMEOUT);
                if (lock.isPresent()) {
                    return open(settings, world, claimed, lock.get(), segmentBytes);
                }
            }
            throw new JoinRefusedException(Reason.RANK_TAKEN,
                    "all ranks are taken by living processes: world=" + world.name() + " size=" + world.size());
        } catch (AccessDeniedException failure) {
            throw SegmentFile.foreign(new SegmentFile(settings.folder(), world, claimed).lock(), failure);
        } catch (IOException failure) {
            throw new JoinRefusedException(Reason.FABRIC_UNAVAILABLE,
                    "the segments' folder cannot be used: folder=" + settings.folder() + " cause=" + failure,
                    failure);
        }
    }

    private static JoinRefusedException taken(WorldIdentity world, int rank) {
        return new JoinRefusedException(Reason.RANK_TAKEN,
                "a living process holds this rank: world=" + world.name() + " rank=" + rank);
    }

    private static SharedMemoryAttachment open(SharedMemory settings, WorldIdentity world, int rank, RankLock lock,
            long segmentBytes) throws IOException {
        SegmentFile file = new SegmentFile(settings.folder(), world, rank);
        boolean existed = file.exists();
        try {
            return new SharedMemoryAttachment(settings, world, rank, lock, existed, segmentBytes);
        } catch (RuntimeException refused) {
            if (!existed) {
                file.remove();
            }
            lock.close();
            throw refused;
        }
    }

    private SharedMemoryAttachment(SharedMemory settings, WorldIdentity world, int rank, RankLock lock, boolean existed,
            long segmentBytes) {
        this.settings = settings;
        this.world = world;
        this.rank = rank;
        this.lock = lock;
        this.mappings = new Mapping[world.size()];
        SegmentFile file = file(rank);
        if (!existed) {
            file.create(segmentBytes);
        }
        MappedMemory own = file.map(arena);
        if (existed) {
            checkOwn(own, segmentBytes);
        }
        incarnation = Math.max(existed ? SegmentHeader.incarnation(own) : 0, rememberedByOthers()) + 1;
        SegmentHeader.write(own, world, rank, incarnation);
        fabric = new SharedMemoryFabric(rank, world.size(), own);
    }

    private void checkOwn(MappedMemory own, long segmentBytes) {
        try {
            // A process that died between making its file and writing the header left nothing but zeros.
            if (SegmentHeader.isWritten(own)) {
                SegmentHeader.check(own, world, rank);
            }
            if (own.size() != segmentBytes) {
                throw new LayoutMismatchException(
                        "the segment of an earlier start has another size, ask for that size or remove the file: file="
                                + file(rank).segment() + " foundBytes=" + own.size() + " askedBytes=" + segmentBytes,
                        rank);
            }
        } catch (RuntimeException refused) {
            arena.close();
            throw refused;
        }
    }

    private int rememberedByOthers() {
        int highest = 0;
        for (int peer = 0; peer < world.size(); peer++) {
            Optional<LocalMemory> header = peer == rank ? Optional.empty() : file(peer).header();
            if (header.isPresent()) {
                SegmentHeader.checkWorld(header.get(), world, peer);
                highest = Math.max(highest, SegmentHeader.remembered(header.get(), rank));
            }
        }
        return highest;
    }

    private SegmentFile file(int peer) {
        return new SegmentFile(settings.folder(), world, peer);
    }

    @Override
    public Fabric fabric() {
        return fabric;
    }

    @Override
    public int incarnation() {
        return incarnation;
    }

    @Override
    public Map<String, String> address() {
        return Map.of();
    }

    @Override
    public Presence presence(int peer) {
        if (peer == rank) {
            return new Presence(State.PRESENT, incarnation);
        }
        // The lock first: whoever holds it may not have written its incarnation yet, never the other way round.
        State state = RankLock.isHeld(file(peer).lock()) ? State.PRESENT : State.GONE;
        return file(peer).header()
                .map(header -> new Presence(state, SegmentHeader.incarnation(header)))
                .orElse(new Presence(State.ABSENT, 0));
    }

    @Override
    public void connect(int peer, int peerIncarnation, Map<String, String> address) {
        SegmentFile file = file(peer);
        Object identity = file.identity();
        Mapping mapping = mappings[peer];
        if (mapping == null || !mapping.identity().equals(identity)) {
            mapping = new Mapping(identity, file.map(arena));
            SegmentHeader.check(mapping.memory(), world, peer);
            mappings[peer] = mapping;
        }
        SegmentHeader.remember(fabric.local(), peer, peerIncarnation);
        fabric.place(peer, mapping.memory());
    }

    @Override
    public void fence(int peer) {
        fabric.place(peer, null);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        arena.close();
        try {
            lock.close();
            if (!settings.retain()) {
                removeIfLast();
            }
        } catch (IOException failure) {
            throw new UncheckedIOException("cannot give the rank back: world=" + world.name() + " rank=" + rank,
                    failure);
        }
    }

    /**
     * Whoever can lock every rank, its own lock given back, is the last: nobody lives, and nobody can claim a rank before the files are gone. One
     * at a time, since two who leave together would else take each other for a living rank.
     */
    private void removeIfLast() throws IOException {
        RankLock leaving = RankLock.tryAcquire(file(rank).leaveLock(), LEAVE_TIMEOUT)
                .orElseThrow(() -> new IOException(
                        "another rank has been leaving for too long: file=" + file(rank).leaveLock()));
        List<RankLock> held = new ArrayList<>();
        try {
            for (int peer = 0; peer < world.size(); peer++) {
                Optional<RankLock> lockOfPeer = RankLock.tryAcquire(file(peer).lock(), GLANCE_TIMEOUT);
                if (lockOfPeer.isEmpty()) {
                    return;
                }
                held.add(lockOfPeer.get());
            }
            for (int peer = 0; peer < world.size(); peer++) {
                file(peer).remove();
            }
        } finally {
            Files.deleteIfExists(file(rank).leaveLock());
            for (RankLock each : held) {
                each.close();
            }
            leaving.close();
        }
    }
}
