package io.atoll.fabric.shm;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFileException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MemoryPlace;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** A rank among others of its host: holds its lock, owns its segment file, maps those of the others. */
final class SharedMemoryAttachment implements Attachment {

    private static final Logger LOG = LoggerFactory.getLogger(SharedMemoryAttachment.class);

    // A process that was killed gives its lock back when the kernel has torn it down.
    private static final Duration CLAIM_TIMEOUT = Duration.ofSeconds(1);

    private static final int NEVER_STARTED = 0;

    private final SharedMemory settings;
    private final WorldFiles files;
    private final WorldIdentity world;
    private final int rank;
    private final long segmentBytes;
    private final RankLock lock;
    private final Kernel kernel;
    private final boolean isOfOneHost;
    private volatile int incarnation;
    private volatile SharedMemoryFabric fabric; // replaced when a rank has lost its segment
    // Written by one thread at a time; looked at by any.
    private final AtomicReferenceArray<@Nullable Mapping> mappings;
    // Whatever was mapped stays mapped until the end: a thread may be in the middle of a verb on it.
    private final List<Mapping> mapped = new ArrayList<>();
    private final Set<Integer> elsewhere = ConcurrentHashMap.newKeySet(); // ranks that were told of
    private boolean closed;

    private record Claim(int rank, RankLock lock) {}

    /** @param bootId the file by which the kernel tells its boot id */
    static SharedMemoryAttachment open(SharedMemory settings, WorldIdentity world, OptionalInt rank,
            long segmentBytes, Path bootId) {
        WorldFiles files = new WorldFiles(settings.folder(), world.name());
        try {
            Kernel kernel = Kernel.read(bootId);
            Claim claim = rank.isPresent() ? claim(files, world, rank.getAsInt()) : claimAny(files, world);
            return open(settings, files, world, claim, segmentBytes, kernel);
        } catch (IOException failure) {
            throw new JoinRefusedException(Reason.FABRIC_UNAVAILABLE,
                    "the segments' folder cannot be used, choose another: cause=" + failure + " folder="
                            + settings.folder(),
                    failure);
        }
    }

    private static Claim claim(WorldFiles files, WorldIdentity world, int rank) throws IOException {
        return RankLock.tryClaim(files.lock(rank), CLAIM_TIMEOUT)
                .map(lock -> new Claim(rank, lock))
                .orElseThrow(() -> new JoinRefusedException(Reason.RANK_TAKEN, world.size() == 1
                        ? takenByAnother(world)
                        : "a living process holds this rank, choose another, or none to have the first that is free: world="
                                + world.name() + " rank=" + rank));
    }

    /** Some ranks may seem taken for a while: whoever finds out whether it is the last to leave claims those of the dead. */
    private static Claim claimAny(WorldFiles files, WorldIdentity world) throws IOException {
        Backoff backoff = new Backoff(Clock.SYSTEM, CLAIM_TIMEOUT);
        do {
            for (int rank = 0; rank < world.size(); rank++) {
                Optional<RankLock> lock = RankLock.tryClaim(files.lock(rank), Duration.ZERO);
                if (lock.isPresent()) {
                    return new Claim(rank, lock.get());
                }
            }
        } while (backoff.pause());
        throw new JoinRefusedException(Reason.RANK_TAKEN, world.size() == 1
                ? takenByAnother(world)
                : "all ranks are taken by living processes, choose another world name or make the world larger: world="
                        + world.name() + " size=" + world.size());
    }

    private static String takenByAnother(WorldIdentity world) {
        return "another process has this world, which has one rank only. To share it set the size to 2 at both (atoll.world.size=2),"
                + " else choose another name (atoll.world.name): world=" + world.name() + " size=1";
    }

