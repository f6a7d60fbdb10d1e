package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Map;
import java.util.WeakHashMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mistakes with payloads must not go unnoticed: the seeds that {@link PayloadMapSimulationTest} passes find each of
 * them.
 */
@Tag("simulation")
class PayloadMutationTest {

    private static final List<Kind> KINDS = List.of(Kind.FIND, Kind.PUT, Kind.REMOVE, Kind.INCREMENT);

    private static void assertIsFound(List<Long> keys, PayloadWorld.Opener mistaken) {
        for (var guarantees : SimOptions.EVERY_FABRIC) {
            Mutation.assertIsFound(MapSimulation.SEEDS, trial(MapWorld.pausing(guarantees), keys, mistaken));
        }
    }

    private static Seeds.Trial trial(SimOptions options, List<Long> keys, PayloadWorld.Opener mistaken) {
        return MapWorld.trial(options, KINDS, keys, rank -> new PayloadWorld().open(MapWorld.participant(rank),
                mistaken));
    }

    private static final class FreesAtOnce extends Payloads {

        private final Participant self;

        FreesAtOnce(Participant self, EpochManager epochs) {
            super("map", self, epochs);
            this.self = self;
        }

        @Override
        public void retire(Token token, int owner, long reference) {
            self.endpoint().writeWord(owner, PayloadReference.offset(reference), -1);
            discard(owner, reference);
        }
    }

    @Test
    void aPayloadThatIsFreedAtOnceIsFound() {
        assertIsFound(List.of(MapSimulation.KEY), new PayloadWorld.Opener() {
            @Override
            public Payloads payloads(Participant self, EpochManager epochs) {
                return new FreesAtOnce(self, epochs);
            }
        });
    }

    /** Writes a payload only when the bucket refers to it already. */
    private static final class WritesLate extends Payloads {

        private @Nullable Runnable write;

        WritesLate(Participant self, EpochManager epochs) {
            super("map", self, epochs);
        }

        @Override
        protected void write(int owner, long offset, MemorySegment words) {
            write = () -> super.write(owner, offset, words);
        }

        void writeNow() {
            if (write != null) {
                write.run();
            }
        }
    }

    private static final Map<Participant, WritesLate> LATE = new WeakHashMap<>();

    @Test
    void aPayloadThatIsWrittenAfterTheBucketIsFound() {
        assertIsFound(List.of(MapSimulation.KEY), new PayloadWorld.Opener() {

            @Override
            public BucketTable table(Participant self, Blocks blocks) {
                var reader = new BucketReader(self.endpoint(), PayloadEntries.bucket(), blocks,
                        PayloadEntries.hashing());
                return new BucketTable(new BucketWriter("map", self, reader) {

                    @Override
                    void publish(Batch batch, int owner, long offset, long before, long position) {
                        super.publish(batch, owner, offset, before, position);
                        batch.complete();
                        writePayload();
                    }

                    @Override
                    void write(Batch batch, int owner, long offset, long before, long position) {
                        super.write(batch, owner, offset, before, position);
                        batch.complete();
                        writePayload();
                    }

                    private void writePayload() {
                        WritesLate ofRank = LATE.get(self);
                        if (ofRank != null) {
                            ofRank.writeNow();
                        }
                    }
                }, BucketMover::new, null);
            }

            @Override
            public Payloads payloads(Participant self, EpochManager epochs) {
                return LATE.computeIfAbsent(self, same -> new WritesLate(same, epochs));
            }
        });
    }

    @Test
    void aKeyThatIsTakenForAnotherOfItsHashIsFound() {
        assertIsFound(MapWorld.KEYS, new PayloadWorld.Opener() {
            @Override
            public PayloadEntries<Long, Long> entries(BucketTable table, Payloads payloads) {
                return new PayloadEntries<>(table, payloads, PayloadWorld.CODEC, PayloadWorld.CODEC, key -> 0) {

                    @Override
                    long wordOf(byte[] key) {
                        return 7;
                    }

                    @Override
                    byte @Nullable [] valueOf(Payload payload, byte[] key) {
                        byte[][] first = new byte[1][];
                        payload.forEach((any, value) -> first[0] = value);
                        return first[0];
                    }
                };
            }
        });
    }
}
