package io.atoll.map;

import com.google.common.collect.testing.ConcurrentMapTestSuiteBuilder;
import com.google.common.collect.testing.SampleElements;
import com.google.common.collect.testing.TestMapGenerator;
import com.google.common.collect.testing.TestStringMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import io.atoll.GuavaSuite;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Guava's suite for concurrent maps, on the view of a map over real shared memory. It runs, without an exception, all
 * that the JDK's own maps pass.
 */
@Tag("slow")
class ConcurrentViewTest {

    private static final int RANKS = 2;

    @TempDir
    private static Path folder;

    private static Worlds worlds;

    @BeforeAll
    static void join() {
        worlds = new Worlds(folder, RANKS);
    }

    @AfterAll
    static void leave() {
        worlds.close();
    }

    @TestFactory
    Stream<DynamicNode> whatEveryConcurrentMapDoes() {
        return GuavaSuite.nodes(ConcurrentMapTestSuiteBuilder.using(new Longs())
                .named("concurrent map")
                .withFeatures(MapFeature.GENERAL_PURPOSE, CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                        CollectionSize.ANY)
                .createTestSuite());
    }

    @TestFactory
    Stream<DynamicNode> whatEveryConcurrentMapDoesOfTexts() {
        return GuavaSuite.nodes(ConcurrentMapTestSuiteBuilder.using(new TestStringMapGenerator() {
            @Override
            protected Map<String, String> create(Map.Entry<String, String>[] entries) {
                return map("texts", String.class, String.class, entries);
            }
        })
                .named("texts")
                .withFeatures(MapFeature.GENERAL_PURPOSE, CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                        CollectionSize.SEVERAL)
                .createTestSuite());
    }

    // The tests take one map after the other, and each again when it is no longer used: a test uses two at most.
    private static int created;

    private static <K, V> Map<K, V> map(String name, Class<K> keys, Class<V> values, Map.Entry<K, V>[] entries) {
        Map<K, V> map = worlds.rank(0).map(name + created++ % 4, keys, values).capacity(64).open().asConcurrentMap();
        map.clear();
        for (Map.Entry<K, V> entry : entries) {
            map.put(entry.getKey(), entry.getValue());
        }
        return map;
    }

    private static final class Longs implements TestMapGenerator<Long, Long> {

        @Override
        @SuppressWarnings("unchecked") // samples gives these types
        public Map<Long, Long> create(Object... entries) {
            return map("longs", Long.class, Long.class,
                    Arrays.copyOf(entries, entries.length,
                            (Class<Map.Entry<Long, Long>[]>) (Class<?>) Map.Entry[].class));
        }

        @Override
        public SampleElements<Map.Entry<Long, Long>> samples() {
            return new SampleElements<>(Map.entry(1L, 10L), Map.entry(2L, 20L), Map.entry(3L, 30L),
                    Map.entry(4L, 40L), Map.entry(5L, 50L));
        }

        @Override
        @SuppressWarnings("unchecked")
        public Map.Entry<Long, Long>[] createArray(int length) {
            return (Map.Entry<Long, Long>[]) new Map.Entry<?, ?>[length];
        }

        @Override
        public Long[] createKeyArray(int length) {
            return new Long[length];
        }

        @Override
        public Long[] createValueArray(int length) {
            return new Long[length];
        }

        @Override
        public Iterable<Map.Entry<Long, Long>> order(List<Map.Entry<Long, Long>> insertionOrder) {
            return insertionOrder;
        }
    }
}
