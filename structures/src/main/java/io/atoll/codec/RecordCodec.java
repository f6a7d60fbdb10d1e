package io.atoll.codec;

import static java.lang.invoke.MethodType.methodType;

import java.lang.invoke.MethodHandle;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Stores records with a component that differs in size. One component follows the other, as they are declared:
 * <pre>
 *       0        4                4+n      8+n
 *       +--------+----//----------+--------+----//----------+---
 *       | length |  component 0   | length |  component 1   |  ...      a length of -1: null, and no bytes
 *       +--------+----//----------+--------+----//----------+---
 * </pre>
 */
final class RecordCodec<T> implements VariableCodec<T> {

    /** @param accessor (Object) to Object; refuses null unless the component may be null */
    private record Part(String name, VariableCodec<Object> codec, boolean mayBeNull, MethodHandle accessor) {

        @Override
        public String toString() {
            return name + ":" + codec.name() + (mayBeNull ? "?" : "");
        }
    }

    private static final int NULL = -1;

    private final String name;
    private final List<Part> parts;
    private final MethodHandle constructor; // (Object[]) to Object

    private RecordCodec(Class<?> type, List<Part> parts, MethodHandle constructor) {
        this.name = parts.stream()
                .map(Part::toString)
                .collect(Collectors.joining(",", type.getSimpleName() + "(", ")"));
        this.parts = parts;
        this.constructor = constructor;
    }

    /** @param path the records that this one is a component of, the outermost first, and itself */
    static RecordCodec<?> of(Class<?> type, List<Class<?>> path) {
        RecordType members = RecordType.of(type);
        List<Part> parts = members.components().stream().map(component -> part(component, path)).toList();
        MethodHandle constructor = members.constructor()
                .asSpreader(Object[].class, parts.size())
                .asType(methodType(Object.class, Object[].class));
        return new RecordCodec<>(type, parts, constructor);
    }

    @SuppressWarnings("unchecked") // its accessor gives what the codec takes
    private static Part part(RecordType.Component component, List<Class<?>> path) {
        var codec = (VariableCodec<Object>) VariableCodecs.of(component.type(), path, component.toString());
        return new Part(component.name(), codec, component.mayBeNull(),
                component.accessor().asType(methodType(Object.class, Object.class)));
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public byte[] encode(T value) {
        byte[][] components = new byte[parts.size()][];
        int bytes = 0;
        for (int index = 0; index < components.length; index++) {
            components[index] = encode(parts.get(index), value);
            bytes = Math.addExact(bytes, Integer.BYTES + (components[index] == null ? 0 : components[index].length));
        }
        ByteBuffer target = ByteBuffer.allocate(bytes);
        for (byte[] component : components) {
            if (component == null) {
                target.putInt(NULL);
            } else {
                target.putInt(component.length).put(component);
            }
        }
        return target.array();
    }

    @Override
    @SuppressWarnings("unchecked") // the constructor makes values of the record
    public T decode(byte[] bytes) {
        ByteBuffer source = ByteBuffer.wrap(bytes);
        Object[] components = new Object[parts.size()];
        for (int index = 0; index < components.length; index++) {
            components[index] = decode(parts.get(index), source);
        }
        if (source.hasRemaining()) {
            throw new IllegalArgumentException("more bytes than the record has: more=" + source.remaining());
        }
        try {
            return (T) (Object) constructor.invokeExact(components);
        } catch (Throwable failure) {
            throw RecordType.unchecked(failure);
        }
    }

    private static byte @Nullable [] encode(Part part, Object value) {
        Object component;
        try {
            component = (Object) part.accessor.invokeExact(value);
        } catch (Throwable failure) {
            throw RecordType.unchecked(failure);
        }
        return component == null ? null : part.codec.encode(component);
    }

    private static @Nullable Object decode(Part part, ByteBuffer source) {
        int length = source.getInt();
        if (length == NULL) {
            return null;
        }
        if (length < 0 || length > source.remaining()) {
            throw new IllegalArgumentException("fewer bytes than the component has: component=" + part.name
                    + " length=" + length + " bytes=" + source.remaining());
        }
        byte[] bytes = new byte[length];
        source.get(bytes);
        return part.codec.decode(bytes);
    }
}
