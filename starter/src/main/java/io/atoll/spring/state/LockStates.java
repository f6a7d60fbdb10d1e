package io.atoll.spring.state;

import io.atoll.Inspection;
import io.atoll.lock.ForcedUnlock;
import io.atoll.lock.LockState;
import io.atoll.lock.LockView;
import io.atoll.lock.WaitGraph;
import io.atoll.spring.state.CachedLook.Seen;
import io.atoll.spring.state.ParallelLook.Kind;
import io.atoll.world.NamedStructure;
import io.atoll.world.Peers.Peer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Shows a world's lock tables to its observers. However many observers there are, a table is read at most once in
 * {@link WorldStates#KEPT}. All methods read other ranks. Any thread may use it.
 */
public final class LockStates {

    /** The greatest age of results that are only searched for problems. */
    private static final Duration RECENT = Duration.ofSeconds(5);

    private static final String LOCK_TABLE = "lock-table";

    private final ReadableRanks ranks;
    private final Directories directories;
    private final Inspection inspection;
    private final Map<String, CachedLook<Optional<SeenLocks>>> tables = new ConcurrentHashMap<>();
    private final CachedLook<List<SeenLocks>> recent = new CachedLook<>();

    LockStates(ReadableRanks ranks, Directories directories, Inspection inspection) {
        this.ranks = ranks;
        this.directories = directories;
        this.inspection = inspection;
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

    /**
     * Returns the lock tables by name. Waits at most two seconds for directories, and at most two seconds for locks.
     * Late results are shown as they were seen last. A table that was never seen is shown without its locks. Cost: for
     * each table and rank, R for each 512 locks and each 512 descriptors, twice. R of each rank for each shown lock.
     * And that of {@link WorldStates#segment} for the directories of all ranks.
     */
    public List<LockTableState> tables() {
        return seen().map(SeenLocks::shown).toList();
    }

    private Stream<SeenLocks> seen() {
        directories.lookAtAll();
        List<NamedStructure> all = directories.placed()
                .map(PlacedStructure::structure)
                .filter(structure -> structure.kind().equals(LOCK_TABLE))
                .toList();
        ranks.inTime(Kind.LOCKS, () -> all.forEach(this::read));
        return all.stream().flatMap(table -> {
            Seen<Optional<SeenLocks>> seen = CachedLook.at(tables, table.name()).last();
            return seen == null
                    ? Stream.of(SeenLocks.none(table, inspection.locks(Map.of(ranks.own(), table))))
                    : seen.what().stream();
        });
    }

    private void read(NamedStructure table) {
        CachedLook.at(tables, table.name())
                .look(WorldStates.KEPT, () -> view(table.name()).map(locks -> SeenLocks.of(table, locks)));
    }

    /** Returns one lock of a table, if both exist. Cost: for each rank R for each 512 descriptors, and 2R. */
    public Optional<LockTableState.HeldLock> lock(String table, long index) {
        return view(table).filter(locks -> index >= 0 && index < locks.locks())
                .map(locks -> LockTableState.HeldLock.of(locks.look(index)));
    }

    private Optional<LockView> view(String table) {
        Map<Integer, NamedStructure> blocks = blocks(table);
        return blocks.isEmpty() ? Optional.empty() : Optional.of(inspection.locks(blocks));
    }

    private Map<Integer, NamedStructure> blocks(String table) {
        Map<Integer, NamedStructure> blocks = new HashMap<>();
        for (Peer peer : ranks.all()) {
            if (ranks.isReadable(peer)) {
                directories.block(peer.rank(), table)
                        .filter(block -> block.kind().equals(LOCK_TABLE))
                        .ifPresent(block -> blocks.put(peer.rank(), block));
            }
        }
        return blocks;
    }

    /**
     * Returns the lock tables as they were at most five seconds ago, with the ages that holds and waits have now. They
     * may be older if a rank does not answer; this method waits a second for it. Cost: that of {@link #tables}.
     */
    public List<LockTableState> recentTables() {
        return recent().stream().map(seen -> seen.shown().later(seen.ageMillis())).toList();
    }

    /**
     * Returns threads that wait for each other, over all lock tables, as {@link #recentTables} has seen them. Cost:
     * the same.
     */
    public List<Deadlock> recentDeadlocks() {
        Map<String, SeenLocks> seen = recent().stream()
                .collect(Collectors.toMap(each -> each.shown().name(), each -> each));
        return Deadlock.in(waits(seen.values().stream()), table -> seen.get(table).ageMillis());
    }

    private List<SeenLocks> recent() {
        return ranks.recent(Kind.RECENT_LOCKS, recent, RECENT, () -> seen().toList());
    }

    /** Returns which threads wait for which, over all lock tables. Cost: that of {@link #tables}. */
    public LockGraph graph() {
        return LockGraph.of(waits(seen()));
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
        Map<Integer, NamedStructure> blocks = blocks(table);
        return blocks.isEmpty()
                ? Optional.empty()
                : Optional.of(inspection.forceUnlock(table, blocks, index, token, patience));
    }
}
