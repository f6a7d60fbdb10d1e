package io.atoll.admin.browser;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.io.InputStream;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.function.Predicate;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Answers from files, as the API of a world of 300 ranks and 1,000 structures would. It sends no events, so the page
 * polls.
 */
final class RecordedApi implements Filter {

    private static final String API = "/atoll/api/";
    private static final String FILES = "/io/atoll/admin/recorded/";
    private static final int MOST = 100;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final Map<String, JsonNode> answers = new ConcurrentHashMap<>();
    private final Queue posted = new Queue();
    private final ArrayNode ranks = all("ranks", 3);
    private final ArrayNode structures = all("structures", 10);
    private final ArrayNode peers = all("peers", 3);
    private volatile boolean isSilent;
    private volatile String session = "session";

    /** Keeps what was posted, the first one first. */
    static final class Queue {

        private final ConcurrentLinkedQueue<String> items = new ConcurrentLinkedQueue<>();

        List<String> items() {
            return List.copyOf(items);
        }
    }

    /** Returns an answer. If a test changes it, the next request gets the changed one. */
    ObjectNode recorded(String name) {
        return (ObjectNode) answers.computeIfAbsent(name, RecordedApi::read);
    }

    Queue posted() {
        return posted;
    }

    ArrayNode structures() {
        return structures;
    }

    /** Lets every request fail, as if the node were gone. */
    void beSilent(boolean isSilent) {
        this.isSilent = isSilent;
    }

    void letAct(boolean mayAct) {
        session = mayAct ? "session" : "session-closed";
    }

    private static JsonNode read(String name) {
        try (InputStream file = RecordedApi.class.getResourceAsStream(FILES + name + ".json")) {
            return JSON.readTree(Objects.requireNonNull(file, name));
        } catch (IOException failure) {
            throw new IllegalStateException(name, failure);
        }
    }

