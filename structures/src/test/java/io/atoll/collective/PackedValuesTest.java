package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.util.Random;
import java.util.function.LongBinaryOperator;
import org.junit.jupiter.api.Test;

/** Narrow values that are combined in words give the same as values that are combined one by one. */
class PackedValuesTest {

    private final Random random = new Random(1);

    private static void combine(MemorySegment one, MemorySegment two, long elementBytes, LongBinaryOperator operator) {
        long[] words = PackedValues.words(one, elementBytes);
        long[] others = PackedValues.words(two, elementBytes);
        for (int word = 0; word < words.length; word++) {
            words[word] = operator.applyAsLong(words[word], others[word]);
        }
        PackedValues.values(words, one);
    }

    @Test
    void intsAreCombinedOneByOne() {
        for (int length = 1; length < 9; length++) {
            int[] one = random.ints(length).toArray();
            int[] two = random.ints(length).toArray();
            int[] sums = one.clone();
            combine(MemorySegment.ofArray(sums), MemorySegment.ofArray(two), Integer.BYTES,
                    PackedValues.ints(Integer::sum));
            int[] quotients = one.clone();
            combine(MemorySegment.ofArray(quotients), MemorySegment.ofArray(two), Integer.BYTES,
                    PackedValues.ints((dividend, divisor) -> dividend / divisor));
            for (int at = 0; at < length; at++) {
                assertThat(sums[at]).isEqualTo(one[at] + two[at]);
                assertThat(quotients[at]).as("and none is divided by what fills the last word")
                        .isEqualTo(
                                one[at] / two[at]);
            }
        }
    }

    @Test
    void bytesAreCombinedOneByOne() {
        for (int length = 1; length < 20; length++) {
            byte[] one = new byte[length];
            byte[] two = new byte[length];
            random.nextBytes(one);
            random.nextBytes(two);
            byte[] largest = one.clone();
            combine(MemorySegment.ofArray(largest), MemorySegment.ofArray(two), Byte.BYTES,
                    PackedValues.bytes(Math::max));
            for (int at = 0; at < length; at++) {
                assertThat(largest[at]).isEqualTo((byte) Math.max(one[at], two[at]));
            }
        }
    }
}
