package io.atoll.codec;

import static java.lang.foreign.ValueLayout.JAVA_BOOLEAN;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_CHAR;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static java.lang.invoke.MethodType.methodType;

import io.atoll.codec.CompositeShape.Part;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The shapes of which all others are made: primitives, enums, and a few classes of the JDK. */
final class BuiltInShapes {

    private static final Lookup LOOKUP = MethodHandles.publicLookup();

    private static final Shape LONG = Shape.of(JAVA_LONG);
    private static final Shape INT = Shape.of(JAVA_INT);

    private static final Map<Class<?>, Shape> OF_TYPES;

    static {
        try {
            OF_TYPES = Map.ofEntries( //
                    Map.entry(long.class, LONG), //
                    Map.entry(int.class, INT), //
                    Map.entry(short.class, Shape.of(JAVA_SHORT)), //
                    Map.entry(byte.class, Shape.of(JAVA_BYTE)), //
                    Map.entry(boolean.class, Shape.of(JAVA_BOOLEAN)), //
                    Map.entry(char.class, Shape.of(JAVA_CHAR)), //
                    Map.entry(float.class, floats()), //
                    Map.entry(double.class, doubles()), //
                    Map.entry(UUID.class, uuids()), //
                    Map.entry(Instant.class, instants()), //
                    Map.entry(Duration.class, durations()));
        } catch (ReflectiveOperationException failure) {
            throw new ExceptionInInitializerError(failure);
        }
    }

    private BuiltInShapes() {}

    /** Returns the shape of the type; null if the type is none of these. A box has the shape of its primitive type. */
    static @Nullable Shape find(Class<?> type) {
        return type.isEnum() ? enums(type) : OF_TYPES.get(methodType(type).unwrap().returnType());
    }

    // floatToIntBits and doubleToLongBits map all NaNs to one, which their raw forms do not: equal values have equal
    // bits.

    private static Shape floats() throws ReflectiveOperationException {
        return INT.as("float", LOOKUP.findStatic(Float.class, "floatToIntBits", methodType(int.class, float.class)),
                LOOKUP.findStatic(Float.class, "intBitsToFloat", methodType(float.class, int.class)));
    }

    private static Shape doubles() throws ReflectiveOperationException {
        return LONG.as("double",
                LOOKUP.findStatic(Double.class, "doubleToLongBits", methodType(long.class, double.class)),
                LOOKUP.findStatic(Double.class, "longBitsToDouble", methodType(double.class, long.class)));
    }

    private static Shape uuids() throws ReflectiveOperationException {
        return CompositeShape.of("uuid", List.of( //
                new Part("most", LONG,
                        LOOKUP.findVirtual(UUID.class, "getMostSignificantBits", methodType(long.class))),
                new Part("least", LONG,
                        LOOKUP.findVirtual(UUID.class, "getLeastSignificantBits", methodType(long.class)))),
                LOOKUP.findConstructor(UUID.class, methodType(void.class, long.class, long.class)));
    }

    private static Shape instants() throws ReflectiveOperationException {
        return CompositeShape.of("instant", List.of( //
                new Part("seconds", LONG, LOOKUP.findVirtual(Instant.class, "getEpochSecond", methodType(long.class))),
                new Part("nanos", INT, LOOKUP.findVirtual(Instant.class, "getNano", methodType(int.class)))),
                LOOKUP.findStatic(Instant.class, "ofEpochSecond", methodType(Instant.class, long.class, long.class)));
    }

    private static Shape durations() throws ReflectiveOperationException {
        return CompositeShape.of("duration", List.of( //
                new Part("seconds", LONG, LOOKUP.findVirtual(Duration.class, "getSeconds", methodType(long.class))),
                new Part("nanos", INT, LOOKUP.findVirtual(Duration.class, "getNano", methodType(int.class)))),
                LOOKUP.findStatic(Duration.class, "ofSeconds", methodType(Duration.class, long.class, long.class)));
    }

    /** Stores the ordinal. The name lists the constants, so that another order of them is another type. */
    private static Shape enums(Class<?> type) {
        Object[] constants = type.getEnumConstants();
        String name = Arrays.stream(constants)
                .map(constant -> ((Enum<?>) constant).name())
                .collect(Collectors.joining("|", type.getSimpleName() + "(", ")"));
        try {
            MethodHandle ordinal = LOOKUP.findVirtual(Enum.class, "ordinal", methodType(int.class))
                    .asType(methodType(int.class, type));
            MethodHandle constant = MethodHandles.arrayElementGetter(constants.getClass()).bindTo(constants);
            return INT.as(name, ordinal, constant);
        } catch (ReflectiveOperationException failure) {
            throw new AssertionError("every enum has ordinals", failure);
        }
    }
}
