package io.atoll;

import io.atoll.background.BackgroundThread;
import io.atoll.epoch.EpochObserver;
import io.atoll.epoch.EpochSnapshot;
import io.atoll.fabric.Connections;
import io.atoll.fabric.Guarantees;
import io.atoll.failure.FabricException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.filter.BloomFilter;
import io.atoll.heap.HeapUsage;
import io.atoll.history.HistoryReader;
import io.atoll.history.RankHistory;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.lock.Acquisition;
import io.atoll.lock.ForcedUnlock;
import io.atoll.lock.LockAlgorithm;
import io.atoll.lock.LockState;
import io.atoll.lock.LockTotals;
import io.atoll.lock.LockView;
import io.atoll.lock.TableLayout;
import io.atoll.map.DistributedMap;
import io.atoll.map.HashMapBuffer;
import io.atoll.map.LongLongMap;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.view.Views;
import io.atoll.world.NamedStructure;
import io.atoll.world.Operations;
import io.atoll.world.Participant;
import io.atoll.world.StructureStats;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.TimeUnit;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.function.IntPredicate;
import java.util.function.Supplier;

/**
 * A world as it stands, whole or not, for code that observes it. An inspection changes nothing and does not wait for a
 * rank that is absent. The contents of a rank that cannot be reached are missing from the results. A rank may be there
 * and not answer: then each read waits as long as the fabric waits. Each method costs the reads that it names. A caller
 * that asks often should keep the results for a while. Any thread may use it.
 */
public final class Inspection {

    /** Where something lies in a segment. */
    public record Extent(long offset, long bytes) {}

    private final Lives lives;
    private final EpochObserver epochs = new EpochObserver();
    private final HistoryReader histories = new HistoryReader();
    private final Map<String, StructureStats> figures;

    Inspection(Lives lives) {
        this.lives = lives;
        this.figures = Map.of("map", DistributedMap.figures(this::seedAt), "long-map",
                LongLongMap.figures(this::seedAt), "map-buffer", HashMapBuffer.FIGURES, "bloom-filter",
                BloomFilter.FIGURES, "queue", CircularQueue.FIGURES, "fast-queue", FastQueue.FIGURES, "linked-stack",
                LinkedStack.FIGURES, "linked-queue", LinkedQueue.FIGURES);
    }

    /**
     * Returns why this process takes part no more, if it has had to stop. The contents of segments are absent then. See
     * {@link World#refusal()}.
     */
    public Optional<JoinRefusedException> refusal() {
        return lives.refusal();
    }

    /**
     * Returns what this process knows of the members of the world, where ranks may be on several hosts. Returns empty
     * where the kernel of one host knows which ranks live. Cost: none.
     */
    public Optional<Views.Status> views() {
        return lives.present().views().map(Views::status);
    }

    /**
     * Returns what hinders the background threads of this world, such as a lack of memory. Returns an empty list if all
     * is well.
     */
    public List<BackgroundThread.Trouble> troubles() {
        return participant().background().troubles();
    }

    /**
     * Returns what this process sees of its connections with other ranks, where it has any: by TCP or RDMA. Cost: none.
     */
    public Optional<Connections> connections() {
        return lives.present().attachment().connections();
    }

    /** Returns true if verbs on the rank's segment are loads and stores of this process. Cost: none. */
    public boolean isMapped(int rank) {
        return participant().endpoint().mapped(rank) != null;
    }

    /** Returns what the fabric promises beyond its verbs. */
    public Guarantees guarantees() {
        return participant().endpoint().guarantees();
    }

    /** Returns the size of the segment that each rank offers. */
    public long segmentBytes() {
        return participant().endpoint().fabric().local().size();
    }

    /** Returns what the rank's segment is used for. Cost: R for each 512 slabs, and R for each slab of objects. */
    public Optional<HeapUsage> heapUsage(int rank) {
        return ifReachable(rank, () -> participant().heap().usage(rank));
    }

    /**
     * Returns the number of operations of this process on the structure with that name, since the process opened its
     * world. See {@link Operations}. Returns 0 if the process has not used the structure. Cost: none.
     */
    public long operations(String structure) {
        return lives.present().participant().operations().count(structure);
    }

    /**
     * Returns the structures of the rank's directory, with their blocks in its segment. Cost: R for each entry, used or
     * not, and for each structure.
     */
    public Optional<List<NamedStructure>> structures(int rank) {
        return ifReachable(rank, () -> participant().directory().structures(rank));
    }

