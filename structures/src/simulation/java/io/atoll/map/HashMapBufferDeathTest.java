package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Participant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * A rank dies at any step while all ranks fill a map by buffers, and comes back. Then all flush again. After that the
 * map has what all have inserted, nothing else, and nothing twice. The last rank is the mortal one.
 */
@Tag("simulation")
class HashMapBufferDeathTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int RANKS = 3;
    private static final int MORTAL = RANKS - 1;
    private static final int SEEDS = 1_600;
    private static final int STEPS_OF_A_LIFE = 1_600;
    private static final int STRIDE = 7; // so that a part of the seeds strikes all over the life
    private static final long KEYS_OF_A_RANK = 14;
    private static final int QUEUE_SIZE = 8;
    private static final int MESSAGE_SIZE = 4;
    private static final int MOST_STAGED_FOR_AN_OWNER = (QUEUE_SIZE / MESSAGE_SIZE + RANKS) * MESSAGE_SIZE;

    private static final class Trial {

        private final Simulation simulation;
        private boolean mortalHasFinished;
        private final Set<Long> inserted = new HashSet<>();
        private int failures;

        Trial(long seed, Guarantees guarantees) {
            this.simulation = new Simulation(seed,
                    SimOptions.ranks(RANKS)
                            .segmentBytes(512 << 10)
                            .guarantees(guarantees)
                            .pauses(0.01)
                            .killAt(MORTAL, (int) (1 + seed * STRIDE % STEPS_OF_A_LIFE))
                            .maximumSteps(2_000_000));
        }

        /** Returns how many flushes have failed. */
        int run() {
            simulation.onDeath(this::live).run(this::live);
            return failures;
        }

        private void live(SimRank rank) throws InterruptedException {
            var view = new View();
            var self = new Participant(rank.endpoint(), rank.incarnation(), simulation::isFenced,
                    MapWorld.OPERATION_TIMEOUT, view);
            DistributedMap<Long, Long> map = DistributedMap
                    .builder("map", Long.class, Long.class, () -> self,
                            new EpochManager(() -> self, EpochSettings.DEFAULT))
                    .fixedCapacity(800)
                    .open();
            HashMapBuffer<Long, Long> buffer = rank.persist(() -> map.buffer(QUEUE_SIZE, MESSAGE_SIZE), () -> {});
            insert(rank, buffer, 0);
            while (!mortalHasFinished) {
                flush(rank, map, view);
                while (!mortalHasFinished && simulation.incarnation(MORTAL) == view.met) {
                    rank.fabric().clock().pause(8);
                }
            }
            check(map);
        }

        /** Inserts at the beginning, and each time that a flush has failed: the next flush has these entries, too. */
        private void insert(SimRank rank, HashMapBuffer<Long, Long> buffer, int flushes) {
            LongStream.range(0, KEYS_OF_A_RANK)
                    .map(number -> 1 + (flushes * KEYS_OF_A_RANK + number) * RANKS + rank.rank())
                    .filter(key -> rank.persist(() -> takes(buffer, key), () -> {}))
                    .forEach(inserted::add);
        }

        /** Returns false if several flushes have failed, so that no more can be staged. */
        private static boolean takes(HashMapBuffer<Long, Long> buffer, long key) {
            try {
                buffer.putIfAbsent(key, -key);
                return true;
            } catch (IllegalStateException refused) {
                assertThat(buffer.staged()).isGreaterThanOrEqualTo(MOST_STAGED_FOR_AN_OWNER);
                return false;
            }
        }

        private void flush(SimRank rank, DistributedMap<Long, Long> map, View view) throws InterruptedException {
            view.entering = true;
            try {
                map.buffer(QUEUE_SIZE, MESSAGE_SIZE).flush();
                mortalHasFinished |= rank.rank() == MORTAL;
            } catch (RankUnreachableException gone) {
                failures++;
                rank.fabric().clock().pause(8);
                if (!mortalHasFinished) { // else the mortal rank has died behind the last flush of all
                    insert(rank, map.buffer(QUEUE_SIZE, MESSAGE_SIZE), failures); // opened anew
                }
            }
        }

        private void check(DistributedMap<Long, Long> map) {
            List<Long> keys = new ArrayList<>();
            map.forEach((key, value) -> {
                assertThat(value).isEqualTo(-key);
                keys.add(key);
            });
            assertThat(keys).containsExactlyInAnyOrderElementsOf(inserted);
        }

        /**
         * What a process knows of the others. It also remembers which incarnation of the mortal rank the process has
         * last begun to wait for.
         */
        private final class View implements Supplier<int[]> {

            private boolean entering;
            private int met;

            @Override
            public int[] get() {
                int[] incarnations = IntStream.range(0, RANKS)
                        .map(rank -> simulation.isDead(rank, simulation.incarnation(rank))
                                ? 0
                                : simulation.incarnation(rank))
                        .toArray();
                if (entering) {
                    met = incarnations[MORTAL];
                    entering = false;
                }
                return incarnations;
            }
        }
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void whatAllHaveInsertedIsThereWhenAllHaveFlushedAgain(Guarantees guarantees) {
        int[] failures = new int[1];
        Seeds.each(SEEDS, seed -> failures[0] += new Trial(seed, guarantees).run());
        Seeds.together(() -> assertThat(failures[0]).isPositive());
    }
}
