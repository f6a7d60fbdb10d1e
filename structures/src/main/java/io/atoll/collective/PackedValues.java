package io.atoll.collective;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.function.DoubleBinaryOperator;
import java.util.function.IntBinaryOperator;
import java.util.function.LongBinaryOperator;

/**
 * Treats values of other types as words, and operators on them as operators on words. Several narrow values lie in one
 * word. Copies of the first values fill the rest of the last word: an operator may not be defined for others.
 */
final class PackedValues {

    private PackedValues() {}

    /** @param values an array, of at least one element */
    static long[] words(MemorySegment values, long elementBytes) {
        long[] words = new long[Math.toIntExact(Layouts.roundUp(values.byteSize(), Layouts.WORD) / Layouts.WORD)];
        MemorySegment target = MemorySegment.ofArray(words);
        MemorySegment.copy(values, 0, target, 0, values.byteSize());
        for (long rest = values.byteSize(); rest < target.byteSize(); rest += elementBytes) {
            MemorySegment.copy(values, 0, target, rest, elementBytes);
        }
        return words;
    }

    /** Copies the words back to values. */
    static void values(long[] words, MemorySegment values) {
        MemorySegment.copy(MemorySegment.ofArray(words), 0, values, 0, values.byteSize());
    }

    static LongBinaryOperator doubles(DoubleBinaryOperator operator) {
        return (one, two) -> Double.doubleToRawLongBits(
                operator.applyAsDouble(Double.longBitsToDouble(one), Double.longBitsToDouble(two)));
    }

    static LongBinaryOperator ints(IntBinaryOperator operator) {
        return (one, two) -> {
            long low = Integer.toUnsignedLong(operator.applyAsInt((int) one, (int) two));
            long high = operator.applyAsInt((int) (one >> Integer.SIZE), (int) (two >> Integer.SIZE));
            return high << Integer.SIZE | low;
        };
    }

    static LongBinaryOperator bytes(IntBinaryOperator operator) {
        return (one, two) -> {
            long result = 0;
            for (int bit = 0; bit < Long.SIZE; bit += Byte.SIZE) {
                int value = operator.applyAsInt((byte) (one >> bit), (byte) (two >> bit));
                result |= (long) (value & 0xFF) << bit;
            }
            return result;
        };
    }
}
