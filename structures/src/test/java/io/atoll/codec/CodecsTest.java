package io.atoll.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.atoll.AllocatedBytes;
import io.atoll.memory.Layouts;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;

class CodecsTest {

    private static final long SEED = 7;
    private static final int RANDOM_VALUES = 2_000;
    private static final long POSITION = 16;

    private enum Side {
        BUY, SELL {
            @Override
            public String toString() {
                return "a constant with a body, whose class is not the enum's";
            }
        }
    }

    private record Point(int x, int y) {}

    private record Flags(byte kind, boolean open, short level, char mark, float weight) {}

    private record Order(long id, UUID account, Side side, Point from, byte priority, double total, Instant placed,
            Flags flags) {}

    private record Boxes(Integer count, Double share) {}

    /** Values of a small range, so that equal ones occur. */
    private record Scarce(byte low, double zero) {}

    record WithText(long id, String name) {}

    record WithArray(byte[] bytes) {}

    record Chain(long id, Chain next) {}

    record Nothing() {}

    record Unknown(Thread thread) {}

    record Outer(WithText inner) {}

    record Picky(int even) {
        Picky {
            if (even % 2 != 0) {
                throw new IllegalStateException("not even: even=" + even);
            }
        }
    }

    private static final float OTHER_NAN_FLOAT = Float.intBitsToFloat(0x7fc0_0001);
    private static final double OTHER_NAN = Double.longBitsToDouble(0xfff8_0000_0000_0001L);

    static Stream<Arguments> types() {
        return Stream.of( //
                type(Long.class, Random::nextLong, 0L, -1L, Long.MIN_VALUE, Long.MAX_VALUE), //
                type(Integer.class, Random::nextInt, 0, -1, Integer.MIN_VALUE, Integer.MAX_VALUE), //
                type(Short.class, random -> (short) random.nextInt(), (short) -1, Short.MIN_VALUE, Short.MAX_VALUE), //
                type(Byte.class, random -> (byte) random.nextInt(), (byte) -1, Byte.MIN_VALUE, Byte.MAX_VALUE), //
                type(Boolean.class, Random::nextBoolean, true, false), //
                type(Character.class, random -> (char) random.nextInt(), Character.MIN_VALUE, Character.MAX_VALUE), //
                type(Float.class, random -> Float.intBitsToFloat(random.nextInt()), 0f, -0f, Float.NaN,
                        OTHER_NAN_FLOAT), //
                type(Double.class, random -> Double.longBitsToDouble(random.nextLong()), 0.0, -0.0, Double.NaN,
                        OTHER_NAN), //
                type(Side.class, random -> Side.values()[random.nextInt(2)], Side.BUY, Side.SELL), //
                type(UUID.class, CodecsTest::uuid, new UUID(0, 0), new UUID(-1, -1)), //
                type(Instant.class, CodecsTest::instant, Instant.MIN, Instant.MAX, Instant.EPOCH,
                        Instant.EPOCH.minusNanos(1)), //
                type(Duration.class, random -> Duration.ofSeconds(random.nextInt(), random.nextLong()), Duration.ZERO,
                        Duration.ofNanos(-1)), //
                type(Point.class, CodecsTest::point, new Point(0, 0)), //
                type(Flags.class, CodecsTest::flags), //
                type(Boxes.class, random -> new Boxes(random.nextInt(), random.nextDouble()), new Boxes(1000, 0.5)), //
                type(Scarce.class, random -> new Scarce((byte) random.nextInt(3), random.nextBoolean() ? 0.0 : -0.0),
                        new Scarce((byte) 0, OTHER_NAN),
                        new Scarce((byte) 0, Double.NaN)),
                type(Order.class,
                        random -> new Order(random.nextLong(), uuid(random), Side.values()[random.nextInt(2)],
                                point(random),
                                (byte) random.nextInt(), random.nextDouble(), instant(random), flags(random))));
    }

    @SafeVarargs
    @SuppressWarnings("varargs") // the array is read only
    private static <T> Arguments type(Class<T> type, Function<Random, T> generator, T... special) {
        Random random = new Random(SEED);
        List<T> values = new ArrayList<>(List.of(special));
        Stream.generate(() -> generator.apply(random)).limit(RANDOM_VALUES).forEach(values::add);
        return Arguments.of(type, values);
    }

    private static UUID uuid(Random random) {
        return new UUID(random.nextLong(), random.nextLong());
    }

    private static Instant instant(Random random) {
        return Instant.ofEpochSecond(random.nextInt(), random.nextLong());
    }

    private static Point point(Random random) {
        return new Point(random.nextInt(), random.nextInt());
    }

