package io.atoll.fabric.trace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.FabricType;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What takes how long. Delays are long here, so that what the machine does meanwhile does not matter. */
class DelayTest {

    private static final int OWN = 0;
    private static final Duration ROUND_TRIP = Duration.ofMillis(20);
    private static final double NANOS_PER_BYTE = 5_000; // of a page, as much as a round trip
    private static final int PAGE = 4096;

    @TempDir
    private Path folder;

    private World world;
    private Endpoint endpoint;
    private long block;

    @BeforeEach
    void join() {
        FabricType memory = Fabrics.sharedMemory(folder, false);
        world = World.named("delay")
                .fabric(Fabrics.delayed(memory, new Delay(ROUND_TRIP.toNanos(), NANOS_PER_BYTE)))
                .open();
        endpoint = world.participant().endpoint();
        block = world.participant().directory().open("block", "block", _ -> PAGE)[OWN];
    }

    @AfterEach
    void leave() {
        world.close();
    }

    private static Duration timed(Runnable action) {
        long began = System.nanoTime();
        action.run();
        return Duration.ofNanos(System.nanoTime() - began);
    }

    @Test
    void aVerbTakesARoundTripAlsoToTheOwnSegment() {
        assertThat(timed(() -> endpoint.fabric().readWord(OWN, block))).isGreaterThan(ROUND_TRIP);
        assertThat(timed(() -> endpoint.fabric().writeWord(OWN, block, 1))).isGreaterThan(ROUND_TRIP);
        assertThat(timed(() -> endpoint.fabric().getAndAdd(OWN, block, 1))).isGreaterThan(ROUND_TRIP);
    }

    @Test
    void whatTheOwnerDoesByTheCpuTakesNone() {
        assertThat(timed(() -> endpoint.getAndAdd(OWN, block, 1))).isLessThan(ROUND_TRIP);
    }

    @Test
    void aBatchTakesOneRoundTrip() {
        Duration taken = timed(() -> {
            Batch batch = endpoint.fabric().batch();
            for (int number = 0; number < 60; number++) {
                batch.getAndAdd(OWN, block, 1);
            }
            batch.complete();
            batch.complete();
        });
        assertThat(taken).isBetween(ROUND_TRIP, ROUND_TRIP.multipliedBy(40));
    }

    @Test
    void bytesTakeTheirTime() {
        Batch batch = endpoint.fabric().batch();
        assertThat(timed(() -> {
            batch.read(OWN, block, 0, PAGE);
            batch.complete();
        })).isGreaterThan(ROUND_TRIP.multipliedBy(2));
    }

    @Test
    void batchesThatAreUnderWayTakeTheirTimeTogether() {
        Batch[] batches = new Batch[10];
        for (int number = 0; number < batches.length; number++) {
            batches[number] = endpoint.fabric().newBatch(PAGE);
        }
        Duration taken = timed(() -> {
            for (Batch batch : batches) {
                batch.read(OWN, block, 0, Long.BYTES);
                batch.post();
            }
            assertThat(batches[batches.length - 1].poll()).isFalse();
            for (Batch batch : batches) {
                batch.complete();
                assertThat(batch.poll()).isTrue();
            }
        });
        assertThat(taken).isBetween(ROUND_TRIP, ROUND_TRIP.multipliedBy(8));
    }

    @Test
    void theFabricSaysThatItIsSimulated() {
        assertThat(world.fabric()).isEqualTo("shared-memory (delay 20000000 ns + 5000.0 ns/byte, simulated)");
        assertThat(Delay.of(Duration.ofNanos(2_000))).hasToString("2000 ns, simulated");
    }

    @Test
    void noDelayIsTheFabricItself() {
        FabricType memory = Fabrics.sharedMemory();
        assertThat(Fabrics.delayed(memory, Delay.NONE)).isSameAs(memory);
    }

    @Test
    void aNegativeDelayIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> new Delay(-1, 0))
                .withMessageContaining("roundTripNanos=-1");
        assertThatIllegalArgumentException().isThrownBy(() -> new Delay(0, Double.NaN))
                .withMessageContaining("nanosPerByte=NaN");
    }
}
