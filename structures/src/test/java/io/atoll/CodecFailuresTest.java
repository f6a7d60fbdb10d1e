package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.atoll.array.Array;
import io.atoll.array.DistributedArray;
import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.codec.VariableCodec;
import io.atoll.codec.VariableCodecs;
import io.atoll.codec.kryo.AllowedClasses;
import io.atoll.codec.kryo.ObjectCodec;
import io.atoll.failure.CodecException;
import io.atoll.filter.BloomFilter;
import io.atoll.linked.LinkedQueue;
import io.atoll.linked.LinkedStack;
import io.atoll.map.DistributedMap;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** If a codec refuses a value, the failure names the structure, for every structure and every codec. */
class CodecFailuresTest {

    private static final String NAME = "parcels";

    /** A value that may not be stored. */
    private static final Parcel FORBIDDEN = new Parcel(new Thread());

    private static final Parcel ALLOWED = new Parcel("a book");

    record Parcel(Object content) {}

    /** A record whose accessor refuses what its constructor takes, and the other way round. */
    record Picky(long weight) {
        Picky {
            if (weight == 0) {
                throw new IllegalStateException("lighter than air");
            }
        }

        @Override
        public long weight() {
            if (weight < 0) {
                throw new IllegalStateException("too light");
            }
            return weight == Long.MAX_VALUE ? 0 : weight;
        }
    }

    /** A record of any size. Its accessor refuses what its constructor takes. */
    record Label(String text) {
        @Override
        public String text() {
            throw new IllegalStateException("illegible");
        }
    }

    /** A codec of the application, which stores a value that it cannot read. */
    private record OwnCodec() implements Codec<Parcel> {

        @Override
        public String name() {
            return "parcel";
        }

        @Override
        public int bytes() {
            return Long.BYTES;
        }

        @Override
        public void encode(Parcel value, MemorySegment target, long position) {
            if (!(value.content() instanceof String)) {
                throw new IllegalArgumentException("only texts");
            }
            target.set(ValueLayout.JAVA_LONG, position, 1L);
        }

        @Override
        public Parcel decode(MemorySegment source, long position) {
            throw new IllegalStateException("unreadable");
        }
    }

    /** Stores a value in a structure and loads it again. */
    private record Use<T>(Consumer<T> store, Runnable load) {}

    /** Opens a structure of elements with a codec. */
    private interface Opening {

        <T> Use<T> open(World world, Codec<T> codec);
    }

    private record Structure(String kind, Opening opening) {

        @Override
        public String toString() {
            return kind;
        }
    }

    private final World world = World.named("codecs").size(1).segment(4 << 20).open();

    @AfterEach
    void leave() {
        world.close();
    }

    private static <T> Use<T> queue(World world, Codec<T> codec) {
        var queue = CircularQueue.builder(NAME, codec, world::participant).capacity(4).open();
        return new Use<>(queue::push, queue::pop);
    }

    private static <T> Use<T> fastQueue(World world, Codec<T> codec) {
        var queue = FastQueue.builder(NAME, codec, world::participant).capacity(4).open();
        return new Use<>(queue::push, queue::pop);
    }

    private static <T> Use<T> linkedQueue(World world, Codec<T> codec) {
        var queue = LinkedQueue.builder(NAME, codec, world::participant, world.epochs()).open();
        return new Use<>(queue::push, queue::pop);
    }

    private static <T> Use<T> stack(World world, Codec<T> codec) {
        var stack = LinkedStack.builder(NAME, codec, world::participant, world.epochs()).open();
        return new Use<>(stack::push, stack::pop);
    }

    private static <T> Use<T> array(World world, Codec<T> codec) {
        var array = Array.builder(NAME, codec, world::participant).length(1).open();
        return new Use<>(value -> array.set(0, value), () -> array.get(0));
    }

    private static <T> Use<T> distributedArray(World world, Codec<T> codec) {
        var array = DistributedArray.builder(NAME, codec, world::participant).length(1).open();
        return new Use<>(value -> array.set(0, value), () -> array.get(0));
    }

    private static <T> Use<T> values(World world, Codec<T> codec) {
        var map = DistributedMap
                .builder(NAME, Codecs.forType(Long.class), codec, world::participant, world.epochs())
                .capacity(16)
                .open();
        return new Use<>(value -> map.put(1L, value), () -> map.get(1L));
    }

    private static <T> Use<T> keys(World world, Codec<T> codec) {
        var map = DistributedMap
                .builder(NAME, codec, Codecs.forType(Long.class), world::participant, world.epochs())
                .capacity(16)
                .open();
        return new Use<>(key -> map.put(key, 1L), () -> map.forEach((key, value) -> {}));
    }

