package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.trace.Delay;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** The costs that collectives assume for the fabric before they have been measured. */
@Timeout(60)
class CollectiveCostsTest {

    @TempDir
    private Path folder;

    private double latency(FabricType fabric) throws Exception {
        try (ExecutorService ranks = Executors.newFixedThreadPool(2)) {
            Future<Double> one = ranks.submit(() -> latencyAt(fabric));
            Future<Double> other = ranks.submit(() -> latencyAt(fabric));
            double latency = one.get(50, TimeUnit.SECONDS);
            assertThat(other.get(50, TimeUnit.SECONDS)).as("the same at every rank").isEqualTo(latency);
            return latency;
        }
    }

    private static double latencyAt(FabricType fabric) throws InterruptedException {
        try (World world = World.named("costs").size(2).segment(1 << 20).fabric(fabric).open()) {
            world.barrier();
            return world.collectives().costs().latency();
        }
    }

    /** If the owner's CPU does the atomics, that says nothing about how long they are under way. */
    @Test
    void aNetworkIsANetworkAlsoWhereItsAtomicsAreTheCpus() throws Exception {
        FabricType memory = Fabrics.sharedMemory(folder, false);
        double near = latency(memory);
        double far = latency(Fabrics.delayed(memory, Delay.of(Duration.ofNanos(10_000))));
        assertThat(far).isGreaterThan(10 * near);
    }
}
