package io.atoll.chaos;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.atoll.chaos.check.Checks;
import io.atoll.chaos.check.Finding;
import io.atoll.chaos.check.Run;
import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Recorder;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.workload.Setting;
import io.atoll.process.SimulatedNetwork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Counters, a queue, locks and a map of two ranks in network namespaces, while the network between them is slow, loses
 * packets and is cut, and ranks are paused and killed. What they wrote down is judged: no lock is held twice, no element
 * is lost or doubled, counters have what was added, and the map is linearizable. What a faulty world would have written
 * down is judged, too, and must be found. Needs root.
 */
@Timeout(400)
class CutWorldTest {

    private static final int RANKS = 2;
    private static final int PORT = 7420;
    private static final long SEGMENT_BYTES = 16 << 20;
    private static final int HEAP_MEGABYTES = 96;
    private static final int LARGEST_TEXT = 100;
    private static final Set<Structure> DRAINED = Set.of(Structure.LONG_QUEUE);
    private static final String CAST = "LONG_MAP,LONG_QUEUE,MCS,COUNTER";
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final long begin = System.nanoTime();
    private final Host[] hosts = new Host[RANKS];
    private final List<Path> histories = new ArrayList<>(); // of each process
    private final Set<Integer> killed = new HashSet<>();

    private void open(int rank, SimulatedNetwork network, Path folder) throws Exception {
        int process = histories.size();
        // Ranks that share no folder see no locks of each other, as on two machines.
        Path own = Files.createDirectories(folder.resolve("rank-" + rank).resolve("cut-world"));
        Path history = folder.resolve("history-" + process);
        histories.add(history);
        String addresses = network.address(0) + ":" + PORT + "," + network.address(1) + ":" + PORT;
        Setting setting = new Setting(own, history, RANKS, rank, process, 1, begin, SEGMENT_BYTES, 0, addresses, CAST,
                LARGEST_TEXT, false, false, false, false);
        hosts[rank] = new Host(network.within(rank), HEAP_MEGABYTES, own, folder.resolve("process-" + process));
        hosts[rank].ask("open " + rank + " " + String.join(" ", setting.words()));
        hosts[rank].ask("work " + rank);
    }

    /** Lets both work, and what was done to the network have its effects. */
    private static void pass(long millis) throws InterruptedException {
        Thread.sleep(millis);
    }

    private static void cut(SimulatedNetwork network, int from, int to, long millis) throws InterruptedException {
        network.cut(from, to);
        pass(millis);
        network.heal();
        pass(1000);
    }

    @Test
    void nothingIsLostDoubledOrHeldTwiceWhateverTheNetworkDoes(@TempDir Path folder) throws Exception {
        Optional<String> lack = SimulatedNetwork.lack();
        assumeTrue(lack.isEmpty(), () -> lack.orElse(""));
        try (SimulatedNetwork network = new SimulatedNetwork(Files.createDirectories(folder.resolve("network")),
                RANKS)) {
            for (int rank = 0; rank < RANKS; rank++) {
                open(rank, network, folder);
            }
            disturb(network, folder);
            assertAllWorksAgain();
            settle();
        } finally {
            for (Host host : hosts) {
                if (host != null) {
                    host.kill();
                }
            }
        }
        judge();
    }

    private void disturb(SimulatedNetwork network, Path folder) throws Exception {
        pass(1000);
        network.delay(2);
        network.lose(100);
        network.reorder(500);
        pass(2000);
        cut(network, 0, 1, 500);
        cut(network, 1, 0, 3000);
        hosts[0].pause();
        pass(3000);
        hosts[0].resume();
        cut(network, 0, 1, 3000);
        hosts[1].kill();
        killed.add(1);
        pass(500);
        open(1, network, folder);
        pass(2000);
        network.lose(0);
        network.reorder(0);
        network.delay(0);
    }

    private void assertAllWorksAgain() throws Exception {
        for (int rank = 0; rank < RANKS; rank++) {
            hosts[rank].ask("calm " + rank);
        }
        pass(Setting.OPERATION_TIMEOUT.toMillis() + 2000);
        for (int rank = 0; rank < RANKS; rank++) {
            hosts[rank].ask("watch " + rank);
        }
        for (int rank = 0; rank < RANKS; rank++) {
            int asked = rank;
            await().atMost(PATIENCE)
                    .pollInterval(Duration.ofMillis(500))
                    .untilAsserted(() -> assertThat(hosts[asked].ask("verdict " + asked))
                            .isEqualTo("failures={} late={} idle=[]"));
        }
    }

    private void settle() throws Exception {
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(hosts[rank].ask("rest " + rank)).as("operations under way").isEmpty();
        }
        for (Structure structure : DRAINED) {
            hosts[0].ask("drain 0 " + structure);
        }
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(hosts[rank].findings()).isEmpty();
            hosts[rank].ask("leave " + rank);
        }
    }

    private void judge() throws Exception {
        List<Entry> entries = new ArrayList<>();
        for (int process = 0; process < histories.size(); process++) {
            entries.addAll(Recorder.read(histories.get(process), process));
        }
        for (String structure : CAST.split(",")) {
            assertThat(entries).as(structure)
                    .anyMatch(entry -> entry.structure().name().equals(structure) && entry.isDone());
        }
        assertThat(findings(entries)).isEmpty();
        HistoryFaults.of(entries)
                .forEach((words, wrong) -> assertThat(findings(wrong)).as("a fault on purpose")
                        .anyMatch(finding -> finding.what().contains(words)));
    }

    private List<Finding> findings(List<Entry> entries) {
        return Checks.of(new Run(entries, killed, Map.of(), DRAINED, false, begin), new long[1]);
    }
}
