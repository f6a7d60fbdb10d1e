package io.atoll.history;

/**
 * Something that has happened, as a rank has seen it.
 *
 * @param sequence how many events the rank has written before, since its history was begun
 * @param atMillis in milliseconds since 1970, by the clock of the rank's host
 * @param subject the rank that it happened to, -1 where it is none
 * @param text more about it, cut off after {@value #MAXIMUM_TEXT_BYTES} bytes of UTF-8
 */
public record Event(long sequence, long atMillis, Kind kind, int subject, String text) {

    /** Of a text, in UTF-8. */
    public static final int MAXIMUM_TEXT_BYTES = 88;

    /** The subject of what happened to no rank. */
    public static final int NO_RANK = -1;

    /** What has happened. The order is part of the layout of segments. */
    public enum Kind {
        /** A rank has joined, for the first time or again. */
        JOINED,
        /** A rank that had joined has left or died. */
        LOST,
        /** A rank is there, and its segment cannot be used. */
        REFUSED,
        /** Something was repaired that a dead rank had been in the middle of. */
        REPAIRED,
        /** A lock was taken over from a rank that had died with it. */
        LOCK_RECOVERED,
        /** Objects wait to be freed that nobody may free. */
        STRANDED,
        /** The others have removed this rank from the world. */
        REMOVED,
        /** This rank has joined again after that. */
        REJOINED,
        /** Another view of the world is in force. */
        VIEW,
        /** A map has more buckets at the rank it happened to. The one that moved the last entry notes it. */
        GROWN,
        /** A queue goes on in another ring, at the rank it happened to. The one that closed the former ring notes it. */
        MOVED,
        /** An operation was refused: it and one of the rank it happened to break what one of their callers has promised. */
        PROMISE_BROKEN
    }
}
