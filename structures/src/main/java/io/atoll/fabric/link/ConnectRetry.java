package io.atoll.fabric.link;

import io.atoll.fabric.Backoff;
import io.atoll.failure.RankUnreachableException;
import java.io.IOException;
import java.time.Duration;

/**
 * Repeats attempts to connect. Ranks meet each other within about a second, but not at the same time. So a rank that
 * comes early comes again.
 */
public final class ConnectRetry {

    private ConnectRetry() {}

    /** Says that the other rank has not met this one yet. */
    public static final class NotMetException extends IOException {

        private static final long serialVersionUID = 1L;

        private final RankUnreachableException refusal;

        public NotMetException(RankUnreachableException refusal) {
            super(refusal);
            this.refusal = refusal;
        }

        /** Returns the failure to report if the rank does not come again. */
        public RankUnreachableException refusal() {
            return refusal;
        }
    }

    /**
     * One attempt to connect.
     *
     * @param <T> a connection
     */
    public interface Attempt<T> {
        T connect() throws NotMetException;
    }

    /** Repeats the attempt until the rank has met this one, until the deadline. */
    public static <T> T persist(ConnectDeadline connectDeadline, Attempt<T> attempt) {
        Backoff backoff = new Backoff(connectDeadline.clock(), Duration.ofNanos(connectDeadline.leftNanos()));
        while (true) {
            try {
                return attempt.connect();
            } catch (NotMetException early) {
                if (!backoff.pause() || connectDeadline.leftNanos() == 0) {
                    throw early.refusal;
                }
            }
        }
    }
}
