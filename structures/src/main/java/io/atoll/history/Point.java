package io.atoll.history;

/**
 * A rank's figures of itself at one moment.
 *
 * @param atMillis in milliseconds since 1970, by the clock of the rank's host
 * @param values by {@link Series#ordinal()}; not to be changed
 */
public record Point(long atMillis, long[] values) {

    /** Returns the value of one series. */
    public long value(Series series) {
        return values[series.ordinal()];
    }
}