    private ArrayNode all(String name, int pages) {
        ArrayNode items = JSON.createArrayNode();
        IntStream.range(0, pages).forEach(page -> recorded(name + "-" + page).get("items").forEach(items::add));
        return items;
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        HttpServletRequest asked = (HttpServletRequest) request;
        HttpServletResponse answer = (HttpServletResponse) response;
        if (!asked.getRequestURI().startsWith(API)) {
            chain.doFilter(request, response);
            return;
        }
        String path = URLDecoder.decode(asked.getRequestURI().substring(API.length()), StandardCharsets.UTF_8);
        if (isSilent) {
            // A connection without an answer cannot be made here. A gateway before a node that is gone answers this.
            answer.setStatus(HttpServletResponse.SC_BAD_GATEWAY);
            return;
        }
        if (asked.getMethod().equals("POST")) {
            posted.items.add(path + " " + new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
            write(answer, JSON.createObjectNode().put("freed", 12));
            return;
        }
        JsonNode found = answer(path, asked);
        if (found == null) {
            answer.setStatus(HttpServletResponse.SC_NOT_FOUND);
            answer.setContentType("application/problem+json");
            answer.getWriter().write("{\"detail\":\"there is no such thing\"}");
            return;
        }
        write(answer, found);
    }

    private static void write(HttpServletResponse answer, JsonNode what) throws IOException {
        answer.setContentType("application/json");
        answer.setCharacterEncoding("UTF-8");
        answer.getWriter().write(JSON.writeValueAsString(what));
    }

    private @Nullable JsonNode answer(String path, HttpServletRequest asked) {
        String[] parts = path.split("/");
        return switch (parts[0]) {
            case "ranks" -> paged(ranks, asked,
                    rank -> is(asked, "standing", rank.get("standing").asString())
                            && has(asked, "rank " + rank.get("rank").asString(), rank.get("host").asString("")));
            case "structures" -> structuresOf(asked);
            case "structure" -> named(parts.length == 1 ? "structure" : "figures", asked.getParameter("name"));
            case "lock-table" -> named(path, asked.getParameter("name"));
            case "lock" -> named("lock", asked.getParameter("table") + "-" + asked.getParameter("index"));
            case "entries" -> recorded(asked.getParameter("rank") == null ? "entries-orders" : "entries-orders-2");
            case "entry" -> named("entry-orders", asked.getParameter("key"));
            case "segments" -> parts.length == 1 ? recorded("segments-0") : recorded("segment-9");
            case "epochs" -> recorded("epochs-summary");
            case "locks" -> recorded(path.equals("locks") ? "locks-0" : path.replace('/', '-'));
            case "history" -> recorded(asked.getParameter("rank") == null
                    && asked.getParameter("series").startsWith("owned-limbo")
                            ? "history-limbo-bytes"
                            : "history-rank-9");
            case "events" -> events(asked);
            case "traffic" -> parts.length == 1
                    ? recorded("traffic")
                    : paged(peers, asked,
                            peer -> has(asked, "rank " + peer.get("rank").asString(), peer.get("host").asString()));
            case "session" -> recorded(session);
            case "live" -> null;
            default -> recorded(path);
        };
    }

    private static boolean is(HttpServletRequest asked, String parameter, String value) {
        String wanted = asked.getParameter(parameter);
        return wanted == null || wanted.isEmpty() || wanted.equals(value);
    }

    private static boolean has(HttpServletRequest asked, String... texts) {
        String sought = asked.getParameter("q");
        return sought == null || List.of(texts).stream().anyMatch(text -> text.contains(sought));
    }

    private JsonNode structuresOf(HttpServletRequest asked) {
        ObjectNode page = paged(structures, asked, structure -> is(asked, "kind", structure.get("kind").asString())
                && has(asked, structure.get("name").asString()));
        return page.set("kinds", recorded("structures-0").get("kinds"));
    }

    /** Returns the answer from a file, if there is one. */
    private @Nullable JsonNode named(String what, String name) {
        String file = what + "-" + name.replace(strangeName(), "strange");
        return RecordedApi.class.getResource(FILES + file + ".json") == null ? null : recorded(file);
    }

    /** Returns a name with characters that no path may have, nor the name of a file. */
    String strangeName() {
        return recorded("structure-strange").get("name").asString();
    }

    private JsonNode events(HttpServletRequest asked) {
        ArrayNode items = JSON.createArrayNode();
        recorded("events").get("items").forEach(event -> {
            if (is(asked, "kind", event.get("kind").asString()) && is(asked, "rank", event.get("rank").asString())) {
                items.add(event);
            }
        });
        return JSON.createObjectNode().set("items", items);
    }

    private static Comparator<JsonNode> order(String sort) {
        String name = sort.startsWith("-") ? sort.substring(1) : sort;
        Comparator<JsonNode> order = Comparator.comparing((JsonNode item) -> item.path(name).isNumber()
                ? item.path(name).asDouble()
                : item.path("figures").path(name).asDouble(0))
                .thenComparing(item -> item.path(name).isString() ? item.path(name).asString() : "");
        return sort.startsWith("-") ? order.reversed() : order;
    }

    private static ObjectNode paged(ArrayNode items, HttpServletRequest asked, Predicate<JsonNode> isWanted) {
        List<JsonNode> found = new ArrayList<>();
        items.forEach(item -> {
            if (isWanted.test(item)) {
                found.add(item);
            }
        });
        String sort = asked.getParameter("sort");
        if (sort != null) {
            found.sort(order(sort));
        }
        int page = asked.getParameter("page") == null ? 0 : Integer.parseInt(asked.getParameter("page"));
        int size = asked.getParameter("size") == null ? 20 : Integer.parseInt(asked.getParameter("size"));
        if (size > MOST) {
            throw new IllegalArgumentException("size=" + size);
        }
        ObjectNode answer = JSON.createObjectNode().put("page", page).put("size", size).put("total", found.size());
        ArrayNode part = answer.putArray("items");
        found.stream().skip((long) page * size).limit(size).forEach(part::add);
        return answer;
    }
}
