package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import io.atoll.heap.HeapArea;
import io.atoll.memory.Layouts;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.IntPredicate;
import java.util.stream.IntStream;

/**
 * Ranks of a simulated world open named structures at the same time. The trial checks everything that must be true of
 * the results. It is small: four entries at each rank, so that names meet on their way, and a heap of a few slabs.
 */
final class DirectoryTrial {

    static final int RANKS = 3;

    private static final int ENTRIES = 4;
    private static final int ENTRIES_OF_TWO_SLABS = 7;
    private static final long AREA = Layouts.CACHE_LINE;
    private static final long HEAP = AREA + ENTRIES_OF_TWO_SLABS * DirectoryEntry.SIZE;
    private static final long SLAB_BYTES = 4096;
    private static final Duration TIMEOUT = Duration.ofSeconds(5);
    private static final List<String> NAMES = List.of("orders", "jobs", "seen");
    private static final List<String> MANY_NAMES = IntStream.range(0, 2 * ENTRIES_OF_TWO_SLABS)
            .mapToObj(number -> "structure" + number)
            .toList();

    /** Makes the directory of a process, right or wrong. */
    interface Maker {
        Directory make(Endpoint endpoint, Heap heap, Liveness liveness, Reservations reservations, long area,
                int entries, int incarnation);
    }

    /** A structure that a thread asks for. Its configuration is the number of the block's slabs at each rank. */
    private record Wish(String name, int slabs) {

        static Wish any(SplittableRandom random, List<String> names) {
            return new Wish(names.get(random.nextInt(names.size())), 1 + random.nextInt(2));
        }

        String configuration() {
            return "slabs=" + slabs;
        }

        /**
         * The last rank has no block, or a larger one than the others. So there are entries without a block, and heaps
         * that are too small only there.
         */
        long blockBytes(int rank) {
            int slabsThere = rank < RANKS - 1 ? slabs : slabs == 1 ? 0 : slabs + 1;
            return slabsThere * SLAB_BYTES;
        }
    }

    /** A process's part in the world. */
    private final class Process {

        final Directory directory;
        final Heap heap;
        final Reservations reservations;
        final Endpoint endpoint;

        Process(SimRank rank) {
            endpoint = rank.endpoint();
            heap = new Heap(endpoint, heapArea, rank.incarnation());
            reservations = new Reservations(endpoint, liveness, TIMEOUT, new Waits(endpoint.clock()));
            directory = maker.make(endpoint, heap, liveness, reservations, AREA, entries, rank.incarnation());
        }
    }

    private final Simulation simulation;
    private final HeapArea heapArea;
    private final Liveness liveness;
    private final Maker maker;
    private final boolean restarts;
    private final Map<String, Integer> slabsByName = new HashMap<>(); // of openings that succeeded
    private final Map<String, long[]> offsetsByName = new HashMap<>();
    private final Map<Integer, Process> processes = new TreeMap<>();
    private int entries = ENTRIES; // of each table
    private List<String> names = NAMES;
    private boolean retries = true;
    // segments that a living rank may lose sight of while it reserves something there
    private IntPredicate mayLoseSight = _ -> false;
    private int working;
    private final int[][] buried = new int[RANKS][RANKS]; // by each rank, of each other
    int burials;
    int successes;
    int refusals;
    int shortages;
    int shortTables;

    /**
     * @param slabs of each rank's heap
     * @param restarts true if a killed rank comes back, and goes on opening structures
     */
    DirectoryTrial(long seed, SimOptions options, int slabs, boolean restarts, Maker maker) {
        this(seed, options, slabs, restarts, maker, null);
    }

    /** @param believed what ranks believe of each other's deaths, if it is not the truth */
    DirectoryTrial(long seed, SimOptions options, int slabs, boolean restarts, Maker maker, Liveness believed) {
        long end = HEAP + (slabs + 1) * SLAB_BYTES;
        this.heapArea = new HeapArea(HEAP, end);
        this.simulation = new Simulation(seed, options.segmentBytes(end));
        this.liveness = believed != null ? believed : simulation::isFenced;
        this.restarts = restarts;
        this.maker = maker;
    }

    /** Each table has room for one structure, and continues in another one. */
    DirectoryTrial ofSmallTables() {
        entries = 2;
        return this;
    }

    /** A table takes two slabs, and one where there is no room for two. Names fill some of them. */
    DirectoryTrial ofTablesOfTwoSlabs() {
        entries = ENTRIES_OF_TWO_SLABS;
        names = MANY_NAMES;
        return this;
    }

