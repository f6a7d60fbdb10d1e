package io.atoll.app.node;

import io.atoll.World;
import io.atoll.failure.AtollException;
import io.atoll.map.LongLongMap;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * An example to try. It counts in a map that all ranks share, so each rank can be asked. The map is named in this
 * application's configuration.
 */
@RestController
@RequestMapping(Node.HITS + "/{key}")
class HitCounter {

    private final LongLongMap hits;
    private final World world;

    HitCounter(LongLongMap hits, World world) {
        this.hits = hits;
        this.world = world;
    }

    @GetMapping
    ResponseEntity<Long> count(@PathVariable long key) {
        return answer(hits.getOrDefault(key, 0));
    }

    /** Returns the new count. */
    @PostMapping
    ResponseEntity<Long> increment(@PathVariable long key) {
        return answer(hits.addAndGet(key, 1));
    }

    private ResponseEntity<Long> answer(long count) {
        return ResponseEntity.ok().header(Node.RANK_HEADER, Integer.toString(world.rank())).body(count);
    }

    @ExceptionHandler
    ProblemDetail unavailable(AtollException failure) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, failure.getMessage());
        failure.structure().ifPresent(name -> problem.setProperty("structure", name));
        return problem;
    }
}
