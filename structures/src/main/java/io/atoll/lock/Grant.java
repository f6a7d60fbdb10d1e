package io.atoll.lock;

/**
 * The word that a waiter gets from its predecessor in the queue, or from a repair.
 * <pre>
 *    63                                  16 15         8 7          0
 *   +--------------------------------------+------------+------------+
 *   |               token                  |   budget   |    kind    |     all zero: NONE
 *   +--------------------------------------+------------+------------+
 * </pre>
 * The token is that of the holder that passes the lock. It has 48 bits, of which a {@link FencingToken} has room for
 * 47.
 */
final class Grant {

    public static final long NONE = 0;

    /** The queue was rebuilt without this waiter, which must enqueue again. */
    public static final long RETRY = 1;

    private static final long PASSED = 2;
    private static final long BYTE_MASK = 0xFF;
    private static final int BUDGET_SHIFT = 8;
    private static final int TOKEN_SHIFT = 16;

    /** The largest budget. */
    public static final int MAXIMUM_BUDGET = (int) BYTE_MASK;

    private Grant() {}

    /**
     * Returns the grant that passes the lock.
     *
     * @param budget how often the lock may still be passed on before the other cohort's turn. 0: it is the other
     * cohort's turn, so the waiter has to compete with it
     */
    public static long passed(int budget, long token) {
        return token << TOKEN_SHIFT | (long) budget << BUDGET_SHIFT | PASSED;
    }

    public static boolean isPassed(long grant) {
        return (grant & BYTE_MASK) == PASSED;
    }

    public static int budget(long grant) {
        return (int) (grant >>> BUDGET_SHIFT & BYTE_MASK);
    }

    public static long token(long grant) {
        return grant >>> TOKEN_SHIFT;
    }
}
