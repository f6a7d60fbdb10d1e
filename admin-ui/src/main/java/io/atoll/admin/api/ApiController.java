package io.atoll.admin.api;

import io.atoll.spring.state.CollectivesState;
import io.atoll.spring.state.ConnectionsState;
import io.atoll.spring.state.FabricState;
import io.atoll.spring.state.LockGraph;
import io.atoll.spring.state.LockTableState;
import io.atoll.spring.state.RankState;
import io.atoll.spring.state.SegmentState;
import io.atoll.spring.state.StructureDetails;
import io.atoll.spring.state.StructureState;
import io.atoll.spring.state.StructureSummary;
import io.atoll.spring.state.ViewState;
import io.atoll.spring.state.WorldState;
import io.atoll.spring.state.WorldStates;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The world as this rank sees it. No request changes anything, or waits for a rank that is missing or known not to
 * answer. If a rank stands still, an answer comes without its part, once the fabric takes that rank for silent. Names
 * are parameters, since they may have characters that no path may have.
 */
@RestController
@RequestMapping("/atoll/api")
class ApiController {

    private static final Comparator<RankState> WORST_FIRST = Comparator
            .<RankState, Integer>comparing(rank -> switch (rank
                    .standing()) {
                case LOST -> 0;
                case MISSING -> 2;
                case JOINED -> rank.refusal() == null ? 3 : 1;
            })
            .thenComparing(RankState::rank);

    private static final Map<String, Function<RankState, @Nullable Comparable<?>>> RANK_FIELDS = Map.of("rank",
            RankState::rank, "standing", RankState::standing, "incarnation", RankState::incarnation, "host",
            RankState::host, "pid", RankState::pid, "version", RankState::version, "uptimeMillis",
            RankState::uptimeMillis, "residentBytes", RankState::residentBytes, "usedBytes",
            rank -> rank.usage() == null ? null : rank.usage().usedBytes(), "retiredBytes",
            rank -> rank.usage() == null ? null : rank.usage().retiredBytes());

    private static final Comparator<StructureSummary> BY_NAME = Comparator.comparing(StructureSummary::name);

    private static final Map<String, Function<StructureSummary, @Nullable Comparable<?>>> SUMMARY_FIELDS = Map.of(
            "name",
            StructureSummary::name, "kind", StructureSummary::kind, "bytes", StructureSummary::bytes, "totalBytes",
            StructureSummary::totalBytes, "skew", StructureSummary::skew, "operationsPerSecond",
            StructureSummary::operationsPerSecond);

    /** Figures by which structures are sorted. They have to be read from each structure first. */
    private static final Map<String, Function<StructureState, @Nullable Comparable<?>>> FIGURES = Map.of("load",
            structure -> structure.figures().getOrDefault("load", structure.figures().get("fill")), "entries",
            structure -> Stream.of("entries", "entries about", "entries below", "elements", "depth", "depth at least")
                    .map(structure.figures()::get)
                    .filter(Objects::nonNull)
                    .findFirst()
                    .orElse(null));

    private static final Map<String, Function<LockTableState, @Nullable Comparable<?>>> TABLE_FIELDS = Map.of("name",
            LockTableState::name, "locks", LockTableState::locks, "busy", table -> table.busy().size(), "waitedMillis",
            table -> table.hottest().stream().mapToLong(LockTableState.HeldLock::waitedMillis).sum());

    private final WorldStates worldStates;

    ApiController(WorldStates worldStates) {
        this.worldStates = worldStates;
    }

    @GetMapping("/world")
    WorldState world() {
        return worldStates.world();
    }

    @GetMapping("/view")
    ViewState view() {
        return worldStates.view();
    }

    @GetMapping("/fabric")
    FabricState fabric() {
        return worldStates.fabric();
    }

    @GetMapping("/connections")
    ConnectionsState connections() {
        return worldStates.reachedRanks();
    }

    @GetMapping("/epochs")
    Record epochs(@RequestParam(defaultValue = "false") boolean summary) {
        return summary ? worldStates.epochSummary() : worldStates.epochs();
    }

    @GetMapping("/collectives")
    CollectivesState collectives() {
        return worldStates.collectives();
    }

    @GetMapping("/segments")
    Paged<SegmentState> segments(@RequestParam(defaultValue = "0") int page,
            @RequestParam(defaultValue = "20") int size) {
        Paged<Peer> part = Paged.of(worldStates.ranks(), page, size, peer -> peer);
        return new Paged<>(part.page(), part.size(), part.total(), worldStates.segments(part.items()));
    }

