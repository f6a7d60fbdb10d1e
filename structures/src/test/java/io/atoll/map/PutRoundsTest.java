package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.Token;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.ForwardingFabric;
import io.atoll.fabric.Verb;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import io.atoll.world.Reservations;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** Failures in the middle of rounds, in a world whose owners do not decide guards. A bucket is a word. */
class PutRoundsTest {

    private static final int RANKS = 3;
    private static final int AWAY = 2;
    private static final long FREE = 0;
    private static final long RESERVED = 1;
    private static final long READY = 2;

    /** From some time on, a rank does not answer a batch that is completed. */
    private static final class LosingFabric extends ForwardingFabric {

        private boolean isAway;

        LosingFabric(Fabric wrapped) {
            super(wrapped);
        }

        @Override
        public Batch batch() {
            return new ForwardingBatch(wrapped().batch()) {

                private boolean isLost;

                @Override
                protected void before(Verb verb, int target, long offset, long bytes) {
                    isLost |= isAway && target == AWAY;
                }

                @Override
                protected void arrives() {
                    if (isLost) {
                        isLost = false;
                        throw away();
                    }
                }
            };
        }

        @Override
        public Batch newBatch(long bufferBytes) {
            return wrapped().newBatch(bufferBytes);
        }
    }

    private static RankUnreachableException away() {
        return new RankUnreachableException("it is away", "complete", AWAY, 0);
    }

    /** Words in a segment, each for one key. */
    private static final class Words extends Blocks {

        private int begun;
        private int ended;

        @Override
        public int ranks() {
            return RANKS;
        }

        @Override
        public boolean canGrow() {
            return false;
        }

        @Override
        public @Nullable Token begin() {
            begun++;
            return null;
        }

        @Override
        public void end(@Nullable Token token) {
            ended++;
        }

        @Override
        public long first(int owner) {
            return 0;
        }

        @Override
        public long firstToChange(int owner, @Nullable Token token, Mover mover) {
            return 0;
        }

        @Override
        public long firstAtRest(int owner) {
            return 0;
        }

        @Override
        public @Nullable EpochManager epochs() {
            return null;
        }

        @Override
        public long next(int owner, long block) {
            return Block.NONE;
        }

        @Override
        public void grow(int owner, long first) {
            throw new AssertionError("nothing grows");
        }

        @Override
        public void count(int owner, long first, long offset, long hash, long change) {
            throw new AssertionError("nothing is counted");
        }

        @Override
        public boolean isCounted(int owner, long first, long offset, long hash) {
            return false;
        }

        @Override
        public OptionalLong estimate() {
            return OptionalLong.empty();
        }
    }

    /** Finds the word of the first key at once, and those of others in the second round. */
    private abstract static class Searches implements BulkSearch {

        private final boolean[] hasBegun = new boolean[3];
        private final IntPredicate isAway;

        Searches(IntPredicate isAway) {
            this.isAway = isAway;
        }

        static long offset(int key) {
            return (512 << 10) + key * 16L;
        }

        abstract void later(int key);

        @Override
        public int owner(int key) {
            return isAway.test(key) ? AWAY : 1;
        }

        @Override
        public long hash(int key) {
            return key;
        }

        @Override
        public void begin(int key, long block) {}

        @Override
        public int read(Batch batch, int[] sought, int count, long position) {
            for (int place = 0; place < count; place++) {
                batch.read(owner(sought[place]), offset(sought[place]), position + place * 8L, 8);
            }
            return count;
        }

        @Override
        public boolean pass(int key) {
            throw new AssertionError("nothing is passed here");
        }

        @Override
        public long mostBytes() {
            return Long.BYTES;
        }

        @Override
        public long advance(Batch batch, int key) {
            if (key > 0 && !hasBegun[key]) {
                hasBegun[key] = true;
                return BucketReader.BEHIND;
            }
            if (key > 0) {
                later(key);
            }
            return offset(key);
        }

        @Override
        public long state(int key) {
            return FREE;
        }
    }

    /** Finds the word of the second key at once, too. */
    private abstract static class FindsTwo extends Searches {

        FindsTwo() {
            super(_ -> false);
        }

        @Override
        public long advance(Batch batch, int key) {
            return key == 1 ? offset(key) : super.advance(batch, key);
        }
    }

    private static final class Rounds extends PutRounds {

        private final Reservations.Undo undo;

        Rounds(Participant self, Words words, BulkSearch search, LostOwners lost, Reservations.Undo undo) {
            super(self, words, search, lost, 3, 1024, 16);
            this.undo = undo;
        }

        @Override
        boolean isReserved(long state) {
            return state == RESERVED;
        }

        @Override
        long exchanged(int key, long state) {
            return RESERVED;
        }

        @Override
        boolean isWritten(long state) {
            return true;
        }

        @Override
        void write(Batch batch, int key, long offset, long state, long position) {
            batch.writeWord(search.owner(key), offset, READY);
        }

        @Override
        Reservations.Undo undoing() {
            return undo;
        }

        @Override
        long counted(long state) {
            return 0;
        }

        @Override
        long firstToChange(int owner, @Nullable Token token) {
            return 0;
        }
    }

