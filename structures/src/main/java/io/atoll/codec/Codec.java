package io.atoll.codec;

import java.lang.foreign.MemorySegment;

/**
 * Stores the values of one type in a fixed number of whole words. It is the ObjectContainer of BCL (section 6) for
 * types whose values all have the same size. {@link io.atoll.codec.Codecs} has the codecs of the common types and makes
 * those of records. For another type, an application implements this interface.
 *
 * <p>Structures compare, hash and exchange the words, never the values. So <strong>equal values must have equal words,
 * and unequal values unequal ones</strong>: an implementation writes every word, also if a value leaves bytes of it
 * unused. A codec is stateless, and any thread may call it.
 *
 * <p><strong>A codec uses no structure</strong>, neither the one that calls it nor another one. It is called in the
 * middle of an operation, whose buffers are the thread's. Where another use would spoil them, it fails with an
 * {@link IllegalStateException}, and the operation with it. What a value needs of a structure, its maker looks up
 * before. The same holds for the constructor and the accessors of a record.
 *
 * @param <T> the type of the values, which are never null
 */
public interface Codec<T> {

    /**
     * Returns the name, which stands in the configuration of every structure that stores such values: two processes
     * share a structure only if the names are equal. So it must name everything that the words depend on, as
     * {@code Order(id:long,total:double)} does.
     */
    String name();

    /** Returns the bytes of every value: a multiple of 8, at least 8, always the same. */
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
     * Returns this codec with failures that name the structure in which they happened:
     * {@link io.atoll.failure.CodecException}s. Every structure that is opened with a codec uses it so. If several
     * structures do, one within the other, the failure names the innermost.
     */
    default Codec<T> within(String structure) {
        return new NamingCodec<>(structure, this);
    }
}
