package io.atoll.codec.kryo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.codec.VariableCodec;
import io.atoll.codec.VariableCodecs;
import io.atoll.failure.CodecException;
import java.io.IOException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.math.BigDecimal;
import java.net.URL;
import java.net.URLClassLoader;
import java.time.LocalDate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class ObjectCodecTest {

    enum Kind {
        PLAIN, SPECIAL {
            @Override
            public String toString() {
                return "a constant with a body";
            }
        }
    }

    record Item(String name, BigDecimal price, List<String> tags) {}

    static class Basket {

        private final String owner;
        private final List<Item> items = new ArrayList<>();
        private final Map<String, Integer> counts = new TreeMap<>();
        private Kind kind = Kind.PLAIN;
        private @Nullable Object anything;
        private Object @Nullable [] several;

        /** This class has no constructor without arguments. */
        Basket(String owner) {
            this.owner = owner;
        }
    }

    /** A class that the configuration does not allow. */
    static final class Outsider {

        static final AtomicInteger MADE = new AtomicInteger();

        @Nullable String text;

        Outsider() {
            MADE.incrementAndGet();
        }

        @Override
        public int hashCode() {
            MADE.incrementAndGet();
            return 1;
        }

        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Outsider;
        }
    }

    enum OutsideKind {
        ONE
    }

    record OutsideRecord(String text) {}

    static final class Holder {
        @Nullable Outsider outsider;
    }

    private static final AllowedClasses ITEMS = AllowedClasses
            .of(List.of(Item.class.getName(), Kind.class.getName(), Holder.class.getName()));

    private static final VariableCodec<Basket> BASKETS = ObjectCodec.of(Basket.class, ITEMS).within("baskets");

    private static Basket basket(@Nullable Object anything) {
        Basket basket = new Basket("Ada");
        basket.anything = anything;
        return basket;
    }

    private static <T> T thereAndBack(VariableCodec<T> codec, T value) {
        return codec.decode(codec.encode(value));
    }

    @Test
    void objectsComeBackWithAllThatTheyReferTo() {
        Basket basket = new Basket("Ada");
        basket.items.add(new Item("tea", new BigDecimal("2.50"), List.of("hot", "green")));
        basket.counts.put("tea", 3);
        basket.kind = Kind.SPECIAL;
        basket.several = new Object[]{1, "two", new long[]{3}};

        Basket back = thereAndBack(BASKETS, basket);

        assertThat(back).isNotSameAs(basket).usingRecursiveComparison().isEqualTo(basket);
        assertThat(back.kind).isSameAs(Kind.SPECIAL);
    }

    static Stream<Object> common() {
        return Stream.of(1, 2L, (short) 3, (byte) 4, 'c', 1.5f, 2.5, true, "text", new BigDecimal("1.0"),
                UUID.randomUUID(),
                LocalDate.of(2026, 11, 21), java.time.Instant.EPOCH, java.time.ZonedDateTime.parse("2026-11-21T10:00Z"),
                Optional.of("x"), List.of(), List.of(1), List.of(1, 2, 3), Set.of(), Set.of(1, 2, 3), Map.of("a", 1),
                Map.of("a", 1, "b", 2), Map.of(), new ArrayList<>(List.of(1)), Arrays.asList(1, 2),
                new HashMap<>(Map.of(1, 2)),
                EnumSet.of(Kind.SPECIAL), java.util.Currency.getInstance("EUR"),
                java.util.Locale.ROOT, java.util.Collections.emptyList(), java.util.Collections.singletonMap(1, 2),
                new java.util.LinkedHashMap<>(Map.of(1, 2)), new java.util.ArrayDeque<>(List.of(1)).stream().toList());
    }

    @ParameterizedTest
    @MethodSource
    void common(Object value) {
        assertThat(thereAndBack(BASKETS, basket(value)).anything).isEqualTo(value);
    }

    @Test
    void whatSeveralReferToComesBackAsOneAndCirclesAreClosed() {
        Basket basket = new Basket("Ada");
        basket.several = new Object[]{basket, basket};
        Basket back = thereAndBack(BASKETS, basket);
        assertThat(back.several).containsExactly(back, back);
    }

    @Test
    void equalSetsMayHaveOtherBytesSoThereAreNoKeys() {
        assertThat(BASKETS.canonical()).isFalse();
        assertThat(BASKETS.name()).startsWith("object(").contains(Basket.class.getName());
    }

    static Stream<Arguments> outsiders() {
        Holder holder = new Holder();
        holder.outsider = new Outsider();
        return Stream.of(new Outsider(), new Object[]{new Outsider()}, new Outsider[0], new Outsider[1][1],
                new ArrayList<>(List.of(new Outsider())), new HashMap<>(Map.of(new Outsider(), 1)),
                new HashMap<>(Map.of(1, new Outsider())), Optional.of(new Outsider()), OutsideKind.ONE,
                new OutsideRecord("x"), EnumSet.of(OutsideKind.ONE), holder, Outsider.class, new ProcessBuilder("true"),
                new TreeMap<String, String>(Comparator.comparing(String::length)))
                .map(outsider -> Arguments.of(new Object[]{outsider}));
    }

    @ParameterizedTest
    @MethodSource("outsiders")
    void objectsOfOtherClassesAreNotStored(Object outsider) {
        assertThatExceptionOfType(CodecException.class).isThrownBy(() -> BASKETS.encode(basket(outsider)))
                .withMessageContaining("the class is not allowed")
                .withMessageContaining(Basket.class.getName())
                .withMessageEndingWith("structure=baskets type=" + BASKETS.name());
    }

    /** Returns those values that other processes can write. */
    static Stream<Arguments> writtenByOthers() {
        return outsiders().filter(arguments -> !(arguments.get()[0] instanceof TreeMap
                || arguments.get()[0] instanceof ProcessBuilder));
    }

    @ParameterizedTest
    @MethodSource("writtenByOthers")
    void objectsOfOtherClassesAreNotMadeFromStoredBytes(Object outsider) {
        AllowedClasses more = ITEMS
                .and(Outsider.class, OutsideKind.class, OutsideRecord.class, Class.class);
        byte[] bytes = ObjectCodec.of(Basket.class, more).encode(basket(outsider));
        int made = Outsider.MADE.get();

        assertThatExceptionOfType(CodecException.class).isThrownBy(() -> BASKETS.decode(bytes))
                .withMessageContaining("the class is not allowed")
                .withMessageEndingWith("structure=baskets type=" + BASKETS.name());
        assertThat(Outsider.MADE).as("code of the class that ran").hasValue(made);
    }

    @Test
    void theMessageNamesTheClassThatIsNotAllowed() {
        assertThatThrownBy(() -> BASKETS.encode(basket(new Outsider()))).hasMessageContaining(Outsider.class.getName());
    }

    @Test
    void aRefusalLeavesNothingBehind() {
        assertThatThrownBy(() -> BASKETS.encode(basket(new Outsider()))).isInstanceOf(CodecException.class);
        assertThatThrownBy(() -> BASKETS.decode(new byte[]{1, 2, 3})).isInstanceOf(CodecException.class);
        assertThat(thereAndBack(BASKETS, basket("x")).anything).isEqualTo("x");
    }

    @Test
    void aWholePackageCanBeAllowed() {
        AllowedClasses here = AllowedClasses.of(List.of("io.atoll.codec.kryo.*"));
        assertThat(here.allow(Outsider.class)).isTrue();
        assertThat(here.allow(OutsideKind[][].class)).isTrue();
        assertThat(here.allow(VariableCodecs.class)).isFalse();
        assertThat(here.allow(Thread.class)).isFalse();
        assertThat(AllowedClasses.common().allow(Outsider.class)).isFalse();
        assertThat(AllowedClasses.common().allow(Class.class)).isFalse();
    }

    @Test
    void tornBytesAreAnErrorThatNamesTypeAndStructure() {
        byte[] whole = BASKETS.encode(basket(List.of("a", 2)));
        for (int length = 0; length < whole.length; length++) {
            byte[] torn = Arrays.copyOf(whole, length);
            assertThatExceptionOfType(CodecException.class).isThrownBy(() -> BASKETS.decode(torn))
                    .withMessageEndingWith("structure=baskets type=" + BASKETS.name());
        }
        assertThatExceptionOfType(CodecException.class)
                .isThrownBy(() -> BASKETS.decode(Arrays.copyOf(whole, whole.length + 1)))
                .withMessageContaining("more bytes than the object has: more=1");
    }

    @Test
    void anObjectOfAnotherClassIsAnError() {
        byte[] text = ObjectCodec.of(String.class, AllowedClasses.common()).encode("text");
        ObjectCodec<Basket> codec = ObjectCodec.of(Basket.class, ITEMS);
        assertThatIllegalArgumentException().isThrownBy(() -> codec.decode(text))
                .withMessageEndingWith("class=java.lang.String");
    }

    @Test
    void aChainThatWouldExhaustTheStackIsRefused() {
        Basket last = basket(null);
        for (int depth = 0; depth < 100_000; depth++) {
            last = basket(last);
        }
        Basket deep = last;
        assertThatExceptionOfType(CodecException.class).isThrownBy(() -> BASKETS.encode(deep));
    }

    @Test
    void threadsShareACodec() throws Exception {
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            List<Future<?>> all = IntStream.range(0, 4)
                    .<Future<?>>mapToObj(thread -> threads.submit(() -> {
                        for (int count = 0; count < 200; count++) {
                            assertThat(thereAndBack(BASKETS, basket(thread)).anything).isEqualTo(thread);
                        }
                    }))
                    .toList();
            for (Future<?> one : all) {
                one.get();
            }
        }
    }

    /** Finds every class but those of Kryo. */
    private static final class WithoutKryo extends URLClassLoader {

        private WithoutKryo() {
            super(Stream.of(System.getProperty("java.class.path").split(java.io.File.pathSeparator))
                    .filter(entry -> !entry.contains("kryo"))
                    .map(WithoutKryo::url)
                    .toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
        }

        private static URL url(String entry) {
            try {
                return java.nio.file.Path.of(entry).toUri().toURL();
            } catch (IOException failure) {
                throw new java.io.UncheckedIOException(failure);
            }
        }
    }

    @Test
    void withoutKryoTheErrorNamesIt() throws Exception {
        try (WithoutKryo loader = new WithoutKryo()) {
            Class<?> allowed = loader.loadClass(AllowedClasses.class.getName());
            Method of = loader.loadClass(ObjectCodec.class.getName()).getMethod("of", Class.class, allowed);
            Object common = allowed.getMethod("common").invoke(null);
            assertThatExceptionOfType(InvocationTargetException.class)
                    .isThrownBy(() -> of.invoke(null, String.class, common))
                    .havingCause()
                    .isInstanceOf(IllegalStateException.class)
                    .withMessageContaining("com.esotericsoftware:kryo")
                    .withMessageEndingWith("type=java.lang.String");
        }
    }
}
