package io.atoll.spring.meters;

import io.atoll.Inspection;
import io.atoll.World;
import io.atoll.background.BackgroundThread;
import io.atoll.background.BackgroundThreads;
import io.atoll.lock.LockTotals;
import io.atoll.spring.state.HistoryState;
import io.atoll.world.NamedStructure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalLong;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Looks from time to time at what structures have in this rank's segment. Meters show what was seen last, so reading them waits for nobody. The parts of all ranks
 * together are the structure: each rank tells of its own.
 *
 * <p>Cost: each {@link #INTERVAL}, once somebody wants to know, {@link Inspection#structures} of the own rank, and for each structure {@link Inspection#estimate} and
 * {@link Inspection#entries}, or {@link Inspection#lockTotals}; no verb where the own memory may be read directly. A queue that has moved away is read at its present host.
 *
 * <p>What it has seen in the last ten minutes it keeps, of at most {@value #MOST_KEPT} structures: 4 MiB.
 */
public final class StructureWatch implements AutoCloseable {

    /** How old what meters show is at most, unless a rank does not answer to which a queue has moved. */
    public static final Duration INTERVAL = Duration.ofSeconds(5);

    /** Of a structure of which nothing was seen. */
    public static final HistoryState NOTHING_SEEN = FigureRing.none(INTERVAL);

    /** Of so many structures figures are kept, of those that are found first. */
    static final int MOST_KEPT = 1_000;

    private static final String LOCK_TABLE = "lock-table";

    /**
     * What a structure has in this rank's segment.
     *
     * @param entries of a map, elements of a queue, stack or filter; estimated where there are many
     * @param fill from 0 to 1; nothing of structures without bounds
     * @param falsePositiveRate of a filter
     * @param operations since ever, of a structure that counts them
     */
    record Content(double entries, OptionalDouble fill, OptionalDouble falsePositiveRate, OptionalDouble operations) {}

    /** Is told of each structure once, by the thread that looks or the one that listens. */
    interface Listener {

        void found(NamedStructure structure);
    }

    private final World world;
    private final BackgroundThreads background;
    private final BackgroundThread thread;
    private final AtomicBoolean started = new AtomicBoolean();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();
    private final Map<String, NamedStructure> found = new ConcurrentHashMap<>();
    private final Map<String, Content> contents = new ConcurrentHashMap<>();
    private final Map<String, FigureRing> rings = new ConcurrentHashMap<>(); // of the thread that looks, to be added to
    private final Map<String, LockTotals> locks = new ConcurrentHashMap<>();

    public StructureWatch(World world) {
        this.world = world;
        this.background = world.background();
        this.thread = new BackgroundThread("atoll-meters", BackgroundThread.every(INTERVAL, this::look));
    }

    /** Begins to look, if nobody has. Either the listener finds a structure that is found at the same time, or the thread finds the listener, or both do. */
    void listen(Listener listener) {
        listeners.add(listener);
        found.values().forEach(listener::found);
        if (started.compareAndSet(false, true)) {
            background.add(thread).wake();
        }
    }

    /** Returns null if there is none any more. */
    @Nullable Content content(String structure) {
        return contents.get(structure);
    }

    /** Returns null if there is no such table any more. */
    @Nullable LockTotals locks(String table) {
        return locks.get(table);
    }

    /**
     * What this rank's part of a structure was like in the last ten minutes: entries, load and operations. No rank if nothing
     * was seen of it, since it lies at another rank or nobody wants to know. Cost: none.
     */
    public HistoryState figures(String structure) {
        FigureRing ring = rings.get(structure);
        return ring == null ? NOTHING_SEEN : ring.history(world.rank(), INTERVAL, System.nanoTime());
    }

    private void look() {
        List<NamedStructure> present = world.inspection()
                .structures(world.rank())
                .orElse(List.of())
                .stream()
                .filter(this::isHere)
                .toList();
        List<String> names = present.stream().map(NamedStructure::name).toList();
        contents.keySet().retainAll(names);
        rings.keySet().retainAll(names);
        locks.keySet().retainAll(names);
        BackgroundThread.each(present, this::look);
    }

    /** Of one that a rank hosts there are the others' notes only. */
    private boolean isHere(NamedStructure structure) {
        return structure.bytes() > 0 && structure.number("host").orElse(world.rank()) == world.rank();
    }

    /** Returns whether it shows anything. */
    private boolean look(NamedStructure structure) {
        boolean shows = structure.kind().equals(LOCK_TABLE) ? lookAtLocks(structure) : lookAtContent(structure);
        if (shows && found.put(structure.name(), structure) == null) {
            listeners.forEach(listener -> listener.found(structure));
        }
        return shows;
    }

    private boolean lookAtLocks(NamedStructure table) {
        world.inspection().lockTotals(table).ifPresent(totals -> locks.put(table.name(), totals));
        return locks.containsKey(table.name());
    }

    private boolean lookAtContent(NamedStructure structure) {
        OptionalLong counted = world.inspection().entries(world.rank(), structure);
        Map<String, Double> estimate = world.inspection().estimate(world.rank(), structure);
        if (counted.isEmpty() && estimate.isEmpty()) {
            return contents.containsKey(structure.name());
        }
        boolean isSpread = structure.number("host").isEmpty();
        double estimated = first(estimate, "entries about", "elements", "depth", "depth at least").orElse(0);
        double entries = counted.isPresent()
                ? counted.getAsLong()
                : isSpread ? estimated / world.size() : estimated;
        Content content = new Content(entries, first(estimate, "fill", "load"),
                first(estimate, "false positive rate"), operations(estimate));
        contents.put(structure.name(), content);
        keep(structure.name(), content);
        return true;
    }

    private void keep(String structure, Content content) {
        if (rings.size() < MOST_KEPT || rings.containsKey(structure)) {
            rings.computeIfAbsent(structure, _ -> new FigureRing())
                    .add(System.nanoTime(), content.entries, content.fill, content.operations);
        }
    }

    private static OptionalDouble operations(Map<String, Double> figures) {
        return figures.containsKey("pushed")
                ? OptionalDouble.of(figures.get("pushed") + figures.getOrDefault("popped", 0.0))
                : OptionalDouble.empty();
    }

    private static OptionalDouble first(Map<String, Double> figures, String... names) {
        return Stream.of(names).filter(figures::containsKey).mapToDouble(figures::get).findFirst();
    }

    /** Returns when nothing is looked at any more: the world may be closed then. */
    @Override
    public void close() {
        Thread looking = thread.stop();
        if (looking != null) {
            looking.interrupt(); // one that waits for another rank need not go on
        }
        thread.end();
    }
}
