package io.atoll.atomic;

import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The state of a protected atomic object at some moment (Dewan and Jenkins, section II-A). It is the object to which it
 * referred, and the number of its changes until then. Two of these are equal if both parts are.
 */
public final class Aba<T> {

    private final ObjectWord<T> source;
    private final long pointer; // 0 for nothing
    // The word as it was read, so that a caller can expect it again at once. Making it of object and count would take
    // longer than the swap.
    private final long word;

    Aba(ObjectWord<T> source, long pointer, long word) {
        this.source = source;
        this.pointer = pointer;
        this.word = word;
    }

    /**
     * Returns the object; null if the atomic object referred to nothing. Each call makes it anew, so a caller that only
     * expects it again does not pay for it.
     */
    public @Nullable T object() {
        return source.object(pointer);
    }

    /** Returns the number of changes modulo 2^16, or modulo 2^32 for a {@link LocalAtomicObject}. */
    public int count() {
        return source.count(word);
    }

    /** @throws IllegalArgumentException if it was read from an object of the other class, whose words differ */
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
