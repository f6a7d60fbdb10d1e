package io.atoll.atomic;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.TaggedPointer;

/**
 * A word in this rank's segment that refers to an object in this rank's segment, or to nothing, for the threads of this process alone: no verb is used, on any
 * fabric (Dewan and Jenkins, section II-A).
 * <pre>
 *   plain        rank (16)  |  offset (48)                          any object
 *   protected    offset in units of 64 (32)  |  count (32)          objects at multiples of 64 bytes in the first 256 GiB,
 *                                                                   as {@link TaggedPointer#LOCAL_TAG} has it
 * </pre>
 * Where it is protected, the bits of the rank are free for the count, which therefore comes round after 2^32 changes. Operations cost loads and atomics of the CPU where those of
 * {@link AtomicObject} cost R and A.
 *
 * <p>Where the fabric's atomics are not the CPU's, no other rank may change the word.
 *
 * @param <T> seen as what, see {@link ObjectType}
 */
public final class LocalAtomicObject<T> extends ObjectWord<T> {

    private LocalAtomicObject(Endpoint endpoint, long offset, ObjectType<T> type, boolean isProtected) {
        super(endpoint.alone(), endpoint.rank(), offset, type, isProtected ? TaggedPointer.LOCAL_TAG : 0,
                endpoint.rank());
    }

    /**
     * The word at that place, without protection from ABA.
     *
     * @param offset a multiple of 8
     * @throws IllegalArgumentException if it is not
     */
    public static <T> LocalAtomicObject<T> plain(Endpoint endpoint, long offset, ObjectType<T> type) {
        return new LocalAtomicObject<>(endpoint, offset, type, false);
    }

    /**
     * The word at that place, protected from ABA.
     *
     * @param offset a multiple of 8
     * @throws IllegalArgumentException if it is not
     */
    public static <T> LocalAtomicObject<T> abaProtected(Endpoint endpoint, long offset, ObjectType<T> type) {
        return new LocalAtomicObject<>(endpoint, offset, type, true);
    }
}
