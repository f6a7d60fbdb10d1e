package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Several keys are put and found at once, over real shared memory. */
class SeveralKeysTest {

    private static final int KEYS = 5_000;

    @TempDir
    Path folder;

    private Worlds worlds;

    @BeforeEach
    void join() {
        worlds = new Worlds(folder, 3);
    }

    @AfterEach
    void leave() {
        worlds.close();
    }

    private <K, V> void checkAll(List<DistributedMap<K, V>> maps, Map<K, V> entries, K another) {
        DistributedMap<K, V> map = maps.getFirst();
        assertThat(map.getAll(entries.keySet())).isEmpty();
        map.putAll(entries);
        entries.keySet().forEach(key -> assertThat(maps.getLast().get(key)).isEqualTo(entries.get(key)));
        assertThat(maps.get(1).getAll(entries.keySet())).isEqualTo(entries);
        assertThat(map.getAll(List.of(another, another))).isEmpty();
        map.putAll(entries);
        assertThat(map.size()).isEqualTo(entries.size());
        assertThat(map.asConcurrentMap()).isEqualTo(entries);
    }

    @Test
    void manyEntriesArePutAndFoundWhileTheMapGrows() {
        Map<Long, UUID> entries = new HashMap<>();
        for (long key = 0; key < KEYS; key++) {
            entries.put(key, new UUID(key, -key));
        }
        checkAll(worlds.maps("map", Long.class, UUID.class, 10), entries, -1L);
    }

    @Test
    void manyTextsAlsoLongOnes() {
        Map<String, String> entries = new HashMap<>();
        for (int key = 0; key < 1_000; key++) {
            entries.put("key " + key, "value ".repeat(key % 100));
        }
        entries.put("long", "x".repeat(100_000));
        checkAll(worlds.maps("map", String.class, String.class, 10), entries, "another");
    }

    @Test
    void nothingIsNothing() {
        DistributedMap<Long, Long> map = worlds.<Long, Long>maps("map", Long.class, Long.class, 10).getFirst();
        map.putAll(Map.of());
        assertThat(map.getAll(List.of())).isEmpty();
        assertThat(map.isEmpty()).isTrue();
    }

    static final List<Class<?>> TYPES = List.of(Long.class, String.class); // of fixed size, and of variable size

    @ParameterizedTest
    @FieldSource("TYPES")
    void aNullAmongManyIsNamedAndNothingIsStored(Class<?> type) {
        boolean isFixed = type == Long.class;
        DistributedMap<Object, Object> map = map(type);
        Map<Object, Object> entries = new HashMap<>();
        for (long number = 0; number < 100; number++) {
            Object example = isFixed ? (Object) number : "text " + number;
            entries.put(example, example);
        }
        Map<Object, Object> withoutValue = new HashMap<>(entries);
        withoutValue.put(isFixed ? (Object) 50L : "text 50", null);
        Map<Object, Object> withoutKey = new HashMap<>(entries);
        withoutKey.put(null, entries.values().iterator().next());
        assertThatNullPointerException().isThrownBy(() -> map.putAll(withoutValue)).withMessage("value");
        assertThatNullPointerException().isThrownBy(() -> map.putAll(withoutKey)).withMessage("key");
        assertThatNullPointerException().isThrownBy(() -> map.asConcurrentMap().putAll(withoutKey)).withMessage("key");
        assertThat(map.isEmpty()).isTrue();
        map.putAll(entries);
        assertThatNullPointerException().isThrownBy(() -> map.getAll(withoutKey.keySet())).withMessage("key");
        assertThat(map.getAll(entries.keySet())).as("no entry is held").isEqualTo(entries);
    }

    @Test
    void theConcurrentMapNamesWhatIsNull() {
        Map<Object, Object> map = map(Long.class).asConcurrentMap();
        assertThatNullPointerException().isThrownBy(() -> map.get(null)).withMessage("key");
        assertThatNullPointerException().isThrownBy(() -> map.containsKey(null)).withMessage("key");
        assertThatNullPointerException().isThrownBy(() -> map.remove(null)).withMessage("key");
        assertThatNullPointerException().isThrownBy(() -> map.containsValue(null)).withMessage("value");
    }

    @SuppressWarnings("unchecked") // as the caller knows
    private DistributedMap<Object, Object> map(Class<?> type) {
        return worlds.maps("map", (Class<Object>) type, (Class<Object>) type, 1_000).getFirst();
    }
}
