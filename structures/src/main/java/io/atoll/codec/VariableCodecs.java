package io.atoll.codec;

import java.lang.invoke.MethodType;
import java.util.List;
import java.util.stream.Stream;

/**
 * The codecs that need no line of a user's code:
 * <ul>
 * <li>{@link String}, {@code byte[]}, {@link java.math.BigInteger}, {@link java.math.BigDecimal};
 * <li>every type of {@link Codecs};
 * <li>records of these, and of such records. A component may be null if it is declared {@code @Nullable}, by any
 * annotation with that name. Arrays in records are compared by their content, and a record's own {@code equals} is
 * never called.
 * </ul>
 */
public final class VariableCodecs {

    private static final OnePerType<VariableCodec<?>> OF_TYPES = new OnePerType<>(
            type -> of(type, List.of(), "type=" + type.getName()));

    private VariableCodecs() {}

    /**
     * Returns the codec of the type.
     *
     * @param type one of those above; a primitive type and its box have the same codec
     * @throws IllegalArgumentException if the type is unknown here, or a record's package is closed to Atoll
     */
    @SuppressWarnings("unchecked") // the codec of a class takes and gives that class
    public static <T> VariableCodec<T> forType(Class<T> type) {
        return (VariableCodec<T>) OF_TYPES.of(MethodType.methodType(type).wrap().returnType());
    }

    /** Returns a codec for values of fixed size in places where values may differ in size. */
    public static <T> VariableCodec<T> of(Codec<T> codec) {
        return new FixedSizeCodec<>(codec);
    }

    /**
     * Returns a codec of fixed size for values that differ in size. Places such as a queue need one, where all values
     * take the same number of bytes. {@link Codec#encode} refuses a larger value. If values are compared, or are keys,
     * the codec must be {@linkplain VariableCodec#canonical canonical}.
     *
     * @param largest how many bytes a value takes at most, 1 or more. The codec fills them up to whole words, and adds
     * a word for the length
     */
    public static <T> Codec<T> bounded(VariableCodec<T> codec, int largest) {
        return new BoundedCodec<>(codec, largest);
    }

    /** Returns true if {@link #forType} knows the type. */
    public static boolean has(Class<?> type) {
        return has(type, List.of());
    }

    private static boolean has(Class<?> type, List<Class<?>> enclosing) {
        return BuiltInCodecs.find(type) != null || Codecs.isFixed(type)
                || mayBeComposed(type, enclosing) && Stream.of(type.getRecordComponents())
                        .allMatch(component -> has(component.getType(), with(enclosing, type)));
    }

    private static boolean mayBeComposed(Class<?> type, List<Class<?>> enclosing) {
        return type.isRecord() && type.getRecordComponents().length > 0 && !enclosing.contains(type);
    }

    private static List<Class<?>> with(List<Class<?>> enclosing, Class<?> type) {
        return Stream.concat(enclosing.stream(), Stream.of(type)).toList();
    }

    /** @param enclosing the records that this type is a component of, the outermost first */
    static VariableCodec<?> of(Class<?> type, List<Class<?>> enclosing, String where) {
        VariableCodec<?> builtIn = BuiltInCodecs.find(type);
        if (builtIn != null) {
            return builtIn;
        }
        if (Codecs.isFixed(type)) {
            return new FixedSizeCodec<>(Codecs.forType(type));
        }
        if (!mayBeComposed(type, enclosing)) {
            throw new IllegalArgumentException(reason(type) + ": " + where);
        }
        return RecordCodec.of(type, with(enclosing, type));
    }

    private static String reason(Class<?> type) {
        if (type.isRecord()) {
            return type.getRecordComponents().length == 0
                    ? "a record without components has but one value"
                    : "a record that contains itself has no codec here, use an ObjectCodec or a codec of your own";
        }
        return "values of this type have no codec, use a record, an ObjectCodec or a codec of your own";
    }
}
