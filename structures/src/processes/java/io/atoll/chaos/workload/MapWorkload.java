package io.atoll.chaos.workload;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.map.DistributedMap;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentMap;
import org.jspecify.annotations.Nullable;

/**
 * A {@link DistributedMap} that grows. Its keys and values stand for numbers.
 *
 * @param <T> the type that stands for a number
 */
abstract class MapWorkload<T> extends RegisterWorkload {

    private DistributedMap<T, T> one;
    private DistributedMap<T, T> other;

    // They are opened before they are used.
    @SuppressWarnings("NullAway")
    MapWorkload(Scene scene, Structure structure, int thread) {
        super(scene, structure, thread,
                List.of(Verb.FIND, Verb.FIND, Verb.PUT, Verb.INSERT, Verb.GET_AND_PUT, Verb.REPLACE, Verb.INCREMENT,
                        Verb.INCREMENT, Verb.COMPARE_AND_SET, Verb.REMOVE, Verb.REMOVE));
    }

    abstract DistributedMap<T, T> map();

    abstract T form(long number);

    abstract T formOfKey(long key);

    abstract long number(T form);

    abstract long numberOfKey(T key);

    @Override
    protected void open() {
        one = map();
        other = map();
    }

    private DistributedMap<T, T> either() {
        return handle() == 0 ? one : other;
    }

    @Override
    protected void step() throws Exception {
        switch (random.nextInt(160)) {
            case 0, 1 -> findAll();
            case 2, 3 -> putAll();
            case 4 -> removeOne();
            case 5 -> iterate();
            default -> super.step();
        }
    }

    private void findAll() throws Exception {
        List<Long> keys = currentKeys(8);
        recordAll(keys.stream().map(key -> new Part(Verb.FIND, key, 0, 0)).toList(), () -> {
            Map<T, T> found = either().getAll(keys.stream().map(this::formOfKey).toList());
            return keys.stream().mapToLong(key -> numberOf(found.get(formOfKey(key)))).toArray();
        });
    }

    private void putAll() throws Exception {
        List<Part> parts = currentKeys(8).stream().map(key -> new Part(Verb.SET, key, value(), 0)).toList();
        recordAll(parts, () -> {
            Map<T, T> values = new HashMap<>();
            parts.forEach(part -> values.put(formOfKey(part.key()), form(part.argument())));
            either().putAll(values);
            return new long[parts.size()];
        });
    }

    /** Removes an entry that the map shows, if it still has that value, or a key with any value. */
    private void removeOne() throws Exception {
        long called = System.nanoTime();
        ConcurrentMap<T, T> view = either().asConcurrentMap();
        boolean ofKeys = random.nextBoolean();
        record(Verb.OPEN, 1, 0, 0, () -> {
            var chosen = new Beginning(ofKeys ? Verb.SET : Verb.COMPARE_AND_SET);
            try {
                if (ofKeys) {
                    view.keySet().removeIf(key -> {
                        boolean isChosen = isChosen(chosen, numberOfKey(key));
                        if (isChosen) {
                            chosen.begin(numberOfKey(key), Entry.ABSENT, 0);
                        }
                        return isChosen;
                    });
                    chosen.end(0);
                } else {
                    chosen.end(bit(view.entrySet().removeIf(entry -> {
                        long key = numberOfKey(entry.getKey());
                        long value = number(entry.getValue());
                        boolean isChosen = isChosen(chosen, key);
                        if (isChosen) {
                            noteSince(called, Verb.FIND, key, value);
                            chosen.begin(key, value, Entry.ABSENT);
                        }
                        return isChosen;
                    })));
                }
            } finally {
                chosen.endInDoubt();
            }
            return 0;
        });
    }

    private boolean isChosen(Beginning chosen, long key) {
        return !chosen.hasBegun() && isCurrent(key) && random.nextInt(8) == 0;
    }

    private void iterate() throws Exception {
        long called = System.nanoTime();
        record(Verb.OPEN, 2, 0, 0, () -> {
            Iterator<Map.Entry<T, T>> entries = either().asConcurrentMap().entrySet().iterator();
            while (entries.hasNext()) {
                Map.Entry<T, T> entry = entries.next();
                long key = numberOfKey(entry.getKey());
                if (isCurrent(key)) {
                    noteSince(called, Verb.FIND, key, number(entry.getValue()));
                    change(key, entry, entries);
                }
            }
            return 0;
        });
    }

