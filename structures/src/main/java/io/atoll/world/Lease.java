package io.atoll.world;

/**
 * A word that says who alone may do something: which attempt of which incarnation of which rank. That of a rank which
 * is dead, and can write nothing any more, is free to be taken over.
 */
public final class Lease {

    /** Nobody has it. */
    public static final long NOBODY = 0;

    private static final int RANK_SHIFT = 32;
    private static final int INCARNATION_SHIFT = 48;
    private static final long SHORT_MASK = 0xFFFF;

    private Lease() {}

    /** @param attempt see {@link Reservations#nextAttempt} */
    public static long of(int rank, int incarnation, int attempt) {
        return (long) incarnation << INCARNATION_SHIFT | (long) rank << RANK_SHIFT
                | Integer.toUnsignedLong(attempt);
    }

    /**
     * Whether nobody who lives has it.
     *
     * @param owner whose segment it lies in
     */
    public static boolean isFree(long lease, int owner, Liveness liveness) {
        return lease == NOBODY || liveness.isFenced((int) (lease >>> RANK_SHIFT & SHORT_MASK),
                (int) (lease >>> INCARNATION_SHIFT & SHORT_MASK), owner);
    }
}