    private final LosingFabric fabric = new LosingFabric(new Simulation(1,
            SimOptions.ranks(RANKS).segmentBytes(1 << 20).guarantees(SimOptions.NETWORK_CARD).unmapped()).fabric(0));
    private final Participant self = Participants.amongTheLiving(fabric);
    private final Words words = new Words();
    private final LostOwners lost = new LostOwners();

    /** A search finds that an owner is lost which the same round has reserved a bucket at. */
    @Test
    void anOwnerThatASearchHasLostDoesNotEndTheRounds() {
        var search = new Searches(key -> key < 2) {
            @Override
            void later(int key) {
                if (key == 1) {
                    fabric.isAway = true;
                    throw away();
                }
            }
        };
        var rounds = new Rounds(self, words, search, lost, (owner, offset, reserved) -> {
            if (owner == AWAY) {
                throw away();
            }
            return self.endpoint().compareAndExchange(owner, offset, reserved, FREE) == reserved;
        });
        assertThat(rounds.run()).isEmpty();
        assertThat(lost.has(AWAY)).isTrue();
        assertThat(rounds.isStored(2)).isTrue();
        assertThat(self.endpoint().readWord(1, Searches.offset(2))).isEqualTo(READY);
        assertThat(words.ended).isEqualTo(words.begun);
    }

    @Test
    void theOperationEndsEvenIfWhatWasReservedCannotBeSettled() {
        var failure = new IllegalArgumentException("a codec of the user's");
        var unsettled = new IllegalStateException("settled in no way");
        var search = new Searches(_ -> false) {
            @Override
            void later(int key) {
                throw failure;
            }
        };
        var rounds = new Rounds(self, words, search, lost, (owner, offset, reserved) -> {
            throw unsettled;
        });
        assertThat(catchThrowable(rounds::run)).isSameAs(failure).hasSuppressedException(unsettled);
        assertThat(words.begun).isOne();
        assertThat(words.ended).isOne();
        assertThat(rounds.isInDoubt(0)).isTrue();
    }

    /** Two buckets are reserved when the search for a third one fails. */
    @Test
    void aBucketThatCannotBeUndoneKeepsNoOtherOneReserved() {
        var failure = new IllegalArgumentException("a codec of the user's");
        var unsettled = new IllegalStateException("settled in no way");
        var search = new FindsTwo() {
            @Override
            void later(int key) {
                throw failure;
            }
        };
        var rounds = new Rounds(self, words, search, lost, (owner, offset, reserved) -> {
            if (offset == Searches.offset(0)) {
                throw unsettled;
            }
            return self.endpoint().compareAndExchange(owner, offset, reserved, FREE) == reserved;
        });
        assertThat(catchThrowable(rounds::run)).isSameAs(failure).hasSuppressedException(unsettled);
        assertThat(self.endpoint().readWord(1, Searches.offset(1))).isEqualTo(FREE);
        assertThat(self.reservations().tryHold(1, Searches.offset(1))).isNotEqualTo(Reservations.NOT_HELD);
        assertThat(rounds.isInDoubt(0)).isTrue();
    }

    /** An owner goes away while two buckets are written. To undo the first one fails in a way that ends the rounds. */
    @Test
    void noBucketIsUndoneTwice() {
        var unsettled = new IllegalStateException("settled in no way");
        List<Long> undone = new ArrayList<>();
        var search = new FindsTwo() {
            @Override
            public int owner(int key) {
                return key == 0 ? AWAY : 1;
            }

            @Override
            void later(int key) {
                fabric.isAway = true;
            }
        };
        var rounds = new Rounds(self, words, search, lost, (_, offset, _) -> {
            undone.add(offset);
            if (offset == Searches.offset(0)) {
                throw unsettled;
            }
            return true;
        });
        assertThat(catchThrowable(rounds::run)).isSameAs(unsettled);
        assertThat(undone).doesNotHaveDuplicates().startsWith(Searches.offset(0), Searches.offset(1));
    }

    /** Counts how often the first key is looked for. */
    private abstract static class CountsLooks extends Searches {

        int looks;

        CountsLooks() {
            super(_ -> false);
        }

        @Override
        public long advance(Batch batch, int key) {
            looks += key == 0 ? 1 : 0;
            return super.advance(batch, key);
        }
    }

    private Rounds rounds(BulkSearch search) {
        return new Rounds(self, words, search, lost, (_, _, _) -> true);
    }

    /** Another thread is about to change that bucket. */
    @Test
    void aKeyWhoseHoldIsTakenIsLookedForAgain() {
        int hold = self.reservations().tryHold(1, Searches.offset(0));
        var search = new CountsLooks() {
            @Override
            void later(int key) {
                if (key == 1) {
                    self.reservations().release(hold);
                }
            }
        };
        var rounds = rounds(search);
        assertThat(rounds.run()).isEmpty();
        assertThat(rounds.isStored(0)).isTrue();
        assertThat(search.looks).isEqualTo(2);
    }

    @Test
    void aKeyWhoseHoldStaysTakenIsLeft() {
        self.reservations().tryHold(1, Searches.offset(0));
        var search = new CountsLooks() {
            @Override
            void later(int key) {}
        };
        var rounds = rounds(search);
        assertThat(rounds.run()).containsExactly(0);
        assertThat(rounds.isStored(1)).isTrue();
        assertThat(search.looks).isEqualTo(5);
    }
}
