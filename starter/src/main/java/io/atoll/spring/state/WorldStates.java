package io.atoll.spring.state;

import io.atoll.Inspection;
import io.atoll.World;
import io.atoll.background.BackgroundThread;
import io.atoll.collective.CollectiveLog;
import io.atoll.epoch.EpochSettings;
import io.atoll.epoch.EpochSnapshot;
import io.atoll.epoch.LocalEpochManager;
import io.atoll.fabric.Connections;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.heap.HeapUsage;
import io.atoll.history.RankHistory;
import io.atoll.history.Series;
import io.atoll.spring.state.CachedLook.Seen;
import io.atoll.spring.state.ParallelLook.Kind;
import io.atoll.world.NamedStructure;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Shows a world to its observers: health, consoles, actuator. However many observers there are, a segment is read at
 * most once in {@link #KEPT}. So observing disturbs no rank. Any thread may use it.
 *
 * <p>Methods that read no other rank wait for no rank: {@link #world}, {@link #ranks}, {@link #lastEpochs},
 * {@link #pinnedTooLong}, {@link #warnings}, {@link #troubles}, {@link #bytes}, the own {@link #segment}, and every
 * method that costs nothing. Health, probes and meters should use only these.
 *
 * <p>All other methods read other ranks. If a rank does not answer, they wait as long as the fabric waits, once or a
 * few times. Then they leave it out. A rank that is known not to answer is left out at once. A caller that comes while
 * another one waits gets the previous result. Some methods look at many ranks: {@link #segments}, {@link #rankStates},
 * {@link #epochs}, those of {@link #histories} and {@link #locks}, and all methods that build on these. They wait for
 * all ranks together, for at most two seconds.
 */
public final class WorldStates implements AutoCloseable {

    /** How long the last result of reading a segment is shown. */
    public static final Duration KEPT = Duration.ofSeconds(1);

    /** The greatest age of structures that are only searched for problems. */
    private static final Duration RECENT = Duration.ofSeconds(10);

    /** From this duration on, the late ranks of a collective are looked up. */
    private static final Duration LONG_COLLECTIVE = Duration.ofMillis(100);

    private final World world;
    private final Inspection inspection;
    private final Supplier<Map<String, LocalEpochManager>> localManagers;
    private final Supplier<Optional<RefusedReload>> refusedReload;
    private final ReadableRanks ranks;
    private final Directories directories;
    private final EpochWatch epochWatch;
    private final LockStates locks;
    private final Histories histories;
    private final AtomicBoolean watchesPins = new AtomicBoolean();

    /** A segment that is fuller than this counts as nearly full. */
    private static final int NEARLY_FULL_PERCENT = 80;

    private final Map<Integer, CachedLook<Optional<HeapUsage>>> heaps = new ConcurrentHashMap<>();
    private final CachedLook<Optional<Connections>> connections = new CachedLook<>();
    private final Map<String, CachedLook<Map<String, Double>>> figures = new ConcurrentHashMap<>();
    private final CachedLook<OperationRates> rates = new CachedLook<>();
    // the heaps as they were when they could be read
    private final Map<Integer, Seen<HeapUsage>> knownHeaps = new ConcurrentHashMap<>();
    private final CachedLook<List<LateRanks>> lateRanks = new CachedLook<>();
    private final CachedLook<List<StructureState>> recentStructures = new CachedLook<>();

    public WorldStates(World world) {
        this(world, Map::of, Optional::empty);
    }

    /**
     * @param localManagers returns the managers that this process has beside the world's, by name
     * @param refusedReload returns the certificates that were loaded last, if they are not used
     */
    public WorldStates(World world, Supplier<Map<String, LocalEpochManager>> localManagers,
            Supplier<Optional<RefusedReload>> refusedReload) {
        this.world = world;
        this.refusedReload = refusedReload;
        this.localManagers = localManagers;
        this.inspection = world.inspection();
        this.ranks = new ReadableRanks(world);
        this.directories = new Directories(ranks, inspection);
        this.epochWatch = new EpochWatch(world.rank(), world.epochs().settings().pinLimit(), this::readEpochs,
                ranks::isReadable, this::localEpochs);
        this.locks = new LockStates(ranks, directories, inspection);
        this.histories = new Histories(ranks, inspection, epochWatch);
    }

    /**
     * Begins to look at the reclamation of objects regularly. So {@link #lastEpochs} has a result to show, and the
     * first observer already learns how long tokens have been pinned. This includes the tokens of the world and of this
     * process's own managers. Cost: that of {@link #epochs}, {@value EpochWatch#LOOKS_IN_A_LIMIT} times in
     * {@link EpochSettings#pinLimit()}, and at least every 5 s.
     */
    public WorldStates watchPins() {
        if (watchesPins.compareAndSet(false, true)) {
            world.background().add(epochWatch.thread()).wake();
        }
        return this;
    }

    /** Ends the regular looks. */
    @Override
    public void close() {
        epochWatch.close();
        ranks.close();
    }

    /** Returns what will become a problem unless a user acts. Cost: that of the own segment. */
    public List<String> warnings() {
        SegmentState.Usage usage = segment(world.rank()).usage();
        if (usage == null
                || (usage.totalBytes() - usage.freeBytes()) * 100 < usage.totalBytes() * NEARLY_FULL_PERCENT) {
            return List.of();
        }
        return List.of("the segment is nearly full, give it more by atoll.segment.size: percent="
                + (usage.totalBytes() - usage.freeBytes()) * 100 / usage.totalBytes() + " totalBytes="
                + usage.totalBytes()
                + " freeBytes=" + usage.freeBytes());
    }

    /** Returns the lock tables, as observers see them. Cost: none. */
    public LockStates locks() {
        return locks;
    }

    /** Returns the histories that the ranks keep, as observers see them. Cost: none. */
    public Histories histories() {
        return histories;
    }

    /** Returns everything there is to see. Cost: that of every segment. */
    public AtollState all() {
        return new AtollState(world(), segments(ranks()), structures(),
                locks.tables(), fabric(), reachedRanks(), collectives(), epochs());
    }

    /** Cost: none. */
    public WorldState world() {
        return WorldState.of(world);
    }

    /** Returns the members of the world, and what is decided about them. Cost: none. */
    public ViewState view() {
        return inspection.views().map(ViewState::of).orElse(ViewState.NONE);
    }

    /** Cost: none. */
    public FabricState fabric() {
        return FabricState.of(world);
    }

    /** Returns the connections of this process with other ranks, where its fabric has any. Cost: none. */
    public Optional<Connections> connections() {
        return connections.look(KEPT, inspection::connections);
    }

    /** Returns the certificates that were loaded last, if they are not used and the previous ones are. Cost: none. */
    public Optional<RefusedReload> refusedReload() {
        return refusedReload.get();
    }

    /** Returns how this process reaches each rank, and which connections it has refused. Cost: none. */
    public ConnectionsState reachedRanks() {
        return ConnectionsState.of(world, connections());
    }

    /**
     * Returns the collectives that this process has begun. Waits for all ranks that do not answer together, for at most
     * a second. Cost: R for each member of a collective that has been under way for 100 ms; else none.
     */
    public CollectivesState collectives() {
        CollectiveLog log = world.collectives().log();
        List<LateRanks> late = log.running().stream().anyMatch(WorldStates::takesLong)
                ? ranks.recent(Kind.COLLECTIVES, lateRanks, KEPT, this::lateRanks)
                : List.of();
        return CollectivesState.of(log, running -> late.stream()
                .filter(each -> each.isOf(running))
                .flatMap(each -> each.ranks().stream())
                .distinct()
                .toList());
    }

    private static boolean takesLong(CollectiveLog.Running running) {
        return running.since().compareTo(LONG_COLLECTIVE) >= 0;
    }

    /** The members that a thread waits for in a collective. */
    private record LateRanks(String name, String operation, String thread, List<CollectivesState.LateRank> ranks) {

        boolean isOf(CollectiveLog.Running running) {
            return name.equals(running.name()) && operation.equals(running.operation())
                    && thread.equals(running.thread());
        }
    }

    private List<LateRanks> lateRanks() {
        return world.collectives()
                .log()
                .running()
                .stream()
                .filter(WorldStates::takesLong)
                .map(running -> new LateRanks(running.name(), running.operation(), running.thread(), late(running)))
                .toList();
    }

    /** A rank that cannot be reached is late, too. */
    private static List<CollectivesState.LateRank> late(CollectiveLog.Running running) {
        try {
            return running.latecomers().look().stream().map(CollectivesState.LateRank::of).toList();
        } catch (FencedException out) {
            return List.of();
        } catch (FabricException unreachable) {
            return List.of(new CollectivesState.LateRank(unreachable.rank(), running.since().toMillis()));
        }
    }

    /**
     * Returns the state of the reclamation of objects, even if this rank has not used it. Waits for at most two
     * seconds, and then returns the last result. Cost: R for the epoch and R for each rank. If this rank has not used
     * reclamation, also R for each rank's directory. None before any rank has used reclamation, where the own memory
     * may be read directly.
     */
    public EpochState epochs() {
        ranks.inTime(Kind.EPOCHS, () -> epochWatch.look(KEPT));
        return epochState(epochWatch.last());
    }

    /**
     * Returns {@link #epochs} with one line for each rank, and with a forecast. Cost: those of {@link #epochs} and
     * {@link Histories#events}.
     */
    public EpochSummary epochSummary() {
        return EpochSummary.of(epochs(), forecast());
    }

    /** Returns the last result of {@link #epochSummary}. Waits for no rank. Cost: none. */
    public EpochSummary lastEpochSummary() {
        return EpochSummary.of(lastEpochs().state(), List.of());
    }

    private List<EpochSummary.Forecast> forecast() {
        return histories.all()
                .stream()
                .filter(seen -> seen.origin() == HistoryState.Origin.LIVE)
                .map(seen -> EpochForecast.of(seen.history(), heapBytes(seen.rank())))
                .flatMap(Optional::stream)
                .toList();
    }

    private long heapBytes(int rank) {
        Seen<HeapUsage> heap = knownHeaps.get(rank);
        return heap == null ? inspection.segmentBytes() : heap.what().totalBytes();
    }

    private EpochState epochState(Optional<EpochSnapshot> seen) {
        return seen.map(snapshot -> EpochState.of(snapshot, localEpochs()))
                .orElseGet(() -> EpochState.unknown(localEpochs()));
    }

    private Optional<EpochSnapshot> readEpochs(IntPredicate isRead) {
        try {
            return world.epochs().isOpen()
                    ? world.epochs().snapshot(isRead)
                    : inspection.epochs(
                            (rank, name) -> isRead.test(rank) ? directories.block(rank, name) : Optional.empty(),
                            isRead);
        } catch (FabricException unreachable) {
            return Optional.empty();
        }
    }

    /**
     * Returns the last result of {@link #epochs}, from {@link #watchPins} or from any caller. Waits for no rank. The
     * result stays when the rank that has the epoch stops answering. The first caller starts the watch, unless it runs
     * already. Cost: none.
     */
    public LastEpochs lastEpochs() {
        watchPins();
        Seen<EpochSnapshot> known = epochWatch.known();
        EpochState state = epochState(Optional.ofNullable(known).map(Seen::what));
        return new LastEpochs(state, known == null ? null : known.age().toMillis(),
                state.ranks().stream().filter(this::isUnread).map(EpochState.RankEpoch::rank).toList(),
                epochWatch.overdue());
    }

    /** Returns true if the rank is present but was not read, or could not be read now. */
    private boolean isUnread(EpochState.RankEpoch seen) {
        Peer peer = ranks().get(seen.rank());
        return peer.status() == PeerStatus.JOINED && !(seen.present() && ranks.isReadable(peer));
    }

    private List<EpochState.LocalEpochs> localEpochs() {
        return localManagers.get()
                .entrySet()
                .stream()
                .map(named -> EpochState.LocalEpochs.of(named.getKey(), world.rank(), named.getValue()))
                .toList();
    }

    /**
     * Returns the tokens that have been pinned for longer than the world's limit, as they were seen last. Cost: none.
     */
    public List<EpochState.PinnedToken> pinnedTooLong() {
        return pinnedTooLong(lastEpochs());
    }

    /** Returns the same as {@link #pinnedTooLong()}, from a given result. */
    public List<EpochState.PinnedToken> pinnedTooLong(LastEpochs seen) {
        return seen.state().pinnedLongerThan(world.epochs().settings().pinLimit().toMillis());
    }

    /** Returns what keeps background threads of this process from working for the world. Cost: none. */
    public List<BackgroundThread.Trouble> troubles() {
        return inspection.troubles();
    }

    /** Returns the ranks of the world, in their order. Cost: none. */
    public List<Peer> ranks() {
        return ranks.all();
    }

    /**
     * Returns a rank's segment, as far as it can be reached. Cost: R for each 512 slabs, each slab of small objects,
     * and each entry of a directory. It is more for structures that have grown. None for the own segment where its
     * memory may be read directly.
     */
    public SegmentState segment(int rank) {
        Peer peer = ranks().get(rank);
        boolean isReadable = ranks.isReadable(peer);
        return SegmentState.of(peer, inspection.segmentBytes(), isReadable ? heap(rank) : Optional.empty(),
                isReadable ? directories.of(rank) : Optional.empty(), epochWatch.ownedBytes(rank));
    }

    private Optional<HeapUsage> heap(int rank) {
        return CachedLook.at(heaps, rank).look(KEPT, () -> {
            Optional<HeapUsage> usage = inspection.heapUsage(rank);
            usage.ifPresent(seen -> knownHeaps.put(rank, new Seen<>(seen, System.nanoTime())));
            return usage;
        });
    }

    /**
     * Returns the segments of several ranks. Waits for all ranks that do not answer together, for at most two seconds.
     * A late segment is shown as it was seen last. Cost: that of {@link #segment} for each.
     */
    public List<SegmentState> segments(List<Peer> peers) {
        ranks.look(Kind.SEGMENT, peers, rank -> {
            heap(rank);
            directories.of(rank);
        });
        return peers.stream()
                .map(peer -> SegmentState.of(peer, inspection.segmentBytes(), ranks.last(heaps, peer),
                        directories.last(peer), epochWatch.ownedBytes(peer.rank())))
                .toList();
    }

    /**
     * Returns the ranks of the world as they are seen, in their order. Cost: that of {@link Inspection#heapUsage} for
     * each, and that of {@link Histories#events}.
     */
    public List<RankState> rankStates() {
        List<Peer> peers = ranks();
        ranks.look(Kind.HEAP, peers, this::heap);
        Map<Integer, SeenHistory> seen = new HashMap<>();
        histories.all().forEach(each -> seen.put(each.rank(), each));
        return peers.stream().map(peer -> rankState(peer, seen.get(peer.rank()))).toList();
    }

    private RankState rankState(Peer peer, @Nullable SeenHistory seen) {
        Seen<HeapUsage> heap = knownHeaps.get(peer.rank());
        boolean isGone = !ranks.isReadable(peer);
        boolean isLive = seen != null && seen.origin() == HistoryState.Origin.LIVE;
        RankHistory.Identity identity = seen == null ? null : seen.identity();
        Duration lostFor = peer.lostFor();
        long nowNanos = System.nanoTime();
        return new RankState(peer.rank(), peer.status(), peer.refusal(), peer.incarnation(),
                identity == null ? null : identity.host(), identity == null ? null : identity.pid(),
                identity == null ? null : identity.version(),
                isLive && !isGone && identity != null ? seen.uptimeMillis(nowNanos) : null,
                isLive && !isGone ? seen.last(Series.RESIDENT_BYTES) : null, inspection.segmentBytes(),
                heap == null ? null : SegmentState.Usage.of(heap.what(), epochWatch.ownedBytes(peer.rank())),
                isGone && heap != null ? heap.age().toMillis() : null,
                lostFor == null ? null : lostFor.toMillis());
    }

    /** Returns the verbs of this process, by kind. Cost: none. */
    public TrafficState traffic(@Nullable VerbCounts counts, @Nullable VerbLatencies latencies) {
        return TrafficState.of(counts, latencies, connections());
    }

    /**
     * Returns the verbs of this process by the rank that they went to, in the order of ranks. Ranks without verbs are
     * absent. Cost: none.
     */
    public List<PeerState> peers(@Nullable VerbCounts counts, @Nullable VerbLatencies latencies) {
        if (counts == null) {
            return List.of();
        }
        List<ConnectionsState.ReachedRank> reached = reachedRanks().ranks();
        return counts.peers()
                .stream()
                .filter(peer -> peer.rank() < reached.size()) // an application may also count for a larger world
                .map(peer -> PeerState.of(peer, host(histories.known(peer.rank())), reached.get(peer.rank()).way(),
                        latencies == null ? VerbLatencies.Timed.NONE : latencies.peer(peer.rank())))
                .toList();
    }

    /** Returns the host that a rank's history tells. */
    private static @Nullable String host(@Nullable SeenHistory seen) {
        RankHistory.Identity identity = seen == null ? null : seen.identity();
        return identity == null ? null : identity.host();
    }

    // --- what is wrong ---

    /** Returns how long a token may be pinned before users are told. Cost: none. */
    public Duration pinLimit() {
        return world.epochs().settings().pinLimit();
    }

    /**
     * Returns the structures as they were at most ten seconds ago, or older as in {@link LockStates#recentTables}.
     * Cost: that of {@link #structures}.
     */
    public List<StructureState> recentStructures() {
        return ranks.recent(Kind.RECENT_STRUCTURES, recentStructures, RECENT, this::structures);
    }

    /**
     * Returns the bytes that a structure has in the own segment, if there is one of that name. Cost: that of the own
     * {@link #segment}.
     */
    public OptionalLong bytes(String structure) {
        return directories.of(world.rank())
                .map(placed -> placed.get(structure))
                .map(placed -> OptionalLong.of(placed.bytes()))
                .orElse(OptionalLong.empty());
    }

    /**
     * Returns the structures by name, as this rank's directory lists them. All directories list the same. Empty once
     * this process must not take part any more. Cost: none where the own memory may be read directly, else that of
     * {@link #segment}; that of {@link Inspection#figures} for each structure that shows figures; every five seconds
     * the directories of all ranks; and that of {@link Histories#events}.
     */
    public List<StructureState> structures() {
        return summaries().stream().map(this::figured).toList();
    }

    /** Returns the structures by name, without figures. Cost: that of {@link #structures} without its figures. */
    public List<StructureSummary> summaries() {
        OperationRates rates = operationRates();
        return directories.placed().map(placed -> summary(placed, rates)).toList();
    }

    private StructureSummary summary(PlacedStructure placed, OperationRates rates) {
        return StructureSummary.of(placed, directories.shares(placed.name()), rates.of(placed.name()));
    }

    private OperationRates operationRates() {
        return rates.look(KEPT, () -> OperationRates.of(histories.all(), System.nanoTime()));
    }

    /** Returns a structure with its figures. Cost: that of {@link Inspection#figures}. */
    public StructureState figured(StructureSummary summary) {
        return StructureState.of(summary, inspection.repairs(summary.name()),
                directories.block(world.rank(), summary.name()).map(this::figures).orElse(Map.of()));
    }

    /**
     * Returns everything that is known of a structure, if there is one of that name. Cost: that of {@link #structures}
     * for it.
     */
    public Optional<StructureDetails> structure(String name) {
        return directories.of(world.rank())
                .map(placed -> placed.get(name))
                .map(placed -> StructureDetails.of(figured(summary(placed, operationRates())),
                        directories.shares(name).ranks()));
    }

    /**
     * Frees the retired objects of this rank's threads that no thread can be using any more. Cost: that of
     * {@link io.atoll.epoch.EpochManager#tryReclaim}.
     *
     * @return the number of objects that this call has freed; 0 if this process has not used epochs
     */
    public long reclaim() {
        return world.epochs().isOpen() ? world.epochs().tryReclaim() : 0;
    }

    private Map<String, Double> figures(NamedStructure structure) {
        int rank = (int) structure.number("host").orElse(world.rank());
        return CachedLook.at(figures, structure.name())
                .look(KEPT,
                        () -> inspection.figures(rank, each -> directories.block(each, structure.name())));
    }
}
