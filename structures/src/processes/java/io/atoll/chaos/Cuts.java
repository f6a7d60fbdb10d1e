package io.atoll.chaos;

import io.atoll.chaos.check.Finding;
import io.atoll.process.SimulatedNetwork;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/**
 * Runs worlds of four ranks in network namespaces, one after the other, for the given time:
 * {@code mvn -q -DskipTests -Pcuts -pl structures test -Dcuts.seconds=60 -Dcuts.seed=1}. The seed determines the faults
 * of the network and the processes. Ends with status 1 if anything was found. Needs root.
 */
public final class Cuts {

    private static final int RANKS = 4;
    // The number of faults of a world.
    private static final int FAULTS = 6;
    private static final long SHORTEST_MILLIS = 200;
    // Longer than a view takes to remove a silent rank.
    private static final long LONGEST_MILLIS = 4000;
    private static final long LONGEST_PEACE_MILLIS = 1500;

    private final SplittableRandom random;
    private final CutWorld world;
    private final SimulatedNetwork network;

    private Cuts(CutWorld world, SplittableRandom random) {
        this.world = world;
        this.network = world.network();
        this.random = random;
    }

    public static void main(String[] arguments) throws Exception {
        Optional<String> lack = SimulatedNetwork.lack();
        if (lack.isPresent()) {
            IO.println("cuts: skipped, " + lack.get());
            return;
        }
        long seconds = Long.getLong("cuts.seconds", 60);
        long seed = Chaos.number("cuts.seed", System.nanoTime() % 1_000_000);
        Path logs = Files.createDirectories(Path.of(System.getProperty("cuts.logs", "target/cuts"), "" + seed));
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        IO.println("cuts: seed=" + seed + " seconds=" + seconds);
        int found = 0;
        for (int number = 0; number == 0 || System.nanoTime() < deadline; number++) {
            found += play(seed, number, logs).size();
        }
        IO.println("cuts: seed=" + seed + " findings=" + found);
        System.exit(found == 0 ? 0 : 1);
    }

    private static List<Finding> play(long seed, int number, Path logs) throws Exception {
        long began = System.nanoTime();
        Path folder = Files.createTempDirectory(logs, "world-" + number + "-");
        List<Finding> findings;
        int operations;
        try (CutWorld world = new CutWorld(folder, RANKS, seed + number)) {
            new Cuts(world, new SplittableRandom(seed * 31 + number)).disturb();
            world.settle();
            var entries = world.entries();
            operations = entries.size();
            findings = world.judge(entries);
        }
        IO.println("world %d: %,d operations, %.1f s, findings=%d".formatted(number, operations,
                (System.nanoTime() - began) / 1e9, findings.size()));
        findings.forEach(finding -> IO.println("FINDING seed=" + seed + " world=" + number + " logs=" + folder + "\n  "
                + finding));
        if (findings.isEmpty()) {
            Chaos.delete(folder);
        }
        return findings;
    }

    private void disturb() throws Exception {
        network.delay(random.nextInt(3));
        network.lose(random.nextInt(100));
        network.reorder(random.nextInt(500));
        for (int fault = 0; fault < FAULTS; fault++) {
            CutWorld.pass(random.nextLong(LONGEST_PEACE_MILLIS));
            befall(random.nextInt(RANKS), random.nextLong(SHORTEST_MILLIS, LONGEST_MILLIS));
        }
    }

    private void befall(int rank, long millis) throws Exception {
        int other = (rank + 1 + random.nextInt(RANKS - 1)) % RANKS;
        switch (random.nextInt(7)) {
            case 0 -> cut(List.of(rank), List.of(other), millis, false);
            case 1 -> cut(List.of(rank), List.of(other), millis, true);
            case 2 -> cut(List.of(rank), except(List.of(rank)), millis, random.nextBoolean());
            case 3 -> cut(List.of(rank, other), except(List.of(rank, other)), millis, true);
            case 4 -> {
                // Packets that were sent before the stop arrive after the other ranks have given up the rank.
                network.cut(rank, other);
                world.pause(rank, millis);
                network.heal();
            }
            case 5 -> world.pause(rank, millis);
            default -> world.restart(rank, random.nextLong(LONGEST_PEACE_MILLIS));
        }
    }

    private static List<Integer> except(List<Integer> some) {
        return IntStream.range(0, RANKS).boxed().filter(rank -> !some.contains(rank)).toList();
    }

    private void cut(List<Integer> some, List<Integer> others, long millis, boolean inBothDirections)
            throws InterruptedException {
        for (int one : some) {
            for (int other : others) {
                network.cut(one, other);
                if (inBothDirections) {
                    network.cut(other, one);
                }
            }
        }
        CutWorld.pass(millis);
        network.heal();
    }
}
