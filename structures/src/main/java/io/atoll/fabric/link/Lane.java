package io.atoll.fabric.link;

import io.atoll.failure.RankUnreachableException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a rank, shared by threads. What a transport provides.
 *
 * <p>What is posted is numbered, and is done at the rank in the order of the numbers. So there is one number to wait
 * for: when it has completed, all before it have, and when it has failed, none after it will complete. A lane that has
 * failed stays so.
 */
public interface Lane {

    /** Returns how large the rank's segment is. */
    long segmentBytes();

    /** Returns whether it takes what is posted. */
    boolean isUsable();

    /** Returns why it takes nothing more; null while it does. */
    @Nullable String broken();

    /** Returns whether it broke since nothing was heard of the rank for as long as anybody waits. */
    default boolean hasFallenSilent() {
        return false;
    }

    /**
     * Returns how much was heard of the process that the lane leads to, ever: it lives as long as that grows. None where
     * a lane goes on though that process is stopped.
     */
    default long heard() {
        return 0;
    }

    /** Asks the process for a sign of life, if it can be {@link #heard}. */
    default void ask() {
        // Nothing would be heard.
    }

    /** Returns how many requests wait for their answer. */
    long unanswered();

    /** Returns how much was posted, ever: the number of the last. */
    long posted();

    /** Returns whether writes that nobody waited for may not have arrived, and will not. */
    boolean hasLostWrites();

    /**
     * Returns whether that number has completed; what was read is there then.
     *
     * @throws RankUnreachableException when it has failed
     */
    boolean isDone(long number, String verb, long offset);

    /** Returns when the number has completed. Throws as {@link #isDone}. */
    void await(long number, String verb, long offset);

    /** Returns when everything that was posted so far has completed. Throws as {@link #isDone}. */
    void flush();

    /**
     * Ends the connection. Threads that wait for what has not completed are told that it has failed; at the rank it may
     * have taken effect.
     */
    void close(String why) throws IOException;
}
