package io.atoll.codec.kryo;

import java.lang.reflect.Field;
import java.lang.reflect.GenericArrayType;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The parts of which objects of a class consist, in words: the names and types of fields, of components in their order,
 * and of constants. It covers the class and all allowed classes that these types name. Two processes that mean the same
 * by a class have the same words for it.
 *
 * <p>An object may bring in a further class at run time, behind an interface. That class is in no shape but its own.
 */
final class ObjectShape {

    private final AllowedClasses allowed;
    private final Map<String, String> parts = new TreeMap<>(); // by the names of classes

    private ObjectShape(AllowedClasses allowed) {
        this.allowed = allowed;
    }

    static String of(Class<?> type, AllowedClasses allowed) {
        ObjectShape shape = new ObjectShape(allowed);
        shape.add(type);
        return String.join(" ", shape.parts.values());
    }

    /** Returns the shape of the class alone. */
    static String ofRecord(Class<?> type) {
        return type.getName() + components(type);
    }

    private void add(Type type) {
        switch (type) {
            case Class<?> one when one.isArray() -> add(one.componentType());
            case Class<?> one -> addClass(one);
            case ParameterizedType generic -> {
                add(generic.getRawType());
                Arrays.stream(generic.getActualTypeArguments()).forEach(this::add);
            }
            case GenericArrayType array -> add(array.getGenericComponentType());
            case WildcardType wildcard -> Arrays.stream(wildcard.getUpperBounds()).forEach(this::add);
            // A variable stands for what its use names.
            default -> {
            }
        }
    }

    private void addClass(Class<?> type) {
        if (type.isPrimitive() || type.getName().startsWith("java.") || parts.containsKey(type.getName())
                || !allowed.allow(type) && !type.isSealed()) {
            return;
        }
        parts.put(type.getName(), type.getName() + inside(type));
        if (type.isSealed()) {
            Arrays.stream(type.getPermittedSubclasses()).forEach(this::add);
        }
        if (type.isRecord()) {
            Arrays.stream(type.getRecordComponents()).map(RecordComponent::getGenericType).forEach(this::add);
        } else if (!type.isEnum()) {
            fields(type).map(Field::getGenericType).forEach(this::add);
        }
    }

    private static String inside(Class<?> type) {
        if (type.isRecord()) {
            return components(type);
        }
        if (type.isEnum()) {
            return Stream.of(type.getEnumConstants())
                    .map(constant -> ((Enum<?>) constant).name())
                    .collect(Collectors.joining(",", "[", "]"));
        }
        return fields(type).map(field -> field.getName() + ":" + field.getGenericType().getTypeName())
                .sorted()
                .collect(Collectors.joining(",", "{", "}"));
    }

    private static String components(Class<?> type) {
        return Arrays.stream(type.getRecordComponents())
                .map(component -> component.getName() + ":" + component.getGenericType().getTypeName())
                .collect(Collectors.joining(",", "(", ")"));
    }

    private static Stream<Field> fields(Class<?> type) {
        return Stream.<Class<?>>iterate(type, each -> each != null && !each.getName().startsWith("java."),
                Class::getSuperclass)
                .flatMap(each -> Arrays.stream(each.getDeclaredFields()))
                .filter(field -> !Modifier.isStatic(field.getModifiers())
                        && !Modifier.isTransient(field.getModifiers()))
                .sorted(Comparator.comparing(Field::getName));
    }
}
