package io.atoll.app.node;

import io.atoll.failure.AtollException;
import io.atoll.map.LongLongMap;
import org.springframework.http.HttpStatus;
import org.springframework.http.ProblemDetail;
import org.springframework.web.bind.annotation.ExceptionHandler;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/** Something to try: counts in a map that all ranks share, whichever is asked. The map is named in this application's configuration. */
@RestController
@RequestMapping("/hits/{key}")
class HitCounter {

    private final LongLongMap hits;

    HitCounter(LongLongMap hits) {
        this.hits = hits;
    }

    @GetMapping
    long count(@PathVariable long key) {
        return hits.find(key, 0);
    }

    /** Returns the new count. */
    @PostMapping
    long increment(@PathVariable long key) {
        return hits.increment(key, 1);
    }

    @ExceptionHandler
    ProblemDetail unavailable(AtollException failure) {
        ProblemDetail problem = ProblemDetail.forStatusAndDetail(HttpStatus.SERVICE_UNAVAILABLE, failure.getMessage());
        failure.structure().ifPresent(name -> problem.setProperty("structure", name));
        return problem;
    }
}
