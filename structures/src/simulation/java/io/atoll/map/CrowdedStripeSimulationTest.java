package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.map.DistributedMapSimulation.Tables;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Keys of maps that are reached by a network are moved together, and are in each other's way in the next block. */
@Tag("simulation")
class CrowdedStripeSimulationTest {

    private static final int SEEDS = 100;
    private static final int SEEDS_OF_MISTAKES = 2_000;

    private final SharedEpochs epochs = GrowingWorld.sharedEpochs();

    /** The maps whose buckets are moved in different ways. */
    private enum Form {
        LONGS {
            @Override
            MapClient open(Participant self, EpochManager epochs, Tables tables) {
                return MapClient.of(new LongTable("map", self,
                        GrowingWorld.crowdedBlocks(self, epochs, LongBucket.SIZE), null));
            }

            @Override
            List<Kind> kinds() {
                return MapOperation.OF_LONG_MAPS;
            }
        },
        WORDS(GrowingMap.WORDS), NARROW(GrowingMap.NARROW), WIDE(GrowingMap.WIDE);

        private final GrowingMap map;

        Form() {
            this(GrowingMap.WORDS);
        }

        Form(GrowingMap map) {
            this.map = map;
        }

        MapClient open(Participant self, EpochManager epochs, Tables tables) {
            return map.open(self, epochs, GrowingWorld.crowdedBlocks(self, epochs, map.bucket().size), tables);
        }

        List<Kind> kinds() {
            return List.of(Kind.values());
        }
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(Form.values())
                .flatMap(form -> MapSimulation.REMOTE_FABRICS.stream().map(fabric -> Arguments.of(form, fabric)));
    }

    private MapClient open(Form form, Participant self) {
        return form.open(self, epochs.of(self), DistributedMapSimulation.RIGHT);
    }

    private Seeds.Trial trial(Form form, SimOptions options) {
        return MapWorld.trial(options, form.kinds(), GrowingWorld.CROWDED_KEYS, GrowingWorld.OPERATIONS,
                rank -> open(form, MapWorld.participant(rank)));
    }

    private static SimOptions pausing(Guarantees guarantees) {
        return GrowingWorld.options(guarantees).pauses(0.02);
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void everyOperationTakesEffectAtOnce(Form form, Guarantees guarantees) {
        Seeds.each(SEEDS, trial(form, pausing(guarantees)));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void deathsAtAnyStepLeaveNothingHalfDone(Form form, Guarantees guarantees) {
        Seeds.each(SEEDS, trial(form,
                pausing(guarantees).longestPause(Duration.ofMillis(50)).kills(0.003, 0, 1, 2).zombies()));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void aConnectionThatBreaksAtAnyStepLeavesNothingReserved(Form form, Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.breakingTrialOfGrowth(pausing(guarantees).breaks(0.005, 8), 2,
                form.kinds(), GrowingWorld.CROWDED_KEYS, GrowingWorld.OPERATIONS / 2, self -> open(form, self)));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void errorsOfSeveralThreadsLeaveNothingHalfDone(Form form, Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.erringTrial(pausing(guarantees), 2, form.kinds(), GrowingWorld.CROWDED_KEYS, 6,
                self -> open(form, self)));
    }

    // --- mistakes ---

    static Stream<Guarantees> remoteFabrics() {
        return MapSimulation.REMOTE_FABRICS.stream();
    }

    private static void assertIsFound(Guarantees guarantees, Function<LongTable, Mover> movers) {
        Mutation.assertIsFound(SEEDS_OF_MISTAKES, MapWorld.trial(pausing(guarantees), MapOperation.OF_LONG_MAPS,
                GrowingWorld.CROWDED_KEYS, GrowingWorld.OPERATIONS, rank -> {
                    Participant self = MapWorld.participant(rank);
                    EpochManager manager = GrowingWorld.epochs(self, LongBucket.SIZE);
                    Blocks blocks = GrowingWorld.crowdedBlocks(self, manager, LongBucket.SIZE);
                    return MapClient.of(new LongTable(new LongWriter("map", self, new LongReader(self.endpoint(),
                            blocks, new KeyHash(self.seed()))), movers, null));
                }));
    }

    @ParameterizedTest
    @MethodSource("remoteFabrics")
    void aBucketThatIsMovedAlthoughItsCopyWasRefusedIsFound(Guarantees guarantees) {
        assertIsFound(guarantees, table -> new LongMover(table) {
            @Override
            int seal(Batch batch, int owner, long bucket, long copied) {
                return SealMistakes.withoutItsCopy(batch, owner, bucket, copied, LongBucket.MOVED);
            }
        });
    }
}