    /**
     * Returns the figures that a structure shows of itself. For a large structure they are estimated from its block in
     * that rank's segment. That is the host's segment if the structure has a host. Returns none for kinds that show
     * nothing. Cost: a few R. For a small map, whose entries are counted, R for each 32 KiB, at most
     * {@link StructureStats#COUNTED_BYTES}. For a stack or linked queue 2 R for each value, at most 1,000 of them.
     *
     * @param blocks the structure as a rank's directory lists it; asked for that rank, and perhaps for others
     */
    public Map<String, Double> figures(int rank, IntFunction<Optional<NamedStructure>> blocks) {
        NamedStructure block = blocks.apply(rank).orElse(null);
        StructureStats kind = block == null || block.bytes() == 0 ? null : figures.get(block.kind());
        if (block == null || kind == null) {
            return Map.of();
        }
        Map<String, Double> read = ifReachable(rank, () -> kind.read(participant().endpoint(), rank, block))
                .orElse(Map.of());
        OptionalLong entries = count(kind, blocks);
        return entries.isPresent() ? with(entries.getAsLong(), read) : read;
    }

    /** Returns the number of entries at all ranks. Returns empty if it cannot be determined. */
    private OptionalLong count(StructureStats kind, IntFunction<Optional<NamedStructure>> blocks) {
        long entries = 0;
        for (int rank = 0; rank < participant().size(); rank++) {
            int at = rank;
            OptionalLong counted = blocks.apply(rank)
                    .map(block -> count(kind, at, block))
                    .orElse(OptionalLong.empty());
            if (counted.isEmpty()) {
                return counted;
            }
            entries += counted.getAsLong();
        }
        return OptionalLong.of(entries);
    }

    private OptionalLong count(StructureStats kind, int rank, NamedStructure block) {
        return ifReachable(rank, () -> kind.entries(participant().endpoint(), rank, block))
                .orElse(OptionalLong.empty());
    }

    /**
     * As {@link #figures}, from that rank's part of the structure alone: it estimates all ranks as if the others were
     * like that one. Reads no other rank, except for a queue that has moved away from its first host. Cost: a few R.
     * For a stack or linked queue 2 R for each value, at most 1,000 of them.
     *
     * @param block the block as that rank's directory lists it
     */
    public Map<String, Double> estimate(int rank, NamedStructure block) {
        StructureStats kind = block.bytes() == 0 ? null : figures.get(block.kind());
        return kind == null
                ? Map.of()
                : ifReachable(rank, () -> kind.read(participant().endpoint(), rank, block)).orElse(Map.of());
    }

    /**
     * Returns the number of a map's entries in that rank's segment, counted one by one. Returns empty for other
     * structures, and for maps that are too large to count. Cost: R for each 32 KiB, at most
     * {@link StructureStats#COUNTED_BYTES} for all ranks together.
     *
     * @param block the block as that rank's directory lists it
     */
    public OptionalLong entries(int rank, NamedStructure block) {
        StructureStats kind = block.bytes() == 0 ? null : figures.get(block.kind());
        return kind == null ? OptionalLong.empty() : count(kind, rank, block);
    }

