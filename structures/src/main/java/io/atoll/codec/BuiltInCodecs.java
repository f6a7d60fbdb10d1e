package io.atoll.codec;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.util.Map;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The codecs from which those of records are made: texts, byte arrays, large numbers. */
final class BuiltInCodecs {

    private record Conversion<T>(String name, Function<T, byte[]> encoder, Function<byte[], T> decoder)
            implements
                VariableCodec<T> {

        @Override
        public byte[] encode(T value) {
            return encoder.apply(value);
        }

        @Override
        public T decode(byte[] bytes) {
            return decoder.apply(bytes);
        }
    }

    private static final Map<Class<?>, VariableCodec<?>> OF_TYPES = Map.of( //
            String.class, new Conversion<>("string", BuiltInCodecs::utf8, BuiltInCodecs::text), //
            byte[].class, new Conversion<byte[]>("bytes", Function.identity(), Function.identity()), //
            BigInteger.class, new Conversion<>("integer", BigInteger::toByteArray, BigInteger::new), //
            BigDecimal.class, new Conversion<>("decimal", BuiltInCodecs::scaled, BuiltInCodecs::decimal));

    private BuiltInCodecs() {}

    /** Returns the codec of the type; null if the type is none of these. */
    static @Nullable VariableCodec<?> find(Class<?> type) {
        return OF_TYPES.get(type);
    }

    /** Refuses half of a surrogate pair: it would become a question mark, and so would the other half. */
    private static byte[] utf8(String value) {
        byte[] bytes = value.getBytes(UTF_8);
        if (value.chars().anyMatch(unit -> Character.isSurrogate((char) unit)) && !value.equals(text(bytes))) {
            throw new IllegalArgumentException("half of a surrogate pair is no text: length=" + value.length());
        }
        return bytes;
    }

    private static String text(byte[] bytes) {
        try {
            return UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
        } catch (CharacterCodingException other) {
            throw new IllegalArgumentException("not UTF-8: bytes=" + bytes.length, other);
        }
    }

    /** The scale belongs to the value: 2.0 and 2.00 are not equal. */
    private static byte[] scaled(BigDecimal value) {
        byte[] unscaled = value.unscaledValue().toByteArray();
        return ByteBuffer.allocate(Integer.BYTES + unscaled.length).putInt(value.scale()).put(unscaled).array();
    }

    private static BigDecimal decimal(byte[] bytes) {
        int scale = ByteBuffer.wrap(bytes).getInt();
        return new BigDecimal(new BigInteger(bytes, Integer.BYTES, bytes.length - Integer.BYTES), scale);
    }
}
