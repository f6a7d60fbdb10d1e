package io.atoll.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.filter.LongBloomFilter;
import io.atoll.lock.LockTable;
import io.atoll.map.LongLongMap;
import io.atoll.queue.LongCircularQueue;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.yaml.snakeyaml.Yaml;

/** Two ranks by TCP, which use a structure of each kind, have all metrics that the alerts and the dashboard ask for. */
@Tag("slow")
class MetersTest {

    private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-z_]+)(?:\\{(.*)})? ");
    private static final Pattern LABEL = Pattern.compile("(\\w+)(=~?)\"([^\"]*)\"");
    private static final Pattern METRIC = Pattern.compile("\\b((?:atoll|cache)_[a-z_]+)(?:\\{([^}]*)})?");
    private static final Pattern GROUPING = Pattern.compile("\\b(?:by|on) \\(([^)]*)\\)");
    private static final Pattern IN_TEXT = Pattern.compile("\\$labels\\.(\\w+)");
    private static final Pattern IN_LEGEND = Pattern.compile("\\{\\{(\\w+)}}");

    /** The metrics that appear last, when the structures have been looked at. */
    private static final List<String> LAST = List.of("atoll_lock_longest_wait_seconds{", "kind=\"bloom-filter\"",
            "kind=\"long-map\"", "kind=\"map\"", "kind=\"queue\"");

    private static final Duration SOON = Duration.ofSeconds(30);

    /** The labels that Prometheus adds to what it reads. */
    private static final Set<String> OF_PROMETHEUS = Set.of("namespace", "instance");

    /** One verb in 1,024 of a thread is timed. */
    private static final int VERBS = 5_000;

    /** By the name of each metric: its labels, and the values of each label. */
    private static final Map<String, Map<String, Set<String>>> LABELS = new TreeMap<>();

    @TempDir
    static Path folder;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Rank {}

    @BeforeAll
    static void read() throws IOException {
        List<Integer> ports = freePorts();
        try (ConfigurableApplicationContext zero = start(0, ports);
                ConfigurableApplicationContext one = start(1, ports)) {
            for (ConfigurableApplicationContext rank : List.of(zero, one)) {
                LongLongMap hits = rank.getBean(LongLongMap.class);
                for (int key = 0; key < VERBS; key++) {
                    hits.addAndGet(key, 1);
                }
            }
            use(zero);
            await().atMost(SOON).until(() -> {
                String read = zero.getBean(PrometheusMeterRegistry.class).scrape();
                return LAST.stream().allMatch(read::contains);
            });
            SAMPLE.matcher(zero.getBean(PrometheusMeterRegistry.class).scrape()).results().forEach(sample -> {
                Map<String, Set<String>> known = LABELS.computeIfAbsent(sample.group(1), _ -> new TreeMap<>());
                labels(sample.group(2)).forEach(
                        label -> known.computeIfAbsent(label.name, _ -> new HashSet<>()).add(label.value));
            });
        }
    }

    /** The first use of a structure opens it. */
    private static void use(ConfigurableApplicationContext rank) {
        rank.getBean(LockTable.class).lockUninterruptiblyAt(0).close();
        rank.getBean(LongBloomFilter.class).add(7);
        rank.getBean(LongCircularQueue.class).push(7);
        Cache books = Objects.requireNonNull(rank.getBean(CacheManager.class).getCache("books"));
        assertThat(books.get("some")).isNull();
    }

    private static ConfigurableApplicationContext start(int rank, List<Integer> ports) {
        return new SpringApplicationBuilder(Rank.class).web(WebApplicationType.NONE)
                .run("--spring.main.banner-mode=off", "--spring.jmx.enabled=false",
                        "--atoll.world.name=meters-of-the-chart",
                        "--atoll.world.size=2", "--atoll.world.rank=" + rank, "--atoll.segment.size=16MB",
                        "--atoll.long-maps.hits.capacity=10000", "--atoll.lock-tables.accounts.locks=8",
                        "--atoll.long-filters.seen.expected-elements=1000", "--atoll.long-queues.jobs.capacity=64",
                        "--atoll.caches.books.capacity=100", "--atoll.fabric.type=tcp",
                        "--atoll.fabric.tcp.same-host=false",
                        "--atoll.fabric.shared-memory.folder=" + folder,
                        "--atoll.fabric.tcp.secret=0123456789abcdef0123456789abcdef",
                        "--atoll.fabric.tcp.addresses=127.0.0.1:" + ports.get(0) + ",127.0.0.1:" + ports.get(1));
    }

    private static List<Integer> freePorts() throws IOException {
        try (ServerSocket zero = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                ServerSocket one = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return List.of(zero.getLocalPort(), one.getLocalPort());
        }
    }

    /** @param value the label's value, or a pattern for values */
    private record Label(String name, boolean isPattern, String value) {

        /** Returns true if the chart or Grafana fills in the value. */
        boolean isOpen() {
            return value.contains("$") || value.equals("WORLD");
        }

        boolean isOneOf(Set<String> values) {
            return isPattern ? values.stream().anyMatch(each -> each.matches(value)) : values.contains(value);
        }
    }

    private static List<Label> labels(@Nullable String selector) {
        return selector == null
                ? List.of()
                : LABEL.matcher(selector)
                        .results()
                        .map(label -> new Label(label.group(1), label.group(2).equals("=~"), label.group(3)))
                        .toList();
    }

    private static Object parsed(String file) {
        try {
            return new Yaml().load(Files.readString(Chart.FOLDER.resolve("files").resolve(file)));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static List<String> expressions(String file) {
        return Maps.all(parsed(file))
                .stream()
                .flatMap(part -> Stream.of(part.get("expr"), part.get("definition"), part.get("query")))
                .filter(String.class::isInstance)
                .map(String.class::cast)
                .toList();
    }

    private static void assertThatAllExist(List<String> expressions) {
        List<MatchResult> metrics = expressions.stream().flatMap(text -> METRIC.matcher(text).results()).toList();

        assertThat(metrics).hasSizeGreaterThan(10).allSatisfy(metric -> {
            Map<String, Set<String>> known = LABELS.get(metric.group(1));
            assertThat(known).as(metric.group(1)).isNotNull();
            for (Label asked : labels(metric.group(2))) {
                if (!OF_PROMETHEUS.contains(asked.name)) {
                    assertThat(known).as(metric.group()).containsKey(asked.name);
                    assertThat(asked.isOpen() || asked.isOneOf(known.get(asked.name))).as(metric.group() + " " + asked)
                            .isTrue();
                }
            }
        });
        assertThat(expressions)
                .allSatisfy(text -> assertThatAllHave(text, named(GROUPING, text)
                        .flatMap(labels -> Stream.of(labels.split(", ")))));
    }

    private static Stream<String> named(Pattern pattern, String text) {
        return pattern.matcher(text).results().map(found -> found.group(1));
    }

    /** Checks that every metric of the expression has these labels. */
    private static void assertThatAllHave(String expression, Stream<String> labels) {
        Set<String> asked = labels.filter(label -> !OF_PROMETHEUS.contains(label)).collect(Collectors.toSet());
        assertThat(METRIC.matcher(expression).results().map(MatchResult::group))
                .allSatisfy(metric -> assertThat(known(metric).keySet()).as(expression).containsAll(asked));
    }

    private static Map<String, Set<String>> known(String metric) {
        return LABELS.getOrDefault(metric.replaceAll("\\{.*", ""), Map.of());
    }

    @Test
    void everyMetricOfAnAlertExists() {
        assertThatAllExist(expressions("alerts.yaml"));
    }

    @Test
    void everyMetricOfTheDashboardExists() {
        assertThatAllExist(expressions("dashboard.json"));
    }

    /** A grouped expression has only the labels that it is grouped by. */
    private static void assertThatLeft(String expression, Stream<String> labels) {
        List<String> groupings = named(GROUPING, expression).flatMap(group -> Stream.of(group.split(", "))).toList();
        boolean isGrouped = expression.contains(" by (");
        List<String> named = labels.toList();
        assertThatAllHave(expression, named.stream());
        if (isGrouped) {
            assertThat(groupings).as(expression).containsAll(named);
        }
    }

    @Test
    void everyLabelThatATextNamesIsThere() {
        assertThat(Maps.maps(Maps.at(parsed("alerts.yaml"), "groups", 0, "rules"))).allSatisfy(
                rule -> assertThatLeft(Maps.text(rule, "expr"), named(IN_TEXT, Maps.text(rule, "annotations"))));
        assertThat(Maps.all(parsed("dashboard.json"))).filteredOn(part -> part.containsKey("legendFormat"))
                .isNotEmpty()
                .allSatisfy(target -> assertThatLeft(Maps.text(target, "expr"),
                        named(IN_LEGEND, Maps.text(target, "legendFormat"))));
    }

    /** Checks the whole list of the troubles that alerts report. */
    @Test
    void alertsTellOfEachTroubleOnce() {
        assertThat(Maps.maps(Maps.at(parsed("alerts.yaml"), "groups", 0, "rules")))
                .extracting(rule -> Maps.text(rule, "alert"))
                .doesNotHaveDuplicates()
                .contains("AtollRankLost", "AtollSegmentNearlyFull", "AtollLimboStranded", "AtollTokenPinnedTooLong",
                        "AtollThreadsWait", "AtollQueueNearlyFull", "AtollMapNearlyFull", "AtollFilterOverfull",
                        "AtollLockAwaitedLong", "AtollLockRecovered", "AtollConnectionsRefused");
    }

    /** Grafana shows panels that lie over each other, and only one of two with the same number. */
    @Test
    void panelsHavePlacesOfTheirOwn() {
        List<Map<String, Object>> panels = Maps.maps(Maps.at(parsed("dashboard.json"), "panels"));

        assertThat(panels).extracting(panel -> panel.get("id")).doesNotHaveDuplicates();
        assertThat(panels).extracting(panel -> Maps.at(panel, "gridPos", "x") + " " + Maps.at(panel, "gridPos", "y"))
                .doesNotHaveDuplicates();
        assertThat(panels).filteredOn(panel -> !"row".equals(panel.get("type"))).allSatisfy(panel -> {
            assertThat(Maps.text(panel, "description")).matches("|.*\\.");
            assertThat(Maps.text(panel, "fieldConfig", "defaults", "unit")).isNotEqualTo("null");
        });
    }

    @Test
    void everyAlertSaysWhatItMeansAndWhatToDo() {
        assertThat(Maps.maps(Maps.at(parsed("alerts.yaml"), "groups", 0, "rules"))).isNotEmpty()
                .allSatisfy(rule -> {
                    assertThat(Maps.text(rule, "labels", "severity")).isIn("warning", "critical");
                    assertThat(Maps.text(rule, "annotations", "summary")).endsWith(".");
                    assertThat(Maps.text(rule, "annotations", "description")).endsWith(".");
                });
    }

    /** Worlds of one Prometheus have alerts of their own. */
    @Test
    void theAlertsOfAReleaseAreThoseOfItsWorld() {
        Manifests manifests = Chart.render(Chart.example("production"));
        String rule = new Yaml().dump(manifests.object("PrometheusRule", "shop-atoll").get("spec"));

        assertThat(rule).contains("{namespace=\"market\", world=\"shop-atoll\"").doesNotContain("WORLD");
        assertThat(Maps.at(manifests.object("PrometheusRule", "shop-atoll"), "spec")).asString()
                .contains("$labels.rank");
        assertThat(Maps.at(manifests.object("ServiceMonitor", "shop-atoll"), "spec", "selector", "matchLabels"))
                .isEqualTo(Map.of("app.kubernetes.io/name", "atoll", "app.kubernetes.io/instance", "shop",
                        "app.kubernetes.io/component", "ranks"));
        assertThat(Maps.text(manifests.object("Service", "shop-atoll-ranks"), "metadata", "labels",
                "app.kubernetes.io/component")).isEqualTo("ranks");
        assertThat(Maps.text(manifests.object("ConfigMap", "shop-atoll-dashboard"), "data", "shop-atoll.json"))
                .contains("atoll_world_ranks");
    }
}
