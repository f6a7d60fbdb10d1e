package io.atoll.codec;

import java.lang.foreign.MemorySegment;

/**
 * How the values of one type are stored in a fixed number of whole words: the ObjectContainer of BCL (section 6) for
 * types whose values all have the same size. {@link io.atoll.codec.Codecs} has those of the common types and makes those of
 * records; a type of one's own implements this.
 *
 * <p>Structures compare, hash and exchange the words, never the values. So <strong>equal values must have equal words,
 * and unequal values unequal ones</strong>: every word is written, also where a value leaves bytes of it unused.
 * Stateless; called by any thread.
 *
 * @param <T> the type of the values; null is none
 */
public interface Codec<T> {

    /**
     * Stands in the configuration of every structure that stores such values: two processes share a structure only if
     * the names are equal. So it names all that the words depend on, as {@code Order(id:long,total:double)} does.
     */
    String name();

    /** Bytes of every value: a multiple of 8, at least 8, always the same. */
    int bytes();

    /**
     * Writes {@link #bytes} bytes.
     *
     * @param target memory of this thread's own, its words aligned; never a segment that others read
     * @param position in bytes, a multiple of 8
     */
    void encode(T value, MemorySegment target, long position);

    /**
     * @param source memory of this thread's own, its words aligned
     * @param position in bytes, a multiple of 8
     */
    T decode(MemorySegment source, long position);

    /**
     * This codec, with failures that say in which structure they happened: {@link io.atoll.failure.CodecException}s. Every structure that is opened with a codec uses it so; where several
     * do, one within the other, the innermost is named.
     */
    default Codec<T> within(String structure) {
        return new NamingCodec<>(structure, this);
    }
}
