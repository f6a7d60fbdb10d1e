package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.FixedHash;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.PoisoningReclamation;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.Linearizability;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.SimulatedError;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.sim.Simulation.Program;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.StructureName;
import io.atoll.map.MapOperation.Kind;
import io.atoll.memory.TaggedPointer;
import io.atoll.world.Liveness;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.function.BiPredicate;
import java.util.function.BooleanSupplier;
import java.util.function.Function;
import java.util.stream.IntStream;
import java.util.stream.LongStream;

/**
 * Simulated ranks that use one map in the segment of rank 0. The map is so small, and has so few keys, that everything
 * meets.
 */
public final class MapWorld {

    public static final int RANKS = 3;
    public static final Placement PLACEMENT = new Placement(1, 8);

    /**
     * Keys for which the search begins in the same bucket. One of them is 0, which reads like memory that no thread has
     * written.
     */
    public static final List<Long> KEYS = LongStream.range(0, 1_000)
            .filter(key -> PLACEMENT.home(FixedHash.of(key)) == PLACEMENT.home(FixedHash.of(0)))
            .limit(4)
            .boxed()
            .toList();

    /** Two keys for which the search begins in different buckets. */
    private static final List<Long> APART = List.of(0L, LongStream.range(0, 1_000)
            .filter(key -> PLACEMENT.home(FixedHash.of(key)) != PLACEMENT.home(FixedHash.of(0)))
            .findFirst()
            .orElseThrow());

    public static final Duration OPERATION_TIMEOUT = Duration.ofSeconds(10);

    private static final long SEGMENT_BYTES = 192 << 10;
    // nothing lies here as long as nothing is opened by name
    private static final long TABLE = SEGMENT_BYTES - (8 << 10);
    private static final long EPOCHS = TABLE - (8 << 10);
    private static final int OPERATIONS = 6;
    private static final double ERRORS = 0.01;
    private static final int MOST_ERRORS = 12;
    private static final int MOST_ACCESSES = 1_000;
    private static final int STEPS_OF_ALL_STRIKES = 20_000_000;

    private MapWorld() {}

