package io.atoll.app.peers;

import io.atoll.app.programs.AtollApplication;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * Compares Atoll's structures, used by two processes, with the collections that two threads of one process use. Both
 * handle 500,000 longs a rank or thread. The command runs all of them several times in turn, so that other load on the
 * machine disturbs all alike, and prints medians in nanoseconds. The "raw loop" is the same verbs without a structure.
 * Run it by {@code mvn -q -DskipTests -Pheap-peers -pl app/programs -am test}.
 */
final class HeapPeers {

    private static final int TURNS = 3;
    private static final int WARMUPS = 3;
    private static final int RUNS = 5;
    private static final int ELEMENTS = 500_000;

    /**
     * A comparison.
     *
     * @param atoll the name of the operation in Atoll's benchmark
     * @param heap the name of its counterpart in one heap
     */
    private record Pair(String atoll, String heap) {}

    private static final List<Pair> PAIRS = List.of(
            new Pair("LongLongMap, insert", "ConcurrentHashMap.put"),
            new Pair("LongLongMap, find", "ConcurrentHashMap.get"),
            new Pair("LongLongMap, find", "ConcurrentHashMap.get, shuffled"),
            new Pair("LongLongMap, increment", "ConcurrentHashMap.merge"),
            new Pair("DistributedMap, insert", "Caffeine.put"),
            new Pair("DistributedMap, find", "Caffeine.getIfPresent"),
            new Pair("circular push", "MpmcArrayQueue.offer"),
            new Pair("circular pop", "MpmcArrayQueue.poll"),
            new Pair("add", "Guava BloomFilter.put"),
            new Pair("find", "Guava BloomFilter.mightContain"));

    private final Map<String, List<Double>> nanos = new HashMap<>();

    private HeapPeers() {}

    public static void main(String[] arguments) throws InterruptedException {
        double load = ManagementFactory.getOperatingSystemMXBean().getSystemLoadAverage();
        IO.println("load before: %.1f on %d processors".formatted(load, Runtime.getRuntime().availableProcessors()));
        HeapPeers peers = new HeapPeers();
        for (int turn = 0; turn < TURNS; turn++) {
            // The heap's pages were touched in earlier rounds, so the segments' pages are touched first, too.
            peers.bench("map", "--keys=" + ELEMENTS, "--touched");
            peers.bench("queue", "--elements=" + ELEMENTS);
            peers.bench("filter", "--elements=" + ELEMENTS);
            OneHeap heap = new OneHeap(ELEMENTS);
            heap.run(WARMUPS, RUNS);
            heap.nanos().forEach(peers::add);
        }
        peers.print();
    }

    private void add(String operation, List<Double> runs) {
        nanos.computeIfAbsent(operation, _ -> new ArrayList<>()).addAll(runs);
    }

    /** Runs a benchmark with two ranks, each in a process of its own. */
    private void bench(String structure, String... options) {
        List<String> arguments = new ArrayList<>(List.of("bench", structure, "--ranks=2", "--warmups=" + WARMUPS,
                "--runs=" + RUNS, "--json"));
        arguments.addAll(List.of(options));
        StringWriter output = new StringWriter();
        int status = new AtollApplication().commandLine()
                .setOut(new PrintWriter(output, true))
                .execute(arguments.toArray(String[]::new));
        if (status != 0) {
            throw new IllegalStateException("a benchmark failed: structure=" + structure + " status=" + status);
        }
        for (JsonNode each : JsonMapper.shared().readTree(output.toString()).get("measurements")) {
            add(each.get("name").asString(), each.get("runs").valueStream().map(JsonNode::asDouble).toList());
        }
    }

    private double median(String operation) {
        List<Double> sorted = nanos.get(operation).stream().sorted().toList();
        return (sorted.get((sorted.size() - 1) / 2) + sorted.get(sorted.size() / 2)) / 2;
    }

    private void print() {
        IO.println("%-24s %8s %9s   %-32s %8s %10s %10s".formatted("Atoll, 2 processes", "ns", "raw loop",
                "one heap, 2 threads", "ns", "Atoll/raw", "Atoll/heap"));
        for (Pair pair : PAIRS) {
            double atoll = median(pair.atoll);
            double raw = median(pair.atoll + ", raw");
            double heap = median(pair.heap);
            IO.println(String.format(Locale.ROOT, "%-24s %8.1f %9.1f   %-32s %8.1f %10.2f %10.2f", pair.atoll, atoll,
                    raw, pair.heap, heap, atoll / raw, atoll / heap));
        }
    }
}
