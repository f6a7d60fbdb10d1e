package io.atoll.atomic;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.MappedSegment;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.TaggedPointer;
import org.jspecify.annotations.Nullable;

/** The operations of atomic objects, on a word that is reached by verbs or by the CPU. */
abstract sealed class ObjectWord<T> permits AtomicObject, LocalAtomicObject {

    private final Endpoint endpoint;
    private final int rank;
    private final long index; // among the segment's words: a product of it is aligned, as the compiler sees, and needs no check
    private final MappedSegment segment;
    private final @Nullable MappedSegment countedSegment; // the same where it is protected, else null: that it is there takes no check of its own
    private final boolean isProtected; // known by countedSegment, too; asked of that, operations of one that is not protected take a third longer
    private final ObjectType<T> type;

    /**
     * What the word of a protected object is, as far as this process knows: where it is right, as it is while nobody else changes the word, a change need not read first. Any value
     * is safe, since the exchange tells what is there; so there is no order, and no thread waits for another's guess.
     */
    private long guess;

    /**
     * @param endpoint by which the word is reached
     * @param rank whose segment it lies in
     * @throws IllegalArgumentException if the offset is not a word's
     */
    ObjectWord(Endpoint endpoint, int rank, long offset, ObjectType<T> type, boolean isProtected) {
        if (offset % Layouts.WORD != 0) {
            throw new IllegalArgumentException("an atomic object lies at a multiple of 8: offset=" + offset);
        }
        this.endpoint = endpoint;
        this.rank = rank;
        this.index = offset / Layouts.WORD;
        this.segment = endpoint.mappedSegment(rank);
        this.countedSegment = isProtected ? segment : null;
        this.isProtected = isProtected;
        this.type = type;
    }

    // --- how a protected object's word counts: methods of the class, so that the caller's compiled code has constants where a field would be loaded again after each atomic ---

    /**
     * The word while it refers there and counts 0.
     *
     * @param pointer not 0
     * @throws IllegalArgumentException if it has no room for that pointer
     */
    abstract long uncounted(long pointer);

    /** The pointer in a word that refers to something. */
    abstract long pointer(long word);

    /** The word as it was when it counted 0, and 0 if it refers to nothing. */
    abstract long withoutCount(long word);

    /** What follows a word when the object is made to refer to this. Every change counts, whichever operation makes it, so that the operations can be mixed. */
    abstract long counted(long uncounted, long before);

    abstract int count(long word);

    final IllegalArgumentException unreachable(long pointer, String where) {
        return new IllegalArgumentException("a protected object refers to multiples of 64 bytes in the first 256 GiB"
                + where + ": rank=" + GlobalPointer.rankOf(pointer) + " offset=" + GlobalPointer.offsetOf(pointer));
    }

    // --- the word ---

    private long offset() {
        return index * Layouts.WORD;
    }

    // The own segment and one that is mapped are reached alike, so that there is one way that the compiler takes into the caller's code, and one for elsewhere that it calls.

    private long load(MappedSegment segment) {
        LocalMemory mapped = segment.memory();
        return mapped != null ? mapped.getAcquire(offset()) : endpoint.readWord(rank, offset());
    }

    private long compareAndExchange(MappedSegment segment, long expected, long value) {
        LocalMemory mapped = segment.memory();
        return mapped != null
                ? mapped.compareAndExchange(offset(), expected, value)
                : endpoint.compareAndExchange(rank, offset(), expected, value);
    }

    private long getAndSet(long value) {
        LocalMemory mapped = segment.memory();
        return mapped != null ? mapped.getAndSet(offset(), value) : endpoint.getAndSet(rank, offset(), value);
    }

    /** Whether it was made with protection from ABA, so that its ABA operations may be used. */
    public final boolean isProtected() {
        return isProtected;
    }

    /** What it refers to. Cost: R. Wait-free. */
    public final @Nullable T read() {
        long word = load(segment);
        return object(isProtected ? referent(word) : word);
    }

    /** Cost: as {@link #exchange}. A plain write of the fabric would vanish in an atomic of it that is under way at the same time. */
    public final void write(@Nullable T value) {
        if (isProtected) {
            swing(segment, uncountedTo(value));
        } else {
            getAndSet(pointerTo(value));
        }
    }

