package io.atoll.chaos.history;

/** How an operation ended. */
public enum Outcome {
    /** It did not end. Its process was killed, or is still in it. */
    PENDING,
    /** It returned. */
    DONE,
    /** It failed, and says that it had no effect. */
    REFUSED,
    /** It failed, and may have had its effect. */
    UNKNOWN
}
