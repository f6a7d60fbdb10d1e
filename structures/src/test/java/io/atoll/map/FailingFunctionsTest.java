package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.World;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Functions throw whatever can be thrown, in the middle of an operation on a map. */
@Tag("slow")
class FailingFunctionsTest {

    private static final String KEY = "key";
    private static final String NEW_KEY = "new";

    private final World world = World.named("failing")
            .size(1)
            .segment(16 << 20)
            .operationTimeout(Duration.ofSeconds(2))
            .open();

    @AfterEach
    void leave() {
        world.close();
    }

    /** One way to hand a function to a map of texts. */
    private record Use(String name, Calling calling) {

        @Override
        public String toString() {
            return name;
        }
    }

    private interface Calling {

        void call(DistributedMap<String, String> map, String key, Runnable function);
    }

    static Stream<Use> uses() {
        return Stream.of(new Use("compute", (map, key, function) -> map.compute(key, (any, present) -> {
            function.run();
            return "computed";
        })), new Use("merge", (map, key, function) -> {
            map.merge(key, "given", (present, given) -> {
                function.run();
                return "merged";
            });
            map.remove(key, "given");
        }), new Use("computeIfAbsent", (map, key, function) -> map.computeIfAbsent(key, any -> {
            function.run();
            return "computed";
        })), new Use("computeIfPresent", (map, key, function) -> map.computeIfPresent(key, (any, present) -> {
            function.run();
            return "computed";
        })), new Use("replaceAll", (map, key, function) -> map.asConcurrentMap().replaceAll((any, present) -> {
            function.run();
            return "replaced";
        })));
    }

    /** Throws as a caller written in Kotlin can, or a caller that uses Lombok. */
    @SuppressWarnings("unchecked") // that is how it is done
    private static <E extends Throwable> void throwSneakily(Throwable failure) throws E {
        throw (E) failure;
    }

    @ParameterizedTest
    @MethodSource("uses")
    void aCheckedExceptionLeavesEveryEntryAsItWas(Use use) {
        for (boolean fixed : List.of(false, true)) {
            var builder = world.map("map" + fixed, String.class, String.class);
            DistributedMap<String, String> map = fixed
                    ? builder.fixedCapacity(100).open()
                    : builder.capacity(100).open();
            map.put(KEY, "present");
            for (Throwable thrown : List.of(new IOException("no"), new Throwable("neither"), new Error("nor"))) {
                for (String key : List.of(KEY, NEW_KEY)) {
                    try {
                        use.calling.call(map, key, () -> throwSneakily(thrown));
                    } catch (Throwable caught) {
                        assertThat(caught).isSameAs(thrown);
                    }
                    assertThat(map.get(KEY)).isEqualTo("present");
                    assertThat(map.get(NEW_KEY)).isNull();
                    assertThat(map.getAndPut(KEY, "present")).isEqualTo("present");
                    assertThat(map.putIfAbsent(NEW_KEY, "new")).isTrue();
                    assertThat(map.getAndRemove(NEW_KEY)).isEqualTo("new");
                }
            }
        }
    }

    // --- no stack left ---

    /** Recursive functions that end when there is no stack left for another one. */
    private interface Recursion {

        void descend(long key);
    }

    private static void assertUsable(DistributedMap<Long, Long> map, long keys) {
        for (long key = 0; key < keys; key++) {
            long number = key;
            map.merge(number, 1L, Long::sum);
            assertThat(map.put(number, -number)).isFalse();
            assertThat(map.get(number)).isEqualTo(-number);
            assertThat(map.getAndRemove(number)).isEqualTo(-number);
        }
    }

    /** Begins with a few more frames on the stack each time, so that the stack ends somewhere else. */
    private static void endWithoutStack(Recursion recursion, int frames) {
        if (frames > 0) {
            endWithoutStack(recursion, frames - 1);
        } else {
            assertThatThrownBy(() -> recursion.descend(0)).isInstanceOf(StackOverflowError.class);
        }
    }

    private static void inSmallStack(Runnable action) throws InterruptedException {
        Throwable[] thrown = new Throwable[1];
        Thread thread = new Thread(null, action, "small stack", 512 << 10);
        thread.setUncaughtExceptionHandler((any, failure) -> thrown[0] = failure);
        thread.start();
        thread.join();
        assertThat(thrown[0]).isNull();
    }

    @Test
    void aFunctionThatOverflowsTheStackLeavesEveryKeyUsable() throws InterruptedException {
        DistributedMap<Long, Long> map = world.map("map", Long.class, Long.class).capacity(10_000).open();
        for (int round = 0; round < 100; round++) {
            int frames = round;
            inSmallStack(() -> endWithoutStack(new Recursion() {
                @Override
                public void descend(long key) {
                    map.computeIfAbsent(key, any -> {
                        descend(key + 1);
                        return key;
                    });
                }
            }, frames));
            assertUsable(map, 2_000);
        }
    }

    @Test
    void anOperationThatOverflowsTheStackLeavesItsKeyUsable() throws InterruptedException {
        DistributedMap<Long, Long> map = world.map("map", Long.class, Long.class).capacity(10_000).open();
        for (int round = 0; round < 300; round++) {
            int frames = round;
            inSmallStack(() -> endWithoutStack(new Recursion() {
                @Override
                public void descend(long key) {
                    map.put(key % 100, key);
                    descend(key + 1);
                }
            }, frames));
            assertUsable(map, 100);
        }
    }

    @Test
    void aLongOperationThatOverflowsTheStackLeavesItsKeyUsable() throws InterruptedException {
        LongLongMap map = world.longMap("longs").capacity(100_000).open();
        for (int round = 0; round < 300; round++) {
            int frames = round;
            inSmallStack(() -> endWithoutStack(new Recursion() {
                @Override
                public void descend(long key) {
                    map.putIfAbsent(key, key);
                    descend(key + 1);
                }
            }, frames));
            LongStream.range(0, 10_000).forEach(key -> map.put(key, -key));
            LongStream.range(0, 10_000).forEach(key -> assertThat(map.getAndRemove(key, 1)).isEqualTo(-key));
        }
    }
}