    private static Map<String, Double> with(long entries, Map<String, Double> estimated) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("entries", (double) entries);
        estimated.forEach((name, value) -> {
            if (!name.startsWith("entries")) {
                figures.put(name, value);
            }
        });
        return figures;
    }

    /**
     * Returns where the structure lies in that rank's segment: its block, and the memory that it has received beside it
     * since. Cost: none for most kinds. 2 R for each block of a map that grows.
     *
     * @param block the block as the rank's directory lists it
     */
    public List<Extent> extents(int rank, NamedStructure block) {
        List<Extent> extents = new ArrayList<>();
        if (block.bytes() > 0) {
            extents.add(new Extent(block.offset(), block.bytes()));
            StructureStats kind = figures.get(block.kind());
            if (kind != null) {
                extents.addAll(ifReachable(rank, () -> runs(rank, kind, block)).orElse(List.of()));
            }
        }
        return extents;
    }

    private List<Extent> runs(int rank, StructureStats kind, NamedStructure block) {
        return kind.runs(participant().endpoint(), rank, block)
                .stream()
                .map(offset -> new Extent(offset, participant().heap().runBytes(rank, offset)))
                .filter(run -> run.bytes() > 0)
                .toList();
    }

    /**
     * Returns the state of the reclamation of objects, even if this process has not used it. Returns empty if no
     * process has used it, or if its epoch is out of reach. Cost: R for the epoch, and R for each rank.
     *
     * @param structures by rank and name, as a rank's directory lists them
     * @param isRead is asked for a rank right before that rank is read. A rank that is left out is shown as it was seen
     * last
     */
    public Optional<EpochSnapshot> epochs(BiFunction<Integer, String, Optional<NamedStructure>> structures,
            IntPredicate isRead) {
        return ifReachable(participant().rank(),
                () -> epochs.look(participant().endpoint(), rank -> structures.apply(rank, EpochObserver.NAME), isRead))
                .flatMap(found -> found);
    }

    /**
     * Returns a view of a table of locks. The parts at ranks without a block here are absent. Cost: none until the view
     * is read.
     *
     * @param blocks of the table, at least one, as the directories of their ranks list them
     */
    public LockView locks(Map<Integer, NamedStructure> blocks) {
        long[] offsets = new long[participant().size()];
        blocks.forEach((rank, block) -> offsets[rank] = block.offset());
        String configuration = blocks.values().iterator().next().configuration();
        return new LockView(participant().endpoint(),
                TableLayout.of(participant().size(), participant().maxSize(), configuration),
                configuration.contains("algorithm=" + LockAlgorithm.ALOCK), offsets);
    }

    /**
     * Ends a hold of a lock by force, for an operator who knows that it will not be released. The next holder of the
     * lock is {@linkplain Acquisition#recovered() told}, and may find the guarded resource in a half-done state.
     * {@link Acquisition#isHeld} of the former holder returns false then, and its {@code close} does nothing. The
     * former holder may still believe that it holds the lock. So the guarded resource must refuse its fencing token.
     * Any rank may ask, even one that has never opened the table. One thread of this process asks at a time.
     *
     * <p>The holder's process ends the hold. So that process must live and look for such demands, which it does several
     * times a second. Holds of a process that has ended end by themselves.
     *
     * <p>Cost: as {@link LockView#holder}, and R for each entry of the holder's directory. Also 4 W in one round trip,
     * and R for each look at the answer. Holders pay nothing for this when they lock or unlock.
     *
     * @param table the name of the table
     * @param blocks of the table, as for {@link #locks}
     * @param index of the lock in its table
     * @param token the fencing token of the hold, as {@link LockState.Request#token} shows it; no other hold is ended
     * @param patience how long this call waits for the holder's process, besides the time of the reads and writes
     * @throws IllegalArgumentException if the table has no such lock
     */
    public ForcedUnlock forceUnlock(String table, Map<Integer, NamedStructure> blocks, long index, long token,
            Duration patience) {
        LockView view = locks(blocks);
        if (index < 0 || index >= view.locks()) {
            throw new IllegalArgumentException(
                    "from 0 to " + (view.locks() - 1) + ": table=" + table + " lock=" + index);
        }
        long deadlineNanos = System.nanoTime() + patience.toNanos();
        try {
            if (!lives.forcing().tryLock(patience.toNanos(), TimeUnit.NANOSECONDS)) {
                return ForcedUnlock.HOLDER_SILENT;
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return ForcedUnlock.HOLDER_SILENT;
        }
        try {
            Duration rest = Duration.ofNanos(Math.max(0, deadlineNanos - System.nanoTime()));
            return view.forceUnlock(participant(), table, index, token, rest);
        } catch (FabricException away) {
            return ForcedUnlock.HOLDER_SILENT;
        } finally {
            lives.forcing().unlock();
        }
    }

    /**
     * Returns the last ten minutes of a rank, if it keeps a history (see {@link WorldBuilder#history}). Returns empty
     * if it keeps none, or if the history cannot be read. If the rank's process has ended and has left its segment's
     * file on this host, that file is read. Cost: 7 R and 250 KB the first time. Later 3 R, and 1 R more each for new
     * points, new operations and new events. 1 R more for each of these whose ring was at its end. 1 R more for a new
     * process. This object keeps what it has read, some 400 KiB of Java's heap for a rank, which the results share. So
     * callers should keep this object.
     */
    public Optional<RankHistory> history(int rank) {
        Participant self = participant();
        Optional<RankHistory> live = ifReachable(rank, () -> histories.read(self, rank)).flatMap(found -> found);
        return live.isPresent() ? live : histories.readLeft(self, lives.present().attachment(), rank);
    }

    /**
     * Returns what the threads of this process have done with a table of locks, and what they do now. Returns empty if
     * this process takes part no more. Cost: none where the own memory may be read directly. Otherwise R for each 512
     * locks, and R for each 512 descriptors.
     *
     * @param block of the table, as this rank's directory lists it
     */
    public Optional<LockTotals> lockTotals(NamedStructure block) {
        Participant self = participant();
        return ifReachable(self.rank(), () -> LockTotals.read(self.endpoint(),
                TableLayout.of(self.size(), self.maxSize(), block.configuration()), self.rank(), block.offset(),
                self.nowMillis()));
    }

    /**
     * Returns how often this process has repaired what a dead rank had left in the middle of an operation. Repairs that
     * other processes made at the same time count too.
     */
    public long repairs() {
        return participant().reservations().repairs();
    }

    /**
     * As {@link #repairs()}, for the structure with that name. Repairs of locks and of the directory belong to no
     * structure.
     */
    public long repairs(String structure) {
        return participant().reservations().repairs(structure);
    }

    private Participant participant() {
        return lives.present().participant();
    }

    private OptionalLong seedAt(int rank) {
        return participant().seedAt(rank);
    }

    private <T> Optional<T> ifReachable(int rank, Supplier<T> look) {
        if (rank < 0 || rank >= participant().size()) {
            throw new IllegalArgumentException(
                    "ranks run from 0 to size - 1: rank=" + rank + " size=" + participant().size());
        }
        try {
            return Optional.of(look.get());
        } catch (FabricException unreachable) {
            return Optional.empty();
        }
    }
}
