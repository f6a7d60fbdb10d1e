package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.sim.CpuOrder;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.LocalMemory;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Threads of one process use the object that a word refers to, replace it, and reclaim. Their CPU delays stores and
 * loads early. A freed object is overwritten: no thread finds one, and none is forgotten.
 */
@Tag("simulation")
class LocalEpochSimulationTest {

    private static final int SEEDS = 3_000;
    private static final int THREADS = 3;
    private static final int OPERATIONS = 20;
    private static final long SLOT = 1 << 10;
    private static final long OBJECTS = 2 << 10;
    private static final long OBJECT_BYTES = 8;
    private static final long ALIVE = 1;
    private static final long POISON = 2;

    /** Makes a manager; each kind but the first makes one mistake. */
    private enum Kind {

        RIGHT,

        /** The published rule. */
        SEALED_WITH_THE_TOKENS_EPOCH {
            @Override
            LocalEpochManager manager(LocalEpochManager.Reclaimer reclaimer, LocalMemory memory) {
                ThreadLocal<Long> pinned = ThreadLocal.withInitial(() -> 0L);
                return new LocalEpochManager(THREADS, reclaimer, memory) {
                    @Override
                    void announce(int index, long pins) {
                        super.announce(index, pins);
                        pinned.set(Announcement.epoch(memory.getAcquire(place(index))));
                    }

                    @Override
                    long sealingEpoch() {
                        return pinned.get();
                    }
                };
            }
        },

        FREED_ONE_EPOCH_EARLIER {
            @Override
            LocalEpochManager manager(LocalEpochManager.Reclaimer reclaimer, LocalMemory memory) {
                return new LocalEpochManager(THREADS, reclaimer, memory) {
                    @Override
                    boolean isOld(long sealed, long now) {
                        return sealed <= now - 1;
                    }
                };
            }
        },

        PINNED_WITHOUT_A_FENCE {
            @Override
            LocalEpochManager manager(LocalEpochManager.Reclaimer reclaimer, LocalMemory memory) {
                return new LocalEpochManager(THREADS, reclaimer, memory) {
                    @Override
                    void announce(int index, long pins) {
                        memory.setRelease(place(index), Announcement.pinned(memory.getAcquire(EPOCH), pins));
                    }
                };
            }
        },

        ADVANCED_WITHOUT_A_SCAN {
            @Override
            LocalEpochManager manager(LocalEpochManager.Reclaimer reclaimer, LocalMemory memory) {
                return new LocalEpochManager(THREADS, reclaimer, memory) {
                    @Override
                    boolean tryAdvance() {
                        return advance(epoch());
                    }
                };
            }
        };

        LocalEpochManager manager(LocalEpochManager.Reclaimer reclaimer, LocalMemory memory) {
            return new LocalEpochManager(THREADS, reclaimer, memory);
        }
    }

    private static final class Trial {

        private final Simulation simulation;
        private final LocalMemory memory;
        private final LocalEpochManager epochs;
        private final List<Long> freed = new ArrayList<>();
        private long created;

        Trial(long seed, Kind kind) {
            var options = SimOptions.ranks(1)
                    .segmentBytes(16 << 10)
                    .guarantees(SimOptions.SHARED_MEMORY)
                    .cpuOrder(CpuOrder.WEAK)
                    .pauses(0.02);
            simulation = new Simulation(seed, options);
            memory = simulation.fabric(0).local();
            epochs = kind.manager(this::free, memory);
        }

        private void free(long[] pointers, int count) {
            for (int index = 0; index < count; index++) {
                memory.setRelease(pointers[index], POISON);
                freed.add(pointers[index]);
            }
        }

        void run() {
            simulation.run(rank -> rank.inParallel(THREADS, thread -> work(rank)));
            epochs.clear();
            assertThat(freed).as("each that was replaced, once").doesNotHaveDuplicates().hasSize((int) created - 1);
        }

        private void work(SimRank rank) {
            Token token = epochs.register();
            for (int number = 0; number < OPERATIONS; number++) {
                switch (rank.random().nextInt(4)) {
                    case 0, 1 -> look(token);
                    case 2 -> replace(token);
                    default -> token.tryReclaim();
                }
            }
        }

        private void look(Token token) {
            try (Pin _ = token.pin()) {
                long object = memory.getAcquire(SLOT);
                for (int look = 0; look < 4 && object != 0; look++) {
                    assertThat(memory.getAcquire(object)).as("use after free").isEqualTo(ALIVE);
                }
            }
        }

        private void replace(Token token) {
            long object = OBJECTS + OBJECT_BYTES * created++;
            memory.setRelease(object, ALIVE);
            try (Pin _ = token.pin()) {
                long old = memory.getAndSet(SLOT, object);
                if (old != 0) {
                    token.retire(old, 0);
                }
            }
        }
    }

    @Test
    void nobodyComesAcrossAnObjectThatWasFreed() {
        Seeds.each(SEEDS, seed -> new Trial(seed, Kind.RIGHT).run());
    }

    @ParameterizedTest
    @EnumSource(mode = EnumSource.Mode.EXCLUDE, names = "RIGHT")
    void everyMistakeIsFound(Kind mistake) {
        UseAfterFree.assertIsFound(seed -> new Trial(seed, mistake).run());
    }
}
