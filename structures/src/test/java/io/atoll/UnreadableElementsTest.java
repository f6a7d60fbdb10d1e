package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.VariableCodec;
import io.atoll.codec.VariableCodecs;
import io.atoll.failure.CodecException;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.map.DistributedMap;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Other ranks have stored elements that this process cannot read, for example since it lacks the class. Such an element
 * is not lost, and the elements behind it can be reached.
 */
class UnreadableElementsTest {

    private static final String NAME = "parcels";
    private static final long UNREADABLE = 13;
    private static final long REFUSED = 14;
    private static final long TOO_LARGE = 15;

    /** A codec of numbers. It cannot read one of them. */
    private record NumberCodec() implements Codec<Long> {

        @Override
        public String name() {
            return "number";
        }

        @Override
        public int bytes() {
            return Long.BYTES;
        }

        @Override
        public void encode(Long value, MemorySegment target, long position) {
            target.set(ValueLayout.JAVA_LONG, position, value);
        }

        @Override
        public Long decode(MemorySegment source, long position) {
            long value = source.get(ValueLayout.JAVA_LONG, position);
            if (value == UNREADABLE) {
                throw new NoClassDefFoundError("com/example/Parcel");
            }
            if (value == REFUSED) {
                throw new AssertionError("a constructor that asserts");
            }
            if (value == TOO_LARGE) {
                throw new OutOfMemoryError("a heap that is full");
            }
            return value;
        }
    }

    private static byte[] bytes(long value) {
        return ByteBuffer.allocate(Long.BYTES).order(ByteOrder.nativeOrder()).putLong(value).array();
    }

    private final World world = World.named("unreadable").size(1).segment(4 << 20).open();

    @AfterEach
    void leave() {
        world.close();
    }

    private record Use(Consumer<Long> push, Supplier<@Nullable Long> pop) {}

    private record Structure(String kind, Function<World, Use> opening) {

        @Override
        public String toString() {
            return kind;
        }
    }

    static Stream<Structure> structures() {
        return Stream.of(new Structure("circular queue", world -> {
            var queue = CircularQueue.builder(NAME, new NumberCodec(), world::participant).capacity(8).open();
            return new Use(queue::push, queue::pop);
        }), new Structure("circular queue, of its only user", world -> {
            var queue = CircularQueue.builder(NAME, new NumberCodec(), world::participant).capacity(8).open();
            return new Use(queue::push, queue::localPop);
        }), new Structure("fast queue", world -> {
            var queue = FastQueue.builder(NAME, new NumberCodec(), world::participant).capacity(8).open();
            return new Use(queue::push, queue::pop);
        }), new Structure("fast queue, of its only user", world -> {
            var queue = FastQueue.builder(NAME, new NumberCodec(), world::participant).capacity(8).open();
            return new Use(queue::push, queue::localPop);
        }), new Structure("linked queue", world -> {
            var queue = LinkedQueue.builder(NAME, new NumberCodec(), world::participant, world.epochs()).open();
            return new Use(queue::push, queue::pop);
        }), new Structure("stack", world -> {
            var stack = LinkedStack.builder(NAME, new NumberCodec(), world::participant, world.epochs()).open();
            return new Use(stack::push, stack::pop);
        }));
    }

    private static List<byte[]> encoded(Runnable action) {
        CodecException failure = catchThrowableOfType(CodecException.class, action::run);
        assertThat(failure).isNotNull().hasMessageContaining("structure=" + NAME);
        return failure.encoded();
    }

    @ParameterizedTest
    @MethodSource("structures")
    void whatWasTakenIsInTheExceptionAndTheNextOneFollows(Structure structure) {
        Use use = structure.opening.apply(world);
        List.of(1L, UNREADABLE, 1L).forEach(use.push);
        assertThat(use.pop.get()).isOne();
        assertThat(encoded(use.pop::get)).containsExactly(bytes(UNREADABLE));
        assertThat(use.pop.get()).isOne();
        assertThat(use.pop.get()).isNull();
        use.push.accept(REFUSED);
        assertThat(encoded(use.pop::get)).containsExactly(bytes(REFUSED));
    }

    /** The value may be sound. So the error stays the same, and carries the taken value. */
    @ParameterizedTest
    @MethodSource("structures")
    void anErrorOfTheMachineCarriesWhatWasTaken(Structure structure) {
        Use use = structure.opening.apply(world);
        use.push.accept(TOO_LARGE);
        assertThat(carried(use.pop::get)).containsExactly(bytes(TOO_LARGE));
        assertThat(use.pop.get()).isNull();
    }

    private static List<byte[]> carried(Runnable action) {
        OutOfMemoryError failure = catchThrowableOfType(OutOfMemoryError.class, action::run);
        assertThat(failure.getSuppressed()).isNotEmpty();
        assertThat(failure.getSuppressed()[failure.getSuppressed().length - 1]).isInstanceOf(CodecException.class);
        return ((CodecException) failure.getSuppressed()[failure.getSuppressed().length - 1]).encoded();
    }

