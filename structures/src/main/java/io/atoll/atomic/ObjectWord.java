package io.atoll.atomic;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Verb;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.TaggedPointer;
import java.util.function.LongFunction;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/** The operations of atomic objects, on a word that is reached by verbs or by the CPU. */
abstract sealed class ObjectWord<T> permits AtomicObject, LocalAtomicObject {

    private final Endpoint endpoint;
    private final int rank;
    private final long index; // among the segment's words: a product of it is aligned, as the compiler sees, and needs no check
    private final ToLongFunction<? super T> toPointer;
    private final LongFunction<? extends T> toObject;
    private final long countMask; // the bits of a word that count, 0 in each pointer; none where it is not protected
    private final long onlyRank; // whose objects alone it refers to, as in a pointer, so that its bits can count, too; else 0

    /**
     * What the word of a protected object is, as far as this process knows: where it is right, as it is while nobody else changes the word, a change need not read first. Any value
     * is safe, since the exchange tells what is there; so there is no order, and no thread waits for another's guess.
     */
    private long guess;

    /**
     * @param endpoint by which the word is reached
     * @param rank whose segment it lies in
     * @param countMask the bits of a tagged pointer's tag; 0 where it is not protected
     * @param onlyRank whose objects alone it refers to where it is protected; 0 where it is anybody's
     * @throws IllegalArgumentException if the offset is not a word's
     */
    ObjectWord(Endpoint endpoint, int rank, long offset, ObjectType<T> type, long countMask, int onlyRank) {
        if (offset % Layouts.WORD != 0) {
            throw new IllegalArgumentException("an atomic object lies at a multiple of 8: offset=" + offset);
        }
        this.endpoint = endpoint;
        this.rank = rank;
        this.index = offset / Layouts.WORD;
        this.toPointer = type.pointer();
        this.toObject = type.object();
        this.countMask = countMask;
        this.onlyRank = new GlobalPointer(onlyRank, 0).toWord();
    }

    private long offset() {
        return index * Layouts.WORD;
    }

    // The own segment and one that is mapped are reached alike, so that there is one way that the compiler takes into the caller's code, and one for elsewhere that it calls.

    private long load() {
        LocalMemory mapped = endpoint.mapped(rank, Verb.READ, 1);
        return mapped != null ? mapped.getAcquire(offset()) : endpoint.readWord(rank, offset());
    }

    private long compareAndExchange(long expected, long value) {
        LocalMemory mapped = endpoint.mapped(rank, Verb.COMPARE_AND_EXCHANGE, 1);
        return mapped != null
                ? mapped.compareAndExchange(offset(), expected, value)
                : endpoint.compareAndExchange(rank, offset(), expected, value);
    }

    private long getAndSet(long value) {
        LocalMemory mapped = endpoint.mapped(rank, Verb.GET_AND_SET, 1);
        return mapped != null ? mapped.getAndSet(offset(), value) : endpoint.getAndSet(rank, offset(), value);
    }

    /** Whether it was made with protection from ABA, so that its ABA operations may be used. */
    public final boolean isProtected() {
        return countMask != 0;
    }

    /** What it refers to. Cost: R. Wait-free. */
    public final @Nullable T read() {
        long word = load();
        return object(isProtected() ? pointer(word) : word);
    }

    /** Cost: as {@link #exchange}. A plain write of the fabric would vanish in an atomic of it that is under way at the same time. */
    public final void write(@Nullable T value) {
        set(pointerTo(value));
    }

    /**
     * Returns what it referred to. Cost: A where the fabric swaps (see {@link io.atoll.fabric.Guarantees#fetchOr()}) or the CPU does, and wait-free; else R + A, the A repeated
     * while others change it: lock-free. Where it is protected A, and A again if others have changed it since this object has, and while they do: lock-free.
     */
    public final @Nullable T exchange(@Nullable T value) {
        return object(set(pointerTo(value)));
    }

    /** Returns the pointer that was there. */
    private long set(long pointer) {
        return isProtected() ? pointer(swing(uncounted(pointer))) : getAndSet(pointer);
    }

    // Apart from what the unprotected do, and one attempt apart from the next: so each is short enough to become a part of the caller's code.

    private long swing(long uncounted) {
        long expected = guess;
        long witness = change(expected, counted(uncounted, expected));
        return witness == expected ? expected : swingAgain(witness, uncounted);
    }

    private long swingAgain(long seen, long uncounted) {
        long expected = seen;
        while (true) {
            long witness = change(expected, counted(uncounted, expected));
            if (witness == expected) {
                return expected;
            }
            expected = witness;
        }
    }

