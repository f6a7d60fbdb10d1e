package io.atoll.peers;

import java.util.Arrays;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.Gatherers;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The keys of one subject. All of them belong to the other process: {@link #KEPT} that are always there, and
 * {@value #A_TURN} more for each turn, which inserts and removes them. The latter are never used again, so that an
 * insertion finds no trace of its key. The order of the keys says nothing about where a subject has them.
 */
final class Keys {

    /** The keys that are always there. With a few of them all words stay in the processor's caches. */
    static final int KEPT = Integer.getInteger("peers.keys", 500_000);
    static final int A_TURN = 1024;
    static final int PASSING = Rounds.ALL_TURNS * A_TURN;

    private static final long SEED = 1;

    private final long[] keys;

    /** @param isAway true for keys that belong to the other process */
    Keys(LongPredicate isAway) {
        this(isAway, 0);
    }

    /** @param first the smallest key */
    Keys(LongPredicate isAway, long first) {
        this.keys = LongStream.iterate(first, key -> key + 1).filter(isAway).limit(KEPT + PASSING).toArray();
        SplittableRandom random = new SplittableRandom(SEED);
        for (int each = KEPT - 1; each > 0; each--) {
            int other = random.nextInt(each + 1);
            long key = keys[each];
            keys[each] = keys[other];
            keys[other] = key;
        }
    }

    /** Returns one of the keys that are always there. */
    long kept(int operation) {
        return keys[operation % KEPT];
    }

    /** Returns a key that no other operation has. */
    long passing(int operation) {
        return keys[KEPT + operation];
    }

    Stream<Long> kept() {
        return Arrays.stream(keys, 0, KEPT).boxed();
    }

    /** Puts the keys that are always there, many at a time. */
    void keptInParts(Consumer<Map<Long, Long>> putAll) {
        kept().gather(Gatherers.windowFixed(A_TURN))
                .forEach(part -> putAll.accept(part.stream().collect(Collectors.toMap(key -> key, _ -> 7L))));
    }

    /** Returns the group of this number of the keys that are always there. All operations before have other groups. */
    private long[] group(int size, int operation) {
        int from = operation % (KEPT / size) * size;
        return Arrays.copyOfRange(keys, from, from + size);
    }

    /** What is done with a group of keys. */
    interface Bulk {

        /** @param value that is put */
        void run(long[] group, long value) throws Exception;
    }

    /** Returns an operation on groups of this size. */
    Rounds.Operation groups(int size, Bulk bulk) {
        return new Rounds.Operation() {
            private long[] group = {};

            @Override
            public void prepare(int index) {
                group = group(size, index);
            }

            @Override
            public void run(int index) throws Exception {
                bulk.run(group, index);
            }
        };
    }

    /** Returns an operation that gets the values of a group of keys, which are objects. */
    Rounds.Operation getAll(Work work, Function<Set<Long>, Map<Long, Long>> getAll) {
        return objects(work, group -> Subject.require(getAll.apply(group.keySet()).size() == group.size()));
    }

    /** Returns an operation that puts the values of a group of keys, which are objects. */
    Rounds.Operation putAll(Work work, Consumer<Map<Long, Long>> putAll) {
        return objects(work, putAll);
    }

    private Rounds.Operation objects(Work work, Consumer<Map<Long, Long>> bulk) {
        return new Rounds.Operation() {
            private Map<Long, Long> group = Map.of();

            @Override
            public void prepare(int index) {
                group = Arrays.stream(group(work.keys(), index))
                        .boxed()
                        .collect(Collectors.toMap(key -> key, _ -> (long) index));
            }

            @Override
            public void run(int index) {
                bulk.accept(group);
            }
        };
    }
}
