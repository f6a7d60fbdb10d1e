package io.atoll.codec;

/**
 * Stores the values of one type, each in as many bytes as it takes. It is the ObjectContainer of BCL (section 6) for
 * types whose values differ in size. {@link VariableCodecs} has the codecs of the common types and makes those of
 * records. {@link io.atoll.codec.kryo.ObjectCodec} stores what no other codec does. For another type, an application
 * implements this interface. If all values have the same size, an {@link io.atoll.codec.Codec} is cheaper: it allocates
 * nothing, and follows no pointer.
 *
 * <p>A codec is stateless, and any thread may call it.
 *
 * @param <T> the type of the values, which are never null
 */
public interface VariableCodec<T> {

    /**
     * Returns the name, which stands in the configuration of every structure that stores such values: two processes
     * share a structure only if the names are equal. So it must name everything that the bytes depend on, as
     * {@code Customer(id:long,name:string)} does.
     */
    String name();

    /**
     * Returns the value's bytes, perhaps none. The caller copies them before it returns. So the result may be an array
     * that the value itself consists of.
     */
    byte[] encode(T value);

    /** @param bytes as {@link #encode} made them; the value may keep the array */
    T decode(byte[] bytes);

    /**
     * Returns true if equal values have equal bytes, and unequal ones unequal bytes. Keys are hashed and compared by
     * their bytes, so a codec that returns false can store values, and no keys.
     */
    default boolean canonical() {
        return true;
    }

    /** As {@link io.atoll.codec.Codec#within}. */
    default VariableCodec<T> within(String structure) {
        return new NamingVariableCodec<>(structure, this);
    }
}
