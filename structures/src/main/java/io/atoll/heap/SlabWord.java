package io.atoll.heap;

/**
 * What the table says about a run, in the word of its first slab:
 * <pre>
 *   63      56 55      48 47              32 31              16 15               0
 *   +---------+----------+------------------+------------------+-----------------+
 *   |  state  |  class   | length in slabs  |   rank   of who holds it   incarn.  |     0: never was a head
 *   +---------+----------+------------------+------------------+-----------------+
 *
 *   run:      0 --(1)--> PENDING --(2)--> OWNED --(3)--> FREE --(1)--> PENDING
 *                                          OWNED --(11)--> OWNED, retired --(3)--> FREE
 *                           +--------------(3)------------^
 *   objects:  PENDING --(4)--> HELD --(5)--> FULL --(6)--> ROOM --(7)--> HELD --(8)--> FREE
 *   joining:  FREE, or 0 --(9)--> JOINED --(10)--> FREE
 * </pre>
 * (1) The rank that reserves the run makes this change, and then has the run to itself. (2) The run is committed. (3)
 * The run is freed, or a rank takes it back from a dead rank that left it pending. (4) The rank needs a slab for
 * objects. If it needs several, it divides a run: the words inside become HELD from 0, before the first word does. (5)
 * The holder gives the slab up, or a rank takes it back from a dead holder. (6) A rank frees the first object of it.
 * (7) A rank needs objects of the class. (8) A holder finds all of them free. (9) A rank is about to make it part of
 * the run before it. (10) A rank makes it a run again. (11) A rank removes the run from its structure, so that no other
 * rank finds it any more.
 *
 * <p>A PENDING run can be announced: then it has a 1 in the place of its class. Its end contains the place of the word
 * that makes it known, and the value that this word has then.
 *
 * <p>An OWNED run can be retired: then it has a 2 there. It is freed when the operations that may still be using it
 * have ended. The low 32 bits of an epoch stand in the place of rank and incarnation.
 *
 * <p>Every change is one compare-and-exchange. If the same word comes back (ABA), that is harmless: it means the same
 * again. A word that was not zero never becomes zero. Only the word of a run that can be reserved is FREE.
 */
final class SlabWord {

    /** No run begins here: the end of the chain, or the inside of a run. */
    public static final long NONE = 0;

    public static final int FREE = 1;
    public static final int PENDING = 2;
    public static final int OWNED = 3;
    public static final int JOINED = 4;
    public static final int HELD = 5;
    public static final int FULL = 6;
    public static final int ROOM = 7;

    /** One more than the highest state. */
    public static final int STATES = 8;

    private static final int STATE_SHIFT = 56;
    private static final int CLASS_SHIFT = 48;
    private static final int LENGTH_SHIFT = 32;
    private static final int RANK_SHIFT = 16;
    private static final long CLASS_MASK = 0xFF;
    private static final long SHORT_MASK = 0xFFFF;

    /** In the place of the class: a pending run tells at its end where it is made known. */
    private static final int ANNOUNCED = 1;

    /** In the place of the class: an owned run waits to be freed. */
    private static final int RETIRED = 2;
    private static final long EPOCH_MASK = 0xFFFF_FFFFL;

    private SlabWord() {}

    public static long free(int length) {
        return of(FREE, 0, length, 0, 0);
    }

    public static long pending(int length, int rank, int incarnation) {
        return of(PENDING, 0, length, rank, incarnation);
    }

    /**
     * Returns the word of the pending run, announced: it is committed instead of being taken back if it has become
     * known.
     */
    public static long announced(long pending) {
        return of(PENDING, ANNOUNCED, length(pending), rank(pending), incarnation(pending));
    }

    public static boolean isAnnounced(long word) {
        return state(word) == PENDING && sizeClass(word) == ANNOUNCED;
    }

    /** Returns the word of the pending run, committed. It still names the rank that reserved the run. */
    public static long owned(long pending) {
        return of(OWNED, 0, length(pending), rank(pending), incarnation(pending));
    }

    /** Returns the word of the run in use, which waits to be freed since this epoch. */
    public static long retired(long used, long epoch) {
        return of(OWNED, RETIRED, length(used), 0, 0) | epoch & EPOCH_MASK;
    }

    public static boolean isRetired(long word) {
        return state(word) == OWNED && sizeClass(word) == RETIRED;
    }

    /** Returns how many epochs a retired run has waited. Negative if it was retired in a later one. */
    public static int waited(long retired, long epoch) {
        return (int) epoch - (int) retired;
    }

    /** Returns the word of a piece that this incarnation of the rank makes part of the run before it. */
    public static long joined(int length, int rank, int incarnation) {
        return of(JOINED, 0, length, rank, incarnation);
    }

    /** Returns the word of a slab of objects from which this incarnation of the rank alone hands out. */
    public static long held(int sizeClass, int rank, int incarnation) {
        return of(HELD, sizeClass, 1, rank, incarnation);
    }

    /** Returns the word of a slab of objects without a holder. The slab had none to hand out when it was given up. */
    public static long full(int sizeClass) {
        return of(FULL, sizeClass, 1, 0, 0);
    }

    /** Returns the word of a slab of objects without a holder, of which some may have been freed since. */
    public static long room(int sizeClass) {
        return of(ROOM, sizeClass, 1, 0, 0);
    }

    private static long of(int state, int sizeClass, int length, int rank, int incarnation) {
        return (long) state << STATE_SHIFT | (long) sizeClass << CLASS_SHIFT | (long) length << LENGTH_SHIFT
                | (long) rank << RANK_SHIFT | incarnation;
    }

    public static int state(long word) {
        return (int) (word >>> STATE_SHIFT);
    }

    public static int sizeClass(long word) {
        return (int) (word >>> CLASS_SHIFT & CLASS_MASK);
    }

    /** Returns the length in slabs. */
    public static int length(long word) {
        return (int) (word >>> LENGTH_SHIFT & SHORT_MASK);
    }

    public static int rank(long word) {
        return (int) (word >>> RANK_SHIFT & SHORT_MASK);
    }

    public static int incarnation(long word) {
        return (int) (word & SHORT_MASK);
    }

    /** Returns true if it is a slab of objects. */
    public static boolean hasObjects(long word) {
        return state(word) >= HELD;
    }

    /** Returns true if this incarnation of the rank, or an earlier one, has reserved the run and not committed it. */
    public static boolean isUnfinishedBy(long word, int rank, int incarnation) {
        return (state(word) == PENDING || state(word) == JOINED) && isOf(word, rank, incarnation);
    }

    /** Returns true if it is a slab that this incarnation of the rank, or an earlier one, hands out from. */
    public static boolean isHeldBy(long word, int rank, int incarnation) {
        return state(word) == HELD && isOf(word, rank, incarnation);
    }

    private static boolean isOf(long word, int rank, int incarnation) {
        return rank(word) == rank && incarnation(word) <= incarnation;
    }
}
