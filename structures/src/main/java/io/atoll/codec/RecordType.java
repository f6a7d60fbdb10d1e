package io.atoll.codec;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.reflect.AnnotatedElement;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Takes the values of a record apart and puts them together. Reflection looks at the components once, and makes handles
 * from them.
 *
 * @param components in the order in which they are declared
 * @param constructor the canonical one
 */
record RecordType(List<Component> components, MethodHandle constructor) {

    private static final MethodHandle REQUIRE_NON_NULL = requireNonNull();

    /**
     * One of the record's components.
     *
     * @param mayBeNull true if it is declared nullable: see {@link RecordType#mayBeNull}
     * @param accessor takes it from a value of the record, and refuses null unless it may be null
     */
    public record Component(Class<?> record, String name, Class<?> type, boolean mayBeNull, MethodHandle accessor) {

        /** Returns the text for messages. */
        @Override
        public String toString() {
            return "record=" + record.getName() + " component=" + name + " type=" + type.getName();
        }
    }

    /** @throws IllegalArgumentException if the record's package is closed to Atoll */
    public static RecordType of(Class<?> type) {
        Lookup lookup = lookup(type);
        List<Component> components = Stream.of(type.getRecordComponents())
                .map(component -> new Component(type, component.getName(), component.getType(),
                        mayBeNull(component), refusingNull(component, accessor(component, lookup))))
                .toList();
        return new RecordType(components, constructor(type, lookup));
    }

    private static Lookup lookup(Class<?> type) {
        try {
            return MethodHandles.privateLookupIn(type, MethodHandles.lookup());
        } catch (IllegalAccessException closed) {
            throw new IllegalArgumentException(
                    "the record's package is closed to Atoll, add 'opens " + type.getPackageName()
                            + ";' to its module's declaration: module=" + type.getModule().getName()
                            + " type=" + type.getName(),
                    closed);
        }
    }

    /**
     * Returns true if the component has an annotation with the name {@code Nullable} that is visible at run time. The
     * annotation may be of any package, as JSpecify's.
     */
    public static boolean mayBeNull(RecordComponent component) {
        return Stream.of(component.getAnnotatedType(), component, component.getAccessor())
                .map(AnnotatedElement::getAnnotations)
                .flatMap(Stream::of)
                .anyMatch(annotation -> annotation.annotationType().getSimpleName().equals("Nullable"));
    }

    private static MethodHandle refusingNull(RecordComponent component, MethodHandle accessor) {
        Class<?> type = component.getType();
        if (type.isPrimitive() || mayBeNull(component)) {
            return accessor;
        }
        MethodHandle refusing = MethodHandles.insertArguments(REQUIRE_NON_NULL, 1,
                "null, and not declared @Nullable: component=" + component.getName() + " record="
                        + component.getDeclaringRecord().getName());
        return MethodHandles.filterReturnValue(accessor, refusing.asType(methodType(type, type)));
    }

    private static MethodHandle requireNonNull() {
        try {
            return MethodHandles.publicLookup()
                    .findStatic(Objects.class, "requireNonNull", methodType(Object.class, Object.class, String.class));
        } catch (ReflectiveOperationException failure) {
            throw new ExceptionInInitializerError(failure);
        }
    }

    private static MethodHandle accessor(RecordComponent component, Lookup lookup) {
        try {
            return lookup.unreflect(component.getAccessor());
        } catch (IllegalAccessException failure) {
            throw new AssertionError("a private lookup reaches every accessor", failure);
        }
    }

    private static MethodHandle constructor(Class<?> type, Lookup lookup) {
        Class<?>[] parameters = Arrays.stream(type.getRecordComponents())
                .map(RecordComponent::getType)
                .toArray(Class<?>[]::new);
        try {
            return lookup.findConstructor(type, methodType(void.class, parameters));
        } catch (ReflectiveOperationException failure) {
            throw new AssertionError("every record has its canonical constructor", failure);
        }
    }

    /**
     * Returns what an accessor or a constructor threw: neither may declare checked exceptions, but either may throw
     * them.
     */
    public static RuntimeException unchecked(Throwable failure) {
        if (failure instanceof Error error) {
            throw error;
        }
        return failure instanceof RuntimeException exception
                ? exception
                : new UndeclaredThrowableException(failure, failure.getMessage());
    }
}