    private static SharedMemoryAttachment open(SharedMemory settings, WorldFiles files, WorldIdentity world,
            Claim claim, long segmentBytes, Kernel kernel) throws IOException {
        SegmentFile own = new SegmentFile(files, world, claim.rank());
        boolean existed = own.exists();
        try {
            claim.lock().announce();
            return new SharedMemoryAttachment(settings, files, world, claim, existed, segmentBytes, kernel);
        } catch (IOException | RuntimeException | Error refused) {
            try (RankLock _ = claim.lock()) {
                if (!existed) {
                    own.remove();
                }
            } catch (IOException second) {
                refused.addSuppressed(second);
            }
            throw refused;
        }
    }

    private SharedMemoryAttachment(SharedMemory settings, WorldFiles files, WorldIdentity world, Claim claim,
            boolean existed, long segmentBytes, Kernel kernel) throws IOException {
        this.settings = settings;
        this.files = files;
        this.world = world;
        this.rank = claim.rank();
        this.segmentBytes = segmentBytes;
        this.lock = claim.lock();
        this.kernel = kernel;
        this.isOfOneHost = files.areOfOneHost();
        this.mappings = new AtomicReferenceArray<>(world.size());
        Optional<LocalMemory> former = file(rank).header(segmentBytes);
        int last = Math.max(rememberedByOthers(),
                former.map(header -> Math.max(SegmentHeader.incarnation(header), laterLife(header)))
                        .orElse(NEVER_STARTED));
        refuseIfSpent(last);
        boolean isOfUse = existed && former.stream().noneMatch(header -> laterLife(header) > NEVER_STARTED);
        this.fabric = begin(isOfUse ? file(rank).map(segmentBytes) : create(), last + 1);
        if (!isOfOneHost) {
            LOG.warn(
                    "other hosts may have the segments' folder, too: their ranks are not reached by it. Give each host a"
                            + " folder in its memory (atoll.fabric.shared-memory.folder): world={} folder={} fileSystem={}",
                    world.name(), settings.folder(), files.fileSystem());
        }
    }

    private Mapping create() throws IOException {
        return file(rank).create(segmentBytes,
                memory -> SegmentHeader.write(memory, world, rank, NEVER_STARTED, MemoryPlace.PRIVATE));
    }

    private SharedMemoryFabric begin(Mapping own, int number) throws IOException {
        SegmentHeader.write(own.memory(), world, rank, number, file(rank).place(kernel));
        incarnation = number;
        place(rank, own);
        return new SharedMemoryFabric(rank, world.size(), own.memory());
    }

    /** A life of this rank that others have met and this segment knows nothing else of: to them it has been lost. 0 if there is none. */
    private int laterLife(LocalMemory own) {
        return SegmentHeader.remembered(own, rank);
    }

    @Override
    public void makeAnew(int above) {
        refuseIfSpent(above);
        try {
            Mapping former = Objects.requireNonNull(mappings.get(rank));
            fabric.close();
            mapped.remove(former);
            former.close(); // a file that is mapped keeps its memory when its name is gone
            fabric = begin(create(), above + 1);
        } catch (IOException failure) {
            throw new SegmentFileException("the rank's segment cannot be made anew, allow this process its folder",
                    "attach", rank, failure);
        }
    }

    /** Before anything is changed: the next one would be taken for one that has ended long ago. */
    private void refuseIfSpent(int last) {
        if (last >= SegmentHeader.MAXIMUM_INCARNATION) {
            throw new JoinRefusedException(Reason.INCARNATIONS_SPENT,
                    "the rank has been started as often as it can be. Stop all processes of the world, and remove its files: world="
                            + world.name() + " rank=" + rank + " starts=" + last + " folder=" + settings.folder());
        }
    }

    /** The highest incarnation of this rank that others have met, should its own segment be lost. */
    private int rememberedByOthers() throws IOException {
        int highest = 0;
        for (int peer = 0; peer < world.size(); peer++) {
            if (peer != rank) {
                Optional<LocalMemory> header = file(peer).header(segmentBytes);
                highest = Math.max(highest, header.map(met -> SegmentHeader.remembered(met, rank)).orElse(0));
            }
        }
        return highest;
    }