    private static Flags flags(Random random) {
        return new Flags((byte) random.nextInt(), random.nextBoolean(), (short) random.nextInt(),
                (char) random.nextInt(), random.nextFloat());
    }

    @ParameterizedTest
    @MethodSource("types")
    <T> void whatWasEncodedIsDecoded(Class<T> type, List<T> values) {
        Codec<T> codec = Codecs.forType(type);
        MemorySegment memory = dirtyMemory(0);
        for (T value : values) {
            codec.encode(value, memory, POSITION);
            assertThat(codec.decode(memory, POSITION)).isEqualTo(value);
        }
    }

    @ParameterizedTest
    @MethodSource("types")
    <T> void valuesAreEqualIfAndOnlyIfTheirWordsAre(Class<T> type, List<T> values) {
        Codec<T> codec = Codecs.forType(type);
        Map<T, List<Long>> wordsOfValues = new HashMap<>();
        Map<List<Long>, T> valuesOfWords = new HashMap<>();
        for (T value : values) {
            List<Long> words = words(codec, value, 0);
            assertThat(words(codec, value, -1)).as("words of %s in memory full of ones", value).isEqualTo(words);
            assertThat(wordsOfValues.computeIfAbsent(value, any -> words)).as("words of %s", value).isEqualTo(words);
            assertThat(valuesOfWords.computeIfAbsent(words, any -> value)).as("value of %s", words).isEqualTo(value);
        }
    }

    @ParameterizedTest
    @MethodSource("types")
    <T> void nothingBesideTheValueIsWritten(Class<T> type, List<T> values) {
        Codec<T> codec = Codecs.forType(type);
        MemorySegment memory = dirtyMemory(-1);
        values.forEach(value -> codec.encode(value, memory, POSITION));
        long end = POSITION + codec.bytes();
        assertThat(memory.asSlice(0, POSITION).toArray(ValueLayout.JAVA_BYTE)).containsOnly(-1);
        assertThat(memory.asSlice(end).toArray(ValueLayout.JAVA_BYTE)).containsOnly(-1);
    }

    @ParameterizedTest
    @MethodSource("types")
    <T> void encodingAllocatesNothing(Class<T> type, List<T> values) {
        Codec<T> codec = Codecs.forType(type);
        MemorySegment memory = dirtyMemory(0);
        assertThat(AllocatedBytes.of(() -> encodeAll(codec, values, memory))).isZero();
    }

    private static <T> void encodeAll(Codec<T> codec, List<T> values, MemorySegment memory) {
        for (int index = 0; index < values.size(); index++) {
            codec.encode(values.get(index), memory, POSITION);
        }
    }

    private static MemorySegment dirtyMemory(int filling) {
        return Arena.ofAuto().allocate(256, Layouts.CACHE_LINE).fill((byte) filling);
    }

    private static <T> List<Long> words(Codec<T> codec, T value, int filling) {
        MemorySegment memory = dirtyMemory(filling);
        codec.encode(value, memory, POSITION);
        return memory.asSlice(POSITION, codec.bytes())
                .elements(ValueLayout.JAVA_LONG)
                .map(word -> word.get(ValueLayout.JAVA_LONG, 0))
                .collect(Collectors.toList());
    }

    @Test
    void aPrimitiveTypeAndItsBoxHaveOneCodec() {
        assertThat(Codecs.forType(long.class)).isSameAs(Codecs.forType(Long.class));
        assertThat(Codecs.forType(boolean.class)).isSameAs(Codecs.forType(Boolean.class));
    }

    @Test
    void everyTypeHasACodecOfItsOwn() {
        assertThat(Codecs.forType(UUID.class).getClass()).isNotEqualTo(Codecs.forType(Long.class).getClass());
        assertThat(Codecs.forType(UUID.class)).isSameAs(Codecs.forType(UUID.class));
    }

    @Test
    void namesTellEverythingThatTheWordsDependOn() {
        assertThat(Codecs.forType(long.class).name()).isEqualTo("long");
        assertThat(Codecs.forType(float.class).name()).isEqualTo("float");
        assertThat(Codecs.forType(UUID.class).name()).isEqualTo("uuid");
        assertThat(Codecs.forType(Side.class).name()).isEqualTo("Side(BUY|SELL)");
        assertThat(Codecs.forType(Boxes.class).name()).isEqualTo("Boxes(count:int,share:double)");
        assertThat(Codecs.forType(Order.class).name())
                .isEqualTo("Order(id:long,account:uuid,side:Side(BUY|SELL),from:Point(x:int,y:int),priority:byte,"
                        + "total:double,placed:instant,flags:Flags(kind:byte,open:boolean,level:short,mark:char,"
                        + "weight:float))");
        assertThat(Codecs.bytes(16).name()).isEqualTo("bytes16");
    }

