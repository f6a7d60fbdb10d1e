package io.atoll.spring.state;

import io.atoll.Inspection;
import io.atoll.World;
import io.atoll.background.Trouble;
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
import io.atoll.history.Origin;
import io.atoll.history.RankHistory;
import io.atoll.history.RankIdentity;
import io.atoll.history.Series;
import io.atoll.lock.ForcedUnlock;
import io.atoll.lock.LockState;
import io.atoll.lock.LockView;
import io.atoll.lock.WaitGraph;
import io.atoll.spring.state.Patrol.Kind;
import io.atoll.spring.state.Sight.Seen;
import io.atoll.world.NamedStructure;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.Standing;
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
 * Shows a world to whoever wants to see it: health, consoles, actuator. However many look, a segment is read at most once
 * in {@link #KEPT}, so that looking on disturbs nobody. Any thread may use it.
 *
 * <p>Where no other rank is read, nobody is waited for: {@link #world}, {@link #ranks}, {@link #lastEpochs}, {@link
 * #pinnedTooLong}, {@link #warnings}, {@link #troubles}, {@link #bytes}, the own {@link #segment}, and whatever costs
 * nothing. That is what health, probes and meters are to use. All else reads other ranks. One that does not answer is
 * waited for as long as the fabric waits, once or a few times, and is absent then. A rank that is known not to answer
 * is left out. A caller who comes while another one waits is shown what was seen before. Where many ranks are looked at,
 * in {@link #segments}, {@link #rankStates}, {@link #histories}, {@link #epochs}, {@link #lockTables} and what is made of
 * these, they are waited for together, for two seconds at most.
 */
public final class Observatory implements AutoCloseable {

    /** How long what was seen of a segment is shown. */
    public static final Duration KEPT = Duration.ofSeconds(1);

    /** How long ranks are waited for together that are looked at together. Whoever is late is shown as it was seen last. */
    static final Duration PATIENCE = Duration.ofSeconds(2);

    /** How long what all directories say together is shown: structures are seldom made. */
    private static final Duration SHARES_KEPT = Duration.ofSeconds(5);

    /** How old what costs much may be where it is only looked through for problems. */
    private static final Duration RECENT = Duration.ofSeconds(5);

    /** With a look that reads one rank after the other. */
    private static final Duration PATIENCE_WITH_ALL = Duration.ofSeconds(1);

    /** From here on it is looked up who is late in a collective. */
    private static final Duration LONG_COLLECTIVE = Duration.ofMillis(100);

    private static final String LOCK_TABLE = "lock-table";
    private static final SortedMap<String, Placed> NONE_PLACED = Collections.emptySortedMap();

    private final World world;
    private final Inspection inspection;
    private final Supplier<Map<String, LocalEpochManager>> localManagers;
    private final Supplier<Optional<RefusedReload>> refusedReload;
    private final EpochWatch epochWatch;
    private final AtomicBoolean watchesPins = new AtomicBoolean();

    /** From here on a segment counts as nearly full. */
    private static final int NEARLY_FULL_PERCENT = 80;

    private final Map<Integer, Sight<Optional<HeapUsage>>> heaps = new ConcurrentHashMap<>();
    private final Map<Integer, Sight<Optional<SortedMap<String, Placed>>>> directories = new ConcurrentHashMap<>();

    private final Sight<Optional<Connections>> connections = new Sight<>();
    private final Map<String, Sight<Optional<SeenLocks>>> lockTables = new ConcurrentHashMap<>();
    private final Map<String, Sight<Map<String, Double>>> figures = new ConcurrentHashMap<>();
    private final Sight<Map<String, Shares>> shares = new Sight<>();
    private final Sight<OperationRates> rates = new Sight<>();
    private final Map<Integer, Sight<Boolean>> histories = new ConcurrentHashMap<>();
    private final Map<Integer, SeenHistory> knownHistories = new ConcurrentHashMap<>();
    private final Map<Integer, Seen<HeapUsage>> knownHeaps = new ConcurrentHashMap<>(); // as they were when they could be read
    private final Sight<List<LateRanks>> lateRanks = new Sight<>();
    private final Sight<List<SeenLocks>> recentLocks = new Sight<>();
    private final Sight<List<StructureState>> recentStructures = new Sight<>();
    private final Patrol patrol;

    public Observatory(World world) {
        this(world, Map::of, Optional::empty);
    }

    /**
     * @param localManagers that this process has beside the world's, by name
     * @param refusedReload the certificates that were loaded last, if they are not used
     */
    public Observatory(World world, Supplier<Map<String, LocalEpochManager>> localManagers,
            Supplier<Optional<RefusedReload>> refusedReload) {
        this.world = world;
        this.refusedReload = refusedReload;
        this.localManagers = localManagers;
        this.inspection = world.inspection();
        this.patrol = new Patrol(world.rank());
        this.epochWatch = new EpochWatch(world.rank(), world.epochs().settings().pinLimit(), this::readEpochs,
                rank -> isReadable(ranks().get(rank)), this::localEpochs);
    }

    /**
     * Begins to look at the reclamation of objects by itself, so that {@link #lastEpochs} has something to show, and the
     * age of pinned tokens is known to whoever looks for the first time: of those of the world, and of managers of this
     * process. Cost: {@value EpochWatch#LOOKS_IN_A_LIMIT} times in {@link EpochSettings#pinLimit()}, and every 5 s at least,
     * that of {@link #epochs}.
     */
    public Observatory watchPins() {
        if (watchesPins.compareAndSet(false, true)) {
            world.background().add(epochWatch.thread()).wake();
        }
        return this;
    }

    /** Ends what it does by itself. */
    @Override
    public void close() {
        epochWatch.close();
        patrol.close();
    }

    /** What will be trouble unless somebody acts. Cost: that of the own segment. */
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

    /** All there is to see. Cost: that of every segment. */
    public AtollState all() {
        return new AtollState(world(), segments(ranks()), structures(),
                lockTables(), fabric(), reachedRanks(), collectives(), epochs());
    }

    /** Cost: none. */
    public WorldState world() {
        return WorldState.of(world);
    }

    /** Who is in the world, and what is decided of it. Cost: none. */
    public ViewState view() {
        return inspection.views().map(ViewState::of).orElse(ViewState.NONE);
    }

    /** Cost: none. */
    public FabricState fabric() {
        return FabricState.of(world);
    }

    /** The connections of this process with other ranks, where its fabric has any. Cost: none. */
    public Optional<Connections> connections() {
        return connections.look(KEPT, inspection::connections);
    }

    /** The certificates that were loaded last, if they are not used, but those before them are. Cost: none. */
    public Optional<RefusedReload> refusedReload() {
        return refusedReload.get();
    }

    /** How this process reaches each rank, and whom it has turned away. Cost: none. */
    public ConnectionsState reachedRanks() {
        return ConnectionsState.of(world, connections());
    }

    /**
     * The collectives that this process has begun. Ranks that do not answer are waited for together, for a second at most.
     * Cost: R for each member of a collective that is under way for 100 ms; else none.
     */
    public CollectivesState collectives() {
        CollectiveLog log = world.collectives().log();
        List<LateRanks> late = log.running().stream().anyMatch(Observatory::takesLong)
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

    /** The members for which a thread waits in a collective. */
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
                .filter(Observatory::takesLong)
                .map(running -> new LateRanks(running.name(), running.operation(), running.thread(), late(running)))
                .toList();
    }

    /** One that cannot be reached is late, too. */
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
     * How the reclamation of objects stands, whether this rank has used it or not. Cost: R for the epoch, and R for each rank, and for each its directory if this
     * one has not used it; none before anybody has where the own memory may be read directly. Waits for two seconds at most;
     * then it is what was seen last.
     */
    public EpochState epochs() {
        inTime(Kind.EPOCHS, () -> epochWatch.look(KEPT));
        return epochState(epochWatch.last());
    }

    /**
     * Does what reads one rank after the other: beside this thread, which waits for two seconds at most. Where all ranks are
     * mapped nobody can be silent.
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

    /** As {@link #epochs}, a line for each rank, with a forecast. Cost: as that, and as {@link #histories}. */
    public EpochSummary epochSummary() {
        return EpochSummary.of(epochs(), forecast());
    }

    /** As {@link #epochSummary}, but as it was seen last: waits for no rank. Cost: none. */
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
     * As {@link #epochs}, but as it was seen last, by {@link #watchPins} or by whoever has asked. Waits for no rank. What
     * was seen stays when the rank that has the epoch does not answer any more. The first caller begins the watch, if
     * nobody has. Cost: none.
     */
    public LastEpochs lastEpochs() {
        watchPins();
        Seen<EpochSnapshot> known = epochWatch.known();
        EpochState state = epochState(Optional.ofNullable(known).map(Seen::what));
        return new LastEpochs(state, known == null ? null : known.age().toMillis(),
                state.ranks().stream().filter(this::isUnread).map(EpochState.RankEpoch::rank).toList(),
                epochWatch.overdue());
    }

    /** Returns whether the rank is there and was not read, or would not be now. */
    private boolean isUnread(EpochState.RankEpoch seen) {
        Peer peer = ranks().get(seen.rank());
        return peer.standing() == Standing.JOINED && !(seen.present() && isReadable(peer));
    }

    private List<EpochState.LocalEpochs> localEpochs() {
        return localManagers.get()
                .entrySet()
                .stream()
                .map(named -> EpochState.LocalEpochs.of(named.getKey(), world.rank(), named.getValue()))
                .toList();
    }

    /**
     * Tokens that have been pinned for longer than the world was told to tolerate, as they were seen last. Cost: none.
     */
    public List<EpochState.PinnedToken> pinnedTooLong() {
        return pinnedTooLong(lastEpochs());
    }

    /** As {@link #pinnedTooLong()}, by what was seen. */
    public List<EpochState.PinnedToken> pinnedTooLong(LastEpochs seen) {
        return seen.state().pinnedLongerThan(world.epochs().settings().pinLimit().toMillis());
    }

    /** What keeps threads of this process from what they do for the world in the background. Cost: none. */
    public List<Trouble> troubles() {
        return inspection.troubles();
    }

    /** The ranks of the world, in their order. Cost: none. */
    public List<Peer> ranks() {
        return world.peers().snapshot();
    }

    /**
     * A rank's segment, as far as it can be reached. Cost: R for each 512 slabs, each slab of small objects, and each entry of a directory, more for structures
     * that have grown; none for the own segment where its memory may be read directly.
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
     * The segments of several ranks. Those that do not answer are waited for together, for at most two seconds; of one that
     * is late what was seen last is shown. Cost: as {@link #segment}, of each.
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

    /** Looks at those that can be read: at segments that are mapped by this thread, at all others beside it. */
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

    /** What was seen last of a rank that can be read. */
    private <T> Optional<T> known(Map<Integer, Sight<Optional<T>>> sights, Peer peer) {
        Sight<Optional<T>> sight = isReadable(peer) ? sights.get(peer.rank()) : null;
        Seen<Optional<T>> seen = sight == null ? null : sight.last();
        return seen == null ? Optional.empty() : seen.what();
    }

    // --- histories ---

    /** The ranks of the world as they are seen, in their order. Cost: what {@link Inspection#heapUsage} says of each, and as {@link #histories}. */
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
        RankIdentity identity = seen == null ? null : identity(seen);
        long nowNanos = System.nanoTime();
        return new RankState(peer.rank(), peer.standing(), peer.refusal(), peer.incarnation(),
                identity == null ? null : identity.host(), identity == null ? null : identity.pid(),
                identity == null ? null : identity.version(),
                isLive && !isGone && identity != null ? uptimeMillis(seen, nowNanos) : null,
                isLive && !isGone ? last(seen.history(), Series.RESIDENT_BYTES) : null, inspection.segmentBytes(),
                heap == null ? null : SegmentState.Usage.of(heap.what(), epochWatch.ownedBytes(peer.rank())),
                isGone && heap != null ? heap.age().toMillis() : null);
    }

    private static @Nullable RankIdentity identity(SeenHistory seen) {
        RankIdentity identity = seen.history().identity();
        return identity.equals(RankIdentity.UNKNOWN) ? null : identity;
    }

    private static long uptimeMillis(SeenHistory seen, long nowNanos) {
        return Math.max(0, seen.ageMillis(seen.history().identity().startedMillis(), nowNanos));
    }

    private static @Nullable Long last(RankHistory history, Series series) {
        return history.points().isEmpty() ? null : Long.valueOf(history.points().getLast().value(series));
    }

    /**
     * The histories of ranks that keep one, in their order. Of a rank that was killed its file is read, if it was of this
     * host; else what was read of it before is shown. Cost: as {@link Inspection#history}, of each rank.
     */
    List<SeenHistory> histories() {
        List<Peer> peers = ranks();
        look(Kind.HISTORY, peers, this::readHistory);
        peers.stream().filter(peer -> peer.standing() == Standing.LOST).map(Peer::rank).forEach(this::readHistory);
        return peers.stream()
                .flatMap(peer -> Optional.ofNullable(knownHistories.get(peer.rank()))
                        .map(seen -> isCurrent(peer, seen) ? seen : seen.lost())
                        .stream())
                .toList();
    }

    private boolean isCurrent(Peer peer, SeenHistory seen) {
        return seen.origin() == HistoryState.Origin.FILE || isReadable(peer);
    }

    private void readHistory(int rank) {
        at(histories, rank).look(KEPT, () -> inspection.history(rank).map(read -> {
            knownHistories.put(rank, new SeenHistory(read,
                    read.origin() == Origin.FILE ? HistoryState.Origin.FILE : HistoryState.Origin.LIVE,
                    System.nanoTime()));
            return true;
        }).orElse(false));
    }

    /**
     * Figures of ranks over time. Cost: as {@link #histories}; none if no series is shown that ranks write.
     *
     * @param series to be shown
     * @param withOwnedLimbo whether {@link HistoryState#OWNED_LIMBO_BYTES} is shown, too, as {@link #watchPins} has seen it
     * @param rank to be shown; all of them if empty
     * @param seconds from the first to the last point
     * @param points to be shown
     */
    public HistoryState history(List<Series> series, boolean withOwnedLimbo, OptionalInt rank, long seconds,
            int points) {
        IntPredicate isShown = each -> rank.isEmpty() || rank.getAsInt() == each;
        List<SeenHistory> written = series.isEmpty()
                ? List.of()
                : histories().stream().filter(seen -> isShown.test(seen.rank())).toList();
        HistoryGrid grid = new HistoryGrid(seconds, points, System.currentTimeMillis(), System.nanoTime());
        return withOwnedLimbo ? grid.of(series, written, epochWatch.limbo(), isShown) : grid.of(series, written);
    }

    /** What has happened at all ranks, the last first. Cost: as {@link #histories}. */
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

    /** Ranks of this host whose processes live and do nothing, as their histories show. Cost: as {@link #histories}. */
    public List<StillRank> stillRanks() {
        List<SeenHistory> seen = histories();
        return StillRank.in(seen, rank -> rank != world.rank() && inspection.isMapped(rank), System.nanoTime());
    }

    /** What of that kind has happened lately at all ranks, the last of each rank first. Cost: as {@link #histories}. */
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

    /** The verbs of this process, by kind. Cost: none. */
    public TrafficState traffic(@Nullable VerbCounts counts, @Nullable VerbLatencies latencies) {
        return TrafficState.of(counts, latencies, connections());
    }

    /** The same by the rank that they went to, in the order of ranks; those to which none has are absent. Cost: none. */
    public List<PeerState> peers(@Nullable VerbCounts counts, @Nullable VerbLatencies latencies) {
        if (counts == null) {
            return List.of();
        }
        List<ConnectionsState.ReachedRank> reached = reachedRanks().ranks();
        return counts.peers()
                .stream()
                .filter(peer -> peer.rank() < reached.size()) // an application may count for a larger world, too
                .map(peer -> PeerState.of(peer, host(peer.rank()), reached.get(peer.rank()).way(),
                        latencies == null ? VerbLatencies.Timed.NONE : latencies.peer(peer.rank())))
                .toList();
    }

    /** As a history that was read before has told. */
    private @Nullable String host(int rank) {
        SeenHistory seen = knownHistories.get(rank);
        RankIdentity identity = seen == null ? null : identity(seen);
        return identity == null ? null : identity.host();
    }

    // --- what is wrong ---

    /** For how long a token may be pinned before somebody is told. Cost: none. */
    public Duration pinLimit() {
        return world.epochs().settings().pinLimit();
    }

    /**
     * The tables of locks as they were at most five seconds ago, or longer where a rank does not answer: it is waited for
     * for a second. Cost: as {@link #lockTables}.
     */
    public List<LockTableState> recentLockTables() {
        return recentLocks().stream().map(SeenLocks::shown).toList();
    }

    /** Threads that wait for each other, over all tables, as they were seen with {@link #recentLockTables}. Cost: as there. */
    public List<Deadlock> recentDeadlocks() {
        return Deadlock.in(waits(recentLocks().stream()));
    }

    private List<SeenLocks> recentLocks() {
        return recent(Kind.RECENT_LOCKS, recentLocks, RECENT, () -> seenLocks().toList());
    }

    /** The structures as they were at most ten seconds ago, or longer as {@link #recentLockTables}. Cost: as {@link #structures}. */
    public List<StructureState> recentStructures() {
        return recent(Kind.RECENT_STRUCTURES, recentStructures, RECENT.multipliedBy(2), this::structures);
    }

    private <T> List<T> recent(Kind kind, Sight<List<T>> sight, Duration kept, Supplier<List<T>> look) {
        patrol.look(kind, List.of(world.rank()), _ -> sight.look(kept, look), PATIENCE_WITH_ALL);
        Seen<List<T>> seen = sight.last();
        return seen == null ? List.of() : seen.what();
    }

    /** Returns whether the rank has joined, and is not known to leave its readers without an answer. */
    private boolean isReadable(Peer peer) {
        return peer.standing() == Standing.JOINED && (peer.refusal() == null || inspection.isMapped(peer.rank()));
    }

    /**
     * The bytes that a structure has in the own segment, if there is one of that name. Cost: that of the own {@link
     * #segment}.
     */
    public OptionalLong bytes(String structure) {
        return directory(world.rank()).map(placed -> placed.get(structure))
                .map(placed -> OptionalLong.of(placed.bytes()))
                .orElse(OptionalLong.empty());
    }

    /**
     * The structures by name, as this rank's directory lists them: the same as every other's; none once this process must not take part any more. Cost: none
     * where the own memory may be read directly, else as {@link #segment}; for each structure that shows figures what
     * {@link Inspection#figures} says; every five seconds the directories of all ranks; and as {@link #history}.
     */
    public List<StructureState> structures() {
        return summaries().stream().map(this::figured).toList();
    }

    /** The structures by name, without figures. Cost: as {@link #structures}, but for those. */
    public List<StructureSummary> summaries() {
        OperationRates rates = operationRates();
        return placed().map(placed -> summary(placed, rates)).toList();
    }

    private StructureSummary summary(Placed placed, OperationRates rates) {
        return StructureSummary.of(placed, shares(placed.name()), rates.of(placed.name()));
    }

    private OperationRates operationRates() {
        return rates.look(KEPT, () -> OperationRates.of(histories(), System.nanoTime()));
    }

    /** By their names. */
    private Stream<Placed> placed() {
        return directory(world.rank()).stream().map(SortedMap::values).flatMap(Collection::stream);
    }

    /** A structure with its figures. Cost: what {@link Inspection#figures} says. */
    public StructureState figured(StructureSummary summary) {
        return StructureState.of(summary, inspection.repairs(summary.name()),
                block(world.rank(), summary.name()).map(this::figures).orElse(Map.of()));
    }

    /** All that is known of a structure, if there is one of that name. Cost: that of {@link #structures} for it. */
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
            for (Placed placed : known(directories, peer).orElse(NONE_PLACED).values()) {
                ranks.computeIfAbsent(placed.name(), _ -> new ArrayList<>())
                        .add(new StructureDetails.RankBytes(peer.rank(), placed.bytes()));
            }
        }
        Map<String, Shares> all = new HashMap<>();
        ranks.forEach((name, each) -> all.put(name, new Shares(each)));
        return all;
    }

    /**
     * The tables of locks by name. Cost: of each table and rank R for each 512 locks and each 512 descriptors, twice, and R of each rank for each lock that is shown; and as {@link #segment}
     * for the directories of all ranks. Waits for two seconds for directories, and for two seconds for locks; whatever is late is shown as it was seen last, a table that never was
     * without its locks.
     */
    public List<LockTableState> lockTables() {
        return seenLocks().map(SeenLocks::shown).toList();
    }

    /** @param busy locks of it that are held or wanted */
    private record SeenLocks(LockTableState shown, List<LockState> busy) {

        /** Of one that could not be read in time yet. */
        static SeenLocks none(NamedStructure table, LockView locks) {
            return new SeenLocks(
                    new LockTableState(table.name(), locks.locks(), table.configuration(), List.of(), List.of()),
                    List.of());
        }

        static SeenLocks of(NamedStructure table, LockView locks) {
            List<LockState> busy = locks.busy();
            return new SeenLocks(LockTableState.of(table, locks, busy), busy);
        }
    }

    private Stream<SeenLocks> seenLocks() {
        look(Kind.DIRECTORY, ranks(), this::directory);
        List<NamedStructure> tables = placed().map(Placed::structure)
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

    /** One lock of a table, if there are both. Cost: of each rank R for each 512 descriptors, and 2R. */
    public Optional<LockTableState.HeldLock> lock(String table, long index) {
        return locks(table).filter(locks -> index >= 0 && index < locks.locks())
                .map(locks -> LockTableState.HeldLock.of(locks.look(index)));
    }

    /** Who waits for whom, over all tables of locks. Cost: as {@link #lockTables}. */
    public LockGraph lockGraph() {
        return LockGraph.of(waits(seenLocks()));
    }

    private static WaitGraph waits(Stream<SeenLocks> seen) {
        return WaitGraph.of(seen.collect(Collectors.toMap(each -> each.shown().name(), SeenLocks::busy)));
    }

    /**
     * Ends a hold of a lock by force, whichever rank's thread it is. Cost: as {@link Inspection#forceUnlock}.
     *
     * @param token of the hold that is meant
     * @return what has become of it; nothing if there is no such table
     * @throws IllegalArgumentException if the table has no such lock
     */
    public Optional<ForcedUnlock> forceUnlock(String table, long index, long token, Duration patience) {
        Map<Integer, NamedStructure> blocks = lockBlocks(table);
        return blocks.isEmpty()
                ? Optional.empty()
                : Optional.of(inspection.forceUnlock(table, blocks, index, token, patience));
    }

    /**
     * Frees what can be freed of what this rank's threads have retired. Cost: as {@link io.atoll.epoch.EpochManager#tryReclaim}.
     *
     * @return how many objects this call has freed; none if this process has not used epochs
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
                ? directory(rank).map(placed -> placed.get(name)).map(Placed::structure)
                : Optional.empty();
    }

    /** By name: who shows a thousand structures looks each of them up at each rank. */
    private Optional<SortedMap<String, Placed>> directory(int rank) {
        return at(directories, rank).look(KEPT, () -> inspection.structures(rank).map(all -> {
            SortedMap<String, Placed> placed = new TreeMap<>();
            all.forEach(each -> placed.put(each.name(), new Placed(each, inspection.extents(rank, each))));
            return Collections.unmodifiableSortedMap(placed);
        }));
    }

    private static <K, T> Sight<T> at(Map<K, Sight<T>> seen, K where) {
        return seen.computeIfAbsent(where, _ -> new Sight<>());
    }
}
