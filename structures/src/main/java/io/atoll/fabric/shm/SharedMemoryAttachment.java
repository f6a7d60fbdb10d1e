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

/** A rank among others of its host: it holds its lock, owns its segment file, and maps the files of the others. */
final class SharedMemoryAttachment implements Attachment {

    private static final Logger LOG = LoggerFactory.getLogger(SharedMemoryAttachment.class);

    // A process that was killed gives its lock back only when the kernel has torn it down.
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
    // One thread at a time writes it; any thread reads it.
    private final AtomicReferenceArray<@Nullable Mapping> mappings;
    // Every mapping stays until the end: a thread may be in the middle of a verb on it.
    private final List<Mapping> mapped = new ArrayList<>();
    private final Set<Integer> elsewhere = ConcurrentHashMap.newKeySet(); // ranks of other hosts that were reported
    private boolean closed;

    private record Claim(int rank, RankLock lock) {}

    /** @param bootId the file in which the kernel tells its boot id */
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
                        : "a living process holds this rank, choose another, or none to have the first that is free:"
                                + " world=" + world.name() + " rank=" + rank));
    }

    /**
     * Claims the first free rank. It tries for a while: a leaving rank, to find out if it is the last, claims the ranks
     * of the dead for a moment.
     */
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
        return "another process has this world, which has one rank only."
                + " To share it set the size to 2 at both (atoll.world.size=2),"
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
                    "other hosts may have the segments' folder, too: their ranks are not reached by it."
                            + " Give each host a folder in its memory (atoll.fabric.shared-memory.folder):"
                            + " world={} folder={} fileSystem={}",
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

    /**
     * Returns a later life of this rank that others have met, if it has left no other trace in this segment. To them,
     * this segment has been lost. Returns 0 if there is none.
     */
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
            former.close(); // a mapped file keeps its memory after its name is gone
            fabric = begin(create(), above + 1);
        } catch (IOException failure) {
            throw new SegmentFileException("the rank's segment cannot be made anew, allow this process its folder",
                    "attach", rank, failure);
        }
    }

    /** Refuses before anything is changed: others would take the next incarnation for one that ended long ago. */
    private void refuseIfSpent(int last) {
        if (last >= SegmentHeader.MAXIMUM_INCARNATION) {
            throw new JoinRefusedException(Reason.INCARNATIONS_SPENT,
                    "the rank has been started as often as it can be. Stop all processes of the world,"
                            + " and remove its files: world=" + world.name() + " rank=" + rank + " starts=" + last
                            + " folder=" + settings.folder());
        }
    }

    /** Returns the highest incarnation of this rank that others have met, in case its own segment is lost. */
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
        // The lock first: its holder may not have written its incarnation yet, but never the other way round.
        State state = RankLock.isAlive(file(peer).lock()) ? State.PRESENT : State.GONE;
        return headerOf(peer).map(header -> presence(peer, state, header))
                .orElse(new Presence(State.ABSENT, NEVER_STARTED));
    }

    /**
     * Returns true if others that look for this rank find this process: its lock, its segment, and no later life of the
     * rank in it.
     */
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
        // The incarnation is read before address and place, which are written before a new incarnation is. So a new
        // incarnation never comes with the address and place of the last one.
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

    /** Returns true if this process maps the memory that the segment's owner maps. */
    private boolean isHere(int peer, LocalMemory header) {
        try {
            return SegmentHeader.place(header).equals(file(peer).place(kernel));
        } catch (NoSuchFileException removed) {
            return false;
        } catch (IOException failure) {
            throw unreadable(peer, failure);
        }
    }

    /** Returns true if a segment that is not in this host's memory dates from before the host was started again. */
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
        // Remember first: if two ranks wait for each other, both are seen.
        SegmentHeader.remember(fabric.local(), peer, peerIncarnation);
        refuseIfUnnoticed(peer, mapping.memory());
        fabric.place(peer, mapping.memory());
    }

    /**
     * Refuses a peer that still maps the segment which this rank has lost. Such a peer sees nothing of what this
     * process does. It would take this process's pins and locks for those of the incarnation that has ended. It notes
     * this life once it has let the former segment go.
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

    /**
     * Unmaps the lost segment, which gives the host its memory back. No verb reaches it any more; direct loads and
     * stores on it fail.
     */
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

    /** A process that has ended stores nothing any more. */
    @Override
    public boolean isFenced(int peer, int peerIncarnation, int segment) {
        return true;
    }

    /** By a read of the file, not by the mapping: the mapping may be of a file that the rank has replaced. */
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
     * Closes the arena of each mapping, which closes it for every object, class and batch that knows the memory. An
     * arena closes when no thread is in the middle of an access. It fails to close while native code has a part of it.
     * So no store follows after the last arena is closed. Then the lock has nothing left to prove: others may repair
     * what this process held, and take its rank.
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

    /** A step that closes files. */
    @FunctionalInterface
    private interface Closing {
        void run() throws IOException;
    }

    /** Runs the step without the thread's interruption, which would close the channels, and restores it afterwards. */
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
