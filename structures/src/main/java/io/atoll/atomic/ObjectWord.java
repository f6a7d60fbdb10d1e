package io.atoll.atomic;

import org.jspecify.annotations.Nullable;

/** The operations of atomic objects, on a word that is reached by verbs or by the CPU. */
abstract sealed class ObjectWord<T> permits AtomicObject, LocalAtomicObject {

    private final ObjectType<T> type;
    private final long countMask; // the lowest bits of a word, which count; none where it is not protected

    /** @param countBits 0 where it is not protected */
    ObjectWord(ObjectType<T> type, int countBits) {
        this.type = type;
        this.countMask = (1L << countBits) - 1;
    }

    abstract long load();

    abstract long compareAndExchange(long expected, long value);

    abstract long getAndSet(long value);

    /** What the word of a protected object is while it refers there and counts 0. */
    abstract long uncounted(long pointer);

    /** The pointer in the word of a protected object, whatever it counts. */
    abstract long pointer(long word);

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
     * Returns what it referred to. Cost: A where the fabric swaps (see {@link io.atoll.fabric.Guarantees#fetchOr()}) or the CPU does, and wait-free; else, and
     * always where it is protected, R + A, the A repeated while others change it: lock-free.
     */
    public final @Nullable T exchange(@Nullable T value) {
        long word = set(pointerTo(value));
        return object(isProtected() ? pointer(word) : word);
    }

    /** Returns the word that was there. */
    private long set(long pointer) {
        return isProtected() ? swing(uncounted(pointer)) : getAndSet(pointer);
    }

    // Apart from what the unprotected do, and one attempt apart from the next: so each is short enough to become a part of the caller's code, though it is used for words that are
    // reached in two ways.

    private long swing(long uncounted) {
        long current = load();
        long witness = compareAndExchange(current, counted(uncounted, current));
        return witness == current ? current : swingAgain(witness, uncounted);
    }

    private long swingAgain(long seen, long uncounted) {
        long current = seen;
        while (true) {
            long witness = compareAndExchange(current, counted(uncounted, current));
            if (witness == current) {
                return current;
            }
            current = witness;
        }
    }

    /** Every change counts, whichever operation makes it, so that the operations can be mixed. */
    private long counted(long uncounted, long before) {
        return uncounted | before + 1 & countMask;
    }

    /**
     * Refers to the value from now on if it refers to what is expected; false if it does not. An object that was away in between and is back is the one that
     * is expected, here also where it is protected.
     *
     * <p>Cost: A, wait-free; where it is protected R + A, the A repeated while others change it, lock-free.
     */
    public final boolean compareAndSwap(@Nullable T expected, @Nullable T value) {
        long from = pointerTo(expected);
        long to = pointerTo(value);
        return isProtected() ? swing(uncounted(from), uncounted(to)) : compareAndExchange(from, to) == from;
    }

    private boolean swing(long from, long to) {
        long current = load();
        while ((current & ~countMask) == from) {
            long witness = compareAndExchange(current, counted(to, current));
            if (witness == current) {
                return true;
            }
            current = witness;
        }
        return false;
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

    /** Cost: R + A, the A repeated while others change it: lock-free. */
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
        long current = uncounted(pointerTo(expected.object())) | expected.count() & countMask;
        return compareAndExchange(current, counted(uncounted(pointerTo(value)), current)) == current;
    }

    private void refuseUnlessProtected() {
        if (!isProtected()) {
            throw new IllegalStateException("this object was made without protection from ABA: object=" + this);
        }
    }

    private Aba<T> aba(long word) {
        return new Aba<>(object(pointer(word)), (int) (word & countMask));
    }

    private long pointerTo(@Nullable T value) {
        return value == null ? 0 : type.pointer().applyAsLong(value);
    }

    private @Nullable T object(long pointer) {
        return pointer == 0 ? null : type.object().apply(pointer);
    }
}
