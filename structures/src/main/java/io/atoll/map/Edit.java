package io.atoll.map;

import io.atoll.map.BucketTable.Outcome;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * What an operation makes of one entry of a {@link DistributedMap}: {@link BucketTable.Change} in terms of values.
 *
 * @param <V> the type of the values
 */
abstract class Edit<V> {

    /** A value as it is stored, decoded only for those who ask. */
    interface Present<V> {

        V value();

        /** Whether it is stored as the other one would be. */
        boolean is(V other);
    }

    /** What is to be stored; and what the operation returns, where that is a value. */
    @Nullable V value;

    private Edit(@Nullable V value) {
        this.value = value;
    }

    /** As {@link BucketTable.Change#decide}; {@link Outcome#STORE} stores {@link #value}. */
    abstract Outcome decide(@Nullable Present<V> present);

    /** As {@link BucketTable.Change#compute}. */
    Outcome compute(@Nullable Present<V> present) {
        throw new AssertionError("decided before: edit=" + this);
    }

    /** Stores a value, whatever was there, or only where one was or none was. */
    static final class Put<V> extends Edit<V> {

        private final boolean ifAbsent;
        private final boolean ifPresent;
        private final boolean telling;
        /** What was there, for those who want to be told. */
        @Nullable V former;

        Put(V value, boolean ifAbsent, boolean ifPresent, boolean telling) {
            super(Objects.requireNonNull(value, "value"));
            this.ifAbsent = ifAbsent;
            this.ifPresent = ifPresent;
            this.telling = telling;
        }

        /** Stores a value where none is; most likely none is. */
        static <V> Put<V> ifAbsent(V value, boolean telling) {
            return new Put<>(value, true, false, telling);
        }

        @Override
        Outcome decide(@Nullable Present<V> present) {
            former = telling && present != null ? present.value() : null;
            return (present == null ? ifAbsent : ifPresent) ? Outcome.STORE : Outcome.KEEP;
        }
    }

    /** Replaces a value that is the expected one, by another or by none. */
    static final class Exchange<V> extends Edit<V> {

        private final V expected;
        boolean found;

        Exchange(V expected, @Nullable V value) {
            super(value);
            this.expected = Objects.requireNonNull(expected, "expected");
        }

        @Override
        Outcome decide(@Nullable Present<V> present) {
            found = present != null && present.is(expected);
            if (!found) {
                return Outcome.KEEP;
            }
            return value == null ? Outcome.REMOVE : Outcome.STORE;
        }
    }

    /** Takes the value away, and keeps it for the caller. */
    static final class Remove<V> extends Edit<V> {

        Remove() {
            super(null);
        }

        @Override
        Outcome decide(@Nullable Present<V> present) {
            value = present == null ? null : present.value();
            return present == null ? Outcome.KEEP : Outcome.REMOVE;
        }
    }

    /** Stores what a function makes of what is there. */
    static final class Compute<V> extends Edit<V> {

        private final boolean ifAbsent;
        private final boolean ifPresent;
        private final Function<@Nullable V, ? extends @Nullable V> function;

        Compute(boolean ifAbsent, boolean ifPresent, Function<@Nullable V, ? extends @Nullable V> function) {
            super(null);
            this.ifAbsent = ifAbsent;
            this.ifPresent = ifPresent;
            this.function = Objects.requireNonNull(function, "function");
        }

        @Override
        Outcome decide(@Nullable Present<V> present) {
            if (present == null ? ifAbsent : ifPresent) {
                return Outcome.COMPUTE;
            }
            value = present == null ? null : present.value();
            return Outcome.KEEP;
        }

        @Override
        Outcome compute(@Nullable Present<V> present) {
            value = function.apply(present == null ? null : present.value());
            if (value != null) {
                return Outcome.STORE;
            }
            return present == null ? Outcome.KEEP : Outcome.REMOVE;
        }
    }

    /** Stores a value where none is, else what a function makes of both. */
    static final class Merge<V> extends Edit<V> {

        private final V given;
        private final BiFunction<? super V, ? super V, ? extends @Nullable V> function;

        Merge(V given, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
            super(null);
            this.given = Objects.requireNonNull(given, "value");
            this.function = Objects.requireNonNull(function, "function");
        }

        @Override
        Outcome decide(@Nullable Present<V> present) {
            value = given;
            return present == null ? Outcome.STORE : Outcome.COMPUTE;
        }

        @Override
        Outcome compute(@Nullable Present<V> present) {
            value = function.apply(Objects.requireNonNull(present).value(), given);
            return value == null ? Outcome.REMOVE : Outcome.STORE;
        }
    }
}