    /**
     * Returns what it referred to. Cost: A where the fabric swaps (see {@link io.atoll.fabric.Guarantees#fetchOr()}) or the CPU does, and wait-free; else R + A, the A repeated
     * while others change it: lock-free. Where it is protected A, and A again if others have changed it since this object has, and while they do: lock-free.
     */
    public final @Nullable T exchange(@Nullable T value) {
        return object(isProtected ? referent(swing(segment, uncountedTo(value))) : getAndSet(pointerTo(value)));
    }

    // Apart from what the unprotected do, and one attempt apart from the next: so each is short enough to become a part of the caller's code.

    /** Returns the word that was there. The first attempt, not by {@link #change}, which would have the compiler look twice at whether it succeeded. */
    private long swing(MappedSegment segment, long uncounted) {
        long expected = guess;
        long word = counted(uncounted, expected);
        long witness = compareAndExchange(segment, expected, word);
        if (witness == expected) {
            guess = word;
            return expected;
        }
        return swingAgain(segment, witness, uncounted);
    }

    private long swingAgain(MappedSegment segment, long seen, long uncounted) {
        long expected = seen;
        while (true) {
            long witness = change(segment, expected, counted(uncounted, expected));
            if (witness == expected) {
                return expected;
            }
            expected = witness;
        }
    }

    /** As {@link #compareAndExchange}, of a protected object. */
    private long change(MappedSegment segment, long expected, long word) {
        long witness = compareAndExchange(segment, expected, word);
        guess = witness == expected ? word : witness;
        return witness;
    }

    /**
     * Refers to the value from now on if it refers to what is expected; false if it does not. An object that was away in between and is back is the one that
     * is expected, here also where it is protected.
     *
     * <p>Cost: A, wait-free; where it is protected R more if others have changed it since this object has, the A repeated while they do, lock-free; R alone if it refers to something
     * else.
     */
    public final boolean compareAndSwap(@Nullable T expected, @Nullable T value) {
        if (isProtected) {
            return swingFrom(uncountedTo(expected), uncountedTo(value));
        }
        long from = pointerTo(expected);
        return compareAndExchange(segment, from, pointerTo(value)) == from;
    }

    private boolean swingFrom(long from, long to) {
        long expected = guess;
        if (withoutCount(expected) != from) {
            expected = load(segment);
        }
        while (withoutCount(expected) == from) {
            long witness = change(segment, expected, counted(to, expected));
            if (witness == expected) {
                return true;
            }
            expected = witness;
        }
        return false;
    }

    private long uncountedTo(@Nullable T value) {
        return value == null ? 0 : uncounted(type.pointer(value));
    }

    /** The pointer in the word of a protected object, whatever it counts; 0 where it refers to nothing. */
    private long referent(long word) {
        long uncounted = withoutCount(word);
        return uncounted == 0 ? 0 : pointer(uncounted);
    }

    /**
     * What it refers to, and how often it has been changed. Cost: R. Wait-free.
     *
     * @throws IllegalStateException if it is not protected, as for each of these operations
     */
    public final Aba<T> readAba() {
        return aba(load(countedSegment()));
    }

    /** Cost: A, and A again if others have changed it since this object has, and while they do: lock-free. */
    public final void writeAba(@Nullable T value) {
        swing(countedSegment(), uncountedTo(value));
    }

    /** Returns what it referred to, and how often it had been changed. Cost: as {@link #writeAba}. */
    public final Aba<T> exchangeAba(@Nullable T value) {
        return aba(swing(countedSegment(), uncountedTo(value)));
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
        MappedSegment segment = countedSegment();
        long current = expected.word(this);
        return change(segment, current, counted(uncountedTo(value), current)) == current;
    }

    private MappedSegment countedSegment() {
        MappedSegment segment = countedSegment;
        if (segment == null) {
            throw new IllegalStateException("this object was made without protection from ABA: object=" + this);
        }
        return segment;
    }

    private Aba<T> aba(long word) {
        return new Aba<>(this, referent(word), word);
    }

    private long pointerTo(@Nullable T value) {
        return value == null ? 0 : type.pointer(value);
    }

    final @Nullable T object(long pointer) {
        return pointer == 0 ? null : type.object(pointer);
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + "[" + rank + "+" + offset() + (isProtected ? ", protected]" : "]");
    }
}
