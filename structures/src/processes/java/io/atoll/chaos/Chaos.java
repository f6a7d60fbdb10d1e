package io.atoll.chaos;

import io.atoll.chaos.check.Finding;
import io.atoll.chaos.workload.Setting;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Runs worlds of real processes, one after the other, for the given time:
 * {@code mvn -q -DskipTests -Pchaos -pl structures test -Dchaos.seconds=60 -Dchaos.seed=1}. Ends with status 1 if
 * anything was found. The faults follow from the seed. Processes take turns as the machine lets them, so the same seed
 * need not find the same again. {@code -Dchaos.world=2} repeats that world of the seed. With {@code -Dchaos.fabric=tcp}
 * ranks reach each other by TCP.
 */
public final class Chaos {

    private static final Path SHARED_MEMORY = Path.of("/dev/shm");
    private static final long SHORTEST_MILLIS = 6_000;
    private static final long LONGEST_MILLIS = 20_000;
    private static final int WORLDS_AT_LEAST = 3;
    /** The time of a world besides its faults: to begin, to come to rest, and to be judged. */
    private static final long AROUND_MILLIS = 14_000;

    private static final int MOST_STACKS = 60;
    private static final int MOST_FRAMES = 24;

    private Chaos() {}

    public static void main(String[] arguments) throws Exception {
        long seconds = Long.getLong("chaos.seconds", 60);
        long seed = number("chaos.seed", System.nanoTime() % 1_000_000);
        long only = number("chaos.world", -1);
        String fabric = System.getProperty("chaos.fabric", Setting.SHARED_MEMORY);
        Path logs = Path.of(System.getProperty("chaos.logs", "target/chaos"), "" + seed).toAbsolutePath();
        delete(logs);
        long millis = Math.clamp(seconds * 1000 / WORLDS_AT_LEAST - AROUND_MILLIS, SHORTEST_MILLIS, LONGEST_MILLIS);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        IO.println("chaos: seed=" + seed + " fabric=" + fabric + " seconds=" + seconds);
        int found = 0;
        // Removed at the end of this process.
        @SuppressWarnings("resource")
        CoordinatorFolder shared = CoordinatorFolder.create(SHARED_MEMORY);
        // The longest time of a world, in nanoseconds. Another world begins only if it may end in time.
        long longest = 0;
        for (int world = 0; world == 0 || System.nanoTime() + longest < deadline; world++) {
            int number = only < 0 ? world : (int) only;
            Script script = Script.of(seed, number, millis);
            Path folder = Files.createDirectories(logs.resolve("world-" + world));
            long began = System.nanoTime();
            try (Play play = new Play(script, fabric, world, shared, folder)) {
                play.run();
                IO.println("world %d: %s; %s; %.1f s".formatted(number, script, play.summary(),
                        (System.nanoTime() - began) / 1e9));
                show(play.findings(), "seed=" + seed + " world=" + number + " logs=" + folder);
                found += play.findings().size();
                if (play.findings().isEmpty()) {
                    delete(folder);
                } else {
                    showLogs(folder);
                }
            }
            longest = Math.max(longest, System.nanoTime() - began);
        }
        IO.println("chaos: seed=" + seed + " findings=" + found);
        System.exit(found == 0 ? 0 : 1);
    }

    /** Shows one finding of each kind. */
    private static void show(List<Finding> findings, String where) {
        Map<String, List<Finding>> alike = findings.stream()
                .collect(Collectors.groupingBy(Finding::kind, LinkedHashMap::new, Collectors.toList()));
        for (List<Finding> each : alike.values()) {
            IO.println("FINDING " + where + "\n  " + each.getFirst()
                    + (each.size() > 1 ? "\n  and " + (each.size() - 1) + " alike" : ""));
        }
    }

    /**
     * Shows what happened to the world, and what the threads in Atoll did. It helps readers who cannot see the folder.
     */
    private static void showLogs(Path folder) throws IOException {
        List<Path> files;
        try (Stream<Path> all = Files.list(folder)) {
            files = all.sorted().toList();
        }
        for (Path file : files) {
            if (file.endsWith(Play.EVENTS)) {
                IO.println(Files.readString(file));
            } else if (file.toString().endsWith(Host.STACKS)) {
                IO.println(file + "\n" + Stream.of(Files.readString(file).split("\n\n"))
                        .filter(thread -> thread.contains("at io.atoll."))
                        .limit(MOST_STACKS)
                        .map(stack -> stack.lines().limit(MOST_FRAMES).collect(Collectors.joining("\n")))
                        .collect(Collectors.joining("\n\n")));
            }
        }
    }

    static long number(String property, long otherwise) {
        String told = System.getProperty(property, "");
        return told.isEmpty() ? otherwise : Long.parseLong(told);
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        Files.walkFileTree(folder, new SimpleFileVisitor<>() {
            @Override
            public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                Files.delete(file);
                return FileVisitResult.CONTINUE;
            }

            @Override
            public FileVisitResult postVisitDirectory(Path visited, @Nullable IOException failure)
                    throws IOException {
                Files.delete(visited);
                return FileVisitResult.CONTINUE;
            }
        });
    }
}