    private void change(long key, Map.Entry<T, T> entry, Iterator<Map.Entry<T, T>> entries) throws Exception {
        switch (random.nextInt(16)) {
            case 0 -> {
                long fresh = value();
                recordAmongOthers(structure, Verb.SET, key, fresh, 0, () -> 0, () -> {
                    entry.setValue(form(fresh));
                    return 0;
                });
            }
            case 1 -> recordAmongOthers(structure, Verb.SET, key, Entry.ABSENT, 0, () -> 0, () -> {
                entries.remove();
                return 0;
            });
            default -> {
                // Other threads change it.
            }
        }
    }

    private long numberOf(@Nullable T form) {
        return form == null ? orAbsent(null) : number(form);
    }

    @Override
    long apply(Verb verb, long number, long argument, long second) {
        DistributedMap<T, T> map = either();
        T key = formOfKey(number);
        return switch (verb) {
            case FIND -> numberOf(map.get(key));
            case PUT -> bit(map.put(key, form(argument)));
            case INSERT -> bit(switch (random.nextInt(3)) {
                case 0 -> map.putIfAbsent(key, form(argument));
                case 1 -> map.getAndPutIfAbsent(key, form(argument)) == null;
                default -> computed(map, key, argument);
            });
            case GET_AND_PUT -> numberOf(map.getAndPut(key, form(argument)));
            case REPLACE -> numberOf(map.getAndReplace(key, form(argument)));
            case INCREMENT -> numberOf(random.nextBoolean()
                    ? map.merge(key, form(argument), (left, right) -> form(number(left) + number(right)))
                    : map.compute(key, (_, present) -> form((present == null ? 0 : number(present)) + argument)));
            case COMPARE_AND_SET -> bit(second == Entry.ABSENT
                    ? map.remove(key, form(argument))
                    : map.replace(key, form(argument), form(second)));
            default -> numberOf(map.getAndRemove(key));
        };
    }

    /**
     * Returns true if the key has the value from this call. A sum of another thread may equal it, so the function must
     * also have been called.
     */
    private boolean computed(DistributedMap<T, T> map, T key, long argument) {
        var asked = new boolean[1];
        T value = map.computeIfAbsent(key, _ -> {
            asked[0] = true;
            return form(argument);
        });
        return asked[0] && numberOf(value) == argument;
    }

    /** A map whose values are numbers. */
    static final class Fixed extends MapWorkload<Long> {

        Fixed(Scene scene, int thread) {
            super(scene, Structure.FIXED_MAP, thread);
        }

        @Override
        DistributedMap<Long, Long> map() {
            return scene.world.map("fixed-map", Long.class, Long.class).capacity(64).open();
        }

        @Override
        Long form(long number) {
            return number;
        }

        @Override
        Long formOfKey(long key) {
            return key;
        }

        @Override
        long number(Long form) {
            return form;
        }

        @Override
        long numberOfKey(Long key) {
            return key;
        }
    }

    /**
     * A map whose values are texts. Their length and letters follow from the number that they begin with, so a mixture
     * of two is noticed.
     */
    static final class Texts extends MapWorkload<String> {

        private static final long MIXED = Long.MIN_VALUE + 1;

        Texts(Scene scene, int thread) {
            super(scene, Structure.TEXT_MAP, thread);
        }

        @Override
        DistributedMap<String, String> map() {
            return scene.world.map("text-map", String.class, String.class).capacity(64).open();
        }

        @Override
        String form(long number) {
            long hash = number * 0x9E3779B97F4A7C15L >>> 16;
            // Most texts are short. One in 16 may have the largest length.
            long longest = hash % 16 == 0 ? scene.setting.largestText() : 64;
            return number + ":" + String.valueOf((char) ('a' + hash % 26)).repeat((int) (hash / 16 % longest));
        }

        @Override
        String formOfKey(long key) {
            return "key-" + key;
        }

        @Override
        long numberOfKey(String key) {
            return Long.parseLong(key, "key-".length(), key.length(), 10);
        }

        @Override
        long number(String form) {
            int end = form.indexOf(':');
            if (end < 1) {
                return MIXED;
            }
            try {
                long number = Long.parseLong(form.substring(0, end));
                return form.equals(form(number)) ? number : MIXED;
            } catch (NumberFormatException letters) {
                return MIXED;
            }
        }
    }
}
