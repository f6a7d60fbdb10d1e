package io.atoll.admin.api;

import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.filter.BloomFilter;
import io.atoll.filter.LongBloomFilter;
import io.atoll.map.DistributedMap;
import io.atoll.map.LongLongMap;
import io.atoll.map.MapPlace;
import io.atoll.queue.CircularQueue;
import io.atoll.queue.FastQueue;
import io.atoll.queue.LongCircularQueue;
import io.atoll.spring.admission.ForeignPages;
import io.atoll.spring.state.WorldStates;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import jakarta.servlet.http.HttpServletRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.http.HttpStatus;
import org.springframework.http.HttpStatusCode;
import org.springframework.http.ProblemDetail;
import org.springframework.web.ErrorResponseException;

/**
 * The structures that the application has as beans. Only these can be changed and looked into, because only beans say
 * which types they hold.
 */
final class Structures {

    /** About this many entries are shown at once. */
    static final int SOME_ENTRIES = 20;

    private static final Logger LOG = LoggerFactory.getLogger(Structures.class);

    private static final List<Class<?>> TYPES = List.of(CircularQueue.class, LongCircularQueue.class, FastQueue.class,
            BloomFilter.class, LongBloomFilter.class, DistributedMap.class, LongLongMap.class);

    private final ListableBeanFactory beans;
    private final WorldStates worldStates;

    Structures(ListableBeanFactory beans, WorldStates worldStates) {
        this.beans = beans;
        this.worldStates = worldStates;
    }

    // --- changes ---

    /** @return the number of removed elements; null if they are not counted */
    @Nullable Long clear(String name) {
        return switch (bean(name)) {
            case CircularQueue<?> queue -> popAll(queue);
            case LongCircularQueue queue -> popAll(queue);
            case BloomFilter<?> filter -> {
                filter.clear();
                yield null;
            }
            case LongBloomFilter filter -> {
                filter.clear();
                yield null;
            }
            case Object other -> throw cannot("cleared", "queues, but fast ones, and filters are", name, other);
        };
    }

    /** Pops as many elements as there were at the beginning. So this ends even if other threads push meanwhile. */
    private static long popAll(CircularQueue<?> queue) {
        long left = queue.size();
        long popped = 0;
        while (left > 0) {
            int some = queue.pop((int) Math.min(left, queue.maxBatchSize())).size();
            if (some == 0) {
                break;
            }
            popped += some;
            left -= some;
        }
        return popped;
    }

    private static long popAll(LongCircularQueue queue) {
        long left = queue.size();
        long popped = 0;
        while (left > 0) {
            int some = queue.pop(new long[(int) Math.min(left, queue.maxBatchSize())]);
            if (some == 0) {
                break;
            }
            popped += some;
            left -= some;
        }
        return popped;
    }

    void resize(String name, long capacity) {
        switch (bean(name)) {
            case CircularQueue<?> queue -> queue.resize(capacity);
            case LongCircularQueue queue -> queue.resize(capacity);
            case Object other -> throw cannot("resized", "queues are, but fast ones", name, other);
        }
    }

    void migrate(String name, long host) {
        int ranks = worldStates.ranks().size();
        if (host < 0 || host >= ranks) {
            throw problem(HttpStatus.UNPROCESSABLE_CONTENT,
                    "the world has no such rank: size=" + ranks + " host=" + host);
        }
        switch (bean(name)) {
            case CircularQueue<?> queue -> queue.migrate((int) host);
            case LongCircularQueue queue -> queue.migrate((int) host);
            case Object other -> throw cannot("moved", "queues are, but fast ones", name, other);
        }
    }

    private static ErrorResponseException cannot(String done, String which, String name, Object structure) {
        return problem(HttpStatus.UNPROCESSABLE_CONTENT, "structures of this kind are not " + done
                + " while others use them; " + which + ": name=" + name + " kind="
                + structure.getClass().getSimpleName());
    }

    // --- entries ---

    Entry entry(String name, String key) {
        return switch (bean(name)) {
            case LongLongMap map -> {
                long number = number(name, key);
                yield map.containsKey(number)
                        ? new Entry(key, true, Long.toString(map.getOrDefault(number, 0)))
                        : new Entry(key, false, null);
            }
            case DistributedMap<?, ?> map -> entry(map, key);
            case BloomFilter<?> _,LongBloomFilter _ -> throw problem(HttpStatus.UNPROCESSABLE_CONTENT,
                    "a filter has no entries: name=" + name);
            case Object other -> throw cannot("looked into by key", "maps are", name, other);
        };
    }

