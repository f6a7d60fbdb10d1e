package io.atoll.fabric.link;

import io.atoll.fabric.LateVerbs;
import io.atoll.failure.RankUnreachableException;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/**
 * A connection to a rank, shared by threads. A transport implements it.
 *
 * <p>Requests are numbered when they are posted, and the rank executes them in the order of the numbers. So a thread
 * waits for a single number. When it has completed, all before it have completed. When it has failed, none after it
 * will complete. A lane that has failed never recovers.
 */
public interface Lane {

    /** Returns the size of the rank's segment in bytes. */
    long segmentBytes();

    /** Returns true if the lane accepts requests. */
    boolean isUsable();

    /** Returns the reason why the lane accepts no more requests, or null while it does. */
    @Nullable String broken();

    /** Returns true if the lane broke because the rank was silent for longer than the lane waits. */
    default boolean hasFallenSilent() {
        return false;
    }

    /**
     * Returns how much was ever heard of the process that the lane leads to. While this number grows, the process
     * lives. Returns 0 if the lane works even while the process is stopped.
     */
    default long heard() {
        return 0;
    }

    /** Asks the process for a sign of life, if it can be {@link #heard}. */
    default void ask() {
        // By default nothing is heard.
    }

    /** Returns how many requests wait for their answer. */
    long unanswered();

    /** Returns the number of the last request, which is how many were ever posted. */
    long posted();

    /** Returns true if writes that no thread waited for may not have arrived, and never will. */
    boolean hasLostWrites();

    /**
     * Returns what counts the changes that this lane may deliver late. A lane counts before {@link #isUsable} is false
     * and before any thread learns of a failure.
     */
    LateVerbs.Connection late();

    /**
     * Returns true if the request with this number has completed. The words that it read are there then.
     *
     * @throws RankUnreachableException if it has failed
     */
    boolean isDone(long number, String verb, long offset);

    /** Waits until the request with this number has completed. Throws like {@link #isDone}. */
    void await(long number, String verb, long offset);

    /** Waits until everything posted so far has completed. Throws like {@link #isDone}. */
    void flush();

    /**
     * Ends the connection. Waiting threads learn that their requests have failed if they have not completed. They may
     * have taken effect at the rank all the same.
     */
    void close(String why) throws IOException;
}
