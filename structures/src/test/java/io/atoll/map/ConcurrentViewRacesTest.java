package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import java.util.AbstractCollection;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import java.util.function.Predicate;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** An entry is changed between the look at it and its removal. A removal must not take what it did not look at. */
class ConcurrentViewRacesTest {

    private static final int KEYS = 20;

    private final World world = World.named("views").size(1).segment(4 << 20).open();
    private final ConcurrentMap<Long, Long> view = world.map("map", Long.class, Long.class)
            .capacity(100)
            .open()
            .asConcurrentMap();

    @AfterEach
    void leave() {
        world.close();
    }

    /** A way to remove entries after a look at them. It returns what the map returns. */
    private record Removal(String name, BiFunction<ConcurrentMap<Long, Long>, Predicate<Object>, Boolean> removing) {

        @Override
        public String toString() {
            return name;
        }
    }

    /** A collection that contains what the predicate accepts. */
    private static final class Asking extends AbstractCollection<Object> {

        private final Predicate<Object> asked;

        private Asking(Predicate<Object> asked) {
            this.asked = asked;
        }

        @Override
        public boolean contains(Object value) {
            return asked.test(value);
        }

        @Override
        public Iterator<Object> iterator() {
            throw new AssertionError("it is asked about each");
        }

        @Override
        public int size() {
            return Integer.MAX_VALUE;
        }
    }

    static Stream<Removal> removals() {
        return Stream.of(new Removal("entrySet().removeIf", (map, unwanted) -> map.entrySet().removeIf(unwanted)),
                new Removal("entrySet().removeAll", (map, unwanted) -> map.entrySet().removeAll(new Asking(unwanted))),
                new Removal("entrySet().retainAll",
                        (map, unwanted) -> map.entrySet().retainAll(new Asking(unwanted.negate()))),
                new Removal("values().removeIf", (map, unwanted) -> map.values().removeIf(unwanted)),
                new Removal("values().removeAll", (map, unwanted) -> map.values().removeAll(new Asking(unwanted))),
                new Removal("values().retainAll",
                        (map, unwanted) -> map.values().retainAll(new Asking(unwanted.negate()))));
    }

    private void fill(ConcurrentMap<Long, Long> map) {
        for (long key = 0; key < KEYS; key++) {
            map.put(key, key);
        }
    }

    /** Returns the key of a key or an entry. At first the value of each key is the key. */
    private static long key(Object element) {
        return element instanceof Map.Entry<?, ?> entry ? (Long) entry.getKey() : (Long) element;
    }

    @ParameterizedTest
    @MethodSource("removals")
    void whatHasChangedSinceItWasLookedAtStays(Removal removal) {
        fill(view);
        assertThat(removal.removing.apply(view, element -> {
            view.put(key(element), -1 - key(element));
            return true;
        })).isFalse();
        assertThat(view).hasSize(KEYS).allSatisfy((key, value) -> assertThat(value).isEqualTo(-1 - key));
    }

    @ParameterizedTest
    @MethodSource("removals")
    void whatIsWhatItWasIsRemoved(Removal removal) {
        fill(view);
        assertThat(removal.removing.apply(view, element -> key(element) % 2 == 0)).isTrue();
        assertThat(view).hasSize(KEYS / 2).allSatisfy((key, value) -> assertThat(key % 2).isOne());
        assertThat(removal.removing.apply(view, element -> key(element) % 2 == 0)).isFalse();
    }

    @Test
    void theMapOfTheJdkKeepsAsMuch() {
        ConcurrentMap<Long, Long> jdk = new ConcurrentHashMap<>();
        removals().filter(removal -> removal.name.endsWith("removeIf")).forEach(removal -> {
            fill(jdk);
            assertThat(removal.removing.apply(jdk, element -> {
                jdk.put(key(element), -1 - key(element));
                return true;
            })).as(removal.name).isFalse();
            assertThat(jdk).hasSize(KEYS);
        });
    }

    @Test
    void iteratorsAndKeysRemoveTheKeyWhateverItsValueIsByThen() {
        for (ConcurrentMap<Long, Long> map : List.of(view, new ConcurrentHashMap<Long, Long>())) {
            for (Collection<?> part : List.of(map.entrySet(), map.values(), map.keySet())) {
                fill(map);
                for (Iterator<?> elements = part.iterator(); elements.hasNext();) {
                    map.put(key(elements.next()), -1L);
                    elements.remove();
                }
                assertThat(map).isEmpty();
            }
            fill(map);
            assertThat(map.keySet().retainAll(Set.of(1L, 2L))).isTrue();
            assertThat(map).containsOnlyKeys(1L, 2L);
        }
    }

    @Test
    void whatIsSetIsInTheMapAndNothingElseIsLost() {
        for (ConcurrentMap<Long, Long> map : List.of(view, new ConcurrentHashMap<Long, Long>())) {
            fill(map);
            for (Map.Entry<Long, Long> entry : map.entrySet()) {
                map.put(entry.getKey(), -1L);
                assertThat(entry.setValue(-2L)).isEqualTo(entry.getKey());
                assertThat(entry.getValue()).isEqualTo(-2L);
                assertThat(map).containsEntry(entry.getKey(), -2L);
            }
        }
    }

    @Test
    void replaceAllAsksAgainAboutWhatHasChanged() {
        fill(view);
        List<Long> asked = new ArrayList<>();
        view.replaceAll((key, value) -> {
            asked.add(value);
            if (value >= 0) {
                view.put(key, -1 - key);
            }
            return value * 10;
        });
        assertThat(asked).hasSize(2 * KEYS);
        assertThat(view).allSatisfy((key, value) -> assertThat(value).isEqualTo(10 * (-1 - key)));
    }

    @Test
    void aValueIsRemovedOnce() {
        fill(view);
        view.put(100L, 1L);
        assertThat(view.values().remove(1L)).isTrue();
        assertThat(view.values().remove(1L)).isTrue();
        assertThat(view.values().remove(1L)).isFalse();
        assertThat(view.values().remove(null)).isFalse();
        assertThat(view).hasSize(KEYS - 1);
    }
}
