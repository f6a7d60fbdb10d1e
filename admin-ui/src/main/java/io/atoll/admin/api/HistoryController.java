package io.atoll.admin.api;

import io.atoll.fabric.trace.VerbCounts;
import io.atoll.history.Series;
import io.atoll.spring.meters.StructureWatch;
import io.atoll.spring.state.HistoryState;
import io.atoll.spring.state.PeerState;
import io.atoll.spring.state.RankEvent;
import io.atoll.spring.state.TrafficState;
import io.atoll.spring.state.VerbLatencies;
import io.atoll.spring.state.WorldStates;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** Past events, and the traffic over the fabric. */
@RestController
@RequestMapping("/atoll/api")
class HistoryController {

    static final int MOST_SECONDS = 600;
    static final int MOST_POINTS = 600;
    static final int MOST_EVENTS = 1_000;

    /** The most values of one answer, which then has some megabytes. */
    private static final long MOST_VALUES = 1_000_000;

    private static final Comparator<PeerState> MOST_FIRST = Comparator.comparingLong(PeerState::verbs)
            .reversed()
            .thenComparing(PeerState::rank);

    private static final Map<String, Function<PeerState, @Nullable Comparable<?>>> PEER_FIELDS = Map.of("rank",
            PeerState::rank, "host", PeerState::host, "verbs", PeerState::verbs, "reads", PeerState::reads, "writes",
            PeerState::writes, "atomics", PeerState::atomics, "readBytes", PeerState::readBytes, "writtenBytes",
            PeerState::writtenBytes, "p50Nanos", PeerState::p50Nanos, "p99Nanos", PeerState::p99Nanos);

    private static final List<String> KEYS = Stream
            .concat(Arrays.stream(Series.values()).map(Series::key), Stream.of(HistoryState.OWNED_LIMBO_BYTES))
            .toList();

    private final WorldStates worldStates;
    private final @Nullable VerbCounts counts;
    private final @Nullable VerbLatencies latencies;
    private final @Nullable StructureWatch structures;

    HistoryController(WorldStates worldStates, @Nullable VerbCounts counts, @Nullable VerbLatencies latencies,
            @Nullable StructureWatch structures) {
        this.worldStates = worldStates;
        this.counts = counts;
        this.latencies = latencies;
        this.structures = structures;
    }

    @GetMapping("/history")
    HistoryState history(@RequestParam(defaultValue = "") String series,
            @RequestParam(defaultValue = "600") int seconds, @RequestParam(required = false) @Nullable Integer rank,
            @RequestParam(defaultValue = "120") int points,
            @RequestParam(required = false) @Nullable Long from) {
        List<String> keys = series.isBlank() ? KEYS : Arrays.stream(series.split(",")).map(String::strip).toList();
        List<Series> asked = keys.stream()
                .filter(key -> !key.equals(HistoryState.OWNED_LIMBO_BYTES))
                .map(HistoryController::series)
                .toList();
        if (seconds < 1 || seconds > MOST_SECONDS) {
            throw new IllegalArgumentException(
                    "a history is of 1 to " + MOST_SECONDS + " seconds: seconds=" + seconds);
        }
        if (points < 1 || points > Math.min(seconds, MOST_POINTS)) {
            throw new IllegalArgumentException("a history has 1 point at least, and one a second at most: seconds="
                    + seconds + " points=" + points);
        }
        refuseLater(from);
        int size = worldStates.ranks().size();
        if (rank != null && (rank < 0 || rank >= size)) {
            throw ApiController.notFound("the world has no such rank: size=" + size + " rank=" + rank);
        }
        if (rank == null && (long) keys.size() * points * size > MOST_VALUES) {
            throw new IllegalArgumentException("this is too much for one answer, ask for one rank, or for less: series="
                    + keys.size() + " points=" + points + " ranks=" + size);
        }
        return worldStates.histories()
                .figures(asked, keys.size() > asked.size(),
                        rank == null ? OptionalInt.empty() : OptionalInt.of(rank), seconds, points,
                        from == null ? OptionalLong.empty() : OptionalLong.of(from));
    }

    /** Nothing would come of it: this node has told no caller of such a time, unless its clock was set back. */
    private static void refuseLater(@Nullable Long from) {
        long nowMillis = System.currentTimeMillis();
        if (from != null && (from < 0 || from > nowMillis)) {
            throw Structures.problem(HttpStatus.UNPROCESSABLE_CONTENT, "this node's clock shows no such time; give the"
                    + " untilMillis of an earlier answer, or leave it out: nowMillis=" + nowMillis + " from=" + from);
        }
    }

    @GetMapping("/structure/figures")
    HistoryState figures(@RequestParam String name) {
        if (worldStates.summaries().stream().noneMatch(structure -> structure.name().equals(name))) {
            throw ApiController.notFound("nobody has opened a structure of this name: name=" + name);
        }
        return structures == null ? StructureWatch.NOTHING_SEEN : structures.figures(name);
    }

    private static Series series(String key) {
        return Arrays.stream(Series.values())
                .filter(each -> each.key().equals(key))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("the series are "
                        + String.join(", ", KEYS) + ": series=" + key));
    }

    @GetMapping("/events")
    Listed<RankEvent> events(@RequestParam(required = false) @Nullable Integer rank,
            @RequestParam(defaultValue = "") String kind, @RequestParam(defaultValue = "100") int size) {
        if (size < 1 || size > MOST_EVENTS) {
            throw new IllegalArgumentException("1 to " + MOST_EVENTS + " events are listed: size=" + size);
        }
        return new Listed<>(worldStates.histories()
                .events()
                .stream()
                .filter(event -> rank == null || event.rank() == rank)
                .filter(event -> kind.isBlank() || event.kind().equals(kind))
                .limit(size)
                .toList());
    }

    @GetMapping("/traffic")
    TrafficState traffic() {
        return worldStates.traffic(counts, latencies);
    }

    @GetMapping("/traffic/peers")
    Paged<PeerState> peers(@RequestParam(defaultValue = "0") int page, @RequestParam(defaultValue = "20") int size,
            @RequestParam(defaultValue = "") String q, @RequestParam(defaultValue = "") String sort) {
        return Paged.of(allPeers().stream()
                .filter(peer -> Query.matches(q, "rank " + peer.rank(), peer.host(), peer.way()))
                .sorted(Query.order(sort, MOST_FIRST, PEER_FIELDS))
                .toList(), page, size, peer -> peer);
    }

    List<PeerState> allPeers() {
        return worldStates.peers(counts, latencies);
    }
}
