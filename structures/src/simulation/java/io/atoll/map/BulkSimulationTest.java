package io.atoll.map;

import io.atoll.codec.WideCodec;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.History;
import io.atoll.fabric.sim.Linearizability;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participant;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Threads of several ranks put and find many keys of all ranks, and remove some, while the map grows. */
@Tag("simulation")
class BulkSimulationTest {

    static final List<Guarantees> EVERY_FABRIC = Stream
            .concat(SimOptions.EVERY_FABRIC.stream(), Stream.of(SimOptions.TCP))
            .toList();

    private static final int RANKS = 3;
    private static final int THREADS = 2;
    private static final int OPERATIONS = 5;
    private static final int SEEDS = 100;
    private static final List<Long> KEYS = LongStream.range(0, 40).boxed().toList();

    private static void simulate(Guarantees guarantees, BiFunction<Participant, EpochManager, MapClient> opener) {
        Seeds.each(SEEDS, seed -> {
            var simulation = new Simulation(seed, SimOptions.ranks(RANKS)
                    .segmentBytes(256 << 10)
                    .guarantees(guarantees)
                    .pauses(0.02)
                    .maximumSteps(1_000_000));
            var history = new History<MapOperation, Long>(simulation);
            simulation.run(rank -> use(rank, simulation, history, opener));
            Linearizability.checkPerKey(history, MapOperation::key, MapOperation.ONE_KEY);
        });
    }

    private static void use(SimRank rank, Simulation simulation, History<MapOperation, Long> history,
            BiFunction<Participant, EpochManager, MapClient> opener) throws Exception {
        var self = new Participant(rank.endpoint(), 1, simulation::isFenced, MapWorld.OPERATION_TIMEOUT,
                () -> IntStream.generate(() -> 1).limit(RANKS).toArray());
        MapClient client = opener.apply(self, new EpochManager(() -> self, EpochSettings.DEFAULT));
        rank.inParallel(THREADS, thread -> {
            for (int count = 0; count < OPERATIONS; count++) {
                List<MapOperation> operations = any(rank.random());
                if (operations.size() == 1) {
                    MapWorld.perform(history, client, operations.getFirst());
                } else {
                    history.callAll(operations, () -> client.performAll(operations));
                }
            }
        });
    }

    /** Returns operations on about half of the keys, or one removal. */
    private static List<MapOperation> any(SplittableRandom random) {
        if (random.nextInt(3) == 0) {
            return List.of(MapOperation.any(random, List.of(Kind.REMOVE), KEYS));
        }
        List<Long> half = KEYS.stream().filter(key -> random.nextBoolean()).toList();
        return MapOperation.all(random, List.of(Kind.FIND, Kind.STORE), half);
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aMapOfLongs(Guarantees guarantees) {
        simulate(guarantees, (self, epochs) -> MapClient
                .of(LongLongMap.builder("map", () -> self, epochs).capacity(1).open()));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aMapOfObjects(Guarantees guarantees) {
        simulate(guarantees, (self, epochs) -> MapClient
                .of(DistributedMap.builder("map", Long.class, Long.class, () -> self, epochs).capacity(1).open()));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aMapOfPayloads(Guarantees guarantees) {
        simulate(guarantees, (self, epochs) -> MapClient.of(DistributedMap
                .builder("map", PayloadWorld.CODEC, PayloadWorld.CODEC, () -> self, epochs)
                .capacity(1)
                .open()));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aMapOfWideBuckets(Guarantees guarantees) {
        simulate(guarantees, (self, epochs) -> MapClient.of(DistributedMap
                .builder("map", new WideCodec(2), new WideCodec(7), () -> self, epochs)
                .capacity(1)
                .open()));
    }
}
