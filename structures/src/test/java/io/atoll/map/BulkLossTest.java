package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingBatch;
import io.atoll.fabric.ForwardingFabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Verb;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.LongFunction;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** One of several owners cannot be reached any more, from any verb of an operation on many keys on. */
class BulkLossTest {

    private static final int RANKS = 3;
    private static final int AWAY = 2;
    private static final int KEYS = 24;
    private static final int MOST_VERBS = 500;

    /** What is known of the first verb that the lost owner does not answer. */
    enum Loss {
        /** It was not executed. */
        BEFORE,
        /** It was executed, and the caller is not told. */
        AFTER,
        /** It was executed, and so was everything else in its batch. The caller of the batch is not told. */
        AT_THE_END
    }

    static Stream<Arguments> losses() {
        return Stream.of(SimOptions.TCP, SimOptions.NETWORK_CARD, SimOptions.WEAKEST)
                .flatMap(guarantees -> Stream.of(Loss.values()).map(loss -> Arguments.of(guarantees, loss)));
    }

    private static final class LosingFabric extends ForwardingFabric {

        private final Loss loss;
        private int left = Integer.MAX_VALUE; // verbs to the owner until it is lost

        LosingFabric(Fabric wrapped, Loss loss) {
            super(wrapped);
            this.loss = loss;
        }

        private RankUnreachableException lost(String verb) {
            return new RankUnreachableException("it is away", verb, AWAY, 0);
        }

        private void count(Verb verb, int target) {
            if (target == AWAY && left-- <= (loss == Loss.BEFORE ? 1 : 0)) {
                left = 0;
                throw lost(verb.methodName());
            }
        }

        private void answer(Verb verb, int target) {
            if (target == AWAY && left == 0) {
                throw lost(verb.methodName());
            }
        }

        @Override
        protected long before(Verb verb, int target, long offset, long bytes) {
            count(verb, target);
            return 0;
        }

        @Override
        protected void after(Verb verb, int target, long offset, long bytes, long begun) {
            answer(verb, target);
        }

        @Override
        public Batch batch() {
            return new ForwardingBatch(wrapped().batch()) {

                private boolean isLost;

                @Override
                protected void before(Verb verb, int target, long offset, long bytes) {
                    if (!isLost) {
                        count(verb, target);
                    }
                }

                @Override
                protected void after(Verb verb, int target, long offset, long bytes) {
                    if (loss == Loss.AT_THE_END) {
                        isLost |= target == AWAY && left == 0;
                    } else {
                        answer(verb, target);
                    }
                }

                @Override
                protected void arrives() {
                    if (isLost) {
                        isLost = false;
                        throw lost("complete");
                    }
                }
            };
        }

        @Override
        public Batch newBatch(long bufferBytes) {
            return wrapped().newBatch(bufferBytes);
        }
    }

    /** A map as the test uses it. */
    private record Use<K>(Consumer<Map<K, Long>> putAll, Function<List<K>, Map<K, Long>> getAll,
            Function<K, Integer> owner, LongFunction<K> key) {}

    private static Use<Long> ofLongs(Participant self, EpochManager epochs) {
        LongLongMap map = LongLongMap.builder("longs", () -> self, epochs).capacity(1_000).open();
        return new Use<>(entries -> {
            List<Long> keys = List.copyOf(entries.keySet());
            map.putAll(keys.stream().mapToLong(key -> key).toArray(), keys.stream().mapToLong(entries::get).toArray());
        }, keys -> {
            long[] found = map.getAll(keys.stream().mapToLong(key -> key).toArray(), -1);
            Map<Long, Long> values = new HashMap<>();
            for (int index = 0; index < found.length; index++) {
                values.put(keys.get(index), found[index]);
            }
            return values;
        }, map::owner, key -> key);
    }

    private static <K> Use<K> of(Class<K> keys, LongFunction<K> key, Participant self, EpochManager epochs) {
        DistributedMap<K, Long> map = DistributedMap.builder("map", keys, Long.class, () -> self, epochs)
                .capacity(1_000)
                .open();
        return new Use<>(map::putAll, map::getAll, map::owner, key);
    }

    @ParameterizedTest
    @MethodSource("losses")
    void theLongsOfOtherOwnersAreStoredAndFound(Guarantees guarantees, Loss loss) {
        check(guarantees, loss, BulkLossTest::ofLongs);
    }

    @ParameterizedTest
    @MethodSource("losses")
    void theObjectsOfOtherOwnersAreStoredAndFound(Guarantees guarantees, Loss loss) {
        check(guarantees, loss, (self, epochs) -> of(Long.class, key -> key, self, epochs));
    }

    @ParameterizedTest
    @MethodSource("losses")
    void thePayloadsOfOtherOwnersAreStoredAndFound(Guarantees guarantees, Loss loss) {
        check(guarantees, loss, (self, epochs) -> of(String.class, key -> "key " + key, self, epochs));
    }

