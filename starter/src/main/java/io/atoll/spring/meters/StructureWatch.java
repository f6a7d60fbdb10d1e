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
 * Looks from time to time at the content of structures in this rank's segment. Meters show the result of the last look,
 * so reading them waits for no rank. The parts of all ranks together are the structure: each rank reports on its own.
 *
 * <p>Cost: none before the first listener; then, in each {@link #INTERVAL}, that of {@link Inspection#structures} of
 * the own rank. For each structure it adds that of {@link Inspection#estimate} and {@link Inspection#entries}, or of
 * {@link Inspection#lockTotals}. No verb where the own memory may be read directly. A queue that has moved away is read
 * at its present host.
 *
 * <p>The watch keeps what it has seen in the last ten minutes, of at most {@value #MOST_KEPT} structures: 4 MiB.
 */
public final class StructureWatch implements AutoCloseable {

    /** The greatest age of the shown figures, unless a queue has moved to a rank that does not answer. */
    public static final Duration INTERVAL = Duration.ofSeconds(5);

    /** The history of a structure of which nothing was seen. */
    public static final HistoryState NOTHING_SEEN = FigureRing.none(INTERVAL);

    /** The number of structures of which figures are kept: those that are found first. */
    static final int MOST_KEPT = 1_000;

    private static final String LOCK_TABLE = "lock-table";

    /**
     * The content of a structure in this rank's segment.
     *
     * @param entries entries of a map, elements of a queue, stack or filter; estimated if there are many
     * @param fill from 0 to 1; empty for unbounded structures
     * @param falsePositiveRate the rate of a filter
     * @param operations the total since the beginning, of a structure that counts operations
     */
    record Content(double entries, OptionalDouble fill, OptionalDouble falsePositiveRate, OptionalDouble operations) {}

    /** Is told of each structure once, by the thread that looks or by the thread that listens. */
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
    // only the thread that looks adds to a ring
    private final Map<String, FigureRing> rings = new ConcurrentHashMap<>();
    private final Map<String, LockTotals> locks = new ConcurrentHashMap<>();

    public StructureWatch(World world) {
        this.world = world;
        this.background = world.background();
        this.thread = new BackgroundThread("atoll-meters", BackgroundThread.every(INTERVAL, this::look));
    }

    /**
     * Begins to look, unless the watch has begun already. A structure may be found at the same time. Either the
     * listener learns of the structure here, or the thread sees the listener, or both.
     */
    void listen(Listener listener) {
        listeners.add(listener);
        found.values().forEach(listener::found);
        if (started.compareAndSet(false, true)) {
            background.add(thread).wake();
        }
    }

    /** Returns null if the structure no longer exists. */
    @Nullable Content content(String structure) {
        return contents.get(structure);
    }

    /** Returns null if the table no longer exists. */
    @Nullable LockTotals locks(String table) {
        return locks.get(table);
    }

    /**
     * Returns what this rank's part of a structure was like in the last ten minutes: entries, load and operations. Has
     * no rank if nothing was seen of the structure: it lies at another rank, or nothing has started the watch. Cost:
     * none.
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

    /** If another rank hosts a structure, this rank's segment has only notes about it. */
    private boolean isHere(NamedStructure structure) {
        return structure.bytes() > 0 && structure.number("host").orElse(world.rank()) == world.rank();
    }

    /** Returns true if the structure shows anything. */
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

    /** Returns when the thread looks at nothing any more. Then the world may be closed. */
    @Override
    public void close() {
        Thread looking = thread.stop();
        if (looking != null) {
            looking.interrupt(); // a look that waits for another rank need not go on
        }
        thread.end();
    }
}
