package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.Patch;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class HoldsTest {

    private static final int WORDS = 256;
    private static final int TABLES = 200;
    private static final int OWNERS = 5;
    private static final int OWNER = 3;
    private static final long BLOCK = 12_345 * 64;

    private final Holds holds = new Holds(OWNERS);

    static LongStream bucketSizes() {
        return LongStream.iterate(16, bytes -> bytes <= 16 << 10, bytes -> 2 * bytes);
    }

    private static int take(Holds holds, long offset) {
        return holds.take(OWNER, Holds.word(offset));
    }

    /** Returns the offsets of words that share their slots with this one, and are taken by now. */
    static List<Long> takeSlotsOf(Holds holds, int owner, long offset) {
        int own = holds.take(owner, Holds.word(offset));
        holds.release(own);
        List<Long> taken = new ArrayList<>();
        for (long other = offset + 8; taken.size() < 4; other += 8) {
            int hold = holds.take(owner, Holds.word(other));
            if (hold != Holds.NOT_TAKEN && hold / 4 == own / 4) {
                taken.add(other);
            } else if (hold != Holds.NOT_TAKEN) {
                holds.release(hold);
            }
        }
        return taken;
    }

    /** Returns how many of a table's words, chosen at random, find no hold, on average. */
    private static double refused(long bucketBytes, int buckets) {
        var random = new SplittableRandom(buckets);
        return IntStream.range(0, TABLES).mapToLong(_ -> {
            var ofTable = new Holds(OWNERS);
            return random.longs(0, buckets)
                    .distinct()
                    .limit(WORDS)
                    .filter(index -> take(ofTable, BLOCK + index * bucketBytes) == Holds.NOT_TAKEN)
                    .count();
        }).average().orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("bucketSizes")
    void wordsOfBucketsFindHoldsWhateverTheirSize(long bucketBytes) {
        for (int buckets = 512; buckets <= 1 << 20; buckets *= 8) {
            assertThat(refused(bucketBytes, buckets)).as("buckets=" + buckets).isLessThan(1);
        }
    }

    @ParameterizedTest
    @MethodSource("bucketSizes")
    void neighboursFindHolds(long bucketBytes) {
        assertThat(LongStream.range(0, WORDS).mapToInt(index -> take(holds, BLOCK + index * bucketBytes)))
                .doesNotHaveDuplicates()
                .doesNotContain(Holds.NOT_TAKEN);
    }

    @Test
    void ownersShareNone() {
        for (int owner = 0; owner < OWNERS; owner++) {
            int each = owner;
            assertThat(LongStream.range(0, 1 << 12)
                    .mapToInt(number -> holds.take(each, Holds.word(number * 8)))
                    .filter(hold -> hold != Holds.NOT_TAKEN))
                    .allMatch(hold -> hold / 2048 == each);
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 64, 100, 1000})
    void allHoldsAreNoMoreThanABoundOrAFewForEachOwner(int owners) {
        assertThat(new Holds(owners).count()).isBetween(owners << 10, Math.max(1 << 18, owners << 10) + Holds.SPARE);
    }

    @Test
    void noWordIsTakenForAFreeSlot() {
        assertThat(LongStream.of(0, 8, (1L << 32) - 1 << 3, (1L << 33) - 2 << 3, (1L << 45) - 8).map(Holds::word))
                .doesNotContain(0L);
    }

    @Test
    void aWordIsHeldOnceUntilItsHoldIsReleased() {
        int hold = take(holds, BLOCK);
        assertThat(take(holds, BLOCK)).isEqualTo(Holds.NOT_TAKEN);
        assertThat(holds.put(hold)).isNull();
        assertThat(holds.word(hold)).isEqualTo(Holds.word(BLOCK));
        holds.release(hold);
        assertThat(take(holds, BLOCK)).isNotNegative();
    }

    @Test
    void anotherOwnersWordIsAnotherWord() {
        take(holds, BLOCK);
        assertThat(holds.take(OWNER + 1, Holds.word(BLOCK))).isNotNegative();
    }

    @Test
    void aWordWhoseSlotsAreTakenIsNot() {
        assertThat(takeSlotsOf(holds, OWNER, BLOCK)).hasSize(4);
        assertThat(take(holds, BLOCK)).isEqualTo(Holds.NOT_TAKEN);
        assertThat(holds.inTheWay(OWNER, Holds.word(BLOCK))).isNull();
    }

    @Test
    void anUndoingThatWasPutKeepsItsWordAndIsInItsWay() {
        int hold = take(holds, BLOCK);
        Undoing undoing = holds.undoing(hold);
        holds.put(undoing);
        assertThat(take(holds, BLOCK)).isEqualTo(Holds.NOT_TAKEN);
        assertThat(holds.put(hold)).isSameAs(undoing);
        assertThat(holds.inTheWay(OWNER, Holds.word(BLOCK))).isSameAs(undoing);
        assertThat(holds.inTheWay(OWNER, Holds.word(BLOCK + 8))).isNull();
        holds.end(undoing);
        assertThat(holds.put(hold)).isNull();
        assertThat(take(holds, BLOCK)).isEqualTo(hold);
    }

    @Test
    void anUndoingIsInTheWayOfAWordThatFindsNoOtherSlot() {
        List<Long> others = takeSlotsOf(holds, OWNER, BLOCK);
        int hold = IntStream.range(0, holds.count())
                .filter(slot -> holds.word(slot) == Holds.word(others.get(2)))
                .findFirst()
                .orElseThrow();
        holds.put(holds.undoing(hold));
        assertThat(holds.inTheWay(OWNER, Holds.word(BLOCK))).isSameAs(holds.undoing(hold));
    }

    @Test
    void aSpareHoldIsTakenOnceAndIsNoOwners() {
        assertThat(IntStream.generate(holds::takeSpare).limit(Holds.SPARE)).doesNotHaveDuplicates()
                .allMatch(spare -> spare >= OWNERS * 2048);
        assertThat(holds.takeSpare()).isEqualTo(Holds.NONE);
    }

    /** A thread is between its look at the slots and its exchange when another one takes the word in another slot. */
    static final class Race implements Runnable {

        private @Nullable Runnable meanwhile;

        private final Holds holds = new Holds(2) {
            @Override
            void makeUndoing(int slot) {
                super.makeUndoing(slot);
                Runnable once = meanwhile;
                meanwhile = null;
                if (once != null) {
                    once.run();
                }
            }
        };

        private int hold = Holds.NOT_TAKEN; // of the other thread

        @Override
        public void run() {
            int word = Holds.word(BLOCK);
            int first = holds.take(1, Holds.word(takeSlotsOf(new Holds(2), 1, BLOCK).getFirst()));
            meanwhile = () -> {
                holds.release(first);
                hold = holds.take(1, word);
            };
            int own = holds.take(1, word);
            assertThat(hold).isEqualTo(first);
            assertThat(own).as("the hold of a word that another thread holds").isEqualTo(Holds.NOT_TAKEN);
            holds.release(hold);
            assertThat(holds.take(1, word)).isNotNegative();
        }
    }

    @Test
    void oneOfTwoThreadsThatTakeAWordInTwoSlotsFreesItsSlot() {
        new Race().run();
    }

    @Test
    void withoutASecondLookTwoThreadsHoldTheSameWord() {
        var patch = new Patch(Holds.class).replace("!isElsewhere(first, free, word)", "true");
        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> patch.run(Race.class))
                .withMessageContaining("the hold of a word that another thread holds");
    }
}
