package io.atoll.fabric.tcp;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.fabric.Fabric;
import io.atoll.failure.RankUnreachableException;
import io.atoll.map.LongLongMap;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Several ranks of a world, which reach each other and those of other processes by TCP. */
final class ManyRanksProgram implements Program {

    static final int RANKS = 64;

    private static final int CONNECTING = 2; // of a process, at a time
    private static final int KEYS = 256;
    private static final long SEGMENT_BYTES = 1 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(240);

    private final List<World> worlds = new ArrayList<>();

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "open" -> open(Path.of(arguments.get(0)), Integer.parseInt(arguments.get(1)),
                    Integer.parseInt(arguments.get(2)));
            case "connect" -> ofAll(CONNECTING, ManyRanksProgram::connect);
            case "count" -> {
                int rounds = Integer.parseInt(arguments.getFirst());
                yield ofAll(worlds.size(), world -> count(world, rounds));
            }
            case "connections" -> "" + connections();
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    private String open(Path folder, int first, int count) {
        for (int rank = first; rank < first + count; rank++) {
            worlds.add(World.named("tcp-many")
                    .size(RANKS)
                    .rank(rank)
                    .segment(SEGMENT_BYTES)
                    .fabric(new Tcp(Fabrics.sharedMemory(folder, false)).withoutSharedMemory()
                            .lanes(1)
                            .silenceTimeout(PATIENCE)
                            .connectTimeout(PATIENCE))
                    .joinTimeout(PATIENCE)
                    .operationTimeout(PATIENCE)
                    .open());
        }
        return "open";
    }

    /** The action of a rank. */
    private interface Work {
        long run(World world) throws Exception;
    }

    /** Lets all ranks of this process act, a limited number at a time. Returns the sum of their results. */
    private String ofAll(int threads, Work work) throws Exception {
        try (ExecutorService ranks = Executors.newFixedThreadPool(threads)) {
            List<Future<Long>> results = new ArrayList<>();
            for (World world : worlds) {
                results.add(ranks.submit(() -> work.run(world)));
            }
            long sum = 0;
            for (Future<Long> each : results) {
                sum += each.get();
            }
            return "" + sum;
        }
    }

    /**
     * Uses a connection to each rank once. Begins with the next one, so that not all ranks connect to the same one at
     * once.
     */
    private static long connect(World world) {
        Fabric fabric = world.participant().endpoint().fabric();
        long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
        for (int next = 1; next < RANKS;) {
            try {
                fabric.readWord((world.rank() + next) % RANKS, SegmentHeader.size(WorldIdentity.defaultMaxSize(RANKS)));
                next++;
            } catch (RankUnreachableException late) {
                if (System.nanoTime() > deadlineNanos) {
                    throw late;
                }
            }
        }
        return RANKS;
    }

    /** Counts at all ranks, and waits for all of them between rounds. Returns what it has found in the end. */
    private static long count(World world, int rounds) throws InterruptedException {
        LongLongMap counters = world.longMap("counters").capacity(4 * KEYS).open();
        for (int round = 0; round < rounds; round++) {
            world.barrier();
            for (long key = 0; key < KEYS; key++) {
                counters.addAndGet(key, 1);
            }
        }
        world.barrier();
        long sum = 0;
        for (long key = 0; key < KEYS; key++) {
            sum += counters.getOrDefault(key, 0);
        }
        world.barrier();
        return sum;
    }

    /** Returns the sum of all ranks' results if nothing is lost. */
    static long expected(int rounds) {
        return (long) RANKS * RANKS * rounds * KEYS;
    }

    private static long connections() {
        return Thread.getAllStackTraces()
                .keySet()
                .stream()
                .filter(thread -> thread.getName().contains("-from-"))
                .count();
    }

    @Override
    public void close() {
        worlds.forEach(World::close);
    }
}
