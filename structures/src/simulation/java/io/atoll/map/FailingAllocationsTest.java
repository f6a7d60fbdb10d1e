package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.failure.SegmentFullException;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * An operation that finds no room, wherever it needs some, has done nothing and keeps nothing. If it is repeated, it
 * takes effect once. In the end every payload is freed.
 */
@Tag("simulation")
class FailingAllocationsTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int SEEDS = MapSimulation.SEEDS / 4;
    private static final int FIRST_ALLOCATIONS = 25;
    private static final List<Kind> KINDS = List.of(Kind.values());

    private record Process(Participant self, EpochManager epochs, PayloadEntries<Long, Long> entries) {}

    /** A trial in which some allocations of each process fail, by their numbers. */
    private static final class Trial {

        private final IntPredicate fails;
        private final List<Process> processes = new ArrayList<>();
        private int failures;

        Trial(IntPredicate fails) {
            this.fails = fails;
        }

        MapClient open(SimRank rank) {
            Participant self = MapWorld.participant(rank);
            var allocations = new AtomicInteger();
            EpochManager epochs = MapWorld.epochs(self, () -> fails.test(allocations.getAndIncrement()));
            var opener = new PayloadWorld.Opener() {
                @Override
                public Payloads payloads(Participant participant, EpochManager manager) {
                    return new Payloads("map", participant, manager) {
                        @Override
                        public long store(Token token, int owner, Payload payload) {
                            if (fails.test(allocations.getAndIncrement())) {
                                failures++;
                                throw new SegmentFullException(owner, payload.bytes(), 0);
                            }
                            return super.store(token, owner, payload);
                        }
                    };
                }
            };
            var entries = opener.entries(opener.table(self, MapWorld.fixedBlocks(epochs)),
                    opener.payloads(self, epochs));
            processes.add(new Process(self, epochs, entries));
            return insisting(MapClient.of(entries));
        }

        /**
         * Repeats an operation until it succeeds. The history has it as one operation, because its failures must not be
         * seen.
         */
        private static MapClient insisting(MapClient client) {
            return new MapClient() {

                @Override
                public long perform(MapOperation operation) {
                    while (true) {
                        try {
                            return client.perform(operation);
                        } catch (SegmentFullException full) {
                            // The operation has done nothing.
                        }
                    }
                }

                @Override
                public void forEach(LongLongMap.Visitor visitor) {
                    client.forEach(visitor);
                }
            };
        }

        void checkNothingIsLeft() {
            processes.forEach(process -> process.epochs.clear());
            Process last = processes.getLast();
            assertThat(last.self.heap().usage(0).objects()).as("payloads, and entries that refer to one")
                    .isEqualTo(last.entries.count(0));
        }
    }

    private static int failures(Guarantees guarantees, long seed, IntPredicate fails) throws Exception {
        var trial = new Trial(fails);
        MapWorld.trial(MapWorld.pausing(guarantees), KINDS, MapWorld.KEYS, trial::open).run(seed);
        trial.checkNothingIsLeft();
        return trial.failures;
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void eachAllocationMayFailInItsTurn(Guarantees guarantees) {
        var failures = new AtomicInteger();
        Seeds.each(SEEDS, seed -> failures.addAndGet(
                failures(guarantees, seed, allocation -> allocation == seed % FIRST_ALLOCATIONS)));
        Seeds.together(() -> assertThat(failures).hasPositiveValue());
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void soMayEverySecondOne(Guarantees guarantees) {
        var failures = new AtomicInteger();
        Seeds.each(SEEDS, seed -> failures.addAndGet(
                failures(guarantees, seed, allocation -> (allocation + seed) % 2 == 0)));
        Seeds.together(() -> assertThat(failures.get()).isGreaterThan(SEEDS));
    }
}
