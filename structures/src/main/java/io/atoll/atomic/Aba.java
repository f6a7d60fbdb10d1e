package io.atoll.atomic;

import io.atoll.memory.TaggedPointer;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a protected atomic object referred to at some moment (Dewan and Jenkins, section II-A): the object, and how often it had been changed by then. Equal if both are.
 */
public final class Aba<T> {

    private final @Nullable T object;
    private final long word; // as it was read, so that it can be expected again at once: to make it of object and count takes longer than the swap
    private final long countMask;

    Aba(@Nullable T object, long word, long countMask) {
        this.object = object;
        this.word = word;
        this.countMask = countMask;
    }

    /** Null where it referred to nothing. */
    public @Nullable T object() {
        return object;
    }

    /** Modulo 2^16, or 2^32 for a {@link LocalAtomicObject}. */
    public int count() {
        return TaggedPointer.number(word, countMask);
    }

    /** @throws IllegalArgumentException if it was read from an object whose words are others */
    long word(long mask) {
        if (mask != countMask) {
            throw new IllegalArgumentException(
                    "read from an object that counts to another limit, AtomicObject or LocalAtomicObject: expected="
                            + this);
        }
        return word;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Aba<?> that && Objects.equals(object, that.object) && count() == that.count();
    }

    @Override
    public int hashCode() {
        return 31 * Objects.hashCode(object) + count();
    }

    @Override
    public String toString() {
        return "Aba[object=" + object + ", count=" + count() + "]";
    }
}
