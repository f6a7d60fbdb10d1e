package io.atoll.admin.api;

import io.atoll.spring.state.overview.Overview;
import io.atoll.spring.state.overview.OverviewWatch;
import io.atoll.spring.state.overview.Problem;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import org.springframework.http.HttpMethod;
import org.springframework.http.MediaType;
import org.springframework.web.HttpRequestMethodNotSupportedException;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;
import org.springframework.web.servlet.mvc.method.annotation.SseEmitter;

/** The problems of the world, and what the caller may do about them. */
@RestController
@RequestMapping("/atoll/api")
class OverviewController {

    private final OverviewWatch watch;
    private final LiveFeed live;
    private final ActionGuard guard;

    OverviewController(OverviewWatch watch, LiveFeed live, ActionGuard guard) {
        this.watch = watch;
        this.live = live;
        this.guard = guard;
    }

    @GetMapping("/overview")
    Overview overview() {
        return watch.look();
    }

    @GetMapping("/problems")
    Listed<Problem> problems() {
        return new Listed<>(watch.look().problems());
    }

    @GetMapping("/session")
    Session session(HttpServletRequest request) {
        return guard.session(request);
    }

    @GetMapping(path = "/live", produces = MediaType.TEXT_EVENT_STREAM_VALUE)
    SseEmitter live(HttpServletRequest request, HttpServletResponse response)
            throws HttpRequestMethodNotSupportedException {
        if (!request.getMethod().equals(HttpMethod.GET.name())) {
            // Such a request would open a stream that has no reader, and no caller would notice it.
            throw new HttpRequestMethodNotSupportedException(request.getMethod(), List.of(HttpMethod.GET.name()));
        }
        Structures.refuseForeignPages(request);
        // nginx understands this header, as do other proxies. It makes them pass on each event at once.
        response.setHeader("X-Accel-Buffering", "no");
        return live.join();
    }
}
