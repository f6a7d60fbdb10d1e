package io.atoll.atomic;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * What a protected atomic object referred to at some moment (Dewan and Jenkins, section II-A): the object, and how often it had been changed by then. Equal if both are.
 */
public final class Aba<T> {

    private final ObjectWord<T> source;
    private final long pointer; // 0 to nothing
    private final long word; // as it was read, so that it can be expected again at once: to make it of object and count takes longer than the swap

    Aba(ObjectWord<T> source, long pointer, long word) {
        this.source = source;
        this.pointer = pointer;
        this.word = word;
    }

    /** Null where it referred to nothing. Made anew at each call, so that who only expects it again does not pay for it. */
    public @Nullable T object() {
        return source.object(pointer);
    }

    /** Modulo 2^16, or 2^32 for a {@link LocalAtomicObject}. */
    public int count() {
        return source.count(word);
    }

    /** @throws IllegalArgumentException if it was read from an object whose words are others */
    long word(ObjectWord<?> asked) {
        if (asked.getClass() != source.getClass()) {
            throw new IllegalArgumentException(
                    "read from an object that counts to another limit, AtomicObject or LocalAtomicObject: expected="
                            + this);
        }
        return word;
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Aba<?> that && count() == that.count() && Objects.equals(object(), that.object());
    }

    @Override
    public int hashCode() {
        return 31 * Objects.hashCode(object()) + count();
    }

    @Override
    public String toString() {
        return "Aba[object=" + object() + ", count=" + count() + "]";
    }
}
