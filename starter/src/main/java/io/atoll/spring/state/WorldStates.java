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
import io.atoll.history.Event;
import io.atoll.history.RankHistory;
import io.atoll.history.Series;
import io.atoll.lock.ForcedUnlock;
import io.atoll.lock.LockState;
import io.atoll.lock.LockView;
import io.atoll.lock.WaitGraph;
import io.atoll.spring.state.CachedLook.Seen;
import io.atoll.spring.state.ParallelLook.Kind;
import io.atoll.world.NamedStructure;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.IntConsumer;
import java.util.function.IntPredicate;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;
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
 * {@link #histories}, {@link #epochs}, {@link #lockTables}, and all methods that build on these. They wait for all
 * ranks together, for at most two seconds.
 */
public final class WorldStates implements AutoCloseable {

    /** How long the last result of reading a segment is shown. */
    public static final Duration KEPT = Duration.ofSeconds(1);

    /** How long a look at many ranks waits for all of them together. A late rank is shown as it was seen last. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    /** How long the result of reading all directories is shown. It may be older, since structures are seldom made. */
    private static final Duration SHARES_KEPT = Duration.ofSeconds(5);

    /** The greatest age of costly results that are only searched for problems. */
    private static final Duration RECENT = Duration.ofSeconds(5);

    /** How long to wait for a look that reads one rank after the other. */
    private static final Duration PATIENCE_WITH_ALL = Duration.ofSeconds(1);

    /** From this duration on, the late ranks of a collective are looked up. */
    private static final Duration LONG_COLLECTIVE = Duration.ofMillis(100);

    private static final String LOCK_TABLE = "lock-table";
    private static final SortedMap<String, PlacedStructure> NONE_PLACED = Collections.emptySortedMap();

    private final World world;
    private final Inspection inspection;
    private final Supplier<Map<String, LocalEpochManager>> localManagers;
    private final Supplier<Optional<RefusedReload>> refusedReload;
    private final EpochWatch epochWatch;
    private final AtomicBoolean watchesPins = new AtomicBoolean();

    /** A segment that is fuller than this counts as nearly full. */
    private static final int NEARLY_FULL_PERCENT = 80;

    private final Map<Integer, CachedLook<Optional<HeapUsage>>> heaps = new ConcurrentHashMap<>();
    private final Map<Integer, CachedLook<Optional<SortedMap<String, PlacedStructure>>>> directories;

    private final CachedLook<Optional<Connections>> connections = new CachedLook<>();
    private final Map<String, CachedLook<Optional<SeenLocks>>> lockTables = new ConcurrentHashMap<>();
    private final Map<String, CachedLook<Map<String, Double>>> figures = new ConcurrentHashMap<>();
    private final CachedLook<Map<String, Shares>> shares = new CachedLook<>();
    private final CachedLook<OperationRates> rates = new CachedLook<>();
    private final Map<Integer, CachedLook<Boolean>> histories = new ConcurrentHashMap<>();
    private final Map<Integer, SeenHistory> knownHistories = new ConcurrentHashMap<>();
    // the heaps as they were when they could be read
    private final Map<Integer, Seen<HeapUsage>> knownHeaps = new ConcurrentHashMap<>();
    private final CachedLook<List<LateRanks>> lateRanks = new CachedLook<>();
    private final CachedLook<List<SeenLocks>> recentLocks = new CachedLook<>();
    private final CachedLook<List<StructureState>> recentStructures = new CachedLook<>();
    private final ParallelLook patrol;

    public WorldStates(World world) {
        this(world, Map::of, Optional::empty);
    }

    /**
     * @param localManagers returns the managers that this process has beside the world's, by name
     * @param refusedReload returns the certificates that were loaded last, if they are not used
     */
    public WorldStates(World world, Supplier<Map<String, LocalEpochManager>> localManagers,
            Supplier<Optional<RefusedReload>> refusedReload) {
        this.directories = new ConcurrentHashMap<>();
        this.world = world;
        this.refusedReload = refusedReload;
        this.localManagers = localManagers;
        this.inspection = world.inspection();
        this.patrol = new ParallelLook(world.rank());
        this.epochWatch = new EpochWatch(world.rank(), world.epochs().settings().pinLimit(), this::readEpochs,
                rank -> isReadable(ranks().get(rank)), this::localEpochs);
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
        patrol.close();
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

    /** Returns everything there is to see. Cost: that of every segment. */
    public AtollState all() {
        return new AtollState(world(), segments(ranks()), structures(),
                lockTables(), fabric(), reachedRanks(), collectives(), epochs());
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
                ? recent(Kind.COLLECTIVES, lateRanks, KEPT, this::lateRanks)
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
        inTime(Kind.EPOCHS, () -> epochWatch.look(KEPT));
        return epochState(epochWatch.last());
    }

    /**
     * Runs a look that reads one rank after the other in another thread, and waits for at most two seconds. Where all
     * ranks are mapped the look runs in this thread, since no rank can be silent.
     */
    private void inTime(Kind kind, Runnable look) {
        if (ranks().stream().filter(this::isReadable).allMatch(peer -> isMapped(peer.rank()))) {
            look.run();
        } else {
            patrol.look(kind, List.of(world.rank()), _ -> look.run(), PATIENCE);
        }
    }

    private boolean isMapped(int rank) {
        return rank == world.rank() || inspection.isMapped(rank);
    }

    /**
     * Returns {@link #epochs} with one line for each rank, and with a forecast. Cost: those of {@link #epochs} and
     * {@link #histories}.
     */
    public EpochSummary epochSummary() {
        return EpochSummary.of(epochs(), forecast());
    }

    /** Returns the last result of {@link #epochSummary}. Waits for no rank. Cost: none. */
    public EpochSummary lastEpochSummary() {
        return EpochSummary.of(lastEpochs().state(), List.of());
    }

    private List<EpochSummary.Forecast> forecast() {
        return histories().stream()
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
                    : inspection.epochs((rank, name) -> isRead.test(rank) ? block(rank, name) : Optional.empty(),
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
        return peer.status() == PeerStatus.JOINED && !(seen.present() && isReadable(peer));
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
        return world.peers().snapshot();
    }

    /**
     * Returns a rank's segment, as far as it can be reached. Cost: R for each 512 slabs, each slab of small objects,
     * and each entry of a directory. It is more for structures that have grown. None for the own segment where its
     * memory may be read directly.
     */
    public SegmentState segment(int rank) {
        Peer peer = ranks().get(rank);
        boolean isReadable = isReadable(peer);
        return SegmentState.of(peer, inspection.segmentBytes(), isReadable ? heap(rank) : Optional.empty(),
                isReadable ? directory(rank) : Optional.empty(), epochWatch.ownedBytes(rank));
    }

    private Optional<HeapUsage> heap(int rank) {
        return at(heaps, rank).look(KEPT, () -> {
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
        look(Kind.SEGMENT, peers, rank -> {
            heap(rank);
            directory(rank);
        });
        return peers.stream()
                .map(peer -> SegmentState.of(peer, inspection.segmentBytes(), known(heaps, peer),
                        known(directories, peer), epochWatch.ownedBytes(peer.rank())))
                .toList();
    }

    /** Looks at all readable ranks: in this thread at mapped segments, in other threads at all others. */
    private void look(Kind kind, List<Peer> peers, IntConsumer look) {
        List<Integer> others = new ArrayList<>();
        for (Peer peer : peers) {
            if (isReadable(peer)) {
                if (isMapped(peer.rank())) {
                    look.accept(peer.rank());
                } else {
                    others.add(peer.rank());
                }
            }
        }
        patrol.look(kind, others, look, PATIENCE);
    }

    /** Returns the last result for a rank, if the rank can be read. */
    private <T> Optional<T> known(Map<Integer, CachedLook<Optional<T>>> sights, Peer peer) {
        CachedLook<Optional<T>> sight = isReadable(peer) ? sights.get(peer.rank()) : null;
        Seen<Optional<T>> seen = sight == null ? null : sight.last();
        return seen == null ? Optional.empty() : seen.what();
    }

    // --- histories ---

    /**
     * Returns the ranks of the world as they are seen, in their order. Cost: that of {@link Inspection#heapUsage} for
     * each, and that of {@link #histories}.
     */
    public List<RankState> rankStates() {
        List<Peer> peers = ranks();
        look(Kind.HEAP, peers, this::heap);
        Map<Integer, SeenHistory> seen = new HashMap<>();
        histories().forEach(each -> seen.put(each.rank(), each));
        return peers.stream().map(peer -> rankState(peer, seen.get(peer.rank()))).toList();
    }

    private RankState rankState(Peer peer, @Nullable SeenHistory seen) {
        Seen<HeapUsage> heap = knownHeaps.get(peer.rank());
        boolean isGone = !isReadable(peer);
        boolean isLive = seen != null && seen.origin() == HistoryState.Origin.LIVE;
        RankHistory.Identity identity = seen == null ? null : identity(seen);
        long nowNanos = System.nanoTime();
        return new RankState(peer.rank(), peer.status(), peer.refusal(), peer.incarnation(),
                identity == null ? null : identity.host(), identity == null ? null : identity.pid(),
                identity == null ? null : identity.version(),
                isLive && !isGone && identity != null ? uptimeMillis(seen, nowNanos) : null,
                isLive && !isGone ? last(seen.history(), Series.RESIDENT_BYTES) : null, inspection.segmentBytes(),
                heap == null ? null : SegmentState.Usage.of(heap.what(), epochWatch.ownedBytes(peer.rank())),
                isGone && heap != null ? heap.age().toMillis() : null);
    }

    private static RankHistory.@Nullable Identity identity(SeenHistory seen) {
        RankHistory.Identity identity = seen.history().identity();
        return identity.equals(RankHistory.Identity.UNKNOWN) ? null : identity;
    }

    private static long uptimeMillis(SeenHistory seen, long nowNanos) {
        return Math.max(0, seen.ageMillis(seen.history().identity().startedMillis(), nowNanos));
    }

    private static @Nullable Long last(RankHistory history, Series series) {
        return history.points().isEmpty() ? null : Long.valueOf(history.points().getLast().value(series));
    }

    /**
     * Returns the histories of ranks that keep one, in their order. For a killed rank, reads its file if the rank was
     * on this host. Else returns what was read of it before. Cost: that of {@link Inspection#history} for each rank.
     */
    List<SeenHistory> histories() {
        List<Peer> peers = ranks();
        look(Kind.HISTORY, peers, this::readHistory);
        peers.stream().filter(peer -> peer.status() == PeerStatus.LOST).map(Peer::rank).forEach(this::readHistory);
        return peers.stream()
                .flatMap(peer -> Optional.ofNullable(knownHistories.get(peer.rank()))
                        .map(seen -> isCurrent(peer, seen) ? seen : seen.lost())
                        .stream())
                .toList();
    }

    /**
     * Returns the ranks of this host whose processes live and do nothing, as their histories show. Cost: that of
     * {@link #histories}.
     */
    public List<StillRank> stillRanks() {
        List<SeenHistory> seen = histories();
        return StillRank.in(seen, rank -> rank != world.rank() && inspection.isMapped(rank), System.nanoTime());
    }

    private boolean isCurrent(Peer peer, SeenHistory seen) {
        return seen.origin() == HistoryState.Origin.FILE || isReadable(peer);
    }

    private void readHistory(int rank) {
        at(histories, rank).look(KEPT, () -> inspection.history(rank).map(read -> {
            knownHistories.put(rank, new SeenHistory(read,
                    read.origin() == RankHistory.Origin.FILE ? HistoryState.Origin.FILE : HistoryState.Origin.LIVE,
                    System.nanoTime()));
            return true;
        }).orElse(false));
    }

    /**
     * Returns figures of ranks over time. Cost: that of {@link #histories}; none if no series is shown that ranks
     * write.
     *
     * @param series the series to show
     * @param withOwnedLimbo true to show {@link HistoryState#OWNED_LIMBO_BYTES}, too, as {@link #watchPins} has seen it
     * @param rank the rank to show; all ranks if empty
     * @param seconds the time from the first to the last point
     * @param points the number of points to show
     * @param fromMillis shows only the points after this time of this process's clock, if it is given
     */
    public HistoryState history(List<Series> series, boolean withOwnedLimbo, OptionalInt rank, long seconds,
            int points, OptionalLong fromMillis) {
        IntPredicate isShown = each -> rank.isEmpty() || rank.getAsInt() == each;
        List<SeenHistory> written = series.isEmpty()
                ? List.of()
                : histories().stream().filter(seen -> isShown.test(seen.rank())).toList();
        HistoryGrid whole = new HistoryGrid(seconds, points, System.currentTimeMillis(), System.nanoTime());
        HistoryGrid grid = fromMillis.isPresent() ? whole.after(fromMillis.getAsLong()) : whole;
        return withOwnedLimbo ? grid.of(series, written, epochWatch.limbo(), isShown) : grid.of(series, written);
    }

    /** Returns the events of all ranks, the last first. Cost: that of {@link #histories}. */
    public List<RankEvent> events() {
        long nowNanos = System.nanoTime();
        return histories().stream()
                .flatMap(seen -> seen.history()
                        .events()
                        .stream()
                        .map(event -> rankEvent(event, seen, nowNanos)))
                .sorted(Comparator.comparingLong(RankEvent::ageMillis)
                        .thenComparing(Comparator.comparingLong(RankEvent::sequence).reversed()))
                .toList();
    }

    /**
     * Returns the recent events of that kind at all ranks, the last of each rank first. Cost: that of
     * {@link #histories}.
     */
    public List<RankEvent> recentEvents(Event.Kind kind, Duration within) {
        long nowNanos = System.nanoTime();
        return histories().stream()
                .flatMap(seen -> seen.history()
                        .events()
                        .reversed()
                        .stream()
                        .takeWhile(event -> seen.ageMillis(event.atMillis(), nowNanos) <= within.toMillis())
                        .filter(event -> event.kind() == kind)
                        .map(event -> rankEvent(event, seen, nowNanos)))
                .toList();
    }

    private static RankEvent rankEvent(Event event, SeenHistory seen, long nowNanos) {
        return RankEvent.of(event, seen.rank(), Math.max(0, seen.ageMillis(event.atMillis(), nowNanos)));
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
                .map(peer -> PeerState.of(peer, host(peer.rank()), reached.get(peer.rank()).way(),
                        latencies == null ? VerbLatencies.Timed.NONE : latencies.peer(peer.rank())))
                .toList();
    }

    /** Returns the host that the rank's history has told when it was read before. */
    private @Nullable String host(int rank) {
        SeenHistory seen = knownHistories.get(rank);
        RankHistory.Identity identity = seen == null ? null : identity(seen);
        return identity == null ? null : identity.host();
    }

    // --- what is wrong ---

    /** Returns how long a token may be pinned before users are told. Cost: none. */
    public Duration pinLimit() {
        return world.epochs().settings().pinLimit();
    }

    /**
     * Returns the lock tables as they were at most five seconds ago. Holds and waits have the ages that they have now.
     * They may be older if a rank does not answer; this method waits a second for it. Cost: that of {@link
     * #lockTables}.
     */
    public List<LockTableState> recentLockTables() {
        return recentLocks().stream().map(seen -> seen.shown().later(seen.ageMillis())).toList();
    }

    /**
     * Returns threads that wait for each other, over all lock tables, as {@link #recentLockTables} has seen them. Cost:
     * the same.
     */
    public List<Deadlock> recentDeadlocks() {
        Map<String, SeenLocks> seen = recentLocks().stream()
                .collect(Collectors.toMap(each -> each.shown().name(), each -> each));
        return Deadlock.in(waits(seen.values().stream()), table -> seen.get(table).ageMillis());
    }

    private List<SeenLocks> recentLocks() {
        return recent(Kind.RECENT_LOCKS, recentLocks, RECENT, () -> seenLocks().toList());
    }

    /**
     * Returns the structures as they were at most ten seconds ago, or older as in {@link #recentLockTables}. Cost: that
     * of {@link #structures}.
     */
    public List<StructureState> recentStructures() {
        return recent(Kind.RECENT_STRUCTURES, recentStructures, RECENT.multipliedBy(2), this::structures);
    }

    private <T> List<T> recent(Kind kind, CachedLook<List<T>> sight, Duration kept, Supplier<List<T>> look) {
        patrol.look(kind, List.of(world.rank()), _ -> sight.look(kept, look), PATIENCE_WITH_ALL);
        Seen<List<T>> seen = sight.last();
        return seen == null ? List.of() : seen.what();
    }

    /** Returns true if the rank has joined, and is not known to leave its readers without an answer. */
    private boolean isReadable(Peer peer) {
        return peer.status() == PeerStatus.JOINED && (peer.refusal() == null || inspection.isMapped(peer.rank()));
    }

    /**
     * Returns the bytes that a structure has in the own segment, if there is one of that name. Cost: that of the own
     * {@link #segment}.
     */
    public OptionalLong bytes(String structure) {
        return directory(world.rank()).map(placed -> placed.get(structure))
                .map(placed -> OptionalLong.of(placed.bytes()))
                .orElse(OptionalLong.empty());
    }

    /**
     * Returns the structures by name, as this rank's directory lists them. All directories list the same. Empty once
     * this process must not take part any more. Cost: that of {@link #segment} for the own directory, or none where the
     * own memory may be read directly. For each structure that shows figures, that of {@link Inspection#figures}. Every
     * five seconds, that of the directories of all ranks. And that of {@link #histories}.
     */
    public List<StructureState> structures() {
        return summaries().stream().map(this::figured).toList();
    }

    /** Returns the structures by name, without figures. Cost: that of {@link #structures} without its figures. */
    public List<StructureSummary> summaries() {
        OperationRates rates = operationRates();
        return placed().map(placed -> summary(placed, rates)).toList();
    }

    private StructureSummary summary(PlacedStructure placed, OperationRates rates) {
        return StructureSummary.of(placed, shares(placed.name()), rates.of(placed.name()));
    }

    private OperationRates operationRates() {
        return rates.look(KEPT, () -> OperationRates.of(histories(), System.nanoTime()));
    }

    /** Returns the structures, sorted by name. */
    private Stream<PlacedStructure> placed() {
        return directory(world.rank()).stream().map(SortedMap::values).flatMap(Collection::stream);
    }

    /** Returns a structure with its figures. Cost: that of {@link Inspection#figures}. */
    public StructureState figured(StructureSummary summary) {
        return StructureState.of(summary, inspection.repairs(summary.name()),
                block(world.rank(), summary.name()).map(this::figures).orElse(Map.of()));
    }

    /**
     * Returns everything that is known of a structure, if there is one of that name. Cost: that of {@link #structures}
     * for it.
     */
    public Optional<StructureDetails> structure(String name) {
        return directory(world.rank()).map(placed -> placed.get(name))
                .map(placed -> StructureDetails.of(figured(summary(placed, operationRates())),
                        shares(name).ranks()));
    }

    private Shares shares(String structure) {
        return shares.look(SHARES_KEPT, this::readShares).getOrDefault(structure, Shares.NONE);
    }

    private Map<String, Shares> readShares() {
        List<Peer> peers = ranks();
        look(Kind.DIRECTORY, peers, this::directory);
        Map<String, List<StructureDetails.RankBytes>> ranks = new HashMap<>();
        for (Peer peer : peers) {
            for (PlacedStructure placed : known(directories, peer).orElse(NONE_PLACED).values()) {
                ranks.computeIfAbsent(placed.name(), _ -> new ArrayList<>())
                        .add(new StructureDetails.RankBytes(peer.rank(), placed.bytes()));
            }
        }
        Map<String, Shares> all = new HashMap<>();
        ranks.forEach((name, each) -> all.put(name, new Shares(each)));
        return all;
    }

    /**
     * Returns the lock tables by name. Waits at most two seconds for directories, and at most two seconds for locks.
     * Late results are shown as they were seen last. A table that was never seen is shown without its locks. Cost: for
     * each table and rank, R for each 512 locks and each 512 descriptors, twice. R of each rank for each shown lock.
     * And that of {@link #segment} for the directories of all ranks.
     */
    public List<LockTableState> lockTables() {
        return seenLocks().map(SeenLocks::shown).toList();
    }

    /**
     * @param busy the table's locks that are held or wanted
     * @param readNanos when they were read
     */
    private record SeenLocks(LockTableState shown, List<LockState> busy, long readNanos) {

        /** Returns the state of a table that could not be read in time yet. */
        static SeenLocks none(NamedStructure table, LockView locks) {
            return new SeenLocks(
                    new LockTableState(table.name(), locks.locks(), table.configuration(), List.of(), List.of()),
                    List.of(), System.nanoTime());
        }

        static SeenLocks of(NamedStructure table, LockView locks) {
            long readNanos = System.nanoTime();
            List<LockState> busy = locks.busy();
            return new SeenLocks(LockTableState.of(table, locks, busy), busy, readNanos);
        }

        long ageMillis() {
            return Duration.ofNanos(System.nanoTime() - readNanos).toMillis();
        }
    }

    private Stream<SeenLocks> seenLocks() {
        look(Kind.DIRECTORY, ranks(), this::directory);
        List<NamedStructure> tables = placed().map(PlacedStructure::structure)
                .filter(structure -> structure.kind().equals(LOCK_TABLE))
                .toList();
        inTime(Kind.LOCKS, () -> tables.forEach(this::readLocks));
        return tables.stream().flatMap(table -> {
            Seen<Optional<SeenLocks>> seen = at(lockTables, table.name()).last();
            return seen == null
                    ? Stream.of(SeenLocks.none(table, inspection.locks(Map.of(world.rank(), table))))
                    : seen.what().stream();
        });
    }

    private void readLocks(NamedStructure table) {
        at(lockTables, table.name()).look(KEPT, () -> locks(table.name()).map(locks -> SeenLocks.of(table, locks)));
    }

    /** Returns one lock of a table, if both exist. Cost: for each rank R for each 512 descriptors, and 2R. */
    public Optional<LockTableState.HeldLock> lock(String table, long index) {
        return locks(table).filter(locks -> index >= 0 && index < locks.locks())
                .map(locks -> LockTableState.HeldLock.of(locks.look(index)));
    }

    /** Returns which threads wait for which, over all lock tables. Cost: that of {@link #lockTables}. */
    public LockGraph lockGraph() {
        return LockGraph.of(waits(seenLocks()));
    }

    private static WaitGraph waits(Stream<SeenLocks> seen) {
        return WaitGraph.of(seen.collect(Collectors.toMap(each -> each.shown().name(), SeenLocks::busy)));
    }

    /**
     * Ends a hold of a lock by force, whichever rank's thread has it. Cost: that of {@link Inspection#forceUnlock}.
     *
     * @param token the fencing token of the hold
     * @return what has become of the hold; empty if there is no such table
     * @throws IllegalArgumentException if the table has no such lock
     */
    public Optional<ForcedUnlock> forceUnlock(String table, long index, long token, Duration patience) {
        Map<Integer, NamedStructure> blocks = lockBlocks(table);
        return blocks.isEmpty()
                ? Optional.empty()
                : Optional.of(inspection.forceUnlock(table, blocks, index, token, patience));
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

    private Optional<LockView> locks(String table) {
        Map<Integer, NamedStructure> blocks = lockBlocks(table);
        return blocks.isEmpty() ? Optional.empty() : Optional.of(inspection.locks(blocks));
    }

    private Map<Integer, NamedStructure> lockBlocks(String table) {
        Map<Integer, NamedStructure> blocks = new HashMap<>();
        for (Peer peer : ranks()) {
            if (isReadable(peer)) {
                block(peer.rank(), table).filter(block -> block.kind().equals(LOCK_TABLE))
                        .ifPresent(block -> blocks.put(peer.rank(), block));
            }
        }
        return blocks;
    }

    private Map<String, Double> figures(NamedStructure structure) {
        int rank = (int) structure.number("host").orElse(world.rank());
        return at(figures, structure.name()).look(KEPT,
                () -> inspection.figures(rank, each -> block(each, structure.name())));
    }

    private Optional<NamedStructure> block(int rank, String name) {
        return isReadable(ranks().get(rank))
                ? directory(rank).map(placed -> placed.get(name)).map(PlacedStructure::structure)
                : Optional.empty();
    }

    /** Returns the structures by name. They are a map, since a caller may look up a thousand of them at each rank. */
    private Optional<SortedMap<String, PlacedStructure>> directory(int rank) {
        return at(directories, rank).look(KEPT, () -> inspection.structures(rank).map(all -> {
            SortedMap<String, PlacedStructure> placed = new TreeMap<>();
            all.forEach(each -> placed.put(each.name(), new PlacedStructure(each, inspection.extents(rank, each))));
            return Collections.unmodifiableSortedMap(placed);
        }));
    }

    private static <K, T> CachedLook<T> at(Map<K, CachedLook<T>> seen, K where) {
        return seen.computeIfAbsent(where, _ -> new CachedLook<>());
    }
}
