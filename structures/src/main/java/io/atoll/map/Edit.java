package io.atoll.map;

import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An operation's change of one entry of a map: a {@link Change} in terms of values.
 *
 * @param <V> the type of the values
 */
abstract class Edit<V> {

    /** A value as it is stored. It is decoded only if an edit asks for it. */
    public interface Present<V> {

        V value();

        /** Returns true if the value is stored as the other one would be. */
        boolean is(V other);
    }

    /** The value that is to be stored. It is also what the operation returns, if that is a value. */
    public @Nullable V value;

    private Edit(@Nullable V value) {
        this.value = value;
    }

    /** As {@link Change#decide}; {@link Outcome#STORE} stores {@link #value}. */
    public abstract Outcome decide(@Nullable Present<V> present);

    /** As {@link Change#compute}. */
    public Outcome compute(@Nullable Present<V> present) {
        throw new AssertionError("decided before: edit=" + this);
    }

    /** Stores a value: always, only if there was one, or only if there was none. */
    public static final class Put<V> extends Edit<V> {

        private final boolean ifAbsent;
        private final boolean ifPresent;
        private final boolean telling;
        /** The value that was there, if the caller wants to be told. */
        public @Nullable V former;

        public Put(V value, boolean ifAbsent, boolean ifPresent, boolean telling) {
            super(Objects.requireNonNull(value, "value"));
            this.ifAbsent = ifAbsent;
            this.ifPresent = ifPresent;
            this.telling = telling;
        }

        /** Stores a value if there is none; most likely there is none. */
        public static <V> Put<V> ifAbsent(V value, boolean telling) {
            return new Put<>(value, true, false, telling);
        }

        @Override
        public Outcome decide(@Nullable Present<V> present) {
            former = telling && present != null ? present.value() : null;
            return (present == null ? ifAbsent : ifPresent) ? Outcome.STORE : Outcome.KEEP;
        }
    }

    /** Replaces a value that is the expected one, by another or by none. */
    public static final class Exchange<V> extends Edit<V> {

        private final V expected;
        public boolean found;

        public Exchange(V expected, @Nullable V value) {
            super(value);
            this.expected = Objects.requireNonNull(expected, "expected");
        }

        @Override
        public Outcome decide(@Nullable Present<V> present) {
            found = present != null && present.is(expected);
            if (!found) {
                return Outcome.KEEP;
            }
            return value == null ? Outcome.REMOVE : Outcome.STORE;
        }
    }

    /** Takes the value away, and keeps it for a caller that wants to be told. */
    public static final class Remove<V> extends Edit<V> {

        private final boolean telling;
        public boolean found;

        public Remove(boolean telling) {
            super(null);
            this.telling = telling;
        }

        @Override
        public Outcome decide(@Nullable Present<V> present) {
            found = present != null;
            value = telling && present != null ? present.value() : null;
            return found ? Outcome.REMOVE : Outcome.KEEP;
        }
    }

    /** Stores a value that is encoded already, if there is none. */
    public static final class InsertEncoded<V> extends Edit<V> {

        public final byte[] encoded;

        public InsertEncoded(byte[] encoded) {
            super(null);
            this.encoded = encoded;
        }

        @Override
        public Outcome decide(@Nullable Present<V> present) {
            return present == null ? Outcome.STORE : Outcome.KEEP;
        }
    }

    /** Stores what a function makes of what is there. */
    public static final class Compute<V> extends Edit<V> {

        private final boolean ifAbsent;
        private final boolean ifPresent;
        private final Function<@Nullable V, ? extends @Nullable V> function;

        public Compute(boolean ifAbsent, boolean ifPresent, Function<@Nullable V, ? extends @Nullable V> function) {
            super(null);
            this.ifAbsent = ifAbsent;
            this.ifPresent = ifPresent;
            this.function = Objects.requireNonNull(function, "function");
        }

        @Override
        public Outcome decide(@Nullable Present<V> present) {
            if (present == null ? ifAbsent : ifPresent) {
                return Outcome.COMPUTE;
            }
            value = present == null ? null : present.value();
            return Outcome.KEEP;
        }

        @Override
        public Outcome compute(@Nullable Present<V> present) {
            value = function.apply(present == null ? null : present.value());
            if (value != null) {
                return Outcome.STORE;
            }
            return present == null ? Outcome.KEEP : Outcome.REMOVE;
        }
    }

    /** Stores a value if there is none; else stores what a function makes of both. */
    public static final class Merge<V> extends Edit<V> {

        private final V given;
        private final BiFunction<? super V, ? super V, ? extends @Nullable V> function;

        public Merge(V given, BiFunction<? super V, ? super V, ? extends @Nullable V> function) {
            super(null);
            this.given = Objects.requireNonNull(given, "value");
            this.function = Objects.requireNonNull(function, "function");
        }

        @Override
        public Outcome decide(@Nullable Present<V> present) {
            value = given;
            return present == null ? Outcome.STORE : Outcome.COMPUTE;
        }

        @Override
        public Outcome compute(@Nullable Present<V> present) {
            value = function.apply(Objects.requireNonNull(present).value(), given);
            return value == null ? Outcome.REMOVE : Outcome.STORE;
        }
    }
}
