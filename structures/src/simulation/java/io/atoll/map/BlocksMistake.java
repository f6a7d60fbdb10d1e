package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.map.EagerBlocks.EagerRuns;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.Participant;
import java.util.EnumSet;
import java.util.stream.Stream;

/** The mistakes that can be made with blocks, and that tests must notice. */
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

    /** Only a death makes it noticeable. */
    NO_BLOCK_IS_KEPT {
        @Override
        public EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes) {
            return new EagerBlocks(self, epochs, headers, bucketBytes) {
                @Override
                void keep(int owner, long block) {
                    // The block stays pending.
                }
            };
        }
    },

    /** Only a death makes it noticeable. */
    A_BLOCK_IS_ANNOUNCED_WHEN_IT_IS_KNOWN {
        @Override
        public EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes) {
            return new EagerBlocks(self, epochs, headers, bucketBytes, new EagerRuns(self, bucketBytes) {

                private long unannounced = Block.NONE;
                private long place;

                @Override
                void announce(int owner, long block, long word) {
                    unannounced = block;
                    place = word;
                }

                @Override
                void commit(int owner, long block) {
                    if (block == unannounced) {
                        unannounced = Block.NONE;
                        try {
                            super.announce(owner, block, place);
                        } catch (IllegalStateException committed) {
                            // Another rank that knows the block has committed it: no death is needed to notice that.
                        }
                    }
                    super.commit(owner, block);
                }
            });
        }
    },

    /** It is noticed by what is left over. */
    A_BLOCK_IS_TAKEN_AWAY_BEFORE_IT_IS_RETIRED {
        @Override
        public EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes) {
            return new EagerBlocks(self, epochs, headers, bucketBytes) {
                @Override
                void retire(int owner, long previous, long place) {
                    takeAway(owner, previous, place);
                    super.retire(owner, previous, place);
                }
            };
        }
    },

    /** It is noticed by what is left over. */
    ONLY_THE_HEAD_IS_RETIRED {
        @Override
        public EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes) {
            return new EagerBlocks(self, epochs, headers, bucketBytes, new EagerRuns(self, bucketBytes) {
                @Override
                void retire(int owner, long block, long place, long epoch) {
                    heap.retire(owner, BlockHead.of(block), new GlobalPointer(owner, place), block, epoch);
                }
            });
        }
    },

    /** Only a death makes it noticeable. */
    ONLY_THE_HEAD_IS_ANNOUNCED {
        @Override
        public EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes) {
            return new EagerBlocks(self, epochs, headers, bucketBytes, new EagerRuns(self, bucketBytes) {
                @Override
                void announce(int owner, long block, long place) {
                    heap.announce(owner, BlockHead.of(block), new GlobalPointer(owner, place), block);
                }
            });
        }
    },

    /** Only a death makes it noticeable. */
    ONLY_THE_HEAD_IS_KEPT {
        @Override
        public EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes) {
            return new EagerBlocks(self, epochs, headers, bucketBytes, new EagerRuns(self, bucketBytes) {
                @Override
                void commit(int owner, long block) {
                    heap.commit(owner, BlockHead.of(block));
                }
            });
        }
    },

    THE_TABLE_OF_PIECES_COMES_LATE {
        @Override
        public EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes) {
            return new EagerBlocks(self, epochs, headers, bucketBytes, new EagerRuns(self, bucketBytes) {

                private Runnable late = () -> {};

                @Override
                void writeTable(int owner, long table, long[] offsets) {
                    super.writeTable(owner, table, new long[]{offsets[1], offsets[0]});
                    late = () -> super.writeTable(owner, table, offsets);
                }

                @Override
                void commit(int owner, long block) {
                    late.run();
                    late = () -> {};
                    super.commit(owner, block);
                }
            });
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

    /** Returns the mistakes that show in what is left over, some of them only after a death. */
    public static Stream<BlocksMistake> withRuns() {
        return Stream.of(NO_BLOCK_IS_KEPT, A_BLOCK_IS_ANNOUNCED_WHEN_IT_IS_KNOWN,
                A_BLOCK_IS_TAKEN_AWAY_BEFORE_IT_IS_RETIRED, ONLY_THE_HEAD_IS_RETIRED,
                ONLY_THE_HEAD_IS_ANNOUNCED, ONLY_THE_HEAD_IS_KEPT);
    }

    /** Returns the mistakes that show in what operations return, while all processes live. */
    public static Stream<BlocksMistake> whileAllLive() {
        return EnumSet.complementOf(EnumSet.copyOf(withRuns().toList()))
                .stream();
    }

    public abstract EagerBlocks blocks(Participant self, EpochManager epochs, long[] headers, long bucketBytes);
}
