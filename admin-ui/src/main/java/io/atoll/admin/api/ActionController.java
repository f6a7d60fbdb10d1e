package io.atoll.admin.api;

import io.atoll.failure.AtollException;
import io.atoll.lock.ForcedUnlock;
import io.atoll.spring.state.WorldStates;
import jakarta.servlet.http.HttpServletRequest;
import java.security.Principal;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.http.HttpStatus;
import org.springframework.web.ErrorResponseException;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.RestController;

/**
 * The actions of an operator. {@link ActionGuard} stands before them. Each call is written to the {@link Audit}, even
 * if it fails. Names stand in the body, since they may have characters that no path may have.
 */
@RestController
@RequestMapping("/atoll/api/actions")
class ActionController {

    /** A process checks about ten times a second whether another one asks it for a lock. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private final WorldStates worldStates;
    private final Structures structures;
    private final ObjectProvider<CacheManager> caches;
    private final Audit audit;

    ActionController(WorldStates worldStates, Structures structures, ObjectProvider<CacheManager> caches,
            Audit audit) {
        this.worldStates = worldStates;
        this.structures = structures;
        this.caches = caches;
        this.audit = audit;
    }

    // Numbers are of type Number: for any other type a mapper may cut off the fraction of 1.7.

    /** @param token of the hold that is to be ended, as a text or as a number */
    record Unlock(@Nullable String table, @Nullable Number index, @Nullable Object token) {}

    record Named(@Nullable String name) {}

    record Resize(@Nullable String name, @Nullable Number capacity) {}

    record Migrate(@Nullable String name, @Nullable Number host) {}

    /** @param freed the number of objects that this call has freed */
    record Reclaimed(long freed) {}

    /** @param removed the number of elements; null if the structure does not count them */
    record Done(String name, @Nullable Long removed) {}

    @PostMapping("/force-unlock")
    Done forceUnlock(@RequestBody Unlock asked, HttpServletRequest request) {
        return act(request, "force-unlock", asked.table + " index=" + asked.index + " token=" + asked.token, () -> {
            String table = given("table", asked.table);
            long index = wholeNumber("index", asked.index);
            long token = wholeNumber("token", asked.token);
            ForcedUnlock outcome;
            try {
                outcome = worldStates.locks()
                        .forceUnlock(table, index, token, PATIENCE)
                        .orElseThrow(() -> ApiController
                                .notFound("nobody has opened a table of locks of this name: table=" + table));
            } catch (IllegalArgumentException noLock) {
                throw ApiController.notFound("there is no such lock: table=" + table + " index=" + index);
            }
            return switch (outcome) {
                case DONE -> new Done(table, null);
                case HOLDER_CHANGED -> throw conflict("somebody else holds the lock by now, look again", table, index);
                case NOT_HELD -> throw conflict("nobody holds the lock", table, index);
                case HOLDER_SILENT -> throw conflict("the holder's process does not answer; if it has ended, the lock"
                        + " is free as soon as the others know", table, index);
            };
        });
    }

    private static ErrorResponseException conflict(String reason, String table, long index) {
        return Structures.problem(HttpStatus.CONFLICT, reason + ": table=" + table + " index=" + index);
    }

    @PostMapping("/reclaim")
    Reclaimed reclaim(HttpServletRequest request) {
        return act(request, "reclaim", "epochs", () -> new Reclaimed(worldStates.reclaim()));
    }

    @PostMapping("/clear")
    Done clear(@RequestBody Named asked, HttpServletRequest request) {
        return act(request, "clear", String.valueOf(asked.name), () -> {
            String name = given("name", asked.name);
            return new Done(name, structures.clear(name));
        });
    }

    @PostMapping("/resize")
    Done resize(@RequestBody Resize asked, HttpServletRequest request) {
        return act(request, "resize", asked.name + " capacity=" + asked.capacity, () -> {
            String name = given("name", asked.name);
            structures.resize(name, wholeNumber("capacity", asked.capacity));
            return new Done(name, null);
        });
    }

    @PostMapping("/migrate")
    Done migrate(@RequestBody Migrate asked, HttpServletRequest request) {
        return act(request, "migrate", asked.name + " host=" + asked.host, () -> {
            String name = given("name", asked.name);
            structures.migrate(name, wholeNumber("host", asked.host));
            return new Done(name, null);
        });
    }

    @PostMapping("/evict")
    Done evict(@RequestBody Named asked, HttpServletRequest request) {
        return act(request, "evict", String.valueOf(asked.name), () -> {
            String name = given("name", asked.name);
            Cache cache = caches.stream()
                    .filter(manager -> manager.getCacheNames().contains(name))
                    .map(manager -> manager.getCache(name))
                    .findFirst()
                    .orElse(null);
            if (cache == null) {
                throw ApiController.notFound("the application has no cache of this name: name=" + name);
            }
            cache.clear();
            return new Done(name, null);
        });
    }

    private static <T> T given(String what, @Nullable T value) {
        if (value == null) {
            throw Structures.problem(HttpStatus.UNPROCESSABLE_CONTENT, "the request must say which: " + what);
        }
        return value;
    }

    private static long wholeNumber(String what, @Nullable Object value) {
        return switch (given(what, value)) {
            case Integer number -> number;
            case Long number -> number;
            case String text -> {
                try {
                    yield Long.parseLong(text);
                } catch (NumberFormatException other) {
                    throw noWholeNumber(what, text);
                }
            }
            case Object other -> throw noWholeNumber(what, other);
        };
    }

    private static ErrorResponseException noWholeNumber(String what, Object value) {
        return Structures.problem(HttpStatus.UNPROCESSABLE_CONTENT,
                "a whole number of at most 64 bits: " + what + "=" + value);
    }

    private <T> T act(HttpServletRequest request, String action, String subject, Supplier<T> work) {
        Principal user = request.getUserPrincipal();
        if (user == null) {
            // The guard lets no request without a user through.
            throw Structures.problem(HttpStatus.FORBIDDEN, "only users act");
        }
        String name = user.getName();
        String outcome = "failed";
        try {
            T result = work.get();
            outcome = "done";
            return result;
        } catch (ErrorResponseException refused) {
            outcome = String.valueOf(refused.getBody().getDetail());
            throw refused;
        } catch (AtollException | IllegalArgumentException failure) {
            outcome = String.valueOf(failure.getMessage());
            throw Structures.problem(HttpStatus.CONFLICT, outcome);
        } catch (RuntimeException failure) {
            outcome = failure.toString();
            throw failure;
        } finally {
            audit.write(name, action, subject, outcome);
        }
    }
}
