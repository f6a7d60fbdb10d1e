package io.atoll.spring.state;

import com.fasterxml.jackson.annotation.JsonValue;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Figures of ranks over time. All points of all ranks stand at the same times.
 *
 * @param intervalMillis from one point to the next
 * @param untilAgeMillis how old the last point is
 * @param series that the values are of
 * @param ranks in their order; those of which nothing is known are absent
 */
public record HistoryState(long intervalMillis, long untilAgeMillis, List<SeriesState> series,
        List<RankSeries> ranks) {

    /**
     * The series of bytes that wait to be freed in the segment of a rank, whoever has retired them. No rank writes it: the
     * answering one keeps what it has seen.
     */
    public static final String OWNED_LIMBO_BYTES = "owned-limbo-bytes";

    /**
     * @param key its name
     * @param unit of its values; of a total, of its rate a second
     * @param isTotal whether the rank writes a count since ever, which is shown as a rate
     * @param seenForMillis for how long the answering rank has seen it, since it began; null of what ranks write themselves, and if
     * it has seen nothing
     */
    public record SeriesState(String key, String unit, boolean isTotal, @Nullable Long seenForMillis) {}

    /**
     * @param origin whence it is known
     * @param ageMillis how old the last point of this rank is
     * @param values of each series, the oldest first; null where nothing is known
     */
    public record RankSeries(int rank, Origin origin, long ageMillis, Map<String, List<@Nullable Double>> values) {}

    /** Whence the history of a rank is known. */
    public enum Origin {
        /** Read of the rank's own segment. */
        LIVE,
        /** Read of the file that a killed one has left on this host. */
        FILE,
        /** What the answering rank had read before the rank was lost. */
        SEEN,
        /** What the answering rank has seen of it: it keeps no history, or none that can be read. */
        WATCHED;

        /** As answers name it. */
        @JsonValue
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }
}
