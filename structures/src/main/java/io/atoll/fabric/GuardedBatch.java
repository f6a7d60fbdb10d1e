package io.atoll.fabric;

import io.atoll.memory.MappedMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;

/** Remembers the atomics of a batch: which are exchanges, what these expect, and what guards each of them. */
public abstract class GuardedBatch extends BufferedBatch {

    private static final int NONE = -1;

    private static final int FIRST_ATOMICS = 4;

    // Of each atomic, by its index. They grow: there may be a great many threads, and most batches have few atomics.
    private int[] ranks = {}; // the rank of an exchange, NONE of another atomic
    private long[] expected = {};
    private short[] guards = {}; // the index of the exchange that guards it, or NONE
    private int atomics; // since the last completion
    private int guard = NONE; // of the verbs that are added now

    /** @param words the words of the buffer */
    protected GuardedBatch(MemorySegment buffer, MappedMemory words) {
        super(buffer, words);
    }

    // --- what a fabric says ---

    /** Fails while the batch must not be touched. */
    protected abstract void refuseIfUnderWay();

    /** Is called when the exchange becomes the guard: a batch that decides here now waits until it is answered. */
    protected abstract void guardBegins(int exchange);

    /** Returns what an atomic that is answered found. */
    protected long found(int index) {
        return result(index);
    }

    // --- atomics ---

    @Override
    public int mostAtomics() {
        return ATOMICS;
    }

    /** Returns the index of the next atomic. It counts as added only after {@link #keep}. */
    protected final int next() {
        if (atomics == ranks.length) {
            makeRoom();
        }
        return atomics;
    }

    /** If there is not enough memory, all stays as it is. */
    private void makeRoom() {
        if (atomics == mostAtomics()) {
            throw new IllegalStateException("too many atomics in one batch: maximum=" + mostAtomics());
        }
        int size = Math.max(FIRST_ATOMICS, 2 * atomics);
        int[] moreRanks = Arrays.copyOf(ranks, size);
        long[] moreExpected = Arrays.copyOf(expected, size);
        short[] moreGuards = Arrays.copyOf(guards, size);
        ranks = moreRanks;
        expected = moreExpected;
        guards = moreGuards;
    }

    /** Adds the next atomic. */
    protected final int keep(int index) {
        ranks[index] = NONE;
        guards[index] = (short) guard;
        atomics = index + 1;
        return index;
    }

    /** Adds the next atomic, which is an exchange. */
    protected final int keepExchange(int index, int rank, long expectedWord) {
        keep(index);
        ranks[index] = rank;
        expected[index] = expectedWord;
        return index;
    }

    /** Returns the number of atomics that were added since the last completion. */
    protected final int atomics() {
        return atomics;
    }

    /** Is to be called when the batch is empty again. Results stay. */
    protected final void forgetAtomics() {
        atomics = 0;
        guard = NONE;
    }

    // --- guards ---

    @Override
    public final void guard(int index) {
        refuseIfUnderWay();
        if (index < 0 || index >= atomics || ranks[index] == NONE) {
            throw new IllegalArgumentException(
                    "a guard is an exchange that was added since the last completion: index=" + index + " atomics="
                            + atomics);
        }
        guard = index;
        guardBegins(index);
    }

    @Override
    public final void unguard() {
        guard = NONE;
    }

    @Override
    public final boolean exchanged(int index) {
        if (ranks[index] == NONE) {
            throw new IllegalArgumentException("the atomic is no exchange: index=" + index);
        }
        return answered(index) && (guards[index] == NONE || exchanged(guards[index]))
                && found(index) == expected[index];
    }

    /** Returns true if a verb to this rank is guarded. Refuses it if the guard is of another rank. */
    protected final boolean isGuarded(int rank) {
        if (guard != NONE && ranks[guard] != rank) {
            throw new IllegalArgumentException("a guarded verb goes to the rank of its exchange: rank=" + rank
                    + " exchange=" + ranks[guard]);
        }
        return guard != NONE;
    }

    /** Returns the exchange that guards the verbs that are added now. */
    protected final int guardIndex() {
        return guard;
    }

    /** Returns true if a verb to this rank is not to be executed. Its guard, if it has one, is answered. */
    protected final boolean isSkipped(int rank) {
        return isGuarded(rank) && !exchanged(guard);
    }
}
