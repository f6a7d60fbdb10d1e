package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.world.Participant;
import java.util.List;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Mistakes in moving a map of longs must not go unnoticed: the seeds that {@link LongGrowthSimulationTest} passes find
 * each of them.
 */
@Tag("simulation")
class LongGrowthMutationTest {

    private static final int SEEDS = 2_000;

    /** On mapped memory buckets are moved one by one, over TCP together. */
    static final List<Guarantees> FABRICS = List.of(SimOptions.SHARED_MEMORY, SimOptions.TCP);

    private static void assertIsFound(SimOptions options, List<MapOperation.Kind> kinds,
            BiFunction<Participant, Blocks, LongTable> tables) {
        Mutation.assertIsFound(SEEDS,
                MapWorld.trial(options, kinds, GrowingWorld.KEYS, GrowingWorld.OPERATIONS, rank -> {
                    Participant self = MapWorld.participant(rank);
                    LongTable table = tables.apply(self, GrowingWorld.blocks(self, LongBucket.SIZE));
                    return MapClient.of(table);
                }));
    }

    private static void assertIsFound(BiFunction<Participant, Blocks, LongTable> tables) {
        assertIsFound(SimOptions.SHARED_MEMORY, tables);
    }

    private static void assertIsFound(Guarantees guarantees, BiFunction<Participant, Blocks, LongTable> tables) {
        assertIsFound(LongGrowthSimulationTest.pausing(guarantees), LongGrowthSimulationTest.KINDS, tables);
    }

    @ParameterizedTest
    @MethodSource("io.atoll.map.BlocksMistake#whileAllLive")
    void aMistakeWithBlocksIsFound(BlocksMistake mistake) {
        Mutation.assertIsFound(SEEDS, MapWorld.trial(LongGrowthSimulationTest.pausing(SimOptions.SHARED_MEMORY),
                LongGrowthSimulationTest.KINDS, GrowingWorld.KEYS, GrowingWorld.OPERATIONS, rank -> {
                    Participant self = MapWorld.participant(rank);
                    Blocks blocks = mistake.blocks(self, GrowingWorld.epochs(self, LongBucket.SIZE),
                            GrowingWorld.headers(), LongBucket.SIZE);
                    var table = new LongTable("map", self, blocks, null);
                    return MapClient.of(table);
                }));
    }

    @Test
    void aSearchThatEndsAtTheMovedBucketOfAnotherKeyIsFound() {
        assertIsFound((self, blocks) -> new LongTable(new LongWriter("map", self,
                new LongReader(self.endpoint(), blocks, new KeyHash(self.seed())) {
                    @Override
                    boolean endsAt(long word) {
                        return super.endsAt(word) || LongBucket.isMoved(word);
                    }
                }), LongMover::new, null));
    }

    private static LongReader reader(Participant self, Blocks blocks) {
        return new LongReader(self.endpoint(), blocks, new KeyHash(self.seed()));
    }

    private static BiFunction<Participant, Blocks, LongTable> moving(Function<LongTable, Mover> movers) {
        return (self, blocks) -> new LongTable(new LongWriter("map", self, reader(self, blocks)), movers, null);
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void aBucketThatIsMovedWhateverWasCopiedIsFound(Guarantees guarantees) {
        assertIsFound(guarantees, moving(table -> new LongMover(table) {
            @Override
            boolean seal(int owner, long bucket, long copied) {
                table.endpoint.getAndSet(owner, bucket, LongBucket.MOVED);
                return true;
            }

            @Override
            int seal(Batch batch, int owner, long bucket, long copied) {
                return SealMistakes.whateverWasCopied(batch, owner, bucket, LongBucket.MOVED);
            }
        }));
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void aBucketThatIsMovedBeforeItIsCopiedIsFound(Guarantees guarantees) {
        assertIsFound(guarantees, moving(table -> new LongMover(table) {
            @Override
            boolean copy(int owner, long next, long key, long word) {
                return true;
            }

            @Override
            boolean seal(int owner, long bucket, long copied) {
                boolean sealed = super.seal(owner, bucket, copied);
                if (sealed) {
                    long key = table.endpoint.readWord(owner, bucket + LongBucket.KEY);
                    super.copy(owner, table.blocks.next(owner, table.blocks.first(owner)), key, copied);
                }
                return sealed;
            }

            @Override
            int seal(Batch batch, int owner, long bucket, long copied) {
                return SealMistakes.beforeItIsCopied(table.endpoint, batch, owner, bucket, copied, LongBucket.MOVED);
            }
        }));
    }

    @ParameterizedTest
    @FieldSource("io.atoll.map.LongGrowthSimulationTest#REMOTE_FABRICS")
    void aBucketThatIsMovedAlthoughItsCopyWasRefusedIsFound(Guarantees guarantees) {
        assertIsFound(guarantees, moving(table -> new LongMover(table) {
            @Override
            int seal(Batch batch, int owner, long bucket, long copied) {
                return SealMistakes.withoutItsCopy(batch, owner, bucket, copied, LongBucket.MOVED);
            }
        }));
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void aStaleCopyThatIsLeftAsItIsIsFound(Guarantees guarantees) {
        assertIsFound(guarantees, moving(table -> new LongMover(table) {
            @Override
            boolean replaces(long earlier, long copy) {
                return earlier == LongBucket.FREE;
            }
        }));
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void aFrontierThatPassesAnUnfinishedBucketIsFound(Guarantees guarantees) {
        assertIsFound(guarantees, moving(table -> new LongMover(table) {
            @Override
            public boolean move(int owner, long block, long index, long next) {
                super.move(owner, block, index, next);
                return true;
            }

            @Override
            public int moveTogether(int owner, long block, long begin, int count, long next) {
                super.moveTogether(owner, block, begin, count, next);
                return count;
            }
        }));
    }
}
