package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.CodecException;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.LongStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A codec of the application uses the map in the middle of an operation. It is refused, and nothing is changed. */
class AskingCodecTest {

    private static final List<Guarantees> FABRICS = List.of(SimOptions.TCP, SimOptions.NETWORK_CARD,
            SimOptions.SHARED_MEMORY);
    private static final Codec<Long> WORDS = Codecs.forType(Long.class).within("map");
    private static final long ASKED = 100;
    private static final long SEVERAL = 30; // of which several are held together

    private static final List<Consumer<DistributedMap<Long, Long>>> QUESTIONS = List.of(map -> map.get(ASKED),
            map -> map.put(ASKED, 0L), map -> map.merge(ASKED, 1L, Long::sum));

    private static final List<Consumer<DistributedMap<Long, Long>>> STORING = List.of(map -> map.put(1L, 11L),
            map -> map.putIfAbsent(1L, 11L), map -> map.getAndPut(1L, 11L), map -> map.compute(1L, (_, _) -> 11L),
            map -> map.computeIfAbsent(1L, _ -> 11L), map -> map.merge(1L, 11L, Long::sum),
            map -> map.putAll(several()));

    private static Map<Long, Long> several() {
        Map<Long, Long> several = new TreeMap<>();
        LongStream.range(0, SEVERAL).forEach(key -> several.put(key, 11L));
        return several;
    }

    /** A value as two words, before which it asks something. */
    private static final class Asking implements Codec<Long> {

        private Runnable question = () -> {};
        private Runnable answer = () -> {};

        @Override
        public String name() {
            return "asking";
        }

        @Override
        public int bytes() {
            return 2 * Long.BYTES;
        }

        @Override
        public void encode(Long value, MemorySegment target, long position) {
            target.set(ValueLayout.JAVA_LONG, position, value);
            question.run();
            target.set(ValueLayout.JAVA_LONG, position + Long.BYTES, value);
        }

        @Override
        public Long decode(MemorySegment source, long position) {
            answer.run();
            return source.get(ValueLayout.JAVA_LONG, position);
        }
    }

    private final Asking asking = new Asking();
    private Participant self;

    private DistributedMap<Long, Long> map(Guarantees guarantees, boolean isKey) {
        self = Participants.amongTheLiving(new Simulation(1, MapWorld.options(guarantees)).fabric(1));
        Codec<Long> asked = asking.within("map");
        Entries<Long, Long> entries = DistributedMapSimulation.entries(isKey ? asked : WORDS, isKey ? WORDS : asked,
                self, MapWorld.blocksOfAllRanks(), DistributedMapSimulation.RIGHT);
        var map = new DistributedMap<>("map", new Handle<>(() -> entries));
        map.put(ASKED, ASKED);
        return map;
    }

    private void assertIsRefused(DistributedMap<Long, Long> map, Consumer<DistributedMap<Long, Long>> use) {
        assertThatExceptionOfType(CodecException.class).isThrownBy(() -> use.accept(map))
                .havingRootCause()
                .isInstanceOf(IllegalStateException.class)
                .withMessageContaining("a codec must not use a structure");
        asking.question = () -> {};
        asking.answer = () -> {};
        assertThat(self.reservations().inDoubt()).isZero();
        assertThat(map.get(ASKED)).isEqualTo(ASKED);
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void aCodecThatUsesTheMapToStoreAValueIsRefused(Guarantees guarantees) {
        for (var question : QUESTIONS) {
            for (var storing : STORING) {
                DistributedMap<Long, Long> map = map(guarantees, false);
                asking.question = () -> question.accept(map);
                assertIsRefused(map, storing);
                several().keySet().forEach(key -> assertThat(map.get(key)).isNull());
                map.putAll(several());
                assertThat(map.getAll(several().keySet())).isEqualTo(several());
            }
        }
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void aCodecThatUsesTheMapToStoreAKeyIsRefused(Guarantees guarantees) {
        for (var question : QUESTIONS) {
            for (var storing : STORING) {
                DistributedMap<Long, Long> map = map(guarantees, true);
                asking.question = () -> question.accept(map);
                assertIsRefused(map, storing);
                map.putAll(several());
                assertThat(map.getAll(several().keySet())).isEqualTo(several());
            }
        }
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void aCodecThatUsesTheMapToReadAValueIsRefused(Guarantees guarantees) {
        for (var question : QUESTIONS) {
            DistributedMap<Long, Long> map = map(guarantees, false);
            map.put(1L, 11L);
            asking.answer = () -> question.accept(map);
            assertIsRefused(map, _ -> map.get(1L));
            asking.answer = () -> question.accept(map);
            assertIsRefused(map, _ -> map.compute(1L, (_, value) -> value));
            assertThat(map.get(1L)).isEqualTo(11L);
            map.put(1L, 12L);
            assertThat(map.get(1L)).isEqualTo(12L);
        }
    }
}
