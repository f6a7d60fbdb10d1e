package io.atoll.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.InstanceOfAssertFactories.LIST;
import static org.assertj.core.api.InstanceOfAssertFactories.list;
import static org.assertj.core.api.InstanceOfAssertFactories.type;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.Wrapper;
import io.atoll.background.BackgroundThread;
import io.atoll.epoch.Token;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.Presence;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.Connections;
import io.atoll.fabric.Connections.Peer;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import io.atoll.spring.actuate.AtollEndpoint;
import io.atoll.spring.actuate.WorldHealthIndicator;
import io.atoll.spring.actuate.WorldReadinessStateHealthIndicator;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.state.WorldState;
import io.atoll.spring.state.WorldStates;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.actuate.autoconfigure.endpoint.EndpointAutoConfiguration;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.LivenessState;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.boot.health.actuate.endpoint.HealthEndpoint;
import org.springframework.boot.health.application.ReadinessStateHealthIndicator;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.HealthEndpointAutoConfiguration;
import org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.contributor.HealthContributorAutoConfiguration;
import org.springframework.boot.health.autoconfigure.registry.HealthContributorRegistryAutoConfiguration;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.test.context.FilteredClassLoader;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

@Tag("slow")
class ActuatorAutoConfigurationTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    private final ApplicationContextRunner runner = new ApplicationContextRunner().withConfiguration(
            AutoConfigurations.of(AtollAutoConfiguration.class, AtollHealthContributorAutoConfiguration.class,
                    AtollReadinessAutoConfiguration.class, AtollEndpointAutoConfiguration.class,
                    ApplicationAvailabilityAutoConfiguration.class,
                    AvailabilityHealthContributorAutoConfiguration.class,
                    AvailabilityProbesAutoConfiguration.class, EndpointAutoConfiguration.class,
                    HealthContributorAutoConfiguration.class, HealthContributorRegistryAutoConfiguration.class,
                    HealthEndpointAutoConfiguration.class));

    @TempDir
    Path folder;

    private ApplicationContextRunner ofTwo() {
        return runner.withPropertyValues("atoll.world.size=2", "atoll.world.rank=0", "atoll.segment.size=4MB",
                "atoll.fabric.shared-memory.folder=" + folder);
    }

    private World other() {
        return World.named("atoll").size(2).rank(1).segment(4 << 20).fabric(Fabrics.sharedMemory(folder, false)).open();
    }

    private static Status status(ApplicationContext context, String... path) {
        return context.getBean(HealthEndpoint.class).healthForPath(path).getStatus();
    }

    private static Health health(ApplicationContext context) {
        return context.getBean(WorldHealthIndicator.class).health();
    }

    private static WorldState world(ApplicationContext context) {
        return (WorldState) health(context).getDetails().get("world");
    }

    private static void ready(ApplicationContext context) {
        AvailabilityChangeEvent.publish(context, LivenessState.CORRECT);
        AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
    }

    @Test
    void aWorldOfOneIsUpAtOnce() {
        runner.run(context -> {
            ready(context);
            assertThat(status(context, "atoll")).isEqualTo(Status.UP);
            assertThat(status(context, "readiness")).isEqualTo(Status.UP);
            assertThat(health(context).getDetails()).containsEntry("fabric", "shared-memory")
                    .containsEntry("incarnations", Map.of(0, 1))
                    .hasEntrySatisfying("world", world -> assertThat(world).hasFieldOrPropertyWithValue("whole", true))
                    .hasEntrySatisfying("segment",
                            segment -> assertThat(segment).hasFieldOrPropertyWithValue("bytes", 64L << 20));
        });
    }

    @Test
    void connectionsAreShownAndAStrangerIsCounted() {
        ofTwo().withPropertyValues("atoll.fabric.type=tcp", "atoll.fabric.tcp.same-host=false").run(context -> {
            try (World other = World.named("atoll")
                    .size(2)
                    .rank(1)
                    .segment(4 << 20)
                    .fabric(new Tcp(new SharedMemory(folder, false)).withoutSharedMemory())
                    .open()) {
                World world = context.getBean(World.class);
                world.participant().endpoint().fabric().readWord(other.rank(), 0);
                InetSocketAddress address = SegmentHeader
                        .published(world.participant().endpoint().fabric().local());
                try (Socket stranger = new Socket(address.getAddress(), address.getPort())) {
                    stranger.getOutputStream().write("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                    await().atMost(SOON)
                            .untilAsserted(() -> assertThat(health(context).getDetails().get("connections"))
                                    .asInstanceOf(type(Connections.class))
                                    .satisfies(connections -> {
                                        assertThat(connections.refused()).containsEntry("stranger", 1L);
                                        assertThat(connections.peers()).extracting(Peer::rank).containsExactly(1);
                                        // Views use a connection, too.
                                        assertThat(connections.peers()).extracting(Peer::usable)
                                                .allMatch(usable -> usable >= 1);
                                    }));
                }
                assertThat(health(context).getStatus()).isEqualTo(Status.UP);
            }
        });
        runner.run(context -> assertThat(health(context).getDetails()).doesNotContainKey("connections"));
    }

    /** While the token is pinned, only the process itself looks at it. */
    @Test
    void whoeverLooksForTheFirstTimeSeesHowLongATokenHasBeenPinned() {
        runner.withPropertyValues("atoll.epochs.pin-limit=1s").run(context -> {
            Token token = context.getBean(World.class).epochs().register();
            token.pin();
            long pinned = System.nanoTime();
            await().pollDelay(Duration.ofSeconds(2)).until(() -> System.nanoTime() - pinned > 2_000_000_000L);
            assertThat(health(context).getDetails().get("pinnedTooLong")).asInstanceOf(LIST).hasSize(1);
            token.unpin();
        });
    }

    @Test
    void healthWarnsOfASegmentThatIsNearlyFullAndStaysUp() {
        runner.withPropertyValues("atoll.segment.size=16MB").run(context -> {
            assertThat(health(context).getDetails()).containsEntry("warnings", List.of());
            World world = context.getBean(World.class);
            world.participant().heap().allocatePointer(0, 13 << 20);
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(health(context).getDetails().get("warnings")).asInstanceOf(LIST)
                            .singleElement()
                            .asString()
                            .startsWith("the segment is nearly full, give it more by atoll.segment.size: percent=8"));
            assertThat(health(context).getStatus()).isEqualTo(Status.UP);
        });
    }

    @Test
    void readinessWaitsForTheOthersAndLivenessNever() {
        ofTwo().run(context -> {
            ready(context);
            assertThat(status(context, "atoll")).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(status(context, "readiness")).isEqualTo(Status.OUT_OF_SERVICE);
            assertThat(status(context, "liveness")).isEqualTo(Status.UP);
            assertThat(world(context).missing()).containsExactly(1);
            try (World second = other()) {
                await().atMost(SOON).until(() -> status(context, "readiness").equals(Status.UP));
                assertThat(status(context, "atoll")).isEqualTo(Status.UP);
                assertThat(second.rank()).isEqualTo(1);
            }
        });
    }

    @Test
    void aLostRankIsDownForHealthAndNothingForReadiness() {
        ofTwo().run(context -> {
            ready(context);
            try (World second = other()) {
                await().atMost(SOON).until(() -> status(context, "atoll").equals(Status.UP));
                assertThat(second.rank()).isEqualTo(1);
            }
            await().atMost(SOON).until(() -> status(context, "atoll").equals(Status.DOWN));
            assertThat(world(context).lost()).containsExactly(1);
            assertThat(health(context).getDetails()).containsEntry("incarnations", Map.of(0, 1, 1, 1));
            assertThat(status(context, "readiness")).isEqualTo(Status.UP);
        });
    }

    @Test
    void aThreadOfTheBackgroundThatCannotWorkIsDownForHealth() {
        runner.run(context -> {
            AtomicBoolean fails = new AtomicBoolean(true);
            assertThat(health(context).getDetails()).containsEntry("troubles", List.of());
            try (BackgroundThread thread = context.getBean(World.class)
                    .background()
                    .add(
                            new BackgroundThread("worker", BackgroundThread.every(Duration.ofMillis(1), () -> {
                                if (fails.get()) {
                                    throw new OutOfMemoryError("Java heap space");
                                }
                            })))) {
                thread.wake();
                await().atMost(SOON).until(() -> status(context, "atoll").equals(Status.DOWN));
                assertThat(health(context).getDetails().get("troubles"))
                        .asInstanceOf(list(BackgroundThread.Trouble.class))
                        .extracting(BackgroundThread.Trouble::problem)
                        .containsExactly("its last step has failed: java.lang.OutOfMemoryError: Java heap space");
                fails.set(false);
                await().atMost(SOON).until(() -> status(context, "atoll").equals(Status.UP));
            }
        });
    }

    @Test
    void objectsThatWaitForALostRankAreNamed() {
        ofTwo().run(context -> {
            ready(context);
            WorldStates worldStates = context.getBean(WorldStates.class);
            try (World second = other(); Token token = second.epochs().register()) {
                token.pin();
                token.retire(second.participant().heap().allocatePointer(0, 64).toWord(), 64);
                token.tryReclaim();
                await().atMost(SOON).until(() -> !worldStates.epochs().ranks().isEmpty());
                assertThat(health(context).getDetails()).containsEntry("stranded", Map.of());
                token.unpin();
            }
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(health(context).getDetails())
                            .containsEntry("stranded", Map.of(1, 1L))
                            .containsEntry("lostObjects", Map.of()));
        });
    }

    @Test
    void aSilentRankIsDownForHealthWhichSaysWhatFollows() {
        ofTwo().withBean(FabricType.class, () -> new SilentPeers(Fabrics.sharedMemory(folder, false))).run(context -> {
            try (World second = other()) {
                await().atMost(SOON).until(() -> status(context, "atoll").equals(Status.DOWN));
                assertThat(second.rank()).isEqualTo(1);
            }
            assertThat(world(context).lost()).isEmpty();
            assertThat(health(context).getDetails()).extractingByKey("silent")
                    .asString()
                    .contains("1=it does not answer");
        });
    }

    /** A fabric whose peers can be met, but stop answering then. */
    private record SilentPeers(FabricType segments) implements FabricType {

        @Override
        public String name() {
            return segments.name();
        }

        @Override
        public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
            Attachment attached = segments.attach(world, rank, segmentBytes);
            var met = new AtomicBoolean();
            return Wrapper.around(attached, Attachment.class, call -> {
                boolean silent = met.get();
                met.compareAndSet(false, call.isOf("connect"));
                Object answer = call.proceed();
                return silent && answer instanceof Presence known && call.arguments()[0].equals(1)
                        ? new Presence(State.SILENT, known.incarnation())
                        : answer;
            });
        }
    }

    @Test
    void healthShowsWhoWaitsForWhat() {
        ofTwo().run(context -> {
            try (World second = other()) {
                World first = context.getBean(World.class);
                await().atMost(SOON).until(() -> world(context).whole());
                assertThat(world(context).waits()).isEmpty();
                Thread checkout = Thread.ofPlatform().name("checkout").start(() -> barrier(first));
                await().atMost(SOON)
                        .untilAsserted(() -> assertThat(world(context).waits()).singleElement().satisfies(wait -> {
                            assertThat(wait.thread()).isEqualTo("checkout");
                            assertThat(wait.doing()).isEqualTo("barrier");
                            assertThat(wait.rank()).isEqualTo(1);
                            assertThat(wait.waitedMillis()).isPositive();
                        }));
                second.barrier();
                checkout.join();
                assertThat(world(context).waits()).isEmpty();
            }
        });
    }

    private static void barrier(World world) {
        try {
            world.barrier();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    void anApplicationThatRefusesTrafficItselfStaysUnready() {
        runner.run(context -> {
            AvailabilityChangeEvent.publish(context, ReadinessState.REFUSING_TRAFFIC);
            assertThat(status(context, "readiness")).isEqualTo(Status.OUT_OF_SERVICE);
        });
    }

    @Test
    void withoutProbesThereIsNoReadiness() {
        runner.withPropertyValues("management.endpoint.health.probes.enabled=false")
                .run(context -> assertThat(context).doesNotHaveBean(ReadinessStateHealthIndicator.class)
                        .hasSingleBean(WorldHealthIndicator.class));
        runner.withPropertyValues("management.endpoint.health.probes.enabled=false",
                "management.health.readinessstate.enabled=true")
                .run(context -> assertThat(context).hasSingleBean(WorldReadinessStateHealthIndicator.class));
    }

    @Test
    void whatIsSwitchedOffIsNotThere() {
        runner.withPropertyValues("management.health.atoll.enabled=false", "management.endpoint.atoll.access=NONE")
                .run(context -> assertThat(context).doesNotHaveBean(WorldHealthIndicator.class)
                        .doesNotHaveBean(AtollEndpoint.class));
        runner.withPropertyValues("atoll.enabled=false", "management.endpoints.jmx.exposure.include=*")
                .run(context -> assertThat(context).doesNotHaveBean(WorldHealthIndicator.class)
                        .doesNotHaveBean(AtollEndpoint.class)
                        .hasSingleBean(ReadinessStateHealthIndicator.class)
                        .doesNotHaveBean(WorldReadinessStateHealthIndicator.class));
    }

    @Test
    void theUsersOwnIndicatorsAreUsed() {
        runner.withBean("atollHealthIndicator", HealthIndicator.class, () -> () -> Health.unknown().build())
                .withBean("readinessStateHealthIndicator", HealthIndicator.class, () -> () -> Health.unknown().build())
                .run(context -> {
                    assertThat(status(context, "atoll")).isEqualTo(Status.UNKNOWN);
                    assertThat(context).doesNotHaveBean(ReadinessStateHealthIndicator.class);
                });
    }

    @Test
    void withoutHealthOrActuatorTheWorldIsThereAllTheSame() {
        for (Class<?> missing : List.of(HealthIndicator.class, Endpoint.class)) {
            new ApplicationContextRunner()
                    .withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class,
                            AtollHealthContributorAutoConfiguration.class, AtollReadinessAutoConfiguration.class,
                            AtollEndpointAutoConfiguration.class, ApplicationAvailabilityAutoConfiguration.class))
                    .withClassLoader(new FilteredClassLoader(missing))
                    .run(context -> assertThat(context).hasNotFailed().hasSingleBean(World.class));
        }
    }

    @Test
    void theEndpointShowsTheState() {
        runner.withPropertyValues("management.endpoints.web.exposure.include=atoll",
                "management.endpoints.jmx.exposure.include=atoll").run(context -> {
                    context.getBean(World.class).longMap("hits").open();
                    var state = context.getBean(AtollEndpoint.class).atoll();
                    assertThat(state.world().name()).isEqualTo("atoll");
                    assertThat(state.structures()).extracting("name").containsExactly("epochs", "hits");
                });
        runner.run(context -> assertThat(context).doesNotHaveBean(AtollEndpoint.class));
    }
}