    private static <T> Use<T> sizedValues(World world, Codec<T> codec) {
        var map = DistributedMap
                .builder(NAME, VariableCodecs.forType(String.class), VariableCodecs.of(codec), world::participant,
                        world.epochs())
                .capacity(16)
                .open();
        return new Use<>(value -> map.put("key", value), () -> map.get("key"));
    }

    private static <T> Use<T> sizedKeys(World world, Codec<T> codec) {
        var map = DistributedMap
                .builder(NAME, VariableCodecs.of(codec), VariableCodecs.forType(String.class), world::participant,
                        world.epochs())
                .capacity(16)
                .open();
        return new Use<>(key -> map.put(key, "value"), () -> map.forEach((key, value) -> {}));
    }

    static Stream<Structure> structures() {
        return Stream.of(new Structure("circular queue", CodecFailuresTest::queue),
                new Structure("fast queue", CodecFailuresTest::fastQueue),
                new Structure("linked queue", CodecFailuresTest::linkedQueue),
                new Structure("stack", CodecFailuresTest::stack), new Structure("array", CodecFailuresTest::array),
                new Structure("distributed array", CodecFailuresTest::distributedArray),
                new Structure("values of a map", CodecFailuresTest::values),
                new Structure("keys of a map", CodecFailuresTest::keys),
                new Structure("values of a map of any size", CodecFailuresTest::sizedValues),
                new Structure("keys of a map of any size", CodecFailuresTest::sizedKeys));
    }

    private static <T> void assertNamed(Runnable action, String type, String reason, @Nullable Class<T> refused) {
        CodecException failure = catchThrowableOfType(CodecException.class, action::run);
        assertThat(failure).isNotNull();
        assertThat(failure.structure()).contains(NAME);
        assertThat(failure).hasMessageContaining(reason)
                .hasMessageEndingWith("structure=" + NAME + " type=" + type);
        assertThat(failure.getMessage().split("structure=", -1)).as("named once").hasSize(2);
        if (refused != null) {
            assertThat(failure).hasMessageContaining("class " + refused.getName());
        }
    }

    @ParameterizedTest
    @MethodSource("structures")
    void aCodecOfOnesOwnIsNamedWithItsStructure(Structure structure) {
        Use<Parcel> use = structure.opening.open(world, new OwnCodec());
        assertNamed(() -> use.store.accept(FORBIDDEN), "parcel", "(only texts)", Parcel.class);
        use.store.accept(ALLOWED);
        assertNamed(use.load, "parcel", "(unreadable)", null);
    }

    @ParameterizedTest
    @MethodSource("structures")
    void aRecordIsNamedWithItsStructure(Structure structure) {
        Use<Picky> use = structure.opening.open(world, Codecs.forType(Picky.class));
        assertNamed(() -> use.store.accept(new Picky(-1)), "Picky(weight:long)", "(too light)", Picky.class);
        use.store.accept(new Picky(Long.MAX_VALUE));
        assertNamed(use.load, "Picky(weight:long)", "(lighter than air)", null);
    }

    @ParameterizedTest
    @MethodSource("structures")
    void anObjectThatIsNotAllowedIsNamedWithItsStructure(Structure structure) {
        VariableCodec<Parcel> objects = ObjectCodec.of(Parcel.class, AllowedClasses.common());
        Codec<Parcel> bounded = VariableCodecs.bounded(objects, 256);
        Use<Parcel> use = structure.opening.open(world, bounded);
        assertNamed(() -> use.store.accept(FORBIDDEN), bounded.name(), "class=java.lang.Thread", Parcel.class);
        assertNamed(() -> use.store.accept(new Parcel("too long ".repeat(30))), bounded.name(), "largestBytes=256",
                Parcel.class);
    }

    @ParameterizedTest
    @MethodSource("structures")
    void whoHasNamedItAlreadyIsNotContradicted(Structure structure) {
        VariableCodec<Parcel> objects = ObjectCodec.of(Parcel.class, AllowedClasses.common());
        Use<Parcel> use = structure.opening.open(world, VariableCodecs.bounded(objects.within(NAME), 256));
        assertNamed(() -> use.store.accept(FORBIDDEN), objects.name(), "class=java.lang.Thread", Parcel.class);
    }

    @ParameterizedTest
    @MethodSource("structures")
    void noValueAtAllIsTheCallersMistake(Structure structure) {
        Use<Parcel> use = structure.opening.open(world, new OwnCodec());
        assertThat(catchThrowableOfType(NullPointerException.class, () -> use.store.accept(null))).isNotNull();
    }

    /** A codec that needs a class or library that this process does not have. */
    private record IncompleteCodec(Throwable thrown) implements Codec<Parcel> {

