package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.map.DistributedMapSimulation.Tables;
import io.atoll.world.Participant;
import java.util.List;
import java.util.function.Function;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Mistakes in moving a map of objects must not go unnoticed: the seeds that {@link MapGrowthSimulationTest} passes find
 * each of them.
 */
@Tag("simulation")
class MapGrowthMutationTest {

    private static final int SEEDS = 2_000;

    /** On mapped memory buckets are moved one by one, over TCP together. */
    static final List<Guarantees> FABRICS = LongGrowthMutationTest.FABRICS;

    private final SharedEpochs epochs = GrowingWorld.sharedEpochs();

    private interface BlocksOpener {
        Blocks open(Participant self, EpochManager epochs);
    }

    private void assertIsFound(Guarantees guarantees, GrowingMap map, BlocksOpener blocks, Tables tables) {
        Mutation.assertIsFound(SEEDS, MapWorld.trial(MapGrowthSimulationTest.pausing(guarantees),
                MapGrowthSimulationTest.KINDS, GrowingWorld.KEYS, GrowingWorld.OPERATIONS, rank -> {
                    Participant self = MapWorld.participant(rank);
                    EpochManager ofRank = epochs.of(self);
                    return map.open(self, ofRank, blocks.open(self, ofRank), tables);
                }));
    }

    private void assertIsFound(Tables tables) {
        assertIsFound(SimOptions.SHARED_MEMORY, tables);
    }

    private void assertIsFound(Guarantees guarantees, Tables tables) {
        for (GrowingMap map : GrowingMap.values()) {
            assertIsFound(guarantees, map, (self, ofRank) -> GrowingWorld.blocks(self, ofRank, map.bucket().size),
                    tables);
        }
    }

    private static Tables moving(Function<BucketTable, Mover> movers) {
        return (name, self, blocks, bucket, hashing) -> new BucketTable(
                new BucketWriter(name, self, new BucketReader(self.endpoint(), bucket, blocks, hashing)), movers, null);
    }

    @ParameterizedTest
    @MethodSource("io.atoll.map.BlocksMistake#whileAllLive")
    void aMistakeWithBlocksIsFound(BlocksMistake mistake) {
        assertIsFound(SimOptions.SHARED_MEMORY, GrowingMap.NARROW,
                (self, ofRank) -> mistake.blocks(self, ofRank, GrowingWorld.headers(),
                        GrowingMap.NARROW.bucket().size),
                DistributedMapSimulation.RIGHT);
    }

    @Test
    void aSearchThatEndsAtTheMovedBucketOfAnotherKeyIsFound() {
        assertIsFound((name, self, blocks, bucket, hashing) -> new BucketTable(new BucketWriter(name, self,
                new BucketReader(self.endpoint(), bucket, blocks, hashing) {
                    @Override
                    boolean endsAt(long state) {
                        return super.endsAt(state) || state == Bucket.MOVED;
                    }
                }), BucketMover::new, null));
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void aBucketThatIsMovedWhateverWasCopiedIsFound(Guarantees guarantees) {
        assertIsFound(guarantees, moving(table -> new BucketMover(table) {
            @Override
            boolean seal(int owner, long offset, long copied) {
                table.endpoint.getAndSet(owner, offset, Bucket.MOVED);
                return true;
            }

            @Override
            int seal(Batch batch, int owner, long offset, long copied) {
                return SealMistakes.whateverWasCopied(batch, owner, offset, Bucket.MOVED);
            }
        }));
    }

    /** Makes a bucket MOVED, and copies it afterwards. */
    private static final class SealsFirst extends BucketMover {

        private Runnable copying = () -> {};

        SealsFirst(BucketTable table) {
            super(table);
        }

        @Override
        boolean copy(Batch batch, int owner, long next, long hash, boolean living) {
            copying = () -> super.copy(batch, owner, next, hash, living);
            return true;
        }

        @Override
        boolean seal(int owner, long offset, long copied) {
            boolean sealed = super.seal(owner, offset, copied);
            if (sealed) {
                copying.run();
            }
            return sealed;
        }

        @Override
        int seal(Batch batch, int owner, long offset, long copied) {
            return SealMistakes.beforeItIsCopied(table.endpoint, batch, owner, offset, copied, Bucket.MOVED);
        }
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void aBucketThatIsMovedBeforeItIsCopiedIsFound(Guarantees guarantees) {
        assertIsFound(guarantees, moving(SealsFirst::new));
    }

    @ParameterizedTest
    @FieldSource("io.atoll.map.MapSimulation#REMOTE_FABRICS")
    void aBucketThatIsMovedAlthoughItsCopyWasRefusedIsFound(Guarantees guarantees) {
        assertIsFound(guarantees, moving(table -> new BucketMover(table) {
            @Override
            int seal(Batch batch, int owner, long offset, long copied) {
                return SealMistakes.withoutItsCopy(batch, owner, offset, copied, Bucket.MOVED);
            }
        }));
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void aStaleCopyThatIsLeftAsItIsIsFound(Guarantees guarantees) {
        assertIsFound(guarantees, moving(table -> new BucketMover(table) {
            @Override
            boolean replaces(long earlier, boolean living) {
                return earlier == Bucket.FREE && living;
            }
        }));
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void aFrontierThatPassesAnUnfinishedBucketIsFound(Guarantees guarantees) {
        assertIsFound(guarantees, moving(table -> new BucketMover(table) {
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