    private SegmentFile file(int peer) {
        return new SegmentFile(files, world, peer);
    }

    private void place(int peer, Mapping mapping) {
        mapped.add(mapping);
        mappings.set(peer, mapping);
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
            return new Presence(isStillOwn() ? State.PRESENT : State.GONE, incarnation);
        }
        // The lock first: whoever holds it may not have written its incarnation yet, never the other way round.
        State state = RankLock.isAlive(file(peer).lock()) ? State.PRESENT : State.GONE;
        return headerOf(peer).map(header -> presence(peer, state, header))
                .orElse(new Presence(State.ABSENT, NEVER_STARTED));
    }

    /** Whether others who look for this rank find this process: its lock, its segment, and no later life of the rank in it. */
    private boolean isStillOwn() {
        Mapping own = Objects.requireNonNull(mappings.get(rank));
        try {
            return lock.isStillInPlace() && file(rank).isStill(own)
                    && SegmentHeader.incarnation(own.memory()) == incarnation;
        } catch (IOException failure) {
            throw new SegmentFileException(
                    "the rank's own files cannot be looked at, see whether this process may read their folder",
                    "attach", rank, failure);
        }
    }

    private Presence presence(int peer, State state, LocalMemory header) {
        // Before address and place, which are written before a new incarnation is: so this is never a new one with those of the last.
        int found = SegmentHeader.incarnation(header);
        if (found == NEVER_STARTED) {
            return new Presence(State.ABSENT, found);
        }
        if (!isHere(peer, header) && !hasEndedHere(state)) {
            reportElsewhere(peer);
            return new Presence(State.UNKNOWN, NEVER_STARTED);
        }
        return new Presence(state, found, SegmentHeader.published(header), SegmentHeader.born(header));
    }

    /** Whether this process maps the memory that the segment's owner maps. */
    private boolean isHere(int peer, LocalMemory header) {
        try {
            return SegmentHeader.place(header).equals(file(peer).place(kernel));
        } catch (NoSuchFileException removed) {
            return false;
        } catch (IOException failure) {
            throw unreadable(peer, failure);
        }
    }

    /** Whether a segment that is not of this host's memory is what the host had before it was started again. */
    private boolean hasEndedHere(State state) {
        return state == State.GONE && isOfOneHost;
    }

    private void reportElsewhere(int peer) {
        if (elsewhere.add(peer)) {
            LOG.warn(
                    "a rank of another host has the same folder of segments, and is not reached by it. Give each host a"
                            + " folder in its memory (atoll.fabric.shared-memory.folder): world={} rank={} folder={}",
                    world.name(), peer, settings.folder());
        }
    }

    private static SegmentFileException unreadable(int peer, IOException failure) {
        return new SegmentFileException(
                "the rank's segment cannot be looked at, see whether this process may read its folder", "attach", peer,
                failure);
    }

    private Optional<LocalMemory> headerOf(int peer) {
        SegmentFile file = file(peer);
        Mapping mapping = mappings.get(peer);
        try {
            return mapping != null && file.isStill(mapping)
                    ? Optional.of(mapping.memory())
                    : file.header(segmentBytes);
        } catch (IOException failure) {
            throw unreadable(peer, failure);
        }
    }

    @Override
    public void connect(int peer, int peerIncarnation, Map<String, String> address) {
        SegmentFile file = file(peer);
        Mapping mapping = mappings.get(peer);
        try {
            if (mapping != null && !file.isStill(mapping)) {
                throw LayoutMismatchException.ofSegmentMadeAnew(peer);
            }
            if (mapping == null) {
                mapping = file.map(segmentBytes);
                place(peer, mapping);
            }
            if (!isHere(peer, mapping.memory())) {
                throw new LayoutMismatchException(
                        "the segment is in the memory of another host, give each host a folder in its memory",
                        "folder=" + settings.folder(), peer);
            }
        } catch (IOException failure) {
            throw new SegmentFileException(
                    "the rank's segment cannot be mapped, allow this process its file and more address space", "attach",
                    peer, failure);
        }
        // First: of two that wait for each other, both are seen.
        SegmentHeader.remember(fabric.local(), peer, peerIncarnation);
        refuseIfUnnoticed(peer, mapping.memory());
        fabric.place(peer, mapping.memory());
    }

    /**
     * One that maps the segment that this rank has lost sees nothing of what this process does, and would take its pins and
     * locks for those of the one that has ended. It notes this life once it has let the former segment go.
     */
    private void refuseIfUnnoticed(int peer, LocalMemory header) {
        int met = SegmentHeader.remembered(header, rank);
        boolean isMadeAnew = SegmentHeader.born(fabric.local()) == incarnation;
        if (isMadeAnew && met > NEVER_STARTED && met < incarnation) {
            throw new RankUnreachableException(
                    "the rank has not noticed yet that this one has lost its segment, let it go on if it is stopped",
                    "incarnation=" + incarnation + " met=" + met, "attach", peer, FabricException.WHOLE_SEGMENT);
        }
    }

    /** What was lost is unmapped, which gives the host its memory back: nothing that uses it still does so by a verb. */
    @Override
    public void renew(int peer, int born) {
        SharedMemoryFabric former = fabric;
        SharedMemoryFabric renewed = former.renewed(peer, born);
        Mapping lost = mappings.get(peer);
        if (lost != null) {
            lost.close(offset -> former.lost(peer, offset));
            mapped.remove(lost);
            mappings.set(peer, null);
        }
        fabric = renewed;
    }

    @Override
    public void fence(int peer) {
        fabric.place(peer, null);
    }

    /** Who has ended stores nothing any more. */
    @Override
    public boolean isFenced(int peer, int peerIncarnation, int segment) {
        return true;
    }

    /** By a read of the file, not by the mapping: that one may be of a file that the rank has replaced. */
    @Override
    public boolean readLeft(int peer, long offset, MemorySegment into) {
        try {
            return file(peer).read(segmentBytes, offset, into);
        } catch (IOException | JoinRefusedException | LayoutMismatchException unusable) {
            LOG.debug("a segment's file cannot be read: world={} rank={}", world.name(), peer, unusable);
            return false;
        }
    }

    /**
     * By whichever object, class or batch the memory is known: its arena is closed under all of them. An arena closes when no thread is in the middle of an access, and fails to close while
     * native code has a part of it. So behind the last one no store follows, and the lock has nothing left to prove: others may repair what this process held, and take its rank.
     */
    @Override
    public void withdraw(JoinRefusedException reason) {
        for (Mapping mapping : mapped) {
            int peer = mapping.rank();
            mapping.close(offset -> fabric.fenced(reason, peer, offset));
        }
        try {
            lock.close();
        } catch (IOException failure) {
            throw new SegmentFileException("the rank's lock cannot be given back, end this process", "detach", rank,
                    failure);
        }
    }

    @Override
    public void release() {
        fabric.close();
        closingFiles(() -> {
            try (lock) {
                mapped.forEach(Mapping::close);
            }
        }, "the rank's lock cannot be given back, end this process");
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        release();
        if (!settings.retain()) {
            closingFiles(files::removeIfUnused,
                    "the world's files cannot be removed, remove them when all its processes have ended");
        }
    }

    /** Closes files. */
    @FunctionalInterface
    private interface Closing {
        void run() throws IOException;
    }

    /** Channels are closed under a thread that is interrupted. */
    private void closingFiles(Closing closing, String otherwise) {
        boolean interrupted = Thread.interrupted();
        try {
            closing.run();
        } catch (IOException failure) {
            throw new SegmentFileException(otherwise, "detach", rank, failure);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
