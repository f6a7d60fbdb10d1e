package io.atoll.codec;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatNullPointerException;

import io.atoll.failure.CodecException;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.UUID;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class VariableCodecsTest {

    private static final long SEED = 11;
    private static final int RANDOM_VALUES = 500;

    record Name(@Nullable String first, String last) {}

    record Customer(long id, Name name, @Nullable UUID account, BigDecimal balance, boolean active) {}

    record Message(String topic, byte[] body) {}

    record Point(int x, int y) {}

    record Chain(String text, Chain next) {}

    record Unknown(String text, Thread thread) {}

    record Nothing() {}

    record Picky(String text) {
        Picky {
            if (text.isEmpty()) {
                throw new IllegalStateException("no text");
            }
        }
    }

    static Stream<Arguments> types() {
        return Stream.of( //
                type(String.class, VariableCodecsTest::text, "", "plain", "Zürich", "日本", "\uD83D\uDE00", "\0"), //
                type(BigInteger.class, random -> new BigInteger(random.nextInt(200), random), BigInteger.ZERO,
                        BigInteger.valueOf(-1), BigInteger.valueOf(128)), //
                type(BigDecimal.class, random -> new BigDecimal(new BigInteger(60, random), random.nextInt(9) - 4),
                        new BigDecimal("2.0"), new BigDecimal("2.00"), new BigDecimal("-0.1")), //
                type(Long.class, Random::nextLong, 0L, -1L), //
                type(Point.class, random -> new Point(random.nextInt(3), random.nextInt(3))), //
                type(Name.class, random -> new Name(text(random), text(random)), new Name(null, ""), new Name("", ""),
                        new Name("", "\0"), new Name("ab", "c"), new Name("a", "bc")), //
                type(Customer.class,
                        random -> new Customer(random.nextLong(), new Name(text(random), text(random)),
                                new UUID(random.nextLong(), 0), BigDecimal.valueOf(random.nextInt(), 2),
                                random.nextBoolean()),
                        new Customer(1, new Name(null, "x"), null, BigDecimal.ONE, true)));
    }

    @SafeVarargs
    @SuppressWarnings("varargs") // the array is read only
    private static <T> Arguments type(Class<T> type, Function<Random, T> generator, T... special) {
        Random random = new Random(SEED);
        List<T> values = new ArrayList<>(List.of(special));
        Stream.generate(() -> generator.apply(random)).limit(RANDOM_VALUES).forEach(values::add);
        return Arguments.of(type, values);
    }

    /** Returns a short text, so that equal ones occur. */
    private static String text(Random random) {
        return random.ints(random.nextInt(4), 'a', 'd')
                .collect(StringBuilder::new, StringBuilder::appendCodePoint, StringBuilder::append)
                .toString();
    }

    @ParameterizedTest
    @MethodSource("types")
    <T> void valuesComeBack(Class<T> type, List<T> values) {
        VariableCodec<T> codec = VariableCodecs.forType(type);
        assertThat(values).allSatisfy(value -> assertThat(codec.decode(codec.encode(value))).isEqualTo(value));
    }

    @ParameterizedTest
    @MethodSource("types")
    <T> void equalValuesHaveEqualBytesAndUnequalOnesUnequal(Class<T> type, List<T> values) {
        VariableCodec<T> codec = VariableCodecs.forType(type);
        assertThat(codec.canonical()).isTrue();
        Map<String, T> byBytes = new HashMap<>();
        Map<T, String> byValue = new HashMap<>();
        for (T value : values) {
            String bytes = Arrays.toString(codec.encode(value));
            assertThat(byBytes.computeIfAbsent(bytes, _ -> value)).isEqualTo(value);
            assertThat(byValue.computeIfAbsent(value, _ -> bytes)).isEqualTo(bytes);
        }
    }

    @Test
    void arraysAreStoredAsTheyAreAlsoInRecords() {
        VariableCodec<byte[]> arrays = VariableCodecs.forType(byte[].class);
        assertThat(arrays.decode(arrays.encode(new byte[]{1, 2}))).containsExactly(1, 2);
        assertThat(arrays.encode(new byte[0])).isEmpty();

        VariableCodec<Message> messages = VariableCodecs.forType(Message.class);
        Message read = messages.decode(messages.encode(new Message("news", new byte[]{3})));
        assertThat(read.topic()).isEqualTo("news");
        assertThat(read.body()).containsExactly(3);
    }

    @Test
    void aNameTellsAllThatTheBytesDependOn() {
        assertThat(VariableCodecs.forType(Customer.class).name()).isEqualTo("Customer(id:long,name:Name(first:string?,"
                + "last:string),account:uuid?,balance:decimal,active:boolean)");
        assertThat(VariableCodecs.forType(Message.class).name()).isEqualTo("Message(topic:string,body:bytes)");
        assertThat(VariableCodecs.forType(int.class)).isSameAs(VariableCodecs.forType(Integer.class));
    }

    @Test
    void componentsTakeTheirLengthAndTheirBytes() {
        assertThat(VariableCodecs.forType(Name.class).encode(new Name(null, "ab")))
                .containsExactly(-1, -1, -1, -1, 0, 0, 0, 2, 'a', 'b');
    }

    record Line(Integer number, @Nullable Integer discount) {}

    /** This holds whatever other components the record has. */
    @Test
    void aComponentIsNullOnlyWhereItIsDeclaredSo() {
        VariableCodec<Name> names = VariableCodecs.forType(Name.class);
        assertThat(names.decode(names.encode(new Name(null, "last")))).isEqualTo(new Name(null, "last"));
        assertThatNullPointerException().isThrownBy(() -> names.encode(new Name("first", null)))
                .withMessage("null, and not declared @Nullable: component=last record=" + Name.class.getName());
        VariableCodec<Customer> customers = VariableCodecs.forType(Customer.class);
        assertThatNullPointerException()
                .isThrownBy(() -> customers.encode(new Customer(1, new Name(null, null), null, BigDecimal.ONE, true)))
                .withMessageContaining("component=last");
        VariableCodec<Line> lines = VariableCodecs.forType(Line.class);
        assertThat(lines.decode(lines.encode(new Line(1, null)))).isEqualTo(new Line(1, null));
        assertThatNullPointerException().isThrownBy(() -> lines.encode(new Line(null, 1)))
                .withMessageContaining("component=number");
    }

    @Test
    void whatMayBeNullHasNoFixedSize() {
        assertThat(Codecs.isFixed(Line.class)).isFalse();
        assertThatIllegalArgumentException().isThrownBy(() -> Codecs.forType(Line.class))
                .withMessageContaining("what may be null has no fixed size")
                .withMessageContaining("component=discount");
    }

    @Test
    void whatIsFixedIsKnown() {
        assertThat(List.of(Long.class, int.class, UUID.class, Point.class)).allMatch(Codecs::isFixed);
        assertThat(List.of(String.class, Name.class, Customer.class, byte[].class, Chain.class, Nothing.class,
                Thread.class)).noneMatch(Codecs::isFixed);
    }

    @Test
    void halfOfASurrogatePairIsRefused() {
        VariableCodec<String> codec = VariableCodecs.forType(String.class);
        assertThatIllegalArgumentException().isThrownBy(() -> codec.encode("a\uD83Db"))
                .withMessage("half of a surrogate pair is no text: length=3");
    }

    @Test
    void typesWithoutACodecAreRefusedWithTheReason() {
        assertThatIllegalArgumentException().isThrownBy(() -> VariableCodecs.forType(Thread.class))
                .withMessageContaining("use a record, an ObjectCodec or a codec of your own")
                .withMessageEndingWith("type=java.lang.Thread");
        assertThatIllegalArgumentException().isThrownBy(() -> VariableCodecs.forType(Unknown.class))
                .withMessageEndingWith("record=" + Unknown.class.getName() + " component=thread type=java.lang.Thread");
        assertThatIllegalArgumentException().isThrownBy(() -> VariableCodecs.forType(Chain.class))
                .withMessageStartingWith("a record that contains itself");
        assertThatIllegalArgumentException().isThrownBy(() -> VariableCodecs.forType(Nothing.class))
                .withMessageStartingWith("a record without components");
    }

    @Test
    void bytesOfSomethingElseAreAnErrorThatNamesTypeAndStructure() {
        VariableCodec<Name> names = VariableCodecs.forType(Name.class).within("people");
        byte[] whole = names.encode(new Name("a", "b"));
        for (int length = 0; length < whole.length; length++) {
            byte[] torn = Arrays.copyOf(whole, length);
            assertThatExceptionOfType(CodecException.class).isThrownBy(() -> names.decode(torn))
                    .withMessageEndingWith("structure=people type=Name(first:string?,last:string)");
        }
        assertThatExceptionOfType(CodecException.class).isThrownBy(() -> names.decode(new byte[]{127, -1, -1, -1}))
                .withMessageContaining("fewer bytes than the component has: component=first length=2147483647");
        assertThatExceptionOfType(CodecException.class).isThrownBy(() -> names.decode(Arrays.copyOf(whole, 40)))
                .withMessageContaining("more bytes than the record has");
        assertThat(names.decode(whole)).isEqualTo(new Name("a", "b"));
    }

    @Test
    void everyCodecRefusesBytesThatItCannotHaveMade() {
        assertThat(Map.of(String.class, new byte[]{-1}, BigInteger.class, new byte[0], BigDecimal.class, new byte[3],
                Long.class, new byte[7]))
                .allSatisfy((type, bytes) -> assertThatExceptionOfType(CodecException.class)
                        .isThrownBy(() -> VariableCodecs.forType(type).within("s").decode(bytes)));
    }

    @Test
    void whatARecordsConstructorThrowsIsTheCause() {
        VariableCodec<Picky> codec = VariableCodecs.forType(Picky.class).within("choice");
        assertThatExceptionOfType(CodecException.class).isThrownBy(() -> codec.decode(new byte[Integer.BYTES]))
                .withCauseInstanceOf(IllegalStateException.class)
                .satisfies(failure -> assertThat(failure.structure()).contains("choice"))
                .satisfies(failure -> assertThat(failure.type()).isEqualTo("Picky(text:string)"));
    }

    @Test
    void anUnstorableValueIsAnErrorThatNamesItsClass() {
        VariableCodec<String> codec = VariableCodecs.forType(String.class).within("words");
        assertThatExceptionOfType(CodecException.class).isThrownBy(() -> codec.encode("\uDE00"))
                .withMessageContaining("class java.lang.String")
                .withMessageEndingWith("structure=words type=string");
    }

    @Test
    void bytesOfAnySizeHaveAHash() {
        assertThat(FixedHash.of(new byte[0])).isEqualTo(FixedHash.of(new byte[0]));
        assertThat(FixedHash.of("ab".getBytes())).isNotEqualTo(FixedHash.of("ac".getBytes()));
    }
}