        @Override
        public String name() {
            return "incomplete";
        }

        @Override
        public int bytes() {
            return Long.BYTES;
        }

        @Override
        public void encode(Parcel value, MemorySegment target, long position) {
            target.set(ValueLayout.JAVA_LONG, position, 1L);
        }

        @Override
        public Parcel decode(MemorySegment source, long position) {
            throw IncompleteCodec.<RuntimeException>asItIs(thrown);
        }

        // Callers written in Kotlin can do this, and those that use Lombok.
        @SuppressWarnings("unchecked")
        private static <E extends Throwable> E asItIs(Throwable failure) throws E {
            throw (E) failure;
        }
    }

    @ParameterizedTest
    @MethodSource("structures")
    void aMissingClassAndACheckedExceptionAreNamedWithTheirStructure(Structure structure) {
        for (Throwable thrown : List.of(new NoClassDefFoundError("com/example/Gone"), new IOException("no"))) {
            try (World own = World.named("codecs").size(1).segment(4 << 20).open()) {
                Use<Parcel> use = structure.opening.open(own, new IncompleteCodec(thrown));
                use.store.accept(ALLOWED);
                assertNamed(use.load, "incomplete", "(" + thrown.getMessage() + ")", null);
            }
        }
    }

    @Test
    void anElementThatAFilterCannotHashIsNamedWithIt() {
        var parcels = world.filter(NAME, Parcel.class).codec(new OwnCodec()).open();
        assertNamed(() -> parcels.add(FORBIDDEN), "parcel", "(only texts)", Parcel.class);
        var picky = world.filter(NAME + 2, Picky.class).open();
        assertThat(catchThrowableOfType(CodecException.class, () -> picky.add(new Picky(-1)))).isNotNull()
                .extracting(CodecException::structure)
                .isEqualTo(Optional.of(NAME + 2));
        var labels = world.filter(NAME + 3, Label.class).open();
        assertThat(catchThrowableOfType(CodecException.class, () -> labels.add(new Label("")))).isNotNull()
                .extracting(CodecException::structure)
                .isEqualTo(Optional.of(NAME + 3));
    }

    private static <T> void assertRefusesNull(BloomFilter<T> filter) {
        for (Runnable use : List.<Runnable>of(() -> filter.add(null), () -> filter.mightContain(null),
                () -> filter.addAll(Arrays.asList((T) null)))) {
            assertThat(catchThrowableOfType(NullPointerException.class, use::run)).hasMessage("element");
        }
    }

    @Test
    void noElementAtAllIsTheCallersMistakeInEveryFilter() {
        assertRefusesNull(world.filter("texts", String.class).open());
        assertRefusesNull(world.filter("numbers", Long.class).open());
        assertRefusesNull(world.filter("records", Picky.class).open());
        assertRefusesNull(world.filter("labels", Label.class).open());
    }

    @Test
    void aComponentThatIsNullIsNamedWithItsRecordAndItsStructure() {
        record Sized(Integer number) {}
        record Texts(Integer number, String text) {}
        var sized = world.map("sized", Long.class, Sized.class).capacity(16).open();
        var texts = world.map("texts", Long.class, Texts.class).capacity(16).open();
        assertThat(catchThrowableOfType(CodecException.class, () -> sized.put(1L, new Sized(null))))
                .hasMessageContaining("component=number record=" + Sized.class.getName())
                .hasMessageContaining("structure=sized");
        assertThat(catchThrowableOfType(CodecException.class, () -> texts.put(1L, new Texts(null, "text"))))
                .hasMessageContaining("component=number record=" + Texts.class.getName())
                .hasMessageContaining("structure=texts");
    }

    @Test
    void aKeyThatIsReadToBeHashedIsNamedWithItsMap() {
        var map = DistributedMap
                .builder(NAME, new OwnCodec(), Codecs.forType(Long.class), world::participant, world.epochs())
                .hash(parcel -> 1)
                .open();
        var buffer = map.buffer(10, 10);
        buffer.putIfAbsent(ALLOWED, 1L);
        assertNamed(() -> {
            try {
                buffer.flush();
            } catch (InterruptedException interrupted) {
                throw new AssertionError(interrupted);
            }
        }, "parcel", "(unreadable)", null);
    }

    @Test
    void severalElementsAtOnceAreNamedAsOneIs() {
        var queue = CircularQueue.builder(NAME, new OwnCodec(), world::participant).capacity(4).open();
        assertNamed(() -> queue.push(List.of(FORBIDDEN)), "parcel", "(only texts)", Parcel.class);
        assertThat(queue.push(List.of(ALLOWED, ALLOWED))).isTrue();
        assertNamed(() -> queue.pop(2), "parcel", "(unreadable)", null);
    }
}
