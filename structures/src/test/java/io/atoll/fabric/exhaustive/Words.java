package io.atoll.fabric.exhaustive;

import java.util.Arrays;

/** Immutable words, equal by their content. */
record Words(long... values) {

    long get(int index) {
        return values[index];
    }

    Words slice(int from, int count) {
        return new Words(Arrays.copyOfRange(values, from, from + count));
    }

    Words with(int index, Words replacement) {
        long[] copy = values.clone();
        System.arraycopy(replacement.values, 0, copy, index, replacement.values.length);
        return new Words(copy);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Words words && Arrays.equals(values, words.values);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(values);
    }

    @Override
    public String toString() {
        return Arrays.toString(values);
    }
}
