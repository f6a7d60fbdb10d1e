package io.atoll.chart;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.map.LongLongMap;
import io.micrometer.prometheusmetrics.PrometheusMeterRegistry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;
import org.yaml.snakeyaml.Yaml;

/** The metrics that alerts and dashboard ask for are those that two ranks by TCP have. */
class MetersTest {

    private static final Pattern SAMPLE = Pattern.compile("(?m)^([a-z_]+)(?:\\{(.*)})? ");
    private static final Pattern LABEL = Pattern.compile("(\\w+)=~?\"");
    private static final Pattern METRIC = Pattern.compile("\\b(atoll_[a-z_]+)(?:\\{([^}]*)})?");

    /** What Prometheus adds to what it reads. */
    private static final Set<String> OF_PROMETHEUS = Set.of("namespace", "instance");

    /** One verb in 1,024 of a thread is timed. */
    private static final int VERBS = 5_000;

    /** The labels of each metric, by its name. */
    private static final Map<String, Set<String>> LABELS = new TreeMap<>();

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
                    hits.increment(key, 1);
                }
            }
            String read = zero.getBean(PrometheusMeterRegistry.class).scrape();
            SAMPLE.matcher(read)
                    .results()
                    .forEach(sample -> LABELS.computeIfAbsent(sample.group(1), _ -> new HashSet<>())
                            .addAll(labels(sample.group(2))));
        }
    }

    private static ConfigurableApplicationContext start(int rank, List<Integer> ports) {
        return new SpringApplicationBuilder(Rank.class).web(WebApplicationType.NONE)
                .run("--spring.main.banner-mode=off", "--spring.jmx.enabled=false",
                        "--atoll.world.name=meters-of-the-chart",
                        "--atoll.world.size=2", "--atoll.world.rank=" + rank, "--atoll.segment.size=16MB",
                        "--atoll.long-maps.hits.capacity=10000", "--atoll.fabric.type=tcp",
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

    private static Set<String> labels(String selector) {
        Set<String> labels = new HashSet<>();
        if (selector != null) {
            Matcher label = LABEL.matcher(selector);
            while (label.find()) {
                labels.add(label.group(1));
            }
        }
        return labels;
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
            assertThat(LABELS).containsKey(metric.group(1));
            Set<String> asked = labels(metric.group(2));
            asked.removeAll(OF_PROMETHEUS);
            assertThat(LABELS.get(metric.group(1))).as(metric.group()).containsAll(asked);
        });
    }

    @Test
    void everyMetricOfAnAlertExists() {
        assertThatAllExist(expressions("alerts.yaml"));
    }

    @Test
    void everyMetricOfTheDashboardExists() {
        assertThatAllExist(expressions("dashboard.json"));
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