    @Test
    void anErrorOfTheMachineCarriesAllThatSeveralPopsHaveTaken() {
        var circular = CircularQueue.builder(NAME, new NumberCodec(), world::participant).capacity(8).open();
        circular.push(List.of(1L, TOO_LARGE, 2L));
        assertThat(carried(() -> circular.pop(3))).containsExactly(bytes(1), bytes(TOO_LARGE), bytes(2));
        var fast = FastQueue.builder("fast", new NumberCodec(), world::participant).capacity(8).open();
        fast.push(List.of(1L, TOO_LARGE, 2L));
        assertThat(carried(() -> fast.pop(3))).containsExactly(bytes(1), bytes(TOO_LARGE), bytes(2));
    }

    @Test
    void severalThatWereTakenAreAllInTheException() {
        var queue = CircularQueue.builder(NAME, new NumberCodec(), world::participant).capacity(8).open();
        queue.push(List.of(1L, UNREADABLE, 2L, 3L));
        List<byte[]> taken = encoded(() -> queue.pop(3));
        assertThat(taken).containsExactly(bytes(1), bytes(UNREADABLE), bytes(2));
        assertThat(queue.pop(3)).containsExactly(3L);
        taken.forEach(element -> assertThat(queue.pushEncoded(element)).isTrue());
        assertThat(queue.pop()).isOne();
        assertThat(encoded(() -> queue.asBlockingQueue().drainTo(new ArrayList<>())))
                .containsExactly(bytes(UNREADABLE), bytes(2));
        assertThat(queue.size()).isZero();
        assertThatIllegalArgumentException().isThrownBy(() -> queue.pushEncoded(new byte[9]))
                .withMessageContaining("queue=" + NAME + " elementBytes=8 bytes=9");
    }

    @Test
    void severalOfAFastQueueAreAllInTheException() {
        var queue = FastQueue.builder(NAME, new NumberCodec(), world::participant).capacity(8).open();
        queue.push(List.of(1L, UNREADABLE, 2L, 3L));
        assertThat(encoded(() -> queue.pop(3))).containsExactly(bytes(1), bytes(UNREADABLE), bytes(2));
        assertThat(queue.pop()).isEqualTo(3);
    }

    @Test
    void whatIsOnlyLookedAtStays() {
        var queue = CircularQueue.builder(NAME, new NumberCodec(), world::participant).capacity(8).open();
        queue.push(UNREADABLE);
        assertThat(encoded(queue::peek)).containsExactly(bytes(UNREADABLE));
        assertThat(queue.size()).isOne();
    }

    // --- maps ---

    private DistributedMap<Long, Long> fixed() {
        return DistributedMap
                .builder(NAME, Codecs.forType(Long.class), new NumberCodec(), world::participant, world.epochs())
                .capacity(100)
                .open();
    }

    private DistributedMap<String, Long> variable() {
        VariableCodec<Long> numbers = VariableCodecs.of(new NumberCodec());
        return DistributedMap
                .builder(NAME, VariableCodecs.forType(String.class), numbers, world::participant, world.epochs())
                .capacity(100)
                .open();
    }

    private static <K> void useUnreadable(DistributedMap<K, Long> map, K key, K other) {
        map.put(key, UNREADABLE);
        map.put(other, 1L);
        assertThat(encoded(() -> map.get(key))).containsExactly(bytes(UNREADABLE));
        assertThat(map.containsKey(key)).isTrue();
        encoded(() -> map.getAndRemove(key));
        encoded(() -> map.merge(key, 1L, Long::sum));
        encoded(() -> map.forEach((any, value) -> {}));
        assertThat(map.containsKey(key)).as("not taken away unseen").isTrue();
        assertThat(map.get(other)).isOne();
        assertThat(map.remove(key)).isTrue();
        assertThat(map.remove(key)).isFalse();
        assertThat(map.put(key, UNREADABLE)).isTrue();
        assertThat(map.put(key, 2L)).as("replaced").isFalse();
        assertThat(map.get(key)).isEqualTo(2);
        map.put(key, UNREADABLE);
        map.clear();
        assertThat(map.isEmpty()).isTrue();
    }

    @Test
    void aValueThatCannotBeReadCanBeReplacedAndRemoved() {
        useUnreadable(fixed(), 1L, 2L);
    }

    @Test
    void aValueOfAnySizeThatCannotBeReadCanBeReplacedAndRemoved() {
        useUnreadable(variable(), "key", "other");
    }

    /** The owner of an entry need not have its class. */
    @Test
    void aBufferDeliversWhatCannotBeRead() throws InterruptedException {
        DistributedMap<String, Long> map = variable();
        try (var buffer = map.buffer(100, 10)) {
            for (long key = 0; key < 30; key++) {
                buffer.putIfAbsent("key " + key, key % 2 == 0 ? UNREADABLE : key);
            }
            buffer.flush();
        }
        assertThat(map.size()).isEqualTo(30);
        assertThat(map.get("key 29")).isEqualTo(29);
        encoded(() -> map.get("key 28"));
    }
}
