package io.atoll.codec;

import io.atoll.codec.CompositeShape.Part;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Finds the shape of a type, or says why there is none. */
final class Shapes {

    private Shapes() {}

    static Shape of(Class<?> type) {
        return of(type, List.of(), "type=" + type.getName());
    }

    /** Returns true if the type has a shape. */
    static boolean has(Class<?> type) {
        return has(type, List.of());
    }

    private static boolean has(Class<?> type, List<Class<?>> enclosing) {
        return BuiltInShapes.find(type) != null
                || mayBeComposed(type, enclosing) && Stream.of(type.getRecordComponents())
                        .allMatch(component -> !RecordType.mayBeNull(component)
                                && has(component.getType(), with(enclosing, type)));
    }

    private static boolean mayBeComposed(Class<?> type, List<Class<?>> enclosing) {
        return type.isRecord() && type.getRecordComponents().length > 0 && !enclosing.contains(type);
    }

    private static List<Class<?>> with(List<Class<?>> enclosing, Class<?> type) {
        return Stream.concat(enclosing.stream(), Stream.of(type)).toList();
    }

    /** @param enclosing the records that this one is a component of, the outermost first */
    private static Shape of(Class<?> type, List<Class<?>> enclosing, String where) {
        Shape builtIn = BuiltInShapes.find(type);
        if (builtIn != null) {
            return builtIn;
        }
        if (!mayBeComposed(type, enclosing)) {
            throw new IllegalArgumentException(reason(type, !enclosing.isEmpty()) + ": " + where);
        }
        return ofRecord(type, with(enclosing, type));
    }

    private static String reason(Class<?> type, boolean component) {
        if (CharSequence.class.isAssignableFrom(type)) {
            return "text has a variable size, not supported as a value of fixed size,"
                    + " use a number, a UUID, Codecs.bytes(length), VariableCodecs.bounded(codec, largest)"
                    + " or a codec of your own";
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

    private static Part part(RecordType.Component component, List<Class<?>> path) {
        if (component.mayBeNull()) {
            throw new IllegalArgumentException(
                    "what may be null has no fixed size, use VariableCodecs.bounded(codec, largest),"
                            + " or a value that stands for none: "
                            + component);
        }
        return new Part(component.name(), of(component.type(), path, component.toString()), component.accessor());
    }

    private static Shape ofRecord(Class<?> type, List<Class<?>> path) {
        RecordType members = RecordType.of(type);
        List<Part> parts = members.components()
                .stream()
                .map(component -> part(component, path))
                .toList();
        String name = parts.stream()
                .map(part -> part.name() + ":" + part.shape().name())
                .collect(Collectors.joining(",", type.getSimpleName() + "(", ")"));
        Shape shape = CompositeShape.of(name, parts, members.constructor());
        return RecordCode.isIn(type) ? shape.thatRunsCode() : shape;
    }
}
