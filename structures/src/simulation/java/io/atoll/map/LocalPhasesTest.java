package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.promise.Promise;
import io.atoll.world.Participant;
import java.util.List;
import java.util.function.LongFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Between two barriers, each rank uses its own entries by loads and stores. That agrees with what all ranks do by verbs
 * before and after.
 */
@Tag("simulation")
class LocalPhasesTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int RANKS = 2;
    private static final long BY_VERBS = 12;
    private static final long KEYS = 36;

    /** A map as this test uses it. */
    private interface Phases {

        int owner(long key);

        void insert(long key);

        boolean insertLocally(long key);

        boolean isThereLocally(long key);

        boolean isThere(long key);

        long size();
    }

    private record OfLongs(LongLongMap map) implements Phases {

        @Override
        public int owner(long key) {
            return map.owner(key);
        }

        @Override
        public void insert(long key) {
            map.putIfAbsent(key, key, Promise.onlyInserts());
        }

        @Override
        public boolean insertLocally(long key) {
            return map.putIfAbsent(key, key, Promise.local());
        }

        @Override
        public boolean isThereLocally(long key) {
            return map.getOrDefault(key, -1, Promise.local()) == key;
        }

        @Override
        public boolean isThere(long key) {
            return map.getOrDefault(key, -1, Promise.onlyReads()) == key;
        }

        @Override
        public long size() {
            return map.size();
        }
    }

    private record OfObjects<V>(DistributedMap<Long, V> map, LongFunction<V> value)
            implements
                Phases {

        @Override
        public int owner(long key) {
            return map.owner(key);
        }

        @Override
        public void insert(long key) {
            map.putIfAbsent(key, value.apply(key), Promise.onlyInserts());
        }

        @Override
        public boolean insertLocally(long key) {
            return map.putIfAbsent(key, value.apply(key), Promise.local());
        }

        @Override
        public boolean isThereLocally(long key) {
            return value.apply(key).equals(map.get(key, Promise.local()));
        }

        @Override
        public boolean isThere(long key) {
            return value.apply(key).equals(map.get(key, Promise.onlyReads()));
        }

        @Override
        public long size() {
            return map.size();
        }
    }

    private interface Opener {
        Phases open(Participant self, EpochManager epochs);
    }

    private static void simulate(Guarantees guarantees, Opener opener) {
        Seeds.each(MapSimulation.SEEDS / 20, seed -> {
            var options = SimOptions.ranks(RANKS).segmentBytes(256 << 10).guarantees(guarantees).pauses(0.02);
            var simulation = new Simulation(seed, options);
            simulation.run(rank -> use(rank, simulation, opener));
        });
    }

    private static void use(SimRank rank, Simulation simulation, Opener opener) {
        var self = new Participant(rank.endpoint(), 1, simulation::isFenced, MapWorld.OPERATION_TIMEOUT,
                () -> IntStream.generate(() -> 1).limit(RANKS).toArray());
        Phases map = opener.open(self, new EpochManager(() -> self, EpochSettings.DEFAULT));
        List<Long> own = LongStream.range(0, KEYS).filter(key -> map.owner(key) == rank.rank()).boxed().toList();
        try {
            LongStream.range(0, BY_VERBS).forEach(map::insert);
            self.barrier();
            assertThat(own).allSatisfy(key -> assertThat(map.isThereLocally(key)).isEqualTo(key < BY_VERBS));
            assertThat(own).allSatisfy(key -> assertThat(map.insertLocally(key)).isEqualTo(key >= BY_VERBS));
            assertThat(own).allSatisfy(key -> assertThat(map.isThereLocally(key)).isTrue());
            self.barrier();
            assertThat(LongStream.range(0, KEYS)).allSatisfy(key -> assertThat(map.isThere(key)).isTrue());
            assertThat(map.size()).isEqualTo(KEYS);
            self.barrier();
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aMapOfLongsThatGrowsMeanwhile(Guarantees guarantees) {
        simulate(guarantees,
                (self, epochs) -> new OfLongs(LongLongMap.builder("map", () -> self, epochs).capacity(1).open()));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aMapOfObjectsThatGrowsMeanwhile(Guarantees guarantees) {
        simulate(guarantees, (self, epochs) -> new OfObjects<>(
                DistributedMap.builder("map", Long.class, Long.class, () -> self, epochs).capacity(1).open(),
                key -> -key));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void aMapOfTextsThatGrowsMeanwhile(Guarantees guarantees) {
        simulate(guarantees, (self, epochs) -> new OfObjects<>(
                DistributedMap.builder("map", Long.class, String.class, () -> self, epochs).capacity(1).open(),
                key -> "value " + key));
    }
}
