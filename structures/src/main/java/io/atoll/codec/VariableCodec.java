package io.atoll.codec;

/**
 * How the values of one type are stored in as many bytes as each takes: the ObjectContainer of BCL (section 6) for types
 * whose values differ in size. {@link VariableCodecs} has those of the common types and makes those of records; {@link
 * io.atoll.codec.kryo.ObjectCodec} stores what no other codec does; a type of one's own implements this. For values that all have the same
 * size an {@link io.atoll.codec.Codec} is cheaper: nothing is allocated, and no pointer followed.
 *
 * <p>Stateless; called by any thread.
 *
 * @param <T> the type of the values; null is none
 */
public interface VariableCodec<T> {

    /**
     * Stands in the configuration of every structure that stores such values: two processes share a structure only if
     * the names are equal. So it names all that the bytes depend on, as {@code Customer(id:long,name:string)} does.
     */
    String name();

    /**
     * The value's bytes, perhaps none. They are copied before whoever asked for them returns, so an array that the value
     * itself consists of will do.
     */
    byte[] encode(T value);

    /**
     * @param bytes as {@link #encode} made them; the value may keep the array
     */
    T decode(byte[] bytes);

    /**
     * Whether equal values have equal bytes, and unequal ones unequal. Keys are hashed and compared by their bytes, so a
     * codec of which this is false can store values, and no keys.
     */
    default boolean canonical() {
        return true;
    }

    /** As {@link io.atoll.codec.Codec#within}. */
    default VariableCodec<T> within(String structure) {
        return new NamingVariableCodec<>(structure, this);
    }
}