    /** No rank undoes what it had to leave in a segment that went away. */
    DirectoryTrial neverRetries() {
        retries = false;
        return this;
    }

    /** The options let the last rank die, and its segment with it until it is back. */
    DirectoryTrial segmentsGoAway() {
        mayLoseSight = segment -> segment == RANKS - 1;
        return this;
    }

    /** The options let connections break. */
    DirectoryTrial connectionsBreak() {
        mayLoseSight = _ -> true;
        return this;
    }

    static SimOptions options() {
        return SimOptions.ranks(RANKS).maximumSteps(1_000_000);
    }

    /** Every rank opens a few structures, in that many threads. In the end nothing is where it should not be. */
    DirectoryTrial run(int threads, int wishes) {
        Simulation.Program program = rank -> {
            Process process = new Process(rank);
            processes.put(rank.rank(), process);
            recover(rank, process);
            rank.inParallel(threads + 1, thread -> {
                if (thread == threads) {
                    watch(rank, process);
                } else {
                    work(rank, process, wishes);
                }
            });
        };
        if (restarts) {
            simulation.onDeath(program);
        }
        simulation.run(program);
        finish();
        inAThreadOfItsOwn(this::account);
        return this;
    }

    /**
     * The thread's batches end with it. The batches of the test's own thread would keep every simulation that used
     * them.
     */
    private static void inAThreadOfItsOwn(Runnable action) {
        FutureTask<?> task = new FutureTask<>(action, null);
        Thread.ofVirtual().start(task);
        try {
            task.get();
        } catch (ExecutionException failure) {
            throw new AssertionError(failure.getCause().getMessage(), failure.getCause());
        } catch (InterruptedException interrupted) {
            throw new AssertionError(interrupted);
        }
    }

    private void recover(SimRank rank, Process process) {
        if (rank.incarnation() > 1) {
            for (int segment = 0; segment < RANKS; segment++) {
                process.directory.repairAll(segment);
                process.directory.takeBack(segment, rank.rank(), rank.incarnation() - 1);
            }
        }
    }

    private void work(SimRank rank, Process process, int wishes) {
        SplittableRandom random = rank.random().split();
        working++;
        try {
            for (int count = 0; count < wishes; count++) {
                grant(rank, process, Wish.any(random, names));
            }
        } finally {
            working--;
        }
    }

    /**
     * Does what the watch over the peers does. It undoes what had to be left in a segment that went away, when the
     * segment is back. It takes back what the dead have left in this segment, while other ranks repair it where they
     * meet it.
     */
    private void watch(SimRank rank, Process process) {
        int[] known = incarnations();
        int idleLooks = 0;
        while (idleLooks < 20) {
            rank.fabric().clock().pause(10);
            idleLooks = working == 0 ? idleLooks + 1 : 0;
            int[] now = incarnations();
            undo(process);
            for (int peer = 0; peer < RANKS; peer++) {
                if (retries && now[peer] != known[peer]) {
                    process.reservations.retry(peer);
                }
                if (peer != rank.rank()) {
                    bury(rank, process, peer, now[peer]);
                }
            }
            known = now;
        }
    }

    private void undo(Process process) {
        if (retries) {
            process.reservations.retryAll();
        }
    }

    private void bury(SimRank rank, Process process, int peer, int incarnation) {
        int ended = simulation.isFenced(peer, incarnation, rank.rank()) ? incarnation : incarnation - 1;
        if (ended > buried[rank.rank()][peer]) {
            process.directory.repairAll(rank.rank());
            process.directory.takeBack(rank.rank(), peer, ended);
            buried[rank.rank()][peer] = ended;
            burials++;
        }
    }

    private int[] incarnations() {
        int[] incarnations = new int[RANKS];
        for (int rank = 0; rank < RANKS; rank++) {
            incarnations[rank] = simulation.incarnation(rank);
        }
        return incarnations;
    }

    private void grant(SimRank rank, Process process, Wish wish) {
        while (true) {
            try {
                long[] offsets = process.directory.open(wish.name(), wish.configuration(), wish::blockBytes);
                succeeded(process.endpoint, wish, offsets);
                return;
            } catch (ConfigurationMismatchException refused) {
                assertThat(refused.asked()).isEqualTo(wish.configuration());
                assertThat(refused.existing()).isNotEqualTo(wish.configuration());
                refusals++;
                return;
            } catch (SegmentFullException full) {
                shortages++;
                return;
            } catch (RankUnreachableException lost) {
                if (simulation.isDead(rank.rank(), rank.incarnation())) {
                    throw lost;
                }
                rank.fabric().clock().pause(10);
            }
        }
    }

