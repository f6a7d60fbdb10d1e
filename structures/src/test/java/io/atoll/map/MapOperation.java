package io.atoll.map;

import io.atoll.fabric.sim.SequentialSpecification;
import java.util.List;
import java.util.SplittableRandom;

/**
 * One operation on a map, as histories record it. Arguments and results are longs: false is 0, true is 1, no value is
 * {@link #NONE}.
 */
public record MapOperation(Kind kind, long key, long argument) {

    public static final long NONE = Long.MIN_VALUE;

    public enum Kind {
        FIND, INSERT, PUT, REMOVE, INCREMENT, PUT_IF_ABSENT, REPLACE, COMPUTE, COMPUTE_IF_ABSENT,
        /** As PUT, but the caller is not told what was there. */
        STORE, COMPARE_AND_SET
    }

    /** The operations that a {@link LongLongMap} offers, too. */
    public static final List<Kind> OF_LONG_MAPS = List.of(Kind.FIND, Kind.INSERT, Kind.PUT, Kind.REMOVE, Kind.INCREMENT,
            Kind.COMPARE_AND_SET);

    /** The number of values that are stored, and expected, more often than others. */
    private static final int FEW = 4;

    /**
     * Returns an operation that the seed chooses. Most arguments come from so large a range that a value tells which
     * operation stored it.
     */
    public static MapOperation any(SplittableRandom random, List<Kind> kinds, List<Long> keys) {
        return new MapOperation(kinds.get(random.nextInt(kinds.size())), keys.get(random.nextInt(keys.size())),
                1 + random.nextInt(random.nextInt(4) == 0 ? FEW : 1000));
    }

    /** Returns what a comparison expects. It is one of few values, so that now and then it is what is there. */
    public long expected() {
        return 1 + argument % FEW;
    }

    /** Returns operations of one kind on all keys. */
    public static List<MapOperation> all(SplittableRandom random, List<Kind> kinds, List<Long> keys) {
        Kind kind = kinds.contains(Kind.STORE) && random.nextBoolean() ? Kind.STORE : Kind.FIND;
        return keys.stream().map(key -> new MapOperation(kind, key, 1 + random.nextInt(1000))).toList();
    }

    public static MapOperation find(long key) {
        return new MapOperation(Kind.FIND, key, 0);
    }

    public static MapOperation insert(long key, long value) {
        return new MapOperation(Kind.INSERT, key, value);
    }

    public static MapOperation put(long key, long value) {
        return new MapOperation(Kind.PUT, key, value);
    }

    /** Returns what a function makes of a value, or of none. Now and then that is no value. */
    public long computed(long value) {
        long sum = value == NONE ? argument : value + argument;
        return sum % 3 == 0 ? NONE : sum;
    }

    public static final SequentialSpecification<Long, MapOperation, Long> ONE_KEY = new OneKey(NONE);

    /** The effect of operations on one key. The state is the key's value. */
    public record OneKey(Long initial) implements SequentialSpecification<Long, MapOperation, Long> {

        @Override
        public Outcome<Long, Long> apply(Long value, MapOperation operation) {
            long argument = operation.argument;
            boolean isAbsent = value == NONE;
            long wasAbsent = isAbsent ? 1 : 0;
            return switch (operation.kind) {
                case FIND -> new Outcome<>(value, value);
                case INSERT -> new Outcome<>(isAbsent ? argument : value, wasAbsent);
                case PUT -> new Outcome<>(argument, wasAbsent);
                case COMPARE_AND_SET -> new Outcome<>(value == operation.expected() ? argument : value,
                        value == operation.expected() ? 1L : 0L);
                case STORE -> new Outcome<>(argument, NONE);
                case REMOVE -> new Outcome<>(NONE, value);
                case INCREMENT -> {
                    long sum = isAbsent ? argument : value + argument;
                    yield new Outcome<>(sum, sum);
                }
                case PUT_IF_ABSENT -> new Outcome<>(isAbsent ? argument : value, value);
                case REPLACE -> new Outcome<>(isAbsent ? NONE : argument, value);
                case COMPUTE -> {
                    long computed = operation.computed(value);
                    yield new Outcome<>(computed, computed);
                }
                case COMPUTE_IF_ABSENT -> {
                    long computed = isAbsent ? operation.computed(NONE) : value;
                    yield new Outcome<>(computed, computed);
                }
            };
        }
    }
}
