package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.trace.Delay;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Measures over real shared memory, with all ranks in this process. */
@Timeout(60)
class CostMeasurementTest {

    private static final long REGION_BYTES = 256 << 10;

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private void open(int ranks, FabricType fabric) {
        IntStream.range(0, ranks)
                .forEach(rank -> worlds.add(
                        World.named("costs").size(ranks).rank(rank).segment(4 << 20).fabric(fabric).open()));
    }

    private List<LogGP> measure() throws Exception {
        try (ExecutorService executor = Executors.newCachedThreadPool()) {
            List<LogGP> costs = new ArrayList<>();
            for (Future<LogGP> each : executor.invokeAll(worlds.stream()
                    .<Callable<LogGP>>map(world -> () -> world.collectives().measureCosts(REGION_BYTES))
                    .toList())) {
                costs.add(each.get());
            }
            return costs;
        }
    }

    @Test
    void allRanksAreToldTheSame() throws Exception {
        open(3, Fabrics.sharedMemory(folder, false));
        List<LogGP> costs = measure();
        assertThat(costs).hasSize(3).containsOnly(costs.getFirst());
        assertThat(costs.getFirst().overhead()).isPositive();
        assertThat(costs.getFirst().gapPerByte()).isPositive();
    }

    /**
     * The network is known. The measured costs are those that it was configured with, plus those of the machine itself.
     * The latter are low as soon as the machine does nothing else.
     */
    @Test
    void aNetworkThatIsSimulatedIsFoundToBeWhatItWasToldToBe() {
        open(2, Fabrics.delayed(Fabrics.sharedMemory(folder, false), new Delay(200_000, 20)));
        await().atMost(Duration.ofSeconds(50)).untilAsserted(() -> {
            LogGP costs = measure().getFirst();
            assertThat(costs.latency()).as("half a round trip").isBetween(90_000.0, 300_000.0);
            assertThat(costs.gapPerByte()).isBetween(18.0, 40.0);
            assertThat(costs.overhead()).as("posting takes no round trip").isLessThan(100_000);
        });
    }

    @Test
    void oneRankAloneHasNobodyToSendTo() {
        open(1, Fabrics.sharedMemory(folder, false));
        assertThatThrownBy(this::measure)
                .rootCause()
                .hasMessageContaining("size=1");
    }
}
