package io.atoll.peers;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongPredicate;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * The keys of one subject. All of them belong to the other process: {@value #KEPT} that are always there, and as many
 * that a turn inserts and removes. The latter are never used again, so that an insertion finds no trace of its key.
 */
final class Keys {

    static final int KEPT = 1024;
    static final int PASSING = Rounds.ALL_TURNS * KEPT;

    private final long[] keys;

    /** @param isAway true for keys that belong to the other process */
    Keys(LongPredicate isAway) {
        this(isAway, 0);
    }

    /** @param first the smallest key */
    Keys(LongPredicate isAway, long first) {
        this.keys = LongStream.iterate(first, key -> key + 1).filter(isAway).limit(KEPT + PASSING).toArray();
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

    /** Returns the keys that are always there, in groups of this size. */
    List<long[]> groups(int size) {
        return Stream.iterate(0, from -> from < KEPT, from -> from + size)
                .map(from -> Arrays.copyOfRange(keys, from, from + size))
                .toList();
    }

    /** Returns an operation that gets the values of a group of keys. */
    Rounds.Operation getAll(Work work, Function<Set<Long>, Map<Long, Long>> getAll) {
        List<Map<Long, Long>> groups = entries(work.keys());
        return index -> {
            Set<Long> group = groups.get(index % groups.size()).keySet();
            Subject.require(getAll.apply(group).size() == group.size());
        };
    }

    /** Returns an operation that puts the values of a group of keys. */
    Rounds.Operation putAll(Work work, Consumer<Map<Long, Long>> putAll) {
        List<Map<Long, Long>> groups = entries(work.keys());
        return index -> putAll.accept(groups.get(index % groups.size()));
    }

    /** As {@link #groups}, as objects with values. After the last group each comes again with another value. */
    private List<Map<Long, Long>> entries(int size) {
        List<long[]> groups = groups(size);
        return Stream.of(7L, 8L)
                .flatMap(value -> groups.stream()
                        .map(group -> Arrays.stream(group).boxed().collect(Collectors.toMap(key -> key, _ -> value))))
                .toList();
    }
}
