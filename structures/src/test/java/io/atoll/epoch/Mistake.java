package io.atoll.epoch;

import io.atoll.world.Participant;
import java.util.Optional;
import java.util.function.LongSupplier;

/** Mistakes in reclamation that the tests must notice. */
enum Mistake {

    NONE,

    FORGOTTEN_BEFORE_ALL_KNOW_OF_THE_LOSS {
        @Override
        Renewal renewal(Reclamation reclamation) {
            return new Renewal(reclamation) {
                @Override
                boolean isGraceOver() {
                    return true;
                }
            };
        }
    },

    /** Lost objects stay in the bag: neither its token looks through it, nor the thread that forgets lost objects. */
    A_BAG_KEEPS_WHAT_IS_LOST {
        @Override
        long[] filling(long[] bags) {
            return new long[0];
        }

        @Override
        WorldToken token(Reclamation reclamation, int index) {
            return new WorldToken(reclamation, index) {
                @Override
                void forgetLost() {
                    // The lost objects stay in the bag.
                }
            };
        }
    },

    /** The published algorithm: an object belongs to the epoch of its token, and is freed two epochs later. */
    SEALED_WITH_THE_TOKENS_EPOCH {
        @Override
        WorldToken token(Reclamation reclamation, int index) {
            return new WorldToken(reclamation, index) {
                @Override
                long sealingEpoch() {
                    return Announcement.epoch(memory.getAcquire(place + EpochBlock.ANNOUNCEMENT));
                }
            };
        }
    },

    SEALED_WITH_THE_CACHED_EPOCH {
        @Override
        WorldToken token(Reclamation reclamation, int index) {
            return new WorldToken(reclamation, index) {
                @Override
                long sealingEpoch() {
                    return memory.getAcquire(reclamation.block() + EpochBlock.CACHED_EPOCH);
                }
            };
        }
    },

    FREED_ONE_EPOCH_EARLIER {
        @Override
        LimboLists limbo(Participant self, long block, int tokens, ScatterList scatter) {
            return new LimboLists(self, block, tokens, scatter) {
                @Override
                protected boolean isOld(long sealed, long epoch) {
                    return sealed <= epoch - 1;
                }
            };
        }
    },

    FREED_BY_THE_NUMBER_OF_THE_LIST {
        @Override
        LimboLists limbo(Participant self, long block, int tokens, ScatterList scatter) {
            return new LimboLists(self, block, tokens, scatter) {
                @Override
                protected boolean isOld(long sealed, long epoch) {
                    return epoch >= 2 && EpochBlock.list(sealed) == EpochBlock.list(epoch - 2);
                }
            };
        }
    },

    /** A chain that takes the place of bags is sealed too early. */
    CHAIN_SEALED_WITH_AN_EARLIER_EPOCH {
        @Override
        LimboLists limbo(Participant self, long block, int tokens, ScatterList scatter) {
            return new LimboLists(self, block, tokens, scatter) {
                @Override
                public long free(long epoch, LongSupplier epochNow) {
                    return super.free(epoch, () -> Math.max(0, epochNow.getAsLong() - 1));
                }
            };
        }
    },

    PINNED_WITHOUT_A_FENCE {
        @Override
        WorldToken token(Reclamation reclamation, int index) {
            return new WorldToken(reclamation, index) {
                @Override
                protected void enter() {
                    long epoch = memory.getAcquire(reclamation.block() + EpochBlock.CACHED_EPOCH);
                    memory.setRelease(place + EpochBlock.ANNOUNCEMENT, Announcement.pinned(epoch, 1));
                }
            };
        }
    },

    ADVANCED_WITHOUT_A_SCAN {
        @Override
        GlobalEpoch epoch(Participant self, long[] blocks, int home, int tokens) {
            return new GlobalEpoch(self, blocks, home, tokens) {
                @Override
                Attempt swing(long epoch) {
                    return new Attempt(advance(epoch) ? Outcome.ADVANCED : Outcome.LOST_ELECTION, epoch,
                            Optional.empty());
                }
            };
        }
    };

    WorldToken token(Reclamation reclamation, int index) {
        return new WorldToken(reclamation, index);
    }

    Renewal renewal(Reclamation reclamation) {
        return new Renewal(reclamation);
    }

    long[] filling(long[] bags) {
        return bags;
    }

    LimboLists limbo(Participant self, long block, int tokens, ScatterList scatter) {
        return new LimboLists(self, block, tokens, scatter);
    }

    GlobalEpoch epoch(Participant self, long[] blocks, int home, int tokens) {
        return new GlobalEpoch(self, blocks, home, tokens);
    }
}
