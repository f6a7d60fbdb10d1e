package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Participant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Connections break while a rank stages entries for another one, and nobody dies: what was taken is still staged, or lies in the other's queue. */
class HashMapBufferBreakTest {

    static final List<Guarantees> NETWORKS = List.of(SimOptions.NETWORK_CARD, SimOptions.WEAKEST);

    private static final int SEEDS = 500;
    private static final int BREAKS = 4;
    private static final int KEYS = 40;
    private static final int SENDER = 0;
    private static final int RECEIVER = 1;

    private static final class Trial {

        private final Simulation simulation;
        private int opened;
        private boolean sent;
        private long staged;
        private int failures;

        Trial(long seed, Guarantees guarantees) {
            simulation = new Simulation(seed,
                    SimOptions.ranks(2).segmentBytes(256 << 10).guarantees(guarantees).breaks(0.01, BREAKS));
        }

        /** Returns how often something has failed. */
        int run() {
            simulation.run(this::live);
            return failures;
        }

        private void live(SimRank rank) {
            var self = new Participant(rank.endpoint(), rank.incarnation(), simulation::isFenced,
                    MapWorld.OPERATION_TIMEOUT, () -> new int[]{1, 1});
            try {
                DistributedMap<Long, Long> map = DistributedMap
                        .builder("map", Long.class, Long.class, () -> self,
                                new EpochManager(() -> self, EpochSettings.DEFAULT))
                        .fixedCapacity(200)
                        .open();
                HashMapBuffer<Long, Long> buffer = map.buffer(64, 4);
                opened++;
                if (rank.rank() == SENDER) {
                    send(rank, map, buffer);
                } else {
                    receive(rank, map, buffer);
                }
            } catch (FabricException broken) {
                // While they were opened: of other tests.
                assertThat(opened).isLessThan(2);
            } finally {
                sent = true;
            }
        }

        private void send(SimRank rank, DistributedMap<Long, Long> map, HashMapBuffer<Long, Long> buffer) {
            LongStream.iterate(1, key -> key + 1)
                    .filter(key -> map.owner(key) == RECEIVER)
                    .limit(KEYS)
                    .forEach(key -> persist(rank, () -> {
                        buffer.insert(key, -key);
                        return key;
                    }));
            staged = buffer.staged();
        }

        private void receive(SimRank rank, DistributedMap<Long, Long> map, HashMapBuffer<Long, Long> buffer) {
            while (!sent) {
                rank.fabric().clock().pause(8);
            }
            if (opened < 2) {
                return;
            }
            persist(rank, () -> {
                buffer.insertOwn();
                return buffer;
            });
            Set<Long> arrived = persist(rank, () -> keys(map));
            assertThat(arrived.size() + staged).as("arrived, or staged still").isGreaterThanOrEqualTo(KEYS);
        }

        private static Set<Long> keys(DistributedMap<Long, Long> map) {
            Set<Long> keys = new HashSet<>();
            map.forEachLocal((key, value) -> {
                assertThat(value).isEqualTo(-key);
                keys.add(key);
            });
            return keys;
        }

        private <T> T persist(SimRank rank, Supplier<T> action) {
            while (true) {
                try {
                    return action.get();
                } catch (RankUnreachableException broken) {
                    failures++;
                    rank.fabric().clock().pause(8);
                }
            }
        }
    }

    @ParameterizedTest
    @FieldSource("NETWORKS")
    void nothingThatWasTakenIsLost(Guarantees guarantees) {
        int[] failures = new int[1];
        Seeds.each(SEEDS, seed -> failures[0] += new Trial(seed, guarantees).run());
        assertThat(failures[0]).isPositive();
    }
}