    @GetMapping("/segments/{rank}")
    SegmentState segment(@PathVariable int rank) {
        int ranks = worldStates.ranks().size();
        if (rank < 0 || rank >= ranks) {
            throw notFound("the world has no such rank: size=" + ranks + " rank=" + rank);
        }
        return worldStates.segment(rank);
    }

    @GetMapping("/ranks")
    Paged<RankState> ranks(@RequestParam(defaultValue = "0") int page, @RequestParam(defaultValue = "20") int size,
            @RequestParam(defaultValue = "") String q, @RequestParam(required = false) @Nullable PeerStatus standing,
            @RequestParam(defaultValue = "") String sort) {
        Comparator<RankState> order = Query.order(sort, WORST_FIRST, RANK_FIELDS);
        return Paged.of(worldStates.rankStates()
                .stream()
                .filter(rank -> standing == null || rank.standing() == standing)
                .filter(rank -> Query.matches(q, "rank " + rank.rank(), rank.host(), rank.pid(), rank.version(),
                        rank.refusal()))
                .sorted(order)
                .toList(), page, size, rank -> rank);
    }

    @GetMapping("/structures")
    FacetedPage<StructureState> structures(@RequestParam(defaultValue = "0") int page,
            @RequestParam(defaultValue = "20") int size, @RequestParam(defaultValue = "") String q,
            @RequestParam(defaultValue = "") String kind, @RequestParam(defaultValue = "") String sort) {
        List<StructureSummary> found = worldStates.summaries()
                .stream()
                .filter(structure -> Query.matches(q, structure.name(), structure.configuration()))
                .toList();
        Map<String, Integer> kinds = found.stream()
                .collect(Collectors.groupingBy(StructureSummary::kind, TreeMap::new, Collectors.summingInt(_ -> 1)));
        List<StructureSummary> asked = found.stream()
                .filter(structure -> kind.isBlank() || structure.kind().equals(kind))
                .toList();
        if (FIGURES.keySet().stream().noneMatch(figure -> sort.contains(figure))) {
            // Only the structures on this page are read in full.
            return FacetedPage.of(Paged.of(Query.sorted(asked, Query.order(sort, BY_NAME, SUMMARY_FIELDS)), page, size,
                    worldStates::figured), kinds);
        }
        Map<String, Function<StructureState, @Nullable Comparable<?>>> fields = new HashMap<>(FIGURES);
        fields.put("name", StructureState::name);
        fields.put("kind", StructureState::kind);
        fields.put("bytes", StructureState::bytes);
        fields.put("totalBytes", StructureState::totalBytes);
        fields.put("skew", StructureState::skew);
        fields.put("operationsPerSecond", StructureState::operationsPerSecond);
        return FacetedPage.of(Paged.of(Query.sorted(asked.stream().map(worldStates::figured).toList(),
                Query.order(sort, Comparator.comparing(StructureState::name), fields)), page, size,
                structure -> structure), kinds);
    }

    @GetMapping("/structure")
    StructureDetails structure(@RequestParam String name) {
        return worldStates.structure(name)
                .orElseThrow(() -> notFound("nobody has opened a structure of this name: name=" + name));
    }

    @GetMapping("/locks")
    Paged<LockTableState> locks(@RequestParam(defaultValue = "0") int page,
            @RequestParam(defaultValue = "20") int size, @RequestParam(defaultValue = "") String q,
            @RequestParam(defaultValue = "") String sort) {
        return Paged.of(worldStates.locks()
                .tables()
                .stream()
                .filter(table -> Query.matches(q, table.name()))
                .sorted(Query.order(sort, Comparator.comparing(LockTableState::name), TABLE_FIELDS))
                .toList(), page, size, table -> table);
    }

    @GetMapping("/locks/graph")
    LockGraph lockGraph() {
        return worldStates.locks().graph();
    }

    @GetMapping("/lock-table")
    LockTableState lockTable(@RequestParam String name) {
        return worldStates.locks()
                .tables()
                .stream()
                .filter(each -> each.name().equals(name))
                .findFirst()
                .orElseThrow(() -> notFound("nobody has opened a table of locks of this name: name=" + name));
    }

    @GetMapping("/lock")
    LockTableState.HeldLock lock(@RequestParam String table, @RequestParam long index) {
        return worldStates.locks()
                .lock(table, index)
                .orElseThrow(() -> notFound("there is no such lock: table=" + table + " index=" + index));
    }

    static ErrorResponseException notFound(String detail) {
        return new ErrorResponseException(HttpStatus.NOT_FOUND,
                ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, detail), null);
    }
}
