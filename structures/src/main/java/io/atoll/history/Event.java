package io.atoll.history;

/**
 * Something that has happened, as a rank has seen it.
 *
 * @param sequence the number of events that the rank had written before, since its history was begun
 * @param atMillis in milliseconds since 1970, by the clock of the rank's host
 * @param subject the rank that it happened to, -1 if it happened to none
 * @param text more about it, cut off after {@value #MAXIMUM_TEXT_BYTES} bytes of UTF-8
 */
public record Event(long sequence, long atMillis, Kind kind, int subject, String text) {

    /** The maximal bytes of a text, in UTF-8. */
    public static final int MAXIMUM_TEXT_BYTES = 88;

    /** The subject of an event that happened to no rank. */
    public static final int NO_RANK = -1;

    /** The kinds of events. Their order is part of the layout of segments. */
    public enum Kind {
        /** A rank has joined, for the first time or again. */
        JOINED,
        /** A rank that had joined has left or died. */
        LOST,
        /** A rank is there, and its segment cannot be used. */
        REFUSED,
        /** This process has repaired what a dead rank had been in the middle of. */
        REPAIRED,
        /** A lock was taken over from a rank that had died with it. */
        LOCK_RECOVERED,
        /** Retired objects are lost: a process died while it freed them, and no other process will free them. */
        STRANDED,
        /** The others have removed this rank from the world. */
        REMOVED,
        /** This rank has joined again after its removal. */
        REJOINED,
        /** Another view of the world is in force. */
        VIEW,
        /** A map has more buckets at the subject rank. The process that moved the last entry notes it. */
        GROWN,
        /** A queue goes on in another ring, at the subject rank. The process that closed the former ring notes it. */
        MOVED,
        /**
         * An operation was refused: it and an operation of the subject rank break a promise of one of their callers.
         */
        PROMISE_BROKEN
    }
}
