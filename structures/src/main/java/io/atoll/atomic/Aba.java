package io.atoll.atomic;

import org.jspecify.annotations.Nullable;

/**
 * What a protected atomic object referred to at some moment (Dewan and Jenkins, section II-A).
 *
 * @param object null where it referred to nothing
 * @param count how often the object had been changed by then, modulo 2^16, or 2^32 for a {@link LocalAtomicObject}
 */
public record Aba<T>(@Nullable T object, int count) {}
