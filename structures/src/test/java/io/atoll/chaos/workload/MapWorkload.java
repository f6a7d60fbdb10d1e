package io.atoll.chaos.workload;

import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.map.DistributedMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A {@link DistributedMap} that grows, whose keys and values are numbers in some form.
 *
 * @param <T> the form
 */
abstract class MapWorkload<T> extends RegisterWorkload {

    private DistributedMap<T, T> one;
    private DistributedMap<T, T> other;

    @SuppressWarnings("NullAway") // opened before they are used
    MapWorkload(Scene scene, Structure structure, int thread) {
        super(scene, structure, thread,
                List.of(Verb.FIND, Verb.FIND, Verb.PUT, Verb.INSERT, Verb.GET_AND_PUT, Verb.REPLACE, Verb.INCREMENT,
                        Verb.INCREMENT, Verb.COMPARE_AND_SET, Verb.REMOVE, Verb.REMOVE));
    }

    abstract DistributedMap<T, T> map();

    abstract T form(long number);

    abstract T formOfKey(long key);

    abstract long number(T form);

    @Override
    protected void open() {
        one = map();
        other = map();
    }

    private long numberOf(@Nullable T form) {
        return form == null ? orAbsent(null) : number(form);
    }

    @Override
    long apply(Verb verb, long number, long argument, long second) {
        DistributedMap<T, T> map = handle() == 0 ? one : other;
        T key = formOfKey(number);
        return switch (verb) {
            case FIND -> numberOf(map.find(key));
            case PUT -> bit(map.put(key, form(argument)));
            case INSERT -> bit(random.nextBoolean()
                    ? map.insert(key, form(argument))
                    : map.putIfAbsent(key, form(argument)) == null);
            case GET_AND_PUT -> numberOf(map.getAndPut(key, form(argument)));
            case REPLACE -> numberOf(map.replace(key, form(argument)));
            case INCREMENT -> numberOf(random.nextBoolean()
                    ? map.merge(key, form(argument), (left, right) -> form(number(left) + number(right)))
                    : map.compute(key, (_, present) -> form((present == null ? 0 : number(present)) + argument)));
            case COMPARE_AND_SET -> bit(map.replace(key, form(argument), form(second)));
            default -> numberOf(map.remove(key));
        };
    }

    /** Of values that are numbers. */
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
    }

    /** Of texts whose length and letters follow from the number that they begin with, so that a mixture of two is seen. */
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
            // Most are short; one in 16 may be as long as the longest.
            long longest = hash % 16 == 0 ? scene.setting.largestText() : 64;
            return number + ":" + String.valueOf((char) ('a' + hash % 26)).repeat((int) (hash / 16 % longest));
        }

        @Override
        String formOfKey(long key) {
            return "key-" + key;
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
