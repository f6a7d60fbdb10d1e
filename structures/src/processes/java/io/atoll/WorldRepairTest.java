package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.heap.HeapUsage;
import io.atoll.process.ChildProcess;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A dead rank's reserved runs and slab cache in another rank's segment become free for others, even if it never comes
 * back.
 */
@Tag("processes")
class WorldRepairTest {

    private static final Duration SOON = Duration.ofSeconds(10);

    @TempDir
    Path folder;

    private World world;
    private ChildProcess other;

    @BeforeEach
    void openBoth() {
        open();
        other = start();
    }

    private void open() {
        world = World.named("test")
                .size(2)
                .rank(0)
                .segment(4 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
    }

    @AfterEach
    void close() {
        other.close();
        world.close();
    }

    private ChildProcess start() {
        ChildProcess process = ChildProcess.start(WorldProgram.class);
        process.ask("open folder=" + folder + " size=2 rank=1");
        return process;
    }

    private HeapUsage usage() {
        return world.inspection().heapUsage(0).orElseThrow();
    }

    private void awaitUsage(HeapUsage expected) {
        await().atMost(SOON).untilAsserted(() -> assertThat(usage()).isEqualTo(expected));
    }

    /** Allocates an object and frees it again. What remains is a slab in the cache for the other rank. */
    private void stockUp() {
        String object = other.ask("allocate 0 64");
        assertThat(other.ask("free 0 " + object)).isEqualTo("freed");
        assertThat(usage().objectSlabs()).isOne();
        assertThat(usage().objects()).isZero();
    }

    @Test
    void theCacheOfARankThatWasKilledIsTakenBackThoughTheRankDoesNotComeBack() {
        HeapUsage before = usage();
        stockUp();
        other.kill();
        awaitUsage(before);
    }

    @Test
    void whatARankHadHandedOutWhenItWasKilledStaysAndOnlyItsCacheIsTakenBack() {
        world.participant();
        other.ask("allocate 0 64");
        other.ask("free 0 " + other.ask("allocate 0 1000"));
        assertThat(usage().objectSlabs()).isEqualTo(2);
        other.kill();
        // Slabs are taken back in their order. When the second one is free, so is the first one.
        await().atMost(SOON).until(() -> usage().objectSlabs() == 1);
        assertThat(usage().objects()).as("handed out by the dead rank").isOne();
        world.participant().heap().allocate(0, 64);
        assertThat(usage().objectSlabs()).as("the dead rank's slab has been adopted").isOne();
        assertThat(usage().objects()).isEqualTo(2);
    }

    @Test
    void whatARankHadReservedWhenItWasKilledIsFree() {
        HeapUsage before = usage();
        other.ask("reserve 0 100000");
        assertThat(usage().pendingRuns()).isOne();
        other.kill();
        awaitUsage(before);
    }

    @Test
    void aRankThatWasKilledWhileNobodyElseLivedIsBuriedByTheNextWhoStarts() {
        HeapUsage before = usage();
        stockUp();
        // The files stay, since the other rank lives when this one leaves.
        world.close();
        other.kill();
        open();
        assertThat(world.incarnation()).isEqualTo(2);
        awaitUsage(before);
    }

    @Test
    void aRankThatLeavesInOrderGivesItsCacheBack() {
        HeapUsage before = usage();
        stockUp();
        assertThat(other.ask("close")).isEqualTo("closed");
        assertThat(usage()).isEqualTo(before);
    }

    @Test
    void aRankThatComesBackTakesBackWhatItHadElsewhere() {
        HeapUsage before = usage();
        stockUp();
        other.ask("reserve 0 100000");
        other.kill();
        other = start();
        awaitUsage(before);
    }
}
