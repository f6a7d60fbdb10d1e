package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.heap.HeapUsage;
import io.atoll.map.EagerBlocks.EagerRuns;
import io.atoll.world.Lease;
import io.atoll.world.Participant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * A rank dies while it makes a block, or retires one, at whatever step. It leaves no block that no process knows. It
 * takes no block away from processes that use it.
 */
@Tag("simulation")
class GrowthDeathTest {

    /** Steps while the first blocks are made, and later ones, when other ranks move buckets meanwhile. */
    private static final int[] STEPS = IntStream
            .concat(IntStream.rangeClosed(1, 200), IntStream.rangeClosed(3_100, 3_500))
            .toArray();

    /** Some mistakes show in a few schedules among thousands. */
    private static final int MOST_TRIALS = 20_000;

    private static final int MOST_STEPS = 6_000;
    private static final int ACCESSES = 300;

    /** So many that buckets are moved, too. */
    private static final int MOST_ACCESSES = 1_500;

    private static final int KEYS = 60;
    private static final int LONGEST_START = 4_000; // steps
    private static final int SEEDS = 8;
    private static final int SEEDS_OF_MISTAKES = 200;
    private static final int MAKER = 1;

    private static final Opener RIGHT = (self, epochs) -> GrowingWorld.blocks(self, epochs, LongBucket.SIZE);

    private record Process(Participant self, EpochManager epochs, LongTable table) {}

    /** Makes blocks as they are, or with a mistake. */
    private interface Opener {

        GrowingBlocks blocks(Participant self, EpochManager epochs);
    }

    private static Process open(SimRank rank, Opener opener) {
        Participant self = MapWorld.participant(rank);
        EpochManager epochs = GrowingWorld.epochs(self, LongBucket.SIZE);
        GrowingBlocks blocks = opener.blocks(self, epochs);
        return new Process(self, epochs, new LongTable("map", self, blocks, null));
    }

    private static void insert(Process process) {
        for (long key = 0; key < KEYS; key++) {
            process.table.insert(key, key);
        }
    }

    /** A process that starts again takes its time. Meanwhile others may replace the block that its former life made. */
    private static void startAgain(SimRank rank) {
        if (rank.incarnation() > 1) {
            for (int steps = rank.random().nextInt(LONGEST_START); steps > 0; steps--) {
                rank.simulation().step();
            }
        }
    }

    /** The maker dies at that step; the same rank comes back and goes on. Returns how often it has died. */
    private static int trial(int seed, int step, Opener opener) {
        var simulation = new Simulation(seed, options(seed).killAt(MAKER, step));
        Map<Integer, Process> processes = new HashMap<>();
        Simulation.Program program = program(processes, opener);
        simulation.onDeath(program).run(program);
        check(simulation, processes, step);
        return simulation.incarnation(MAKER) - 1;
    }

    private static SimOptions options(int seed) {
        return GrowingWorld.options(SimOptions.EVERY_FABRIC.get(seed % 3));
    }

    private static Simulation.Program program(Map<Integer, Process> processes, Opener opener) {
        return rank -> {
            Process process = open(rank, opener);
            processes.put(rank.rank(), process);
            if (rank.rank() == MAKER) {
                startAgain(rank);
                process.self.recover(0);
            }
            if (rank.rank() != 0) {
                insert(process);
            }
        };
    }

    /** Returns the maker's steps that begin to commit a block. */
    private static List<Integer> commits(int seed) {
        var simulation = new Simulation(seed, options(seed));
        List<Integer> steps = new ArrayList<>();
        simulation.run(program(new HashMap<>(), (self, epochs) -> new EagerBlocks(self, epochs, GrowingWorld.headers(),
                LongBucket.SIZE, new EagerRuns(self, LongBucket.SIZE) {
                    @Override
                    void commit(int owner, long block) {
                        if (self.rank() == MAKER) {
                            steps.add(simulation.rank(MAKER).steps() + 1);
                        }
                        super.commit(owner, block);
                    }
                })));
        return steps;
    }

    /** Returns how often the maker has died. */
    private static int dieBeforeEachCommit(int seeds) {
        int deaths = 0;
        for (int seed = 1; seed <= seeds; seed++) {
            for (int step : commits(seed)) {
                deaths += trial(seed, step, RIGHT);
            }
        }
        return deaths;
    }

    @Test
    void noBlockIsLostThatIsKnownAndNotCommitted() {
        assertThat(dieBeforeEachCommit(SEEDS)).isGreaterThan(SEEDS);
    }

