package io.atoll.history;

import io.atoll.world.NamedStructure;
import java.util.List;
import java.util.OptionalDouble;

/**
 * The last minutes of a rank.
 *
 * @param writtenMillisAgo how long ago the rank has written last, by the clocks of both hosts; 0 if they disagree
 * @param points at most one a second, the oldest first
 * @param events the oldest first
 * @param operations as they were written last
 */
public record RankHistory(int rank, Origin origin, Identity identity, long writtenMillisAgo, List<Point> points,
        List<Event> events, Operations operations) {

    /** The place where a history was read. */
    public enum Origin {
        /** The segment of its rank, by the fabric. */
        LIVE,
        /** The file that a process of this host has left when it was killed. */
        FILE
    }

    /**
     * The process that has written a history last. Another process of the rank may have written its older points. It is
     * {@link #UNKNOWN} if the process has not written its identity.
     *
     * @param host the name that the host gives itself, cut off after 64 bytes of UTF-8
     * @param pid the number that the host's kernel gives the process
     * @param version of Atoll, cut off after 40 bytes of UTF-8; empty if the classes lie in no archive
     * @param startedMillis when the process was started, in milliseconds since 1970
     */
    public record Identity(String host, long pid, String version, long startedMillis) {

        /** The identity of a process that died, or was removed, before it had written its identity. */
        public static final Identity UNKNOWN = new Identity("", 0, "", 0);
    }

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

    /**
     * The operations of a rank's process on structures, as it has written them last. See {@link
     * io.atoll.world.Operations} for what counts as one.
     *
     * @param atMillis when it has written them, since 1970
     * @param intervalMillis the time that lately covers; 0 if the process had just begun, or has written nothing
     * @param listed structures that were most active, the most active first
     * @param others all other structures together
     */
    public record Operations(long atMillis, long intervalMillis, List<Listed> listed, Counts others) {

        /** The operations if none have been written. */
        public static final Operations NONE = new Operations(0, 0, List.of(), new Counts(0, 0));

        /**
         * @param total since the process began
         * @param lately in the interval
         */
        public record Counts(long total, long lately) {}

        /** @param nameHash {@link NamedStructure#hash} of its name */
        public record Listed(long nameHash, Counts counts) {}

        public Operations {
            listed = List.copyOf(listed);
        }

        /** Returns the operations a second, in the interval. Returns empty if the interval is not known. */
        public OptionalDouble perSecond(Counts counts) {
            return intervalMillis <= 0
                    ? OptionalDouble.empty()
                    : OptionalDouble.of(counts.lately() * 1_000.0 / intervalMillis);
        }

        /** Returns true if the list has all structures that the process has ever used. */
        public boolean isComplete() {
            return others.total() == 0;
        }
    }

    public RankHistory {
        points = List.copyOf(points);
        events = List.copyOf(events);
    }
}
