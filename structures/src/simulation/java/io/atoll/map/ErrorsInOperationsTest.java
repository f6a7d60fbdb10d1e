package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.codec.FixedHash;
import io.atoll.codec.KeyHash;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.InjectedErrors;
import io.atoll.fabric.InjectedErrors.InjectedError;
import io.atoll.fabric.InterposedFabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.heap.HeapUsage;
import io.atoll.world.NamedStructure;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.util.List;
import java.util.Map;
import java.util.function.BiConsumer;
import java.util.function.IntFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An {@link Error} strikes at any verb of an operation on a key in another rank's segment. No operation finds that
 * key's bucket reserved afterwards.
 */
@Tag("simulation")
class ErrorsInOperationsTest {

    private static final int RANKS = 2;
    private static final long MOST_VERBS = 200;
    private static final IllegalStateException FAILURE = new IllegalStateException("as every time");

    private static final class InjectedWorld {

        private final InjectedErrors injection;
        private final Participant participant;
        private final EpochManager epochs;

        private InjectedWorld(Guarantees guarantees, boolean isAfter) {
            injection = new InjectedErrors(isAfter);
            var simulation = new Simulation(1,
                    SimOptions.ranks(RANKS).segmentBytes(8 << 20).guarantees(guarantees).unmapped());
            participant = Participants.amongTheLiving(InterposedFabric.around(simulation.fabric(0), injection));
            epochs = new EpochManager(() -> participant, EpochSettings.DEFAULT);
        }

        private <K, V> DistributedMap.Builder<K, V> map(Class<K> keys, Class<V> values) {
            return DistributedMap.builder("map", keys, values, () -> participant, epochs);
        }
    }

    private record Use(String name, BiConsumer<DistributedMap<Object, Object>, List<Object>> operation) {

        @Override
        public String toString() {
            return name;
        }
    }

    /** Returns operations on two keys, of which the second one has a value. */
    static Stream<Use> uses() {
        Object value = "longer than anything that is there".repeat(3);
        return Stream.of(new Use("insert", (map, keys) -> map.putIfAbsent(keys.get(0), value)),
                new Use("put", (map, keys) -> map.put(keys.get(1), value)),
                new Use("putAll", (map, keys) -> map.putAll(Map.of(keys.get(0), value, keys.get(1), value))),
                new Use("replace", (map, keys) -> map.getAndReplace(keys.get(1), value)),
                new Use("remove", (map, keys) -> map.getAndRemove(keys.get(1))),
                new Use("compute a new one", (map, keys) -> map.compute(keys.get(0), (key, present) -> value)),
                new Use("compute", (map, keys) -> map.compute(keys.get(1), (key, present) -> value)),
                new Use("compute none", (map, keys) -> map.compute(keys.get(0), (key, present) -> null)),
                new Use("remove by a function", (map, keys) -> map.computeIfPresent(keys.get(1), (key, any) -> null)),
                new Use("merge", (map, keys) -> map.merge(keys.get(1), value, (present, given) -> given)));
    }

    /** Returns keys of the other rank. */
    private static List<Object> keys(int count, IntFunction<Object> key) {
        return IntStream.range(0, 10_000)
                .mapToObj(key)
                .filter(each -> KeyHash.rank(FixedHash.of(((String) each).getBytes()), RANKS) == 1)
                .limit(count)
                .toList();
    }

    @SuppressWarnings("unchecked") // both are texts
    private static void failAtEachVerb(Use use, Guarantees guarantees, boolean isAfter) {
        var world = new InjectedWorld(guarantees, isAfter);
        var map = (DistributedMap<Object, Object>) (DistributedMap<?, ?>) world.map(String.class, String.class)
                .capacity(4_000)
                .open();
        List<Object> keys = keys(2 * (int) MOST_VERBS, number -> "key " + number);
        long verb = 0;
        boolean failed;
        do {
            List<Object> two = keys.subList((int) (2 * verb), (int) (2 * verb) + 2);
            map.put(two.get(1), "present");
            verb++;
            failed = world.injection.failsAt(verb, () -> use.operation.accept(map, two));
            assertThat(world.participant.reservations().inDoubt()).as(use + " at verb " + verb).isZero();
            for (Object key : two) {
                map.put(key, "put");
                assertThat(map.get(key)).as(use + " at verb " + verb).isEqualTo("put");
                assertThat(map.getAndRemove(key)).isEqualTo("put");
                assertThat(map.merge(key, "new", (present, given) -> "merged")).isEqualTo("new");
            }
        } while (failed);
        assertThat(verb).as("verbs").isBetween(3L, MOST_VERBS);
    }