    @Test
    void componentsTakeTheBytesThatTheyNeed() {
        assertThat(Codecs.forType(byte.class).bytes()).isEqualTo(8);
        assertThat(Codecs.forType(Point.class).bytes()).isEqualTo(8);
        assertThat(Codecs.forType(Flags.class).bytes()).isEqualTo(16); // 1 + 1 + 2 + 2, 2 of padding, 4, filled up
        assertThat(Codecs.forType(UUID.class).bytes()).isEqualTo(16);
        assertThat(Codecs.forType(Order.class).bytes()).isEqualTo(80);
    }

    @Test
    void componentsLieInTheOrderInWhichTheyAreDeclared() {
        assertThat(words(Codecs.forType(Point.class), new Point(1, 2), 0)).containsExactly(0x2_0000_0001L);
        assertThat(words(Codecs.forType(Flags.class), new Flags((byte) 1, true, (short) 2, 'A', 1f), -1)) //
                .containsExactly(0x0041_0002_01_01L, 0x3f80_0000L);
    }

    @ParameterizedTest
    @CsvSource({"1, 8", "8, 8", "16, 16", "20, 24", "32, 32"})
    void arraysOfOneLengthAreFilledUpWithZeros(int length, int bytes) {
        Codec<byte[]> codec = Codecs.bytes(length);
        byte[] value = new byte[length];
        new Random(SEED).nextBytes(value);
        MemorySegment memory = dirtyMemory(-1);
        codec.encode(value, memory, POSITION);
        assertThat(codec.bytes()).isEqualTo(bytes);
        assertThat(codec.decode(memory, POSITION)).isEqualTo(value);
        assertThat(memory.asSlice(POSITION + length, bytes - length).toArray(ValueLayout.JAVA_BYTE))
                .isEqualTo(new byte[bytes - length]);
        assertThat(memory.asSlice(POSITION + bytes).toArray(ValueLayout.JAVA_BYTE)).containsOnly(-1);
    }

    @Test
    void anArrayOfAnotherLengthIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.bytes(16).encode(new byte[15], dirtyMemory(0), 0))
                .withMessageEndingWith("expectedLength=16 length=15");
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.bytes(0)).withMessageEndingWith("length=0");
    }

    @Test
    void textIsRefusedWithWhatToUseInstead() {
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.forType(String.class))
                .withMessageContaining("variable size")
                .withMessageContaining("Codecs.bytes(length)")
                .withMessageEndingWith("type=java.lang.String");
    }

    @Test
    void aComponentWithoutFixedSizeIsNamedWithItsRecord() {
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.forType(Outer.class))
                .withMessageEndingWith("record=" + WithText.class.getName() + " component=name type=java.lang.String");
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.forType(WithArray.class))
                .withMessageStartingWith("records compare arrays by identity")
                .withMessageEndingWith("component=bytes type=[B");
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.forType(Unknown.class))
                .withMessageEndingWith("component=thread type=java.lang.Thread");
    }

    @Test
    void typesWithoutFixedSizeAreRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.forType(byte[].class))
                .withMessageContaining("Codecs.bytes(length)");
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.forType(Object.class))
                .withMessageEndingWith("type=java.lang.Object");
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.forType(Chain.class))
                .withMessageStartingWith("a record that contains itself");
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.forType(Nothing.class))
                .withMessageStartingWith("a record without components");
    }

    @Test
    void aRecordOfAClosedModuleIsRefusedWithTheLineThatOpensIt() {
        Class<?> closed = Collectors.toList().getClass();
        assertThat(closed).isRecord();
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.forType(closed))
                .withMessageContaining("'opens java.util.stream;'")
                .withMessageContaining("module=java.base");
    }

    @Test
    void whatARecordThrowsIsWhatItsCodecThrows() {
        MemorySegment memory = dirtyMemory(0);
        memory.set(ValueLayout.JAVA_LONG, 0, 3);
        Codec<Picky> codec = Codecs.forType(Picky.class);
        assertThatIllegalStateException().isThrownBy(() -> codec.decode(memory, 0)).withMessage("not even: even=3");
    }

    @Test
    void nullIsNoValue() {
        assertThatNullPointerException().isThrownBy(() -> Codecs.forType(Long.class).encode(null, dirtyMemory(0), 0));
        assertThatNullPointerException().isThrownBy(() -> Codecs.forType(Point.class).encode(null, dirtyMemory(0), 0));
        assertThatNullPointerException()
                .isThrownBy(() -> Codecs.forType(Boxes.class).encode(new Boxes(1, null), dirtyMemory(0), 0))
                .withMessageStartingWith("null, and not declared @Nullable: component=")
                .withMessageEndingWith(" record=" + Boxes.class.getName());
    }
}
