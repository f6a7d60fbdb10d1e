package io.atoll.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.spring.actuate.WorldHealthIndicator;
import io.atoll.spring.actuate.WorldReadinessStateHealthIndicator;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.autoconfigure.metrics.AtollMetricsAutoConfiguration;
import io.atoll.spring.state.WorldStates;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration;
import org.springframework.boot.micrometer.metrics.autoconfigure.MetricsAutoConfiguration;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Tests what a process reports about itself while another rank stands still. That rank is a process of its own. */
@Timeout(400)
@Tag("slow")
class HealthOfStoppedRankTest {

    private static final Duration SOON = Duration.ofMinutes(1);

    /** How long an operation waits for the rank that stands still, at least once. */
    private static final Duration SILENCE = Duration.ofSeconds(10);

    /** A look takes milliseconds. Even on a busy machine it takes less than this. */
    private static final Duration AT_ONCE = Duration.ofSeconds(5);

    @TempDir
    Path folder;

    private static String addresses() throws IOException {
        try (ServerSocket first = new ServerSocket(0); ServerSocket second = new ServerSocket(0)) {
            return "localhost:" + first.getLocalPort() + ",localhost:" + second.getLocalPort();
        }
    }

    private ApplicationContextRunner application(int rank, String addresses) throws IOException {
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class,
                AtollHealthContributorAutoConfiguration.class, AtollReadinessAutoConfiguration.class,
                AtollMetricsAutoConfiguration.class, ApplicationAvailabilityAutoConfiguration.class,
                MetricsAutoConfiguration.class, CompositeMeterRegistryAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withPropertyValues("atoll.world.name=" + StoppedRank.WORLD, "atoll.world.size=2",
                        "atoll.world.rank=" + rank, "atoll.segment.size=" + StoppedRank.SEGMENT_BYTES + "B",
                        "atoll.fabric.type=tcp", "atoll.fabric.tcp.addresses=" + addresses,
                        "atoll.fabric.tcp.same-host=false",
                        "atoll.fabric.tcp.silence-timeout=" + SILENCE.toSeconds() + "s",
                        "atoll.fabric.tcp.connect-timeout=" + SILENCE.toSeconds() + "s",
                        "atoll.fabric.shared-memory.folder="
                                + Files.createDirectories(folder.resolve("ours")));
    }

    private static <T> T atOnce(Supplier<T> question) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> {
            try {
                answer.complete(question.get());
            } catch (Throwable failure) {
                answer.completeExceptionally(failure);
            }
        });
        assertThat(answer).succeedsWithin(AT_ONCE);
        return answer.join();
    }

    private static Health health(ApplicationContext context) {
        return atOnce(() -> {
            context.getBean(WorldReadinessStateHealthIndicator.class).health();
            return context.getBean(WorldHealthIndicator.class).health();
        });
    }

    private static Status readiness(ApplicationContext context) {
        return atOnce(() -> context.getBean(WorldReadinessStateHealthIndicator.class).health().getStatus());
    }

    private static Map<?, ?> epochs(Health health) {
        return (Map<?, ?>) health.getDetails().get("epochs");
    }

    /** Returns how many meters were read. */
    private static long meters(ApplicationContext context) {
        return atOnce(() -> context.getBean(MeterRegistry.class)
                .getMeters()
                .stream()
                .filter(meter -> meter.getId().getName().startsWith("atoll."))
                .peek(meter -> meter.measure().forEach(measurement -> assertThat(measurement.getValue()).isNotNull()))
                .count());
    }

    private static void awaitView(ApplicationContext context, int members, int suspected, int waiting) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(List.of(view(context, "members"),
                        view(context, "suspected"), view(context, "waiting")))
                        .containsExactly(members, suspected, waiting));
    }

    private static int view(ApplicationContext context, String meter) {
        return (int) context.getBean(MeterRegistry.class).get("atoll.view." + meter).gauge().value();
    }

    private static void use(World world) {
        try {
            world.peers().awaitAll(SOON);
        } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
        }
        world.longMap("hits").capacity(1_000).open();
        world.epochs().prepare();
        world.lockTable("accounts").locks(10).open();
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1}) // rank 0 has the epoch of the world
    void healthAndMetersAnswerAtOnceAndNameTheRankThatStandsStill(int stopped) throws Exception {
        String addresses = addresses();
        try (StoppedRank other = new StoppedRank(stopped, addresses, folder.resolve("its"))) {
            application(1 - stopped, addresses).run(context -> {
                use(context.getBean(World.class));
                AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
                await().atMost(SOON)
                        .until(() -> health(context).getStatus().equals(Status.UP)
                                && epochs(health(context)).containsKey("ageMillis"));
                assertThat(meters(context)).isGreaterThan(40);
                awaitView(context, 2, 0, 0);
                int number = view(context, "number");
                assertThat(number).isPositive();

                other.stop();
                assertThat(atOnce(context.getBean(WorldStates.class).locks()::tables)).hasSize(1);
                assertThat(atOnce(context.getBean(WorldStates.class)::epochs).used()).isTrue();
                await().atMost(SOON)
                        .untilAsserted(() -> assertThat(epochs(health(context)).get("overdue")).asString()
                                .contains("rank=" + stopped));
                assertThat(meters(context)).isGreaterThan(40);
                await().atMost(SOON.multipliedBy(2)).until(() -> {
                    assertThat(meters(context)).isGreaterThan(40);
                    return health(context).getStatus().equals(Status.DOWN);
                });
                // Rank 0 removes the other rank, some time after that rank fell silent. The other rank cannot remove
                // rank 0.
                await().atMost(SOON)
                        .untilAsserted(() -> assertThat(health(context).getDetails())
                                .extractingByKey(stopped == 0 ? "silent" : "world")
                                .asString()
                                .contains(stopped == 0 ? "0=it does not answer" : "lost=[1]"));
                if (stopped == 0) {
                    assertThat((List<?>) epochs(health(context)).get("unread")).singleElement().isEqualTo(stopped);
                    assertThat(atOnce(() -> context.getBean(WorldStates.class).segment(stopped)).refusal())
                            .contains("does not answer");
                }
                // Of two ranks, the side of rank 0 decides alone.
                Status expected = stopped == 0 ? Status.OUT_OF_SERVICE : Status.UP;
                await().atMost(SOON).until(() -> readiness(context).equals(expected));
                awaitView(context, stopped == 0 ? 2 : 1, 1, stopped == 0 ? 1 : 0);
                assertThat(view(context, "number") > number).isEqualTo(stopped == 1);

                other.goOn();
                await().atMost(SOON.multipliedBy(2))
                        .until(() -> health(context).getStatus().equals(Status.UP)
                                && readiness(context).equals(Status.UP)
                                && !epochs(health(context)).containsKey("overdue"));
                awaitView(context, 2, 0, 0);
            });
        }
    }
}
