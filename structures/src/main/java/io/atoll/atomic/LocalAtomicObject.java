package io.atoll.atomic;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.TaggedPointer;

/**
 * A word in this rank's segment that refers to an object in this rank's segment, or to nothing. Only the threads of
 * this process use it. It uses no verb, on any fabric (Dewan and Jenkins, section II-A).
 * <pre>
 *   plain        rank (16)  |  offset (48)                    any object
 *   protected    offset in units of 64 (32)  |  count (32)    objects at multiples of 64 bytes in the first 256 GiB
 * </pre>
 * In a protected object the count also takes the place of the rank. So it comes round only after 2^32 changes.
 * Operations cost loads and atomics of the CPU where those of {@link AtomicObject} cost R and A.
 *
 * <p>If the fabric's atomics are not atomic with the CPU's, no other rank may change the word.
 *
 * @param <T> the type as which objects are seen, see {@link ObjectType}
 */
public final class LocalAtomicObject<T> extends ObjectWord<T> {

    private static final int COUNT_BITS = 32;
    private static final long COUNT = (1L << COUNT_BITS) - 1;
    private static final int SHIFT = COUNT_BITS - Long.numberOfTrailingZeros(TaggedPointer.UNIT);

    private final long ownRank; // as in a pointer

    private LocalAtomicObject(Endpoint endpoint, long offset, ObjectType<T> type, boolean isProtected) {
        super(endpoint.alone(), endpoint.rank(), offset, type, isProtected);
        this.ownRank = new GlobalPointer(endpoint.rank(), 0).toWord();
    }

    /**
     * Returns the word at that place, without protection from ABA.
     *
     * @param offset a multiple of 8
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     */
    public static <T> LocalAtomicObject<T> plain(Endpoint endpoint, long offset, ObjectType<T> type) {
        return new LocalAtomicObject<>(endpoint, offset, type, false);
    }

    /**
     * Returns the word at that place, protected from ABA.
     *
     * @param offset a multiple of 8
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     */
    public static <T> LocalAtomicObject<T> abaProtected(Endpoint endpoint, long offset, ObjectType<T> type) {
        return new LocalAtomicObject<>(endpoint, offset, type, true);
    }

    @Override
    long uncounted(long pointer) {
        long offset = pointer ^ ownRank;
        if ((offset & ~(COUNT * TaggedPointer.UNIT)) != 0) {
            throw unreachable(pointer, " of this rank's segment");
        }
        return offset << SHIFT;
    }

    @Override
    long pointer(long word) {
        return word >>> COUNT_BITS << COUNT_BITS - SHIFT | ownRank;
    }

    @Override
    long withoutCount(long word) {
        return word >>> COUNT_BITS << COUNT_BITS;
    }

    @Override
    long counted(long uncounted, long before) {
        return uncounted | before + 1 & COUNT;
    }

    @Override
    int count(long word) {
        return (int) word;
    }
}
