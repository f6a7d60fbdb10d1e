package io.atoll.lock;

/**
 * What a holder of a lock shows to whatever the lock guards outside of this world. It is larger than that of each holder before.
 * <pre>
 *    63 62                        47 46                                  0
 *   +--+----------------------------+-------------------------------------+
 *   |0 |  born - 1                  |  token of the lock's line           |
 *   +--+----------------------------+-------------------------------------+
 * </pre>
 * A line counts its acquisitions from 1. If its segment is lost, the count is lost with it, whatever the dead have done with their tokens. The segment that comes after it was made in a later incarnation.
 * So the tokens of a world that has lost nothing are 1, 2, 3. At a million acquisitions a second 47 bits are enough for four years of one lock.
 */
public final class FencingToken {

    private static final int COUNT_BITS = 47;

    private FencingToken() {}

    /**
     * @param born in which incarnation of its owner the lock's segment was made, from 1
     * @param token of the line
     */
    public static long of(int born, long token) {
        return (long) (born - 1) << COUNT_BITS | token;
    }

    /** In which incarnation of its owner the lock's segment was made. */
    public static int born(long fencingToken) {
        return (int) (fencingToken >>> COUNT_BITS) + 1;
    }

    /** That of the line. */
    public static long token(long fencingToken) {
        return fencingToken & (1L << COUNT_BITS) - 1;
    }
}
