package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

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
}
