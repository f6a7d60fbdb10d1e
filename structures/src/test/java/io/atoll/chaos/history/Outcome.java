package io.atoll.chaos.history;

/** How an operation ended. */
public enum Outcome {
    /** It never did: its process was killed, or is in it still. */
    PENDING,
    /** It returned. */
    DONE,
    /** It failed, and says that it had no effect. */
    REFUSED,
    /** It failed, and may have had its effect. */
    UNKNOWN
}
