package io.atoll.admin.api;

import io.atoll.fabric.trace.VerbCounts;
import io.atoll.history.Series;
import io.atoll.spring.meters.StructureWatch;
import io.atoll.spring.state.HistoryState;
import io.atoll.spring.state.Observatory;
import io.atoll.spring.state.RankEvent;
import io.atoll.spring.state.TrafficState;
import io.atoll.spring.state.VerbLatencies;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** What has happened, and what goes over the fabric. */
@RestController
@RequestMapping("/atoll/api")
class HistoryController {

    static final int MOST_SECONDS = 600;
    static final int MOST_POINTS = 600;
    static final int MOST_EVENTS = 1_000;

    /** So many values are an answer of some megabytes. */
    private static final long MOST_VALUES = 1_000_000;

    private final Observatory observatory;
    private final @Nullable VerbCounts counts;
    private final @Nullable VerbLatencies latencies;
    private final @Nullable StructureWatch structures;

    HistoryController(Observatory observatory, @Nullable VerbCounts counts, @Nullable VerbLatencies latencies,
            @Nullable StructureWatch structures) {
        this.observatory = observatory;
        this.counts = counts;
        this.latencies = latencies;
        this.structures = structures;
    }

    @GetMapping("/history")
    HistoryState history(@RequestParam(defaultValue = "") String series,
            @RequestParam(defaultValue = "600") int seconds, @RequestParam(required = false) @Nullable Integer rank,
            @RequestParam(defaultValue = "120") int points) {
        List<Series> asked = series.isBlank()
                ? List.of(Series.values())
                : Arrays.stream(series.split(",")).map(HistoryController::series).toList();
        if (seconds < 1 || seconds > MOST_SECONDS) {
            throw new IllegalArgumentException(
                    "a history is of 1 to " + MOST_SECONDS + " seconds: seconds=" + seconds);
        }
        if (points < 1 || points > Math.min(seconds, MOST_POINTS)) {
            throw new IllegalArgumentException("a history has 1 point at least, and one a second at most: seconds="
                    + seconds + " points=" + points);
        }
        int size = observatory.ranks().size();
        if (rank != null && (rank < 0 || rank >= size)) {
            throw ApiController.notFound("the world has no such rank: size=" + size + " rank=" + rank);
        }
        if (rank == null && (long) asked.size() * points * size > MOST_VALUES) {
            throw new IllegalArgumentException("this is too much for one answer, ask for one rank, or for less: series="
                    + asked.size() + " points=" + points + " ranks=" + size);
        }
        return observatory.history(asked, rank == null ? OptionalInt.empty() : OptionalInt.of(rank), seconds, points);
    }

    @GetMapping("/structure/figures")
    HistoryState figures(@RequestParam String name) {
        if (observatory.summaries().stream().noneMatch(structure -> structure.name().equals(name))) {
            throw ApiController.notFound("nobody has opened a structure of this name: name=" + name);
        }
        return structures == null ? StructureWatch.NOTHING_SEEN : structures.figures(name);
    }

    private static Series series(String key) {
        return Arrays.stream(Series.values())
                .filter(each -> each.key().equals(key.strip()))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the series are "
                        + Arrays.stream(Series.values()).map(Series::key).collect(Collectors.joining(", "))
                        + ": series=" + key));
    }

    @GetMapping("/events")
    Listed<RankEvent> events(@RequestParam(required = false) @Nullable Integer rank,
            @RequestParam(defaultValue = "") String kind, @RequestParam(defaultValue = "100") int size) {
        if (size < 1 || size > MOST_EVENTS) {
            throw new IllegalArgumentException("1 to " + MOST_EVENTS + " events are listed: size=" + size);
        }
        return new Listed<>(observatory.events()
                .stream()
                .filter(event -> rank == null || event.rank() == rank)
                .filter(event -> kind.isBlank() || event.kind().equals(kind))
                .limit(size)
                .toList());
    }

    @GetMapping("/traffic")
    TrafficState traffic() {
        return observatory.traffic(counts, latencies);
    }
}
