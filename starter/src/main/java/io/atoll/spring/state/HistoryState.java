package io.atoll.spring.state;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Figures of ranks over time. All points of all ranks are at the same times.
 *
 * @param intervalMillis the time from one point to the next
 * @param untilMillis the time of the last point by the answering rank's clock. Null if no caller can ask for newer
 * points alone
 * @param untilAgeMillis the age of the last point
 * @param series the series that the values belong to
 * @param ranks the ranks in their order. Ranks of which nothing is known are absent
 */
public record HistoryState(long intervalMillis, @Nullable Long untilMillis, long untilAgeMillis,
        List<SeriesState> series, List<RankSeries> ranks) {

    /**
     * The series of bytes that wait to be freed in a rank's segment. Any rank may have retired them. No rank writes
     * this series: the answering rank keeps what it has seen.
     */
    public static final String OWNED_LIMBO_BYTES = "owned-limbo-bytes";

    /**
     * @param key the name of the series
     * @param unit the unit of its values; for a total, the unit of its rate per second
     * @param isTotal true if the rank writes a total since the beginning, which is shown as a rate
     * @param seenForMillis how long ago the answering rank first saw it. Null for series that ranks write themselves,
     * and if nothing was seen
     */
    public record SeriesState(String key, String unit, boolean isTotal, @Nullable Long seenForMillis) {}

    /**
     * @param origin the source of this history
     * @param ageMillis the age of this rank's last point
     * @param values the values of each series, the oldest first; null where nothing is known
     */
    public record RankSeries(int rank, Origin origin, long ageMillis, Map<String, List<@Nullable Double>> values) {}

    /** The source of a rank's history. */
    public enum Origin {
        /** Read from the rank's own segment. */
        LIVE,
        /** Read from the file that a killed rank has left on this host. */
        FILE,
        /** Read by the answering rank before the rank was lost. */
        SEEN,
        /** Seen by the answering rank. The rank keeps no history, or none that can be read. */
        WATCHED;

        /** Returns the name that answers use. */
        @JsonValue
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
