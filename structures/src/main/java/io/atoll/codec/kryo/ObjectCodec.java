package io.atoll.codec.kryo;

import io.atoll.codec.VariableCodec;

/**
 * Stores objects that no other codec stores, with everything that they refer to. It uses Kryo. Applications that use
 * this codec add {@code com.esotericsoftware:kryo}. Objects that several others refer to, and circles, come back as
 * what they were.
 *
 * <p>The parts of the class belong to the {@linkplain #name name}, with all allowed classes that it names. A process in
 * which one of these classes has changed does not open a structure of the values. So stop all processes of the world
 * first. The name does not cover a record that only an object brings in, behind an interface. If such a record has
 * changed, it is refused when it is read.
 *
 * <p><strong>The codec stores objects of {@link AllowedClasses} only, and makes only such objects from stored
 * bytes</strong>, wherever in the graph they stand. A process that can write to a segment must not be able to choose
 * which code runs here.
 *
 * <p>It is for values only, not for keys: two equal sets may have different bytes.
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
     * Returns a codec for objects of the type.
     *
     * @param type of the values; allowed without being named
     * @param allowed other classes, above all those of the values' fields
     * @throws IllegalStateException without Kryo on the class path
     */
    public static <T> ObjectCodec<T> of(Class<T> type, AllowedClasses allowed) {
        ObjectCodec<T> codec = new ObjectCodec<>(type, allowed.and(type));
        try {
            codec.graphs.with(_ -> codec);
        } catch (NoClassDefFoundError missing) {
            throw new IllegalStateException(
                    "storing objects takes com.esotericsoftware:kryo on the class path,"
                            + " records of numbers and texts do not: type=" + type.getName(),
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
