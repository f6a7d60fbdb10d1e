package io.atoll.chaos;

import io.atoll.chaos.check.Checks;
import io.atoll.chaos.check.Finding;
import io.atoll.chaos.check.Run;
import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Recorder;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.workload.Setting;
import io.atoll.process.SimulatedNetwork;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * A world whose ranks are processes in network namespaces, each like a host of its own. They use counters, a queue,
 * locks and a map. Meanwhile the test disturbs the network between them, pauses them and kills them. Needs root.
 */
final class CutWorld implements AutoCloseable {

    private static final int PORT = 7420;
    private static final long SEGMENT_BYTES = 16 << 20;
    private static final int HEAP_MEGABYTES = 96;
    private static final int LARGEST_TEXT = 100;
    private static final long PATIENCE_NANOS = 120_000_000_000L;
    private static final long AGAIN_MILLIS = 500;
    private static final Set<Structure> DRAINED = Set.of(Structure.LONG_QUEUE);
    private static final Set<Structure> CAST = Set.of(Structure.LONG_MAP, Structure.LONG_QUEUE, Structure.MCS,
            Structure.COUNTER);
    private static final String WORKS = "failures={} late={} idle=[]";

    private final Path folder;
    private final long seed;
    private final SimulatedNetwork network;
    private final long begin = System.nanoTime();
    // The hosts by rank.
    private final Host[] hosts;
    // The present ones, by rank.
    private final int[] processes;
    // One history for each process.
    private final List<Path> histories = new ArrayList<>();
    private final Set<Integer> killed = new HashSet<>();
    private final Set<Integer> removed = new HashSet<>();
    private final List<Finding> findings = new ArrayList<>();

    /**
     * @param folder contains what the ranks keep and write down; each rank's segment lies in a folder of its own there
     */
    CutWorld(Path folder, int ranks, long seed) throws Exception {
        this.folder = folder;
        this.seed = seed;
        this.hosts = new Host[ranks];
        this.processes = new int[ranks];
        this.network = new SimulatedNetwork(Files.createDirectories(folder.resolve("network")), ranks);
        try {
            for (int rank = 0; rank < ranks; rank++) {
                open(rank);
            }
        } catch (Exception failure) {
            try (this) {
                throw failure;
            }
        }
    }

    SimulatedNetwork network() {
        return network;
    }

    private void open(int rank) throws Exception {
        int process = histories.size();
        // Ranks that share no folder do not see each other's file locks, as on two machines.
        Path own = Files.createDirectories(folder.resolve("rank-" + rank).resolve("cut-world"));
        Path history = folder.resolve("history-" + process);
        histories.add(history);
        processes[rank] = process;
        String addresses = IntStream.range(0, hosts.length)
                .mapToObj(host -> network.address(host) + ":" + PORT)
                .collect(Collectors.joining(","));
        String cast = CAST.stream().map(Structure::name).collect(Collectors.joining(","));
        Setting setting = new Setting(own, history, hosts.length, rank, process, seed, begin, SEGMENT_BYTES, 0,
                addresses, cast, LARGEST_TEXT, false, false, false, false);
        hosts[rank] = new Host(network.within(rank), HEAP_MEGABYTES, own, folder.resolve("process-" + process));
        hosts[rank].ask("open " + rank + " " + String.join(" ", setting.words()));
        hosts[rank].ask("work " + rank);
    }

    /** Lets all ranks work while the faults have their effects. */
    static void pass(long millis) throws InterruptedException {
        Thread.sleep(millis);
    }

    /** Stops the rank's process for this time. */
    void pause(int rank, long millis) throws InterruptedException {
        hosts[rank].pause();
        pass(millis);
        hosts[rank].resume();
    }

    /**
     * Kills the rank's process, and after this time starts another one, which finds the segment. Also replaces a
     * process that was removed.
     */
    void restart(int rank, long millis) throws Exception {
        if (isRemoved(rank)) {
            removed.add(processes[rank]);
        }
        hosts[rank].kill();
        killed.add(processes[rank]);
        pass(millis);
        open(rank);
    }

    /** Ends all faults of the network. After that everything must work again, and all processes must end in order. */
    void settle() throws Exception {
        network.lose(0);
        network.reorder(0);
        network.delay(0);
        network.heal();
        for (int rank = 0; rank < hosts.length; rank++) {
            hosts[rank].ask("calm " + rank);
        }
        pass(Setting.OPERATION_TIMEOUT.toMillis() + 2000);
        replaceRemoved();
        for (int rank = 0; rank < hosts.length; rank++) {
            hosts[rank].ask("watch " + rank);
        }
        awaitAllWorking();
        for (int rank = 0; rank < hosts.length; rank++) {
            String underWay = hosts[rank].ask("rest " + rank);
            if (!underWay.isEmpty()) {
                find("an operation does not end: rank=" + rank + " doing=" + underWay + " stacks="
                        + hosts[rank].dump());
            }
        }
        for (Structure structure : DRAINED) {
            hosts[0].ask("drain 0 " + structure);
        }
        for (int rank = 0; rank < hosts.length; rank++) {
            hosts[rank].findings().forEach(this::find);
            hosts[rank].ask("leave " + rank);
        }
    }

    /**
     * Replaces processes that a view has removed because they were silent for too long. They have stopped, and delay no
     * other process.
     */
    private void replaceRemoved() throws Exception {
        for (int rank = 0; rank < hosts.length; rank++) {
            if (isRemoved(rank)) {
                restart(rank, 0);
                hosts[rank].ask("calm " + rank);
                hosts[rank].ask("join " + rank);
            }
        }
    }

    private boolean isRemoved(int rank) throws Exception {
        return Boolean.parseBoolean(hosts[rank].ask("removed " + rank));
    }

    private void find(String what) {
        findings.add(new Finding(what, List.of()));
    }

    private void awaitAllWorking() throws InterruptedException, ExecutionException, Host.Silent {
        long deadline = System.nanoTime() + PATIENCE_NANOS;
        for (int rank = 0; rank < hosts.length; rank++) {
            String verdict = hosts[rank].ask("verdict " + rank);
            while (!verdict.equals(WORKS) && System.nanoTime() < deadline) {
                pass(AGAIN_MILLIS);
                verdict = hosts[rank].ask("verdict " + rank);
            }
            if (!verdict.equals(WORKS)) {
                find("not everything works again: rank=" + rank + " " + verdict + " stacks=" + hosts[rank].dump());
            }
        }
    }

    /** Returns what all processes wrote down. */
    List<Entry> entries() throws IOException {
        List<Entry> entries = new ArrayList<>();
        for (int process = 0; process < histories.size(); process++) {
            entries.addAll(Recorder.read(histories.get(process), process));
        }
        return entries;
    }

    /**
     * Returns the faults in the behaviour of the processes and in these histories.
     *
     * @param entries of all processes
     */
    List<Finding> judge(List<Entry> entries) {
        List<Finding> all = new ArrayList<>(findings);
        for (Structure structure : CAST) {
            if (entries.stream().noneMatch(entry -> entry.structure() == structure && entry.isDone())) {
                all.add(new Finding("nobody has used a structure: " + structure, List.of()));
            }
        }
        all.addAll(Checks.of(new Run(entries, killed, removed, Map.of(), DRAINED, false, begin), new long[1]));
        return all;
    }

    /** Ends all processes, writes down what they have printed, and removes the network. */
    @Override
    public void close() throws IOException {
        try (network) {
            for (Host host : hosts) {
                if (host != null) {
                    host.kill();
                    host.writeLog();
                }
            }
        }
    }
}
