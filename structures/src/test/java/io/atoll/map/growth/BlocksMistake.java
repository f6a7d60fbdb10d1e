package io.atoll.map.growth;

import io.atoll.epoch.EpochManager;
import io.atoll.world.Participant;

/** What can be done wrong with blocks, and must be noticed. */
public enum BlocksMistake {

    NOBODY_IS_TOLD {
        @Override
        public EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes) {
            return new EagerBlocks(self, epochs, headers, bucketBytes) {
                @Override
                void tell(int rank) {
                    // The version stays.
                }
            };
        }
    },

    A_BLOCK_IS_KEPT_IN_MIND {
        @Override
        public EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes) {
            return new EagerBlocks(self, epochs, headers, bucketBytes) {
                @Override
                long version() {
                    return 1;
                }
            };
        }
    },

    /** A death is needed to notice. */
    NO_BLOCK_IS_KEPT {
        @Override
        public EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes) {
            return new EagerBlocks(self, epochs, headers, bucketBytes) {
                @Override
                void keep(int owner, long block) {
                    // It stays pending.
                }
            };
        }
    },

    MOVERS_SHARE_STRIPES {
        @Override
        public EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes) {
            return new EagerBlocks(self, epochs, headers, bucketBytes, new Migration(self) {
                @Override
                boolean isFree(long lease, int owner) {
                    return true;
                }
            });
        }
    };

    public abstract EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes);
}