    /** For a mistake that is built into a class. */
    static void assertIsFoundByADeathBeforeACommit() {
        assertThatThrownBy(() -> dieBeforeEachCommit(SEEDS_OF_MISTAKES))
                .isInstanceOfAny(AssertionError.class, IllegalArgumentException.class);
    }

    private static void check(Simulation simulation, Map<Integer, Process> processes, int step) {
        Process maker = processes.get(MAKER);
        for (long key = 0; key < KEYS; key++) {
            assertThat(maker.table.find(key, -1)).as("step=%d key=%d", step, key).isEqualTo(key);
        }
        processes.values().forEach(process -> process.epochs.clear());
        HeapUsage usage = maker.self.heap().usage(0);
        int known = BlockFigures.read(simulation.endpoint(MAKER), 0, GrowingWorld.headers()[0])
                .orElseThrow()
                .runs()
                .size();
        assertThat(usage.pendingRuns()).as("step=%d: runs that are pending", step).isZero();
        assertThat(usage.ownedRuns()).as("step=%d: runs, and those that are known", step).isEqualTo(known);
    }

    /** Returns the leases of the block that is present at rank 0. */
    private static List<Long> leases(Simulation simulation) {
        Endpoint endpoint = simulation.endpoint(MAKER);
        long head = BlockHead.of(endpoint.readWord(0, GrowingWorld.headers()[0] + BlockHead.CURRENT));
        return IntStream.range(0, BlockHead.STRIPES)
                .mapToObj(stripe -> endpoint.readWord(0, head + BlockHead.stripe(stripe) + BlockHead.LEASE))
                .toList();
    }

    @Test
    void noBlockIsLostWhereverItsMakerDies() {
        int deaths = 0;
        for (int step : STEPS) {
            deaths += trial(step, step, RIGHT);
        }
        assertThat(deaths).isGreaterThan(STEPS.length / 2);
    }

    /**
     * An error strikes the maker at that access. Its process lives on, so no other one repairs what it leaves. Returns
     * true if it came to that access.
     */
    private static boolean isStruck(Guarantees guarantees, int access) {
        var simulation = new Simulation(access, GrowingWorld.options(guarantees));
        Map<Integer, Process> processes = new HashMap<>();
        boolean[] isStruck = new boolean[1];
        simulation.run(rank -> {
            if (rank.rank() == MAKER) {
                Process process = open(rank, RIGHT);
                processes.put(MAKER, process);
                isStruck[0] = simulation.isStruckAt(access, false, () -> insert(process));
                process.self.reservations().retryAll();
                assertThat(process.self.reservations().inDoubt()).as("access=%d", access).isZero();
                insert(process);
                assertThat(leases(simulation)).as("access=%d: leases", access).containsOnly(Lease.NOBODY);
            }
        });
        check(simulation, processes, access);
        return isStruck[0];
    }

    @ParameterizedTest
    @FieldSource("io.atoll.fabric.sim.SimOptions#EVERY_FABRIC")
    void noBlockIsLostWhereverAnErrorStrikesItsMaker(Guarantees guarantees) {
        for (int access = 1; access <= ACCESSES; access++) {
            assertThat(isStruck(guarantees, access)).as("access=%d", access).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("io.atoll.map.BlocksMistake#withRuns")
    void aMistakeWithTheRunsOfABlockIsFound(BlocksMistake mistake) {
        assertIsFoundByADeath(
                (self, epochs) -> mistake.blocks(self, epochs, GrowingWorld.headers(), LongBucket.SIZE));
    }

    private static void assertIsFoundByADeath(Opener wrong) {
        assertThatThrownBy(() -> {
            for (int number = 1; number <= MOST_TRIALS; number++) {
                trial(number, 1 + number % MOST_STEPS, wrong);
            }
        }).isInstanceOfAny(AssertionError.class, IllegalArgumentException.class);
    }

    /** For a mistake that is built into a class. */
    static void assertIsFoundByADeath() {
        assertIsFoundByADeath(RIGHT);
    }

    /** As {@link #assertIsFoundByADeath()}. */
    static void assertIsFoundByAnError() {
        assertThatThrownBy(() -> {
            for (int access = 1; access <= MOST_ACCESSES; access++) {
                isStruck(SimOptions.TCP, access);
            }
        }).isInstanceOfAny(AssertionError.class, IllegalArgumentException.class);
    }
}
