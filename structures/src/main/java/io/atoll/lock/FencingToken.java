package io.atoll.lock;

/**
 * A number that a holder shows to resources outside of this world that the lock guards. It is larger than the number of
 * each holder before.
 * <pre>
 *    63 62                        47 46                                  0
 *   +--+----------------------------+-------------------------------------+
 *   |0 |  born - 1                  |  token of the lock's line           |
 *   +--+----------------------------+-------------------------------------+
 * </pre>
 * A line counts its acquisitions from 1. If its segment is lost, the count is lost with it. Dead holders may have shown
 * any of these tokens. But the next segment is made in a later incarnation, so its tokens are larger. While a world has
 * lost nothing, the tokens are 1, 2, 3 and so on. At a million acquisitions a second, 47 bits are enough for four years
 * of one lock.
 */
final class FencingToken {

    private static final int COUNT_BITS = 47;

    private FencingToken() {}

    /**
     * @param born the incarnation of its owner in which the lock's segment was made, from 1
     * @param token the token of the lock's line
     */
    public static long of(int born, long token) {
        return (long) (born - 1) << COUNT_BITS | token;
    }

    /** Returns the incarnation of its owner in which the lock's segment was made. */
    public static int born(long fencingToken) {
        return (int) (fencingToken >>> COUNT_BITS) + 1;
    }

    /** Returns the token of the lock's line. */
    public static long token(long fencingToken) {
        return fencingToken & (1L << COUNT_BITS) - 1;
    }
}
