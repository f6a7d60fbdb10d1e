package io.atoll.fabric.link;

import io.atoll.fabric.Backoff;
import io.atoll.failure.RankUnreachableException;
import java.io.IOException;
import java.time.Duration;

/** Ranks meet each other within about a second, and not at the same time: a rank that is early comes again. */
public final class Meeting {

    private Meeting() {}

    /** The other rank has not met this one. */
    public static final class NotMetException extends IOException {

        private static final long serialVersionUID = 1L;

        private final RankUnreachableException refusal;

        public NotMetException(RankUnreachableException refusal) {
            super(refusal);
            this.refusal = refusal;
        }

        /** Returns what is told when nobody comes again. */
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

    /** Attempts it until the rank has met this one, as long as there is patience. */
    public static <T> T persist(Patience patience, Attempt<T> attempt) {
        Backoff backoff = new Backoff(patience.clock(), Duration.ofNanos(patience.leftNanos()));
        while (true) {
            try {
                return attempt.connect();
            } catch (NotMetException early) {
                if (!backoff.pause() || patience.leftNanos() == 0) {
                    throw early.refusal;
                }
            }
        }
    }
}
