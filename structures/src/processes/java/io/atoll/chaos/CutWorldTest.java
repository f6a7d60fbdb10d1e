package io.atoll.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.atoll.chaos.history.Entry;
import io.atoll.process.SimulatedNetwork;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Two ranks, while the network between them is slow, loses packets and is cut. They are also paused and killed. The
 * test judges what they wrote down: no lock is held twice, no element is lost or doubled, counters have what was added,
 * and the map is linearizable. Histories that a faulty world would have written are judged, too, and their faults must
 * be found. Needs root.
 */
@Timeout(400)
@Tag("processes")
class CutWorldTest {

    private static final int RANKS = 2;

    @Test
    void nothingIsLostDoubledOrHeldTwiceWhateverTheNetworkDoes(@TempDir Path folder) throws Exception {
        Optional<String> lack = SimulatedNetwork.lack();
        assumeTrue(lack.isEmpty(), () -> lack.orElse(""));
        try (CutWorld world = new CutWorld(folder, RANKS, 1)) {
            disturb(world);
            world.settle();
            List<Entry> entries = world.entries();
            assertThat(world.judge(entries)).isEmpty();
            HistoryFaults.of(entries)
                    .forEach((words, wrong) -> assertThat(world.judge(wrong)).as("a fault on purpose")
                            .anyMatch(finding -> finding.what().contains(words)));
        }
    }

    private static void disturb(CutWorld world) throws Exception {
        SimulatedNetwork network = world.network();
        CutWorld.pass(1000);
        network.delay(2);
        network.lose(100);
        network.reorder(500);
        CutWorld.pass(2000);
        cut(network, 0, 1, 500);
        cut(network, 1, 0, 3000);
        world.pause(0, 3000);
        cut(network, 0, 1, 3000);
        world.restart(1, 500);
        CutWorld.pass(2000);
    }

    private static void cut(SimulatedNetwork network, int from, int to, long millis) throws InterruptedException {
        network.cut(from, to);
        CutWorld.pass(millis);
        network.heal();
        CutWorld.pass(1000);
    }
}