    /** As {@link #compareAndExchange}, of a protected object. */
    private long change(long expected, long word) {
        long witness = compareAndExchange(expected, word);
        guess = witness == expected ? word : witness;
        return witness;
    }

    /** Every change counts, whichever operation makes it, so that the operations can be mixed. */
    private long counted(long uncounted, long before) {
        return uncounted | TaggedPointer.next(before, countMask);
    }

    /**
     * Refers to the value from now on if it refers to what is expected; false if it does not. An object that was away in between and is back is the one that
     * is expected, here also where it is protected.
     *
     * <p>Cost: A, wait-free; where it is protected R more if others have changed it since this object has, the A repeated while they do, lock-free; R alone if it refers to something
     * else.
     */
    public final boolean compareAndSwap(@Nullable T expected, @Nullable T value) {
        long from = pointerTo(expected);
        long to = pointerTo(value);
        return isProtected() ? swing(uncounted(from), uncounted(to)) : compareAndExchange(from, to) == from;
    }

    private boolean swing(long from, long to) {
        long expected = guess;
        if (uncountedOf(expected) != from) {
            expected = load();
        }
        while (uncountedOf(expected) == from) {
            long witness = change(expected, counted(to, expected));
            if (witness == expected) {
                return true;
            }
            expected = witness;
        }
        return false;
    }

    /**
     * What the word of a protected object is while it refers there and counts 0.
     *
     * @throws IllegalArgumentException if it has no room for that pointer
     */
    private long uncounted(long pointer) {
        if (pointer == 0) {
            return 0;
        }
        long word = pointer ^ onlyRank;
        if ((word & countMask) != 0) {
            throw unreachable(pointer);
        }
        return word;
    }

    private IllegalArgumentException unreachable(long pointer) {
        return new IllegalArgumentException("a protected object refers to multiples of 64 bytes in the first 256 GiB"
                + (countMask == TaggedPointer.LOCAL_TAG ? " of this rank's segment" : "") + ": rank="
                + GlobalPointer.rankOf(pointer) + " offset="
                + GlobalPointer.offsetOf(pointer));
    }

    /** The pointer in the word of a protected object, whatever it counts. */
    private long pointer(long word) {
        long uncounted = uncountedOf(word);
        return uncounted == 0 ? 0 : uncounted | onlyRank;
    }

    private long uncountedOf(long word) {
        return word & ~countMask;
    }

    /**
     * What it refers to, and how often it has been changed. Cost: R. Wait-free.
     *
     * @throws IllegalStateException if it is not protected, as for each of these operations
     */
    public final Aba<T> readAba() {
        refuseUnlessProtected();
        return aba(load());
    }

    /** Cost: A, and A again if others have changed it since this object has, and while they do: lock-free. */
    public final void writeAba(@Nullable T value) {
        refuseUnlessProtected();
        swing(uncounted(pointerTo(value)));
    }

    /** Returns what it referred to, and how often it had been changed. Cost: as {@link #writeAba}. */
    public final Aba<T> exchangeAba(@Nullable T value) {
        refuseUnlessProtected();
        return aba(swing(uncounted(pointerTo(value))));
    }

    /**
     * Refers to the value from now on if it has not been changed since {@code expected} was read; false if it has.
     *
     * <p>The count is finite. Should it have been changed exactly as often as makes the count come round, and refer to the same object again, this succeeds. It
     * cannot while objects that were unlinked are {@linkplain io.atoll.epoch.Token#retire retired} before they are used again, and the caller has been
     * pinned since before the read: then no object comes back.
     *
     * <p>Cost: A. Wait-free.
     */
    public final boolean compareAndSwapAba(Aba<? extends T> expected, @Nullable T value) {
        refuseUnlessProtected();
        long current = expected.word(countMask);
        return change(current, counted(uncounted(pointerTo(value)), current)) == current;
    }

    private void refuseUnlessProtected() {
        if (!isProtected()) {
            throw new IllegalStateException("this object was made without protection from ABA: object=" + this);
        }
    }

    private Aba<T> aba(long word) {
        return new Aba<>(object(pointer(word)), word, countMask);
    }

    private long pointerTo(@Nullable T value) {
        return value == null ? 0 : toPointer.applyAsLong(value);
    }

    private @Nullable T object(long pointer) {
        return pointer == 0 ? null : toObject.apply(pointer);
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + "[" + rank + "+" + offset() + (isProtected() ? ", protected]" : "]");
    }
}
