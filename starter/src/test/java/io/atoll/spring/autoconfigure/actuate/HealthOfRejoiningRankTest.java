package io.atoll.spring.autoconfigure.actuate;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.Wrapper;
import io.atoll.collective.Collectives;
import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Addresses;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.lock.LockTable;
import io.atoll.memory.WorldIdentity;
import io.atoll.spring.actuate.WorldHealthIndicator;
import io.atoll.spring.actuate.WorldReadinessStateHealthIndicator;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.autoconfigure.metrics.AtollMetricsAutoConfiguration;
import io.atoll.spring.autoconfigure.structure.StructureAutoConfiguration;
import io.atoll.spring.state.ViewChangedEvent;
import io.atoll.spring.state.ViewState;
import io.atoll.spring.state.WorldState;
import io.atoll.spring.template.EpochTemplate;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
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
import org.springframework.context.event.EventListener;

/** Tests what an application reports while it is out of its world and joins again. Its beans work afterwards. */
@Timeout(300)
class HealthOfRejoiningRankTest {

    private static final Duration SOON = Duration.ofMinutes(1);
    private static final String WORLD = "rejoining-rank";

    @TempDir
    private Path folder;

    private final AtomicBoolean isShutOut = new AtomicBoolean();
    private final AtomicBoolean isKeptOut = new AtomicBoolean();

    /**
     * A TCP fabric whose rank can be removed. While this rank is shut out, the other rank refuses it. While it is kept
     * out, it finds no port.
     */
    private record Removable(FabricType tcp, AtomicBoolean isShutOut, AtomicBoolean isKeptOut) implements FabricType {

        @Override
        public String name() {
            return tcp.name();
        }

        @Override
        public Attachment attach(WorldIdentity world, OptionalInt rank, long segmentBytes) {
            if (isKeptOut.get()) {
                throw new JoinRefusedException(Reason.ADDRESS_UNAVAILABLE, "no port is free, free one: world=" + WORLD);
            }
            Attachment attached = tcp.attach(world, rank, segmentBytes);
            return Wrapper.around(attached, Attachment.class,
                    call -> call.isOf("isShutOut") && isShutOut.get() ? true : call.proceed());
        }
    }

    @BeforeEach
    void makeFolders() {
        folder.resolve("ours").toFile().mkdir();
        folder.resolve("its").toFile().mkdir();
    }

    private static List<InetSocketAddress> addresses() throws IOException {
        try (ServerSocket first = new ServerSocket(0); ServerSocket second = new ServerSocket(0)) {
            return List.of(Addresses.parse("localhost:" + first.getLocalPort()),
                    Addresses.parse("localhost:" + second.getLocalPort()));
        }
    }

    private FabricType tcp(String host, List<InetSocketAddress> addresses) {
        return new Tcp(new SharedMemory(folder.resolve(host), false)).withoutSharedMemory().at(addresses);
    }

