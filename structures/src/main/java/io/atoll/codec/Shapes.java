package io.atoll.codec;

import static java.lang.invoke.MethodType.methodType;

import io.atoll.codec.CompositeShape.Part;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodHandles.Lookup;
import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Finds the shape of a type, or says why there is none. Reflection looks at a record's components once; what comes out
 * of it is handles.
 */
final class Shapes {

    private Shapes() {}

    static Shape of(Class<?> type) {
        return of(type, List.of(), "type=" + type.getName());
    }

    /** @param enclosing the records that this one is a component of, the outermost first */
    private static Shape of(Class<?> type, List<Class<?>> enclosing, String where) {
        Shape builtIn = BuiltInShapes.find(type);
        if (builtIn != null) {
            return builtIn;
        }
        if (!type.isRecord() || type.getRecordComponents().length == 0 || enclosing.contains(type)) {
            throw new IllegalArgumentException(reason(type, !enclosing.isEmpty()) + ": " + where);
        }
        return ofRecord(type, Stream.concat(enclosing.stream(), Stream.of(type)).toList());
    }

    private static String reason(Class<?> type, boolean component) {
        if (CharSequence.class.isAssignableFrom(type)) {
            return "text has a variable size, not supported as a value of fixed size,"
                    + " use a number, a UUID, Codecs.bytes(length) or a codec of your own";
        }
        if (type.isRecord()) {
            return type.getRecordComponents().length == 0
                    ? "a record without components has but one value"
                    : "a record that contains itself has no fixed size";
        }
        if (type.isArray() && component) {
            return "records compare arrays by identity, so equal records would not have equal words,"
                    + " use numbers or a record instead of the array";
        }
        if (type == byte[].class) {
            return "the type of an array does not tell its length, use Codecs.bytes(length)";
        }
        return "values of this type are not known to have a fixed size, use a record or a codec of your own";
    }

    private static Shape ofRecord(Class<?> type, List<Class<?>> path) {
        Lookup lookup = lookup(type);
        List<Part> parts = new ArrayList<>();
        for (RecordComponent component : type.getRecordComponents()) {
            parts.add(part(component, path, lookup));
        }
        String name = parts.stream()
                .map(part -> part.name() + ":" + part.shape().name())
                .collect(Collectors.joining(",", type.getSimpleName() + "(", ")"));
        return CompositeShape.of(name, parts, constructor(type, lookup));
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

    private static Part part(RecordComponent component, List<Class<?>> path, Lookup lookup) {
        String where = "record=" + component.getDeclaringRecord().getName() + " component=" + component.getName()
                + " type=" + component.getType().getName();
        try {
            MethodHandle accessor = lookup.unreflect(component.getAccessor());
            return new Part(component.getName(), of(component.getType(), path, where), accessor);
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
}
