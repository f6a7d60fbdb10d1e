package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.world.Participant;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Connections break while a rank stages entries for another one, and no rank dies. An entry that was taken is still
 * staged, or lies in the other rank's queue.
 */
@Tag("simulation")
class HashMapBufferBreakTest {

    static final List<Guarantees> NETWORKS = List.of(SimOptions.NETWORK_CARD, SimOptions.WEAKEST);

    private static final int SEEDS = 500;
    private static final int BREAKS = 4;
    private static final int KEYS = 40;
    private static final int SENDER = 0;
    private static final int RECEIVER = 1;

    private static final class Trial {

        private final Simulation simulation;
        private boolean sent;
        private boolean received;
        private long staged;
        private int failures;

        Trial(long seed, Guarantees guarantees) {
            simulation = new Simulation(seed,
                    SimOptions.ranks(2).segmentBytes(256 << 10).guarantees(guarantees).breaks(0.01, BREAKS));
        }

        /** Returns how often something has failed. */
        int run() {
            simulation.run(rank -> {
                var self = new Participant(rank.endpoint(), rank.incarnation(), simulation::isFenced,
                        MapWorld.OPERATION_TIMEOUT, () -> new int[]{1, 1});
                rank.inParallel(2, thread -> {
                    if (thread == 0) {
                        live(rank, self);
                    } else {
                        watch(rank, self);
                    }
                });
            });
            return failures;
        }

        /** Does what a process does from time to time. */
        private void watch(SimRank rank, Participant self) {
            while (!received) {
                rank.fabric().clock().pause(8);
                self.reservations().retryAll();
            }
        }

        private void live(SimRank rank, Participant self) {
            DistributedMap.Builder<Long, Long> builder = DistributedMap
                    .builder("map", Long.class, Long.class, () -> self,
                            new EpochManager(() -> self, EpochSettings.DEFAULT))
                    .fixedCapacity(200);
            DistributedMap<Long, Long> map = persist(rank, builder::open);
            HashMapBuffer<Long, Long> buffer = persist(rank, () -> map.buffer(64, 4));
            if (rank.rank() == SENDER) {
                send(rank, map, buffer);
            } else {
                receive(rank, map, buffer);
            }
        }

        private void send(SimRank rank, DistributedMap<Long, Long> map,
                HashMapBuffer<Long, Long> buffer) {
            try {
                LongStream.iterate(1, key -> key + 1)
                        .filter(key -> map.owner(key) == RECEIVER)
                        .limit(KEYS)
                        .forEach(key -> persist(rank, () -> {
                            buffer.putIfAbsent(key, -key);
                            return key;
                        }));
                staged = buffer.staged();
            } finally {
                sent = true;
            }
        }

        private void receive(SimRank rank, DistributedMap<Long, Long> map,
                HashMapBuffer<Long, Long> buffer) {
            try {
                while (!sent) {
                    rank.fabric().clock().pause(8);
                }
                persist(rank, () -> {
                    buffer.insertOwn();
                    return buffer;
                });
                Set<Long> arrived = persist(rank, () -> keys(map));
                assertThat(arrived.size() + staged).as("arrived, or staged still").isGreaterThanOrEqualTo(KEYS);
            } finally {
                received = true;
            }
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
            return rank.persist(action, () -> failures++);
        }
    }

    @ParameterizedTest
    @FieldSource("NETWORKS")
    void nothingThatWasTakenIsLost(Guarantees guarantees) {
        int[] failures = new int[1];
        Seeds.each(SEEDS, seed -> failures[0] += new Trial(seed, guarantees).run());
        Seeds.together(() -> assertThat(failures[0]).isPositive());
    }
}