    private ApplicationContextRunner application(List<InetSocketAddress> addresses) {
        return new ApplicationContextRunner().withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class,
                StructureAutoConfiguration.class, AtollHealthContributorAutoConfiguration.class,
                AtollReadinessAutoConfiguration.class, AtollMetricsAutoConfiguration.class,
                ApplicationAvailabilityAutoConfiguration.class, MetricsAutoConfiguration.class,
                CompositeMeterRegistryAutoConfiguration.class))
                .withBean(SimpleMeterRegistry.class)
                .withBean(Listener.class)
                .withBean(FabricType.class, () -> new Removable(tcp("ours", addresses), isShutOut, isKeptOut))
                .withPropertyValues("atoll.world.name=" + WORLD, "atoll.world.size=2", "atoll.world.rank=1",
                        "atoll.segment.size=4MB", "atoll.lock-tables.accounts.locks=8");
    }

    private World other(List<InetSocketAddress> addresses) {
        return World.named(WORLD).size(2).rank(0).segment(4 << 20).fabric(tcp("its", addresses)).open();
    }

    /** Keeps the views that it was told of. */
    static final class Listener {

        private final List<ViewChangedEvent> told = new CopyOnWriteArrayList<>();

        @EventListener
        void on(ViewChangedEvent event) {
            told.add(event);
        }

        /** Returns the incarnations of the rank in the views that the listener was told of, each incarnation once. */
        private List<Integer> lives(int rank) {
            return told.stream()
                    .flatMap(event -> event.view().members().stream())
                    .filter(member -> member.rank() == rank)
                    .map(ViewState.Member::incarnation)
                    .distinct()
                    .toList();
        }
    }

    private static Health health(ApplicationContext context) {
        return context.getBean(WorldHealthIndicator.class).health();
    }

    private static Status readiness(ApplicationContext context) {
        return context.getBean(WorldReadinessStateHealthIndicator.class).health().getStatus();
    }

    private static double meter(ApplicationContext context, String name) {
        return context.getBean(MeterRegistry.class).get(name).meter().measure().iterator().next().getValue();
    }

    private static void use(ApplicationContext context) throws InterruptedException {
        context.getBean("accounts", LockTable.class).lockAt(1).close();
        context.getBean(EpochTemplate.class).pinned(() -> {});
        context.getBean(EpochManager.class).tryReclaim();
        context.getBean(Collectives.class).costs();
    }

    @Test
    void anApplicationThatIsOutSaysWhatItWaitsForAndWorksAgainWhenItIsBack() throws Exception {
        List<InetSocketAddress> addresses = addresses();
        try (World _ = other(addresses)) {
            application(addresses).run(context -> {
                AvailabilityChangeEvent.publish(context, ReadinessState.ACCEPTING_TRAFFIC);
                World world = context.getBean(World.class);
                world.participant();
                use(context);
                assertThat(health(context).getStatus()).isEqualTo(Status.UP);
                assertThat(readiness(context)).isEqualTo(Status.UP);

                isKeptOut.set(true);
                isShutOut.set(true);
                await().atMost(SOON)
                        .until(() -> world.rejoining()
                                .filter(known -> known.waitsFor().contains("another attempt"))
                                .isPresent());
                Health out = health(context);
                assertThat(out.getStatus()).isEqualTo(Status.OUT_OF_SERVICE);
                WorldState state = (WorldState) out.getDetails().get("world");
                assertThat(state.rejoining().removal()).contains("declared this one dead");
                assertThat(state.rejoining().waitsFor()).contains("no port is free");
                assertThat(state.refusal()).isNull();
                assertThat(readiness(context)).isEqualTo(Status.OUT_OF_SERVICE);
                assertThat(meter(context, "atoll.world.rejoining")).isEqualTo(1);
                assertThatExceptionOfType(FencedException.class).isThrownBy(() -> use(context));

                isShutOut.set(false);
                isKeptOut.set(false);
                await().atMost(SOON).until(() -> world.rejoining().isEmpty());
                assertThat(world.incarnation()).isEqualTo(2);
                use(context);
                await().atMost(SOON).until(() -> health(context).getStatus().equals(Status.UP));
                assertThat(readiness(context)).isEqualTo(Status.UP);
                assertThat(meter(context, "atoll.world.rejoining")).isZero();
                assertThat(meter(context, "atoll.world.rejoins")).isEqualTo(1);
                await().atMost(SOON)
                        .untilAsserted(
                                () -> assertThat(context.getBean(Listener.class).lives(1)).containsExactly(1, 2));
            });
        }
    }

    @Test
    void anApplicationThatIsToldNotToJoinAgainIsDown() throws Exception {
        List<InetSocketAddress> addresses = addresses();
        try (World _ = other(addresses)) {
            application(addresses).withPropertyValues("atoll.world.rejoin=false").run(context -> {
                World world = context.getBean(World.class);
                world.participant();
                isShutOut.set(true);
                await().atMost(SOON).until(() -> world.refusal().isPresent());
                assertThat(world.refusal().orElseThrow().reason()).isEqualTo(Reason.REMOVED);
                assertThat(health(context).getStatus()).isEqualTo(Status.DOWN);
                assertThat(world.rejoining()).isEmpty();
            });
        }
    }
}