    @ParameterizedTest
    @MethodSource("uses")
    void anErrorBeforeAVerbLeavesNothingReserved(Use use) {
        failAtEachVerb(use, SimOptions.NETWORK_CARD, false);
        failAtEachVerb(use, SimOptions.WEAKEST, false);
        failAtEachVerb(use, SimOptions.SHARED_MEMORY, false);
    }

    /** A network card behaves like this: a verb was executed and its answer is missing. */
    @ParameterizedTest
    @MethodSource("uses")
    void anErrorAfterAVerbLeavesNothingReserved(Use use) {
        failAtEachVerb(use, SimOptions.NETWORK_CARD, true);
        failAtEachVerb(use, SimOptions.WEAKEST, true);
    }

    // --- what was stored for nothing ---

    private static long storedBytes(InjectedWorld world) {
        HeapUsage usage = world.participant.heap().usage(1);
        return usage.objectBytes() + usage.ownedBytes();
    }

    @Test
    void aMergeWhoseFunctionFailsAfterALostRaceLosesNoMemory() {
        var world = new InjectedWorld(SimOptions.NETWORK_CARD, false);
        DistributedMap<String, String> map = world.map(String.class, String.class).capacity(4_000).open();
        map.putIfAbsent("any", "creates the block");
        String value = "x".repeat(10_000);
        List<Object> keys = keys(100, number -> "key " + number);
        long before = storedBytes(world);
        for (Object key : keys) {
            boolean[] raced = new boolean[1];
            world.injection.atExchange(() -> {
                if (!raced[0]) {
                    raced[0] = true;
                    map.putIfAbsent((String) key, "first");
                }
            });
            try {
                map.merge((String) key, value, (present, given) -> {
                    throw new InjectedError();
                });
                throw new AssertionError("nobody was faster");
            } catch (InjectedError expected) {
                assertThat(map.get((String) key)).isEqualTo("first");
            }
        }
        world.injection.atExchange(() -> {});
        assertThat(storedBytes(world) - before).isLessThan(10 * value.length());
    }

    /**
     * Because such a bucket is counted, a block is replaced by one without such buckets before every search is long.
     */
    @Test
    void aNewKeyWhoseFunctionFailsIsCountedAsARemovedOneIs() {
        var world = new InjectedWorld(SimOptions.NETWORK_CARD, false);
        DistributedMap<Long, Long> map = world.map(Long.class, Long.class).capacity(100).open();
        List<Long> keys = LongStream.range(0, 1_000)
                .filter(key -> KeyHash.rank(FixedHash.of(key), RANKS) == 1)
                .limit(40)
                .boxed()
                .toList();
        for (long key : keys) {
            try {
                map.computeIfAbsent(key, any -> {
                    throw new InjectedError();
                });
                throw new AssertionError("nothing was thrown");
            } catch (InjectedError expected) {
                assertThat(map.containsKey(key)).isFalse();
            }
        }
        assertThat(claimed(world)).isEqualTo(keys.size());
        keys.forEach(key -> assertThat(map.putIfAbsent(key, key)).isTrue());
        assertThat(claimed(world)).isEqualTo(keys.size());
    }

    private static long claimed(InjectedWorld world) {
        NamedStructure header = world.participant.directory()
                .structures(1)
                .stream()
                .filter(each -> each.name().equals("map"))
                .findFirst()
                .orElseThrow();
        return BlockFigures.read(world.participant.endpoint(), 1, header.offset()).orElseThrow().claimed();
    }

    /** Far more keys than the map has room for. */
    @Test
    void functionsThatFailForNewKeysDoNotFillAMap() {
        try (World world = World.named("failing").size(1).segment(4 << 20).open()) {
            DistributedMap<Long, Long> map = world.map("map", Long.class, Long.class).capacity(100).open();
            for (long key = 0; key < 1_000_000; key++) {
                try {
                    map.computeIfAbsent(key, any -> {
                        throw FAILURE;
                    });
                } catch (IllegalStateException expected) {
                    assertThat(expected).isSameAs(FAILURE);
                }
            }
            assertThat(map.put(-1L, 1L)).isTrue();
            assertThat(map.size()).isOne();
            assertThat(map.buckets()).isLessThan(1_000);
        }
    }
}