    // The key has the map's type: see configuredKey.
    @SuppressWarnings("unchecked")
    private <K, V> Entry entry(DistributedMap<K, V> map, String key) {
        V value = map.get((K) configuredKey(map.name(), key));
        return new Entry(key, value != null, value == null ? null : value.toString());
    }

    /** Parses the key by the configured type. A map's handle does not say which type its keys have. */
    private Object configuredKey(String name, String key) {
        String configured = worldStates.structure(name)
                .map(structure -> structure.settings().getOrDefault("keys", ""))
                .orElseThrow(() -> ApiController
                        .notFound("nobody has opened a structure of this name: name=" + name));
        return switch (configured) {
            case "text", "string", "String" -> key;
            case "long", "Long" -> number(name, key);
            case "int", "Integer" -> parsed(name, key, Integer::valueOf);
            case "uuid", "UUID" -> parsed(name, key, UUID::fromString);
            default -> throw problem(HttpStatus.UNPROCESSABLE_CONTENT,
                    "only texts, numbers and UUIDs are looked up, and the keys of this map are others: name=" + name
                            + " keys=" + configured);
        };
    }

    private static long number(String name, String key) {
        return parsed(name, key, Long::valueOf);
    }

    private static <T> T parsed(String name, String key, Function<String, T> parser) {
        try {
            return parser.apply(key);
        } catch (IllegalArgumentException mistake) {
            throw problem(HttpStatus.UNPROCESSABLE_CONTENT,
                    "the keys of this map are others: name=" + name + " key=" + key);
        }
    }

    /**
     * Refuses requests from pages of other origins. Such a page could have a browser send requests that cost much or
     * last long.
     */
    static void refuseForeignPages(HttpServletRequest request) {
        String refusal = ForeignPages.refusal(request);
        if (refusal != null) {
            throw problem(HttpStatus.FORBIDDEN, refusal);
        }
    }

    /** Returns some entries of a map from a place on. Leaves out the entries of ranks that cannot be read. */
    SomeEntries entries(String name, MapPlace from) {
        return switch (bean(name)) {
            case LongLongMap map -> entries(from, (place, found) -> map.forEach(place, SOME_ENTRIES,
                    (key, value) -> found.add(new Entry(Long.toString(key), true, Long.toString(value)))));
            case DistributedMap<?, ?> map -> entries(from, (place, found) -> map.forEach(place, SOME_ENTRIES,
                    (key, value) -> found.add(new Entry(key.toString(), true, value.toString()))));
            case Object other -> throw cannot("listed", "maps are", name, other);
        };
    }

    private interface EntryReader {
        Optional<MapPlace> read(MapPlace from, List<Entry> found);
    }

    private SomeEntries entries(MapPlace from, EntryReader reader) {
        List<Peer> ranks = worldStates.ranks();
        List<Entry> found = new ArrayList<>();
        List<Integer> unread = new ArrayList<>();
        MapPlace place = from;
        while (place.rank() < ranks.size()) {
            if (ranks.get(place.rank()).status() == PeerStatus.JOINED) {
                try {
                    return new SomeEntries(found, unread, reader.read(place, found).orElse(null));
                } catch (RankUnreachableException | FabricTimeoutException failure) {
                    LOG.debug("the entries of a rank cannot be read: {}", place, failure);
                }
            }
            unread.add(place.rank());
            place = new MapPlace(place.rank() + 1, 0);
        }
        return new SomeEntries(found, unread, null);
    }

    // --- beans ---

    private Object bean(String name) {
        for (Class<?> type : TYPES) {
            for (String bean : beans.getBeanNamesForType(type, true, false)) {
                Object structure = beans.getBean(bean);
                if (nameOf(structure).equals(name)) {
                    return structure;
                }
            }
        }
        if (worldStates.summaries().stream().noneMatch(structure -> structure.name().equals(name))) {
            throw ApiController.notFound("nobody has opened a structure of this name: name=" + name);
        }
        throw problem(HttpStatus.CONFLICT,
                "the structure is no bean of this application, or of another kind than queues, filters and maps: ask an"
                        + " application that has it: name=" + name);
    }

    private static String nameOf(Object structure) {
        return switch (structure) {
            case CircularQueue<?> queue -> queue.name();
            case LongCircularQueue queue -> queue.name();
            case FastQueue<?> queue -> queue.name();
            case BloomFilter<?> filter -> filter.name();
            case LongBloomFilter filter -> filter.name();
            case DistributedMap<?, ?> map -> map.name();
            case LongLongMap map -> map.name();
            case Object other -> throw new IllegalStateException("an unforeseen type: " + other.getClass());
        };
    }

    static ErrorResponseException problem(HttpStatusCode status, String detail) {
        return new ErrorResponseException(status, ProblemDetail.forStatusAndDetail(status, detail), null);
    }
}