    public static SimOptions options(Guarantees guarantees) {
        return SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES).guarantees(guarantees);
    }

    /** Returns options by which ranks stand still now and then. */
    public static SimOptions pausing(Guarantees guarantees) {
        return options(guarantees).pauses(0.02);
    }

    /**
     * Returns options by which ranks also die, and are started again; the owner of the map is one of them. Half of them
     * go on until they are fenced. Pauses are so long that other ranks doubt their life.
     */
    public static SimOptions dying(Guarantees guarantees) {
        return pausing(guarantees).longestPause(Duration.ofMillis(200)).kills(0.02, 0, 1, 2).zombies();
    }

    /** Returns options by which connections break, and no rank knows what has arrived. */
    public static SimOptions breaking(Guarantees guarantees) {
        return pausing(guarantees).breaks(0.02, 8);
    }

    public static Participant participant(SimRank rank) {
        return participant(rank, rank.simulation()::isFenced, OPERATION_TIMEOUT);
    }

    public static Participant participant(SimRank rank, Liveness liveness, Duration operationTimeout) {
        return new Participant(rank.endpoint(), rank.incarnation(), liveness, operationTimeout, () -> new int[RANKS]);
    }

    public static Blocks fixedBlocks() {
        return new FixedBlocks(new StructureName("map", "map"), null, blocks(), PLACEMENT.buckets());
    }

    /** Returns blocks for which operations are pinned. */
    public static Blocks fixedBlocks(EpochManager epochs) {
        return new FixedBlocks(new StructureName("map", "map"), epochs, blocks(), PLACEMENT.buckets());
    }

    /** Returns a manager that poisons what it frees, so that a thread which still reads it is found out. */
    public static EpochManager epochs(Participant self) {
        return epochs(self, () -> false);
    }

    /** @param isOutOfBags asked whenever a bag is wanted */
    public static EpochManager epochs(Participant self, BooleanSupplier isOutOfBags) {
        long[] blocks = new long[RANKS];
        Arrays.fill(blocks, EPOCHS);
        return PoisoningReclamation.manager(self, blocks, TaggedPointer.UNIT, isOutOfBags);
    }

    private static long[] blocks() {
        return new long[]{TABLE};
    }

    /**
     * Lets all ranks use the map as the seed says, and those that come back from death. What they saw must be possible
     * one after the other.
     */
    public static Seeds.Trial trial(SimOptions options, List<Kind> kinds, List<Long> keys,
            Function<SimRank, MapClient> open) {
        return trial(options, kinds, keys, OPERATIONS, open);
    }

    public static Seeds.Trial trial(SimOptions options, List<Kind> kinds, List<Long> keys, int operations,
            Function<SimRank, MapClient> open) {
        return seed -> {
            var simulation = new Simulation(seed, options);
            var history = new History<MapOperation, Long>(simulation);
            Program program = rank -> {
                MapClient client = open.apply(rank);
                for (int count = 0; count < operations; count++) {
                    performAny(history, client, rank.random(), kinds, keys);
                }
            };
            simulation.onDeath(program).run(program);
            judge(history, open.apply(simulation.rank(1)), keys);
        };
    }

    /**
     * Lets two ranks each change a key, and then look for the other's key. The rank that changed its key second sees
     * both changes.
     */
    public static Seeds.Trial crossingTrial(SimOptions options, List<Kind> kinds, Function<SimRank, MapClient> open) {
        return seed -> {
            var simulation = new Simulation(seed, options);
            List<MapOperation> changes = APART.stream()
                    .map(key -> new MapOperation(kinds.get((int) (seed % kinds.size())), key, 2))
                    .toList();
            MapOperation first = changes.getFirst();
            boolean fresh = seed / kinds.size() % 2 == 0;
            long before = fresh ? MapOperation.NONE : first.expected();
            if (!fresh) {
                APART.forEach(key -> open.apply(simulation.rank(2)).perform(MapOperation.put(key, before)));
            }
            assertThat(cross(simulation, changes, open))
                    .withFailMessage(() -> "not linearizable: " + first + " of " + before + " " + simulation.report())
                    .contains(MapOperation.ONE_KEY.apply(before, first).state());
        };
    }

    /** Returns what each of the two ranks found at the other's key. */
    private static long[] cross(Simulation simulation, List<MapOperation> changes, Function<SimRank, MapClient> open) {
        long[] found = new long[2];
        simulation.run(rank -> {
            if (rank.rank() < 2) {
                MapClient client = open.apply(rank);
                client.perform(changes.get(rank.rank()));
                found[rank.rank()] = client.perform(MapOperation.find(changes.get(1 - rank.rank()).key()));
            }
        });
        return found;
    }

    /**
     * As {@link #trial}, but operations fail, and their callers go on. Each rank has {@code threads} threads. In the
     * end nothing is left reserved.
     */
    public static Seeds.Trial breakingTrial(SimOptions options, int threads, List<Kind> kinds,
            Function<Participant, MapClient> open) {
        return breakingTrial(options, threads, kinds, KEYS, OPERATIONS, open);
    }

    public static Seeds.Trial breakingTrial(SimOptions options, int threads, List<Kind> kinds, List<Long> keys,
            int operations, Function<Participant, MapClient> open) {
        return failingTrial(options, threads, kinds, keys, operations, open,
                (simulation, client) -> client, RankUnreachableException.class);
    }

    /** As {@link #breakingTrial(SimOptions, int, List, Function)}, but errors strike. */
    public static Seeds.Trial erringTrial(SimOptions options, int threads, List<Kind> kinds, List<Long> keys,
            int operations, Function<Participant, MapClient> open) {
        return failingTrial(options.errors(ERRORS, MOST_ERRORS), threads, kinds, keys, operations, open,
                MapWorld::exposed, SimulatedError.class);
    }

    private static MapClient exposed(Simulation simulation, MapClient client) {
        return new MapClient() {

            @Override
            public long perform(MapOperation operation) {
                return simulation.exposed(() -> client.perform(operation));
            }

            @Override
            public boolean isForMany() {
                return client.isForMany();
            }

            @Override
            public List<Long> performAll(List<MapOperation> operations) {
                return simulation.exposed(() -> client.performAll(operations));
            }

            @Override
            public void forEach(LongLongMap.Visitor visitor) {
                client.forEach(visitor);
            }
        };
    }

    private static Seeds.Trial failingTrial(SimOptions options, int threads, List<Kind> kinds, List<Long> keys,
            int operations, Function<Participant, MapClient> open,
            BiFunction<Simulation, MapClient, MapClient> failing, Class<? extends Throwable> failure) {
        return seed -> {
            var simulation = new Simulation(seed, options);
            var history = new History<MapOperation, Long>(simulation);
            List<Participant> participants = IntStream.range(0, RANKS)
                    .mapToObj(rank -> participant(simulation.rank(rank)))
                    .toList();
            simulation.run(rank -> rank.inParallel(threads, thread -> {
                Participant self = participants.get(rank.rank());
                MapClient client = failing.apply(simulation, open.apply(self));
                for (int count = 0; count < operations; count++) {
                    orFail(self, failure, () -> performAny(history, client, rank.random(), kinds, keys));
                }
            }));
            if (failure == SimulatedError.class) {
                // No caller was told of an error that struck an undoing: the process tries again from time to time.
                participants.forEach(self -> self.reservations().retryAll());
            }
            assertThat(participants).allMatch(self -> self.reservations().inDoubt() == 0);
            Participant last = participants.getLast();
            judge(history, open.apply(last), keys);
            // This is in a run, whose time goes on: an operation that waits for what no process undoes must come to its
            // timeout.
            simulation.run(rank -> {
                if (rank.rank() == last.rank()) {
                    keys.forEach(key -> insistOn(last, open.apply(last), MapOperation.put(key, 1)));
                }
            });
        };
    }

    /** Checks the map after each operation that an error has struck. */
    public interface AfterAnError {
        void check(Participant self, MapClient client, String what);
    }

    /**
     * A process performs an operation of each kind on a key, again and again. An error strikes it at the first access,
     * then at the second, until it is struck no more. Afterwards the key has the old value or the new one, and keeps
     * it. Every later operation on it does what it should.
     */
    public static void strikeAtEachAccess(SimOptions options, int user, List<Kind> kinds, List<Long> keys,
            boolean isAfter, Function<Participant, MapClient> open, AfterAnError after) {
        Simulation.run(1, options.maximumSteps(STEPS_OF_ALL_STRIKES), rank -> {
            if (rank.rank() != user) {
                return;
            }
            Participant self = participant(rank);
            MapClient client = open.apply(self);
            for (Kind kind : kinds) {
                for (long before : List.of(MapOperation.NONE, 2L)) {
                    strikeAtEachAccess(self, client, kind, before, keys, (operation, access) -> rank.simulation()
                            .isStruckAt(access, isAfter, () -> client.perform(operation)), after);
                }
            }
        });
    }

    private static void strikeAtEachAccess(Participant self, MapClient client, Kind kind, long before, List<Long> keys,
            BiPredicate<MapOperation, Integer> isStruck, AfterAnError after) {
        boolean strikes = true;
        int access = 0;
        while (strikes) {
            access++;
            long key = keys.get(access % keys.size());
            String what = kind + " of " + before + " at access " + access;
            var operation = new MapOperation(kind, key, 13);
            client.perform(before == MapOperation.NONE
                    ? new MapOperation(Kind.REMOVE, key, 0)
                    : MapOperation.put(key, before));
            strikes = isStruck.test(operation, access);
            long found = client.perform(MapOperation.find(key));
            assertThat(found).as(what).isIn(before, MapOperation.ONE_KEY.apply(before, operation).state());
            assertThat(self.reservations().inDoubt()).as(what).isZero();
            assertThat(client.perform(MapOperation.put(key, 3))).as(what).isEqualTo(found == MapOperation.NONE ? 1 : 0);
            assertThat(client.perform(new MapOperation(Kind.REMOVE, key, 0))).as(what).isEqualTo(3);
            assertThat(client.perform(MapOperation.insert(key, 4))).as(what).isOne();
            assertThat(client.perform(MapOperation.find(key))).as(what).isEqualTo(4);
            after.check(self, client, what);
        }
        assertThat(access).as("accesses of " + kind).isBetween(2, MOST_ACCESSES);
    }

    /** Performs one operation, or now and then one on all keys at once. */
    private static void performAny(History<MapOperation, Long> history, MapClient client, SplittableRandom random,
            List<Kind> kinds, List<Long> keys) {
        if (client.isForMany() && random.nextInt(5) == 0) {
            List<MapOperation> operations = MapOperation.all(random, kinds, keys);
            history.callAll(operations, () -> client.performAll(operations));
        } else {
            perform(history, client, MapOperation.any(random, kinds, keys));
        }
    }

    private static void orFail(Participant self, Class<? extends Throwable> failure, Runnable operation) {
        try {
            operation.run();
        } catch (RuntimeException | Error thrown) {
            if (!failure.isInstance(thrown)) {
                throw thrown;
            }
            undoAll(self);
        }
    }

    private static void insistOn(Participant self, MapClient client, MapOperation operation) {
        for (boolean done = false; !done;) {
            try {
                client.perform(operation);
                done = true;
            } catch (RankUnreachableException broken) {
                undoAll(self);
            }
        }
    }

    /** Undoes what is in doubt, as a process does from time to time. */
    private static void undoAll(Participant self) {
        do {
            self.reservations().retryAll();
        } while (self.reservations().inDoubt() > 0);
    }

    public static void perform(History<MapOperation, Long> history, MapClient client, MapOperation operation) {
        history.call(operation, () -> client.perform(operation));
    }

    /** Judges what was returned, and what is there in the end, key by key. */
    public static void judge(History<MapOperation, Long> history, MapClient client) {
        judge(history, client, KEYS);
    }

    public static void judge(History<MapOperation, Long> history, MapClient client, List<Long> keys) {
        keys.forEach(key -> perform(history, client, MapOperation.find(key)));
        Linearizability.checkPerKey(history, MapOperation::key, MapOperation.ONE_KEY);
        Map<Long, Long> entries = new HashMap<>();
        client.forEach((key, value) -> assertThat(entries.put(key, value)).as("two entries: key=" + key).isNull());
        for (Long key : keys) {
            assertThat(entries.getOrDefault(key, MapOperation.NONE)).as("key=" + key)
                    .isEqualTo(client.perform(MapOperation.find(key)));
        }
    }
}