    private void succeeded(Endpoint endpoint, Wish wish, long[] offsets) {
        successes++;
        assertThat(slabsByName.computeIfAbsent(wish.name(), _ -> wish.slabs()))
                .as("one configuration of " + wish.name())
                .isEqualTo(wish.slabs());
        assertThat(offsets).as("the blocks of " + wish.name())
                .isEqualTo(offsetsByName.computeIfAbsent(wish.name(), _ -> offsets));
        long mark = 1 + names.indexOf(wish.name());
        for (int rank = 0; rank < RANKS; rank++) {
            for (long at = 0; at < wish.blockBytes(rank); at += SLAB_BYTES - Layouts.WORD) {
                assertThat(endpoint.compareAndExchange(rank, offsets[rank] + at, 0, mark))
                        .as("zeroed, and nobody else's")
                        .isIn(0L, mark);
            }
        }
    }

    /**
     * Whichever rank has died or given up, and whenever: every name can now be opened as by those that succeeded, or
     * anew.
     */
    private void finish() {
        simulation.run(rank -> {
            if (rank.rank() == 0) {
                for (String name : names) {
                    finish(processes.get(0), name);
                }
            }
        });
    }

    private void finish(Process process, String name) {
        Wish wish = new Wish(name, slabsByName.getOrDefault(name, 1));
        while (true) {
            try {
                succeeded(process.endpoint, wish, process.directory.open(name, wish.configuration(), wish::blockBytes));
                return;
            } catch (ConfigurationMismatchException | SegmentFullException refused) {
                // Either a dead creator was the only one, and had come so far that it counts, or there is no room.
                assertThat(slabsByName).doesNotContainKey(name);
                return;
            } catch (RankUnreachableException lost) {
                // A connection breaks now, or the fabric still reports what was lost when the segment went away.
                assertThat(mayLoseSight.test(lost.rank())).isTrue();
                undo(process);
            }
        }
    }

    /**
     * Takes back stray blocks. A segment may go away, or a connection may break, while a living rank reserves a block.
     * The block then stays in that rank's name until the rank has been started anew.
     */
    private void takeBackStrays(int segment) {
        for (int rank = 0; rank < RANKS && mayLoseSight.test(segment); rank++) {
            var heap = new Heap(simulation.endpoint(rank), heapArea, simulation.incarnation(rank) + 1);
            maker.make(simulation.endpoint(rank), heap, liveness, processes.get(rank).reservations, AREA, entries,
                    simulation.incarnation(rank) + 1).takeBack(segment, rank, simulation.incarnation(rank));
        }
    }

    private void account() {
        Process process = processes.get(0);
        for (int rank = 0; rank < RANKS; rank++) {
            process.directory.repairAll(rank);
            takeBackStrays(rank);
            // It knows nothing, so it says what is there.
            Directory looking = process.directory.by(simulation.endpoint(0),
                    new Heap(simulation.endpoint(0), heapArea, simulation.incarnation(0)), process.reservations);
            List<NamedStructure> structures = looking.structures(rank);
            assertThat(structures).extracting(NamedStructure::name).doesNotHaveDuplicates();
            List<Long> slabs = new ArrayList<>();
            for (NamedStructure structure : structures) {
                for (long at = 0; at < structure.bytes(); at += SLAB_BYTES) {
                    slabs.add(structure.offset() + at);
                }
            }
            assertThat(slabs).as("slabs of blocks").doesNotHaveDuplicates();
            int segment = rank;
            List<Long> further = looking.tables(rank);
            further.subList(1, further.size()).forEach(table -> {
                for (long at = 0; at < looking.tableBytes(segment, table); at += SLAB_BYTES) {
                    slabs.add(table + at);
                }
                shortTables += looking.tableBytes(segment, table) < entries * DirectoryEntry.SIZE ? 1 : 0;
            });
            var usage = process.heap.usage(rank);
            assertThat(usage.pendingBytes() + usage.ownedBytes()).as("bytes in use of rank " + rank + ": " + usage)
                    .isEqualTo(slabs.size() * SLAB_BYTES);
            assertThat(usage.freeBytes()).isEqualTo(usage.totalBytes() - slabs.size() * SLAB_BYTES);
        }
    }
}
