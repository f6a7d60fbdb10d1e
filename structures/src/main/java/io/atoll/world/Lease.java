package io.atoll.world;

/**
 * A word that says which process alone may do something: by rank, incarnation and attempt. If that rank is dead and can
 * write nothing any more, another rank may take the lease over.
 */
public final class Lease {

    /** No process has the lease. */
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
     * Returns true if no living process has the lease.
     *
     * @param owner whose segment it lies in
     */
    public static boolean isFree(long lease, int owner, Liveness liveness) {
        return lease == NOBODY || liveness.isFenced((int) (lease >>> RANK_SHIFT & SHORT_MASK),
                (int) (lease >>> INCARNATION_SHIFT & SHORT_MASK), owner);
    }
}
