package io.atoll.atomic;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.TaggedPointer;

/**
 * A word in some rank's segment that refers to an object or to nothing (Dewan and Jenkins, section II-A). The object
 * may lie anywhere in the world. Each user of the word makes an atomic object of it, all of them of the same kind.
 * Zeroed memory refers to nothing.
 * <pre>
 *   plain        rank (16)  |  offset (48)                                any object
 *   protected    rank (16)  |  offset in units of 64 (32)  | count (16)   objects at multiples of 64 bytes in the
 *                                                                         first 256 GiB, a {@link TaggedPointer}
 * </pre>
 * A protected object counts its changes in the word itself. So its ABA operations notice an object that was away and is
 * back. The atomics of a network card can change one word only. Hence rank, offset and count share 64 bits.
 *
 * <p>Operations are atomic with each other (linearizable). A verb that fails by a
 * {@link io.atoll.failure.FabricException} may have taken effect. The costs given here are those of a word in another
 * rank's segment.
 *
 * @param <T> the type as which objects are seen, see {@link ObjectType}
 */
public final class AtomicObject<T> extends ObjectWord<T> {

    private AtomicObject(Endpoint endpoint, int rank, long offset, ObjectType<T> type, boolean isProtected) {
        super(endpoint, rank, offset, type, isProtected);
    }

    /**
     * Returns the word at that place, without protection from ABA.
     *
     * @param rank the rank whose segment holds the word
     * @param offset a multiple of 8
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     */
    public static <T> AtomicObject<T> plain(Endpoint endpoint, int rank, long offset, ObjectType<T> type) {
        return new AtomicObject<>(endpoint, rank, offset, type, false);
    }

    /**
     * Returns the word at that place, protected from ABA.
     *
     * @param rank the rank whose segment holds the word
     * @param offset a multiple of 8
     * @throws IllegalArgumentException if the offset is not a multiple of 8
     */
    public static <T> AtomicObject<T> abaProtected(Endpoint endpoint, int rank, long offset, ObjectType<T> type) {
        return new AtomicObject<>(endpoint, rank, offset, type, true);
    }

    @Override
    long uncounted(long pointer) {
        if (!TaggedPointer.reaches(pointer)) {
            throw unreachable(pointer, "");
        }
        return TaggedPointer.untagged(pointer);
    }

    @Override
    long pointer(long word) {
        return TaggedPointer.pointer(word);
    }

    @Override
    long withoutCount(long word) {
        return TaggedPointer.withoutTag(word);
    }

    @Override
    long counted(long uncounted, long before) {
        return TaggedPointer.next(uncounted, before);
    }

    @Override
    int count(long word) {
        return TaggedPointer.tag(word);
    }
}
