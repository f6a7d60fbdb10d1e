package io.atoll.admin.api;

import io.atoll.state.CollectivesState;
import io.atoll.state.ConnectionsState;
import io.atoll.state.EpochState;
import io.atoll.state.FabricState;
import io.atoll.state.LockTableState;
import io.atoll.state.Observatory;
import io.atoll.state.SegmentState;
import io.atoll.state.StructureState;
import io.atoll.state.ViewState;
import io.atoll.state.WorldState;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/**
 * The world as this rank sees it. Nothing waits for a rank that is missing, or is known not to answer, and nothing is
 * changed. What is read of a rank that stands still comes as late as the fabric takes it for silent, without that rank.
 */
@RestController
@RequestMapping("/atoll/api")
class ApiController {

    private final Observatory observatory;

    ApiController(Observatory observatory) {
        this.observatory = observatory;
    }

    @GetMapping("/world")
    WorldState world() {
        return observatory.world();
    }

    @GetMapping("/view")
    ViewState view() {
        return observatory.view();
    }

    @GetMapping("/fabric")
    FabricState fabric() {
        return observatory.fabric();
    }

    @GetMapping("/connections")
    ConnectionsState connections() {
        return observatory.reachedRanks();
    }

    @GetMapping("/epochs")
    EpochState epochs() {
        return observatory.epochs();
    }

    @GetMapping("/collectives")
    CollectivesState collectives() {
        return observatory.collectives();
    }

    @GetMapping("/segments")
    Paged<SegmentState> segments(@RequestParam(defaultValue = "0") int page,
            @RequestParam(defaultValue = "20") int size) {
        return Paged.of(observatory.ranks(), page, size, peer -> observatory.segment(peer.rank()));
    }

    @GetMapping("/segments/{rank}")
    SegmentState segment(@PathVariable int rank) {
        int ranks = observatory.ranks().size();
        if (rank < 0 || rank >= ranks) {
            throw notFound("the world has no such rank: size=" + ranks + " rank=" + rank);
        }
        return observatory.segment(rank);
    }

    @GetMapping("/structures")
    Paged<StructureState> structures(@RequestParam(defaultValue = "0") int page,
            @RequestParam(defaultValue = "20") int size) {
        return Paged.of(observatory.structures(), page, size, structure -> structure);
    }

    @GetMapping("/structures/{name}")
    StructureState structure(@PathVariable String name) {
        return observatory.structures()
                .stream()
                .filter(structure -> structure.name().equals(name))
                .findFirst()
                .orElseThrow(() -> notFound("nobody has opened a structure of this name: name=" + name));
    }

    @GetMapping("/locks")
    Paged<LockTableState> locks(@RequestParam(defaultValue = "0") int page,
            @RequestParam(defaultValue = "20") int size) {
        return Paged.of(observatory.lockTables(), page, size, table -> table);
    }

    @GetMapping("/locks/{table}")
    LockTableState lockTable(@PathVariable String table) {
        return observatory.lockTables()
                .stream()
                .filter(each -> each.name().equals(table))
                .findFirst()
                .orElseThrow(() -> notFound("nobody has opened a table of locks of this name: table=" + table));
    }

    @GetMapping("/locks/{table}/{index}")
    LockTableState.HeldLock lock(@PathVariable String table, @PathVariable long index) {
        return observatory.lock(table, index)
                .orElseThrow(() -> notFound("there is no such lock: table=" + table + " index=" + index));
    }

    static ErrorResponseException notFound(String detail) {
        return new ErrorResponseException(HttpStatus.NOT_FOUND,
                ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, detail), null);
    }
}
