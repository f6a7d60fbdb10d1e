package io.atoll.atomic;

import io.atoll.fabric.Batch;
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
    // number of the word in the segment: the compiler sees that a product of it is aligned, and checks nothing
    private final long index;
    private final MappedSegment segment;
    // The same segment if the object is protected, else null. The test for null then takes no check of its own.
    private final @Nullable MappedSegment countedSegment;
    // The same follows from countedSegment. But testing that would make operations of an unprotected object take a
    // third longer.
    private final boolean isProtected;
    private final ObjectType<T> type;

    /**
     * The word of a protected object, as far as this object knows. While only this object changes the word, the guess
     * is right, and a change need not read first. Any value is safe, since the exchange tells the true word. So the
     * guess needs no order, and no thread waits for another's guess.
     */
    private long guess;

    /**
     * @param endpoint reaches the word
     * @param rank the rank whose segment holds the word
     * @throws IllegalArgumentException if the offset is not that of a word
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

    // --- how a protected object's word counts ---
    // These are methods of the class, so that the caller's compiled code has constants. A field would be loaded again
    // after each atomic.

    /**
     * Returns the word that refers to the pointer and counts 0.
     *
     * @param pointer not 0
     * @throws IllegalArgumentException if the word has no room for that pointer
     */
    abstract long uncounted(long pointer);

    /** Returns the pointer in a word that refers to something. */
    abstract long pointer(long word);

    /** Returns the word as it was when it counted 0. Returns 0 if it refers to nothing. */
    abstract long withoutCount(long word);

    /**
     * Returns the word that follows another one when the object is made to refer to this. Every change counts,
     * whichever operation makes it, so that operations can be mixed.
     */
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

    // The own segment and a mapped one are reached in the same way. So the compiler takes one way into the caller's
    // code, and calls another one for segments elsewhere.

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

    /** Returns true if the object was made with protection from ABA. Then its ABA operations may be used. */
    public final boolean isProtected() {
        return isProtected;
    }

    /** Returns the object to which the word refers. Cost: R. Wait-free. */
    public final @Nullable T read() {
        long word = load(segment);
        return object(isProtected ? referent(word) : word);
    }

    /**
     * Makes the word refer to the value. Cost: as {@link #exchange}. A plain write of the fabric would be lost in one
     * of its atomics that runs at the same time.
     */
    public final void write(@Nullable T value) {
        if (isProtected) {
            swing(segment, uncountedTo(value));
        } else {
            getAndSet(pointerTo(value));
        }
    }

    /**
     * Makes the word refer to the value, and returns the object to which it referred.
     *
     * <p>Cost if it is not protected: A if the fabric (see {@link io.atoll.fabric.Guarantees#fetchOr()}) or the CPU
     * swaps; wait-free. Else R + A, and A again while others change it; lock-free. Cost if it is protected: A, and A
     * again if others have changed it since this object has, and while they do; lock-free.
     */
    public final @Nullable T exchange(@Nullable T value) {
        return object(isProtected ? referent(swing(segment, uncountedTo(value))) : getAndSet(pointerTo(value)));
    }

    // These are separate from the operations of unprotected objects, and one attempt is separate from the next. So each
    // is short enough to become part of the caller's code.

    /**
     * Makes the word refer to that, and returns the former word. The first attempt does not use {@link #change}: the
     * compiler would then test twice for success.
     */
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
     * Makes the word refer to the value if it refers to the expected object; returns false if it does not. An object
     * that was away in between and is back is the expected one. That holds also if the word is protected.
     *
     * <p>Cost: A, wait-free. Cost if it is protected: A, and R more if others have changed it since this object has. A
     * again while others change it; lock-free. R alone if it refers to something else.
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

    /** Returns the pointer in the word of a protected object, whatever it counts; 0 if it refers to nothing. */
    private long referent(long word) {
        long uncounted = withoutCount(word);
        return uncounted == 0 ? 0 : pointer(uncounted);
    }

    /**
     * Returns the object to which the word refers, and the number of its changes. Cost: R. Wait-free.
     *
     * @throws IllegalStateException if it is not protected. All ABA operations throw this
     */
    public final Aba<T> readAba() {
        return aba(load(countedSegment()));
    }

    /**
     * Makes the word refer to the value. Cost: A, and A again if others have changed it since this object has, and
     * while they do. Lock-free.
     */
    public final void writeAba(@Nullable T value) {
        swing(countedSegment(), uncountedTo(value));
    }

    /**
     * Makes the word refer to the value. Returns the object to which it referred, and the number of changes until then.
     * Cost: as {@link #writeAba}.
     */
    public final Aba<T> exchangeAba(@Nullable T value) {
        return aba(swing(countedSegment(), uncountedTo(value)));
    }

    /**
     * Makes the word refer to the value if nothing has changed the word since {@code expected} was read. Returns false
     * otherwise.
     *
     * <p>The count is finite. If the changes make it come round exactly, and the word refers to the same object again,
     * this succeeds. Two rules exclude that. Unlinked objects are {@linkplain io.atoll.epoch.Token#retire retired}
     * before they are used again, and the caller has been pinned since before the read. Then no object comes back.
     *
     * <p>Cost: A. Wait-free.
     */
    public final boolean compareAndSwapAba(Aba<? extends T> expected, @Nullable T value) {
        MappedSegment segment = countedSegment();
        long current = expected.word(this);
        return change(segment, current, counted(uncountedTo(value), current)) == current;
    }

    // --- in batches with other verbs ---

    /**
     * Returns the word as this object knows it: some state that it had, or nothing. So a caller may begin with an
     * exchange, which tells the true word. Cost: no verb.
     */
    public final Aba<T> guessAba() {
        countedSegment();
        return aba(guess);
    }

    /** Adds a read of the word to the batch. {@link #aba(Batch, long)} tells then what it was. Cost: R. */
    public final void read(Batch batch, long position) {
        batch.read(rank, offset(), position, Layouts.WORD);
    }

    /** Returns the state in a word that a completed batch has read. */
    public final Aba<T> aba(Batch batch, long position) {
        long word = batch.word(position);
        guess = word;
        return aba(word);
    }

    /**
     * Adds the exchange of {@link #compareAndSwapAba(Aba, Object)} to the batch. Returns its index. {@link
     * #found(Batch, int)} tells then what it found. Cost: A.
     */
    public final int compareAndSwapAba(Batch batch, Aba<? extends T> expected, @Nullable T value) {
        long current = expected.word(this);
        long word = counted(uncountedTo(value), current);
        guess = word;
        return batch.compareAndExchange(rank, offset(), current, word);
    }

    /**
     * Adds an exchange that takes place if the word is in that state, and changes nothing. Returns its index. Cost: A.
     */
    public final int expectAba(Batch batch, Aba<? extends T> expected) {
        long current = expected.word(this);
        return batch.compareAndExchange(rank, offset(), current, current);
    }

    /** Returns the state that an exchange of this word has found which did not take place, in a completed batch. */
    public final Aba<T> found(Batch batch, int index) {
        long word = batch.result(index);
        guess = word;
        return aba(word);
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