    /** All connections break at once. What was written to other ranks is lost, and a batch is told of one rank. */
    private static final class BreakingFabric extends ForwardingFabric {

        private boolean breaks;

        BreakingFabric(Fabric wrapped) {
            super(wrapped);
        }

        @Override
        public Batch batch() {
            return new ForwardingBatch(wrapped().batch()) {

                private boolean isLost;

                @Override
                public void write(int target, long offset, long position, long bytes) {
                    if (breaks && target != AWAY) {
                        isLost = true;
                    } else {
                        super.write(target, offset, position, bytes);
                    }
                }

                @Override
                protected void arrives() {
                    if (isLost) {
                        isLost = false;
                        breaks = false;
                        throw new RankUnreachableException("its connection has broken", "complete", AWAY, 0);
                    }
                }
            };
        }

        @Override
        public Batch newBatch(long bufferBytes) {
            return wrapped().newBatch(bufferBytes);
        }
    }

    /** Of several connections that break, a batch tells of one. */
    @ParameterizedTest
    @ValueSource(ints = {8, 20_000})
    void noKeyRefersToAPayloadWhoseWriteWasLost(int length) {
        var simulation = new Simulation(1, SimOptions.ranks(RANKS)
                .segmentBytes(4 << 20)
                .guarantees(SimOptions.TCP)
                .unmapped());
        var fabric = new BreakingFabric(simulation.fabric(0));
        Participant self = Participants.amongTheLiving(fabric);
        DistributedMap<String, String> map = DistributedMap
                .builder("map", String.class, String.class, () -> self,
                        new EpochManager(() -> self, EpochSettings.DEFAULT))
                .capacity(1_000)
                .open();
        Map<String, String> entries = LongStream.range(0, KEYS)
                .mapToObj(key -> "key " + key)
                .collect(Collectors.toMap(key -> key, key -> key.repeat(length / key.length())));
        map.getAll(entries.keySet()); // finds the blocks
        fabric.breaks = true;
        assertThat(catchThrowable(() -> map.putAll(entries))).isInstanceOf(RankUnreachableException.class);
        assertThat(fabric.breaks).isFalse();
        entries.keySet().removeIf(key -> map.owner(key) == AWAY);
        assertThat(map.getAll(entries.keySet())).isEqualTo(entries);
    }

    private interface Opener<K> {
        Use<K> open(Participant self, EpochManager epochs);
    }

    private static <K> void check(Guarantees guarantees, Loss loss, Opener<K> opener) {
        boolean fails = true;
        int times = 0;
        for (int verbs = 1; fails; verbs++, times++) {
            fails = fails(guarantees, loss, opener, verbs);
            assertThat(verbs).isLessThan(MOST_VERBS);
        }
        assertThat(times).isGreaterThan(KEYS / 2);
    }

    /** Returns true if the owner was lost before the values were stored. */
    private static <K> boolean fails(Guarantees guarantees, Loss loss, Opener<K> opener, int verbs) {
        var simulation = new Simulation(1, SimOptions.ranks(RANKS)
                .segmentBytes(4 << 20)
                .guarantees(guarantees)
                .unmapped());
        var fabric = new LosingFabric(simulation.fabric(0), loss);
        Participant self = Participants.amongTheLiving(fabric);
        Use<K> map = opener.open(self, new EpochManager(() -> self, EpochSettings.DEFAULT));
        List<K> keys = LongStream.range(0, KEYS).mapToObj(map.key).toList();
        map.putAll.accept(values(keys.subList(0, KEYS / 2), 1));
        fabric.left = verbs;
        Throwable putting = catchThrowable(() -> map.putAll.accept(values(keys, 2)));
        fabric.left = 0;
        Throwable finding = catchThrowable(() -> map.getAll.apply(keys));
        assertThat(finding).isInstanceOfSatisfying(RankUnreachableException.class,
                failure -> assertThat(failure.rank()).isEqualTo(AWAY));
        fabric.left = Integer.MAX_VALUE;
        self.reservations().retryAll();
        if (putting != null) {
            assertThat(putting).isInstanceOfSatisfying(RankUnreachableException.class,
                    failure -> assertThat(failure.rank()).isEqualTo(AWAY)).hasNoSuppressedExceptions();
        }
        Map<K, Long> found = map.getAll.apply(keys);
        for (K key : keys) {
            if (putting == null || map.owner.apply(key) != AWAY) {
                assertThat(found.get(key)).as("verbs=%s key=%s", verbs, key).isEqualTo(2);
            }
        }
        map.putAll.accept(values(keys, 3));
        assertThat(map.getAll.apply(keys)).isEqualTo(values(keys, 3));
        return putting != null;
    }

    private static <K> Map<K, Long> values(List<K> keys, long value) {
        return keys.stream().collect(Collectors.toMap(key -> key, _ -> value));
    }
}
