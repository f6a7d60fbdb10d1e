package io.atoll.codec.kryo;

import io.atoll.codec.VariableCodec;

/**
 * Objects that no other codec stores, with all that they refer to: by Kryo, which applications that use this add
 * ({@code com.esotericsoftware:kryo}). Objects that several others refer to, and circles, come back as what they were.
 *
 * <p>What the class consists of is part of the {@linkplain #name name}, with all allowed classes that it names. So a structure of values of a class is not opened by a
 * process in which that class, or one of those, has changed: stop all processes of the world first. A record that only an object brings in, behind an interface,
 * is refused when it is read.
 *
 * <p><strong>Only objects of {@link AllowedClasses} are stored, and only such are made from stored bytes</strong>,
 * wherever in the graph they stand: whoever can write to a segment must not be able to choose which code runs here.
 *
 * <p>Values only, no keys: two equal sets may have different bytes.
 */
public final class ObjectCodec<T> implements VariableCodec<T> {

    private final Class<T> type;
    private final String name;
    private final GraphPool graphs;

    private ObjectCodec(Class<T> type, AllowedClasses allowed) {
        this.type = type;
        this.name = "object(" + ObjectShape.of(type, allowed) + ")";
        this.graphs = new GraphPool(() -> new ObjectGraphs(type.getClassLoader(), allowed));
    }

    /**
     * @param type of the values; allowed without being named
     * @param allowed other classes, those of the values' fields first of all
     * @throws IllegalStateException without Kryo on the class path
     */
    public static <T> ObjectCodec<T> of(Class<T> type, AllowedClasses allowed) {
        ObjectCodec<T> codec = new ObjectCodec<>(type, allowed.and(type));
        try {
            codec.graphs.with(_ -> codec);
        } catch (NoClassDefFoundError missing) {
            throw new IllegalStateException(
                    "storing objects takes com.esotericsoftware:kryo on the class path, records of numbers and texts do not:"
                            + " type=" + type.getName(),
                    missing);
        }
        return codec;
    }

    /** Returns how many graphs wait to be used by any thread. */
    int idleGraphs() {
        return graphs.size();
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public boolean canonical() {
        return false;
    }

    @Override
    public byte[] encode(T value) {
        return graphs.with(each -> each.write(value));
    }

    @Override
    public T decode(byte[] bytes) {
        Object value = graphs.with(each -> each.read(bytes));
        if (!type.isInstance(value)) {
            throw new IllegalArgumentException("an object of another class: expected=" + type.getName() + " class="
                    + (value == null ? "none" : value.getClass().getName()));
        }
        return type.cast(value);
    }
}
