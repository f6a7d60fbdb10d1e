package io.atoll.admin.api;

import io.atoll.World;
import io.atoll.world.NamedStructure;
import java.util.Comparator;
import java.util.List;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RequestParam;
import org.springframework.web.bind.annotation.RestController;

/** The world as this rank sees it. Nothing waits for a rank that is missing, and nothing is changed. */
@RestController
@RequestMapping("/atoll/api")
class ApiController {

    private final World world;
    private final Observatory observatory;

    ApiController(World world) {
        this.world = world;
        this.observatory = new Observatory(world);
    }

    @GetMapping("/world")
    WorldState world() {
        return WorldState.of(world);
    }

    @GetMapping("/fabric")
    FabricState fabric() {
        return FabricState.of(world);
    }

    @GetMapping("/segments")
    Paged<SegmentState> segments(@RequestParam(defaultValue = "0") int page,
            @RequestParam(defaultValue = "20") int size) {
        return Paged.of(world.peers().snapshot(), page, size, peer -> SegmentState.of(peer, observatory));
    }

    @GetMapping("/segments/{rank}")
    SegmentState segment(@PathVariable int rank) {
        if (rank < 0 || rank >= world.size()) {
            throw notFound("the world has no such rank: size=" + world.size() + " rank=" + rank);
        }
        return SegmentState.of(world.peers().snapshot().get(rank), observatory);
    }

    @GetMapping("/structures")
    Paged<StructureState> structures(@RequestParam(defaultValue = "0") int page,
            @RequestParam(defaultValue = "20") int size) {
        List<NamedStructure> byName = directory().stream()
                .sorted(Comparator.comparing(NamedStructure::name))
                .toList();
        return Paged.of(byName, page, size, StructureState::of);
    }

    @GetMapping("/structures/{name}")
    StructureState structure(@PathVariable String name) {
        return directory().stream()
                .filter(structure -> structure.name().equals(name))
                .findFirst()
                .map(StructureState::of)
                .orElseThrow(() -> notFound("nobody has opened a structure of this name: name=" + name));
    }

    /** This rank's own, which lists the same structures as every other's. */
    private List<NamedStructure> directory() {
        return observatory.structures(world.rank()).orElseThrow();
    }

    static ErrorResponseException notFound(String detail) {
        return new ErrorResponseException(HttpStatus.NOT_FOUND,
                ProblemDetail.forStatusAndDetail(HttpStatus.NOT_FOUND, detail), null);
    }
}
