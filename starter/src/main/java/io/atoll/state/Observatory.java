package io.atoll.state;

import io.atoll.Inspection;
import io.atoll.World;
import io.atoll.background.BackgroundThread;
import io.atoll.background.Trouble;
import io.atoll.epoch.EpochSettings;
import io.atoll.epoch.local.LocalEpochManager;
import io.atoll.fabric.Connections;
import io.atoll.failure.FabricException;
import io.atoll.heap.HeapUsage;
import io.atoll.lock.observation.LockView;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.Standing;
import io.atoll.world.directory.NamedStructure;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Shows a world to whoever wants to see it: health, consoles, actuator. Waits for no rank. However many look, a segment is read at most once in
 * {@link #KEPT}, so that looking on disturbs nobody. Any thread may use it.
 */
public final class Observatory implements AutoCloseable {

    /** How long what was seen of a segment is shown. */
    public static final Duration KEPT = Duration.ofSeconds(1);

    private record Seen<T>(Optional<T> what, long atNanos) {

        boolean isRecent() {
            return System.nanoTime() - atNanos < KEPT.toNanos();
        }
    }

    private static final String LOCK_TABLE = "lock-table";

    private final World world;
    private final Inspection inspection;
    private final Supplier<Map<String, LocalEpochManager>> localManagers;
    private final Supplier<Optional<RefusedReload>> refusedReload;
    private final BackgroundThread pinWatch;
    // A pin is seen at most a quarter of the limit after it has begun.
    private static final int LOOKS_IN_A_LIMIT = 4;
    private static final Duration SHORTEST_REST = Duration.ofMillis(100);

    /** From here on a segment counts as nearly full. */
    private static final int NEARLY_FULL_PERCENT = 80;

    private final Map<Integer, Seen<HeapUsage>> heaps = new ConcurrentHashMap<>();
    private final Map<Integer, Seen<List<Placed>>> directories = new ConcurrentHashMap<>();

    private final Map<Integer, Seen<Connections>> connections = new ConcurrentHashMap<>();
    private final Map<Integer, Seen<EpochState>> epochStates = new ConcurrentHashMap<>();
    private final Map<String, Seen<LockTableState>> lockTables = new ConcurrentHashMap<>();
    private final Map<String, Seen<Map<String, Double>>> figures = new ConcurrentHashMap<>();

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
        Duration rest = world.epochs().settings().pinLimit().dividedBy(LOOKS_IN_A_LIMIT);
        this.pinWatch = new BackgroundThread("atoll-pins-" + world.rank(),
                BackgroundThread.afterEvery(rest.compareTo(SHORTEST_REST) < 0 ? SHORTEST_REST : rest,
                        this::lookAtPins));
    }

    /**
     * Begins to look at pinned tokens by itself, so that their age is known to whoever looks for the first time: those
     * of managers of this process, and those of the world as long as this
     * process has not used the world's manager, which looks by itself. Cost: {@value #LOOKS_IN_A_LIMIT} times in {@link
     * EpochSettings#pinLimit()} that of {@link #epochs} at most.
     */
    public Observatory watchPins() {
        world.background().add(pinWatch).wake();
        return this;
    }

    /** Ends what it does by itself. */
    @Override
    public void close() {
        pinWatch.close();
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
        return new AtollState(world(), ranks().stream().map(Peer::rank).map(this::segment).toList(), structures(),
                lockTables(), fabric(), reachedRanks(), collectives(), epochs());
    }

    /** Cost: none. */
    public WorldState world() {
        return WorldState.of(world);
    }

    /** Cost: none. */
    public FabricState fabric() {
        return FabricState.of(world);
    }

    /** The connections of this process with other ranks, where its fabric has any. Cost: none. */
    public Optional<Connections> connections() {
        return look(connections, world.rank(), _ -> inspection.connections());
    }

    /** The certificates that were loaded last, if they are not used, but those before them are. Cost: none. */
    public Optional<RefusedReload> refusedReload() {
        return refusedReload.get();
    }

    /** How this process reaches each rank, and whom it has turned away. Cost: none. */
    public ConnectionsState reachedRanks() {
        return ConnectionsState.of(world, connections());
    }

    /** The collectives that this process has begun. Cost: none. */
    public CollectivesState collectives() {
        return CollectivesState.of(world.collectives().log());
    }

    /**
     * How the reclamation of objects stands, whether this rank has used it or not. Cost: R for the epoch, and R for each rank, and for each its directory if this
     * one has not used it; none before anybody has where the own memory may be read directly.
     */
    public EpochState epochs() {
        return look(epochStates, world.rank(), _ -> epochState()).orElseGet(() -> EpochState.unknown(localEpochs()));
    }

    private Optional<EpochState> epochState() {
        try {
            return (world.epochs().isOpen() ? Optional.of(world.epochs().snapshot()) : inspection.epochs(this::block))
                    .map(snapshot -> EpochState.of(snapshot, localEpochs()));
        } catch (FabricException unreachable) {
            return Optional.empty();
        }
    }

    private void lookAtPins() {
        if (world.epochs().isOpen()) {
            localEpochs();
        } else {
            epochState();
        }
    }

    private List<EpochState.LocalEpochs> localEpochs() {
        return localManagers.get()
                .entrySet()
                .stream()
                .map(named -> EpochState.LocalEpochs.of(named.getKey(), world.rank(), named.getValue()))
                .toList();
    }

    /** Tokens that have been pinned for longer than the world was told to tolerate. Cost: as {@link #epochs}. */
    public List<EpochState.PinnedToken> pinnedTooLong() {
        return epochs().pinnedLongerThan(world.epochs().settings().pinLimit().toMillis());
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
        boolean joined = peer.standing() == Standing.JOINED;
        return SegmentState.of(peer, inspection.segmentBytes(),
                joined ? look(heaps, rank, inspection::heapUsage) : Optional.empty(),
                joined ? directory(rank) : Optional.empty());
    }

    /**
     * The structures by name, as this rank's directory lists them: the same as every other's; none once this process must not take part any more. Cost: none
     * where the own memory may be read directly, else as {@link #segment}; and for each structure that shows figures what {@link Inspection#figures} says.
     */
    public List<StructureState> structures() {
        return directory(world.rank()).orElse(List.of())
                .stream()
                .sorted(Comparator.comparing(Placed::name))
                .map(placed -> StructureState.of(placed, inspection.repairs(placed.name()),
                        figures(placed.structure())))
                .toList();
    }

    /**
     * The tables of locks by name. Cost: of each table and rank R for each 512 locks and each 512 descriptors, twice, and R of each rank for each lock that is shown; and as {@link #segment}
     * for the directories of all ranks.
     */
    public List<LockTableState> lockTables() {
        return directory(world.rank()).orElse(List.of())
                .stream()
                .map(Placed::structure)
                .filter(structure -> structure.kind().equals(LOCK_TABLE))
                .sorted(Comparator.comparing(NamedStructure::name))
                .flatMap(table -> look(lockTables, table.name(),
                        name -> locks(name).map(locks -> LockTableState.of(table, locks))).stream())
                .toList();
    }

    /** One lock of a table, if there are both. Cost: of each rank R for each 512 descriptors, and 2R. */
    public Optional<LockTableState.HeldLock> lock(String table, long index) {
        return locks(table).filter(locks -> index >= 0 && index < locks.locks())
                .map(locks -> LockTableState.HeldLock.of(locks.look(index)));
    }

    private Optional<LockView> locks(String table) {
        Map<Integer, NamedStructure> blocks = new HashMap<>();
        for (Peer peer : ranks()) {
            if (peer.standing() == Standing.JOINED) {
                block(peer.rank(), table).filter(block -> block.kind().equals(LOCK_TABLE))
                        .ifPresent(block -> blocks.put(peer.rank(), block));
            }
        }
        return blocks.isEmpty() ? Optional.empty() : Optional.of(inspection.locks(blocks));
    }

    private Map<String, Double> figures(NamedStructure structure) {
        int rank = (int) structure.number("host").orElse(world.rank());
        return look(figures, structure.name(),
                name -> Optional.of(inspection.figures(rank, each -> block(each, name)))).orElse(Map.of());
    }

    private Optional<NamedStructure> block(int rank, String name) {
        return directory(rank).stream()
                .flatMap(List::stream)
                .map(Placed::structure)
                .filter(block -> block.name().equals(name))
                .findFirst();
    }

    private Optional<List<Placed>> directory(int rank) {
        return look(directories, rank, _ -> inspection.structures(rank)
                .map(all -> all.stream().map(each -> new Placed(each, inspection.extents(rank, each))).toList()));
    }

    /** One caller looks, those who come meanwhile wait for what it sees. */
    private static <K, T> Optional<T> look(Map<K, Seen<T>> seen, K where, Function<K, Optional<T>> look) {
        return seen.compute(where, (_, before) -> before != null && before.isRecent()
                ? before
                : new Seen<>(look.apply(where), System.nanoTime())).what();
    }
}
