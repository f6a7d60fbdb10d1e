package io.atoll.fabric.tcp;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Connections;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.StringJoiner;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * Some ranks of a crowd. Each reaches all others by TCP, including those of its own process. Each rank has two words.
 * All others add to the first. A single rank keeps adding to the second, until it is shut out.
 */
final class CrowdProgram implements Program {

    static final WorldIdentity WORLD = new WorldIdentity("tcp-crowd", 64);
    static final long WORD = SegmentHeader.size(WORLD.maxSize());
    static final long RESTLESS_WORD = WORD + Long.BYTES;

    private static final long SEGMENT_BYTES = 64 << 10;
    private static final int THREADS = 16; // that serve a rank's connections; loops serve the others
    private static final int WORKERS = 4;
    private static final Duration PATIENCE = Duration.ofSeconds(120);

    private final Map<Integer, Attachment> attachments = new TreeMap<>();
    private @Nullable Thread restless;
    private volatile long restlessAdded;

    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "attach" -> attach(Path.of(arguments.get(0)), number(arguments, 1), number(arguments, 2));
            case "meet" -> meet(arguments);
            case "connect" -> ofAll(this::connect);
            case "add" -> ofAll(rank -> add(rank, number(arguments, 0), ranks(arguments.get(1))));
            case "words" -> words(WORD);
            case "connections" -> ofAll(rank -> usable(attachments.get(rank).connections().orElseThrow()));
            case "restless" -> restless(number(arguments, 0));
            case "restless-added" -> "" + restlessAdded;
            case "restless-words" -> words(RESTLESS_WORD);
            case "fence" -> fence(number(arguments, 0));
            case "rest" -> rest();
            case "unreachable" -> ofAll(rank -> unreachable(rank, ranks(arguments.getFirst())));
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    private static int number(List<String> arguments, int index) {
        return Integer.parseInt(arguments.get(index));
    }

    /** Returns the ranks of a list such as "3,4,5". */
    private static int[] ranks(String list) {
        return List.of(list.split(",")).stream().mapToInt(Integer::parseInt).toArray();
    }

    private Fabric fabric(int rank) {
        return attachments.get(rank).fabric();
    }

    /** Returns the places of the ranks: rank, incarnation, host and port of each. */
    private String attach(Path folder, int first, int count) {
        StringJoiner places = new StringJoiner(" ");
        Tcp settings = new Tcp(new SharedMemory(folder, true)).withoutSharedMemory()
                .lanes(1)
                .silenceTimeout(PATIENCE)
                .connectTimeout(PATIENCE);
        for (int rank = first; rank < first + count; rank++) {
            Attachment attachment = Looped.attach(settings, WORLD, rank, SEGMENT_BYTES, THREADS);
            attachments.put(rank, attachment);
            places.add(rank + "/" + attachment.incarnation() + "/" + attachment.address().get("tcp.host") + "/"
                    + attachment.address().get("tcp.port"));
        }
        return places.toString();
    }

    private String meet(List<String> places) {
        for (String place : places) {
            String[] parts = place.split("/");
            int peer = Integer.parseInt(parts[0]);
            attachments.forEach((rank, attachment) -> {
                if (rank != peer) {
                    attachment.connect(peer, Integer.parseInt(parts[1]),
                            Map.of("tcp.host", parts[2], "tcp.port", parts[3]));
                }
            });
        }
        return "met";
    }

    /** The action of a rank. */
    private interface Work {
        long run(int rank) throws Exception;
    }

    /** Lets the ranks of this process act, some at a time. Returns the sum of their results. */
    private String ofAll(Work work) throws Exception {
        try (ExecutorService workers = Executors.newFixedThreadPool(WORKERS)) {
            List<Future<Long>> results = new ArrayList<>();
            for (int rank : attachments.keySet()) {
                results.add(workers.submit(() -> work.run(rank)));
            }
            long sum = 0;
            for (Future<Long> each : results) {
                sum += each.get();
            }
            return "" + sum;
        }
    }

    /**
     * Makes a connection to each rank. Begins with the next one, so that not all ranks connect to the same one at once.
     */
    private long connect(int rank) {
        long deadlineNanos = System.nanoTime() + PATIENCE.toNanos();
        for (int next = 1; next < WORLD.size();) {
            try {
                fabric(rank).readWord((rank + next) % WORLD.size(), WORD);
                next++;
            } catch (RankUnreachableException late) {
                if (System.nanoTime() > deadlineNanos) {
                    throw late;
                }
            }
        }
        return WORLD.size() - 1;
    }

    /** Adds to the words of these ranks, to all in one batch. Returns how many additions were acknowledged. */
    private long add(int rank, int rounds, int[] targets) {
        Batch batch = fabric(rank).newBatch(Long.BYTES);
        long added = 0;
        for (int round = 0; round < rounds; round++) {
            long posted = 0;
            for (int target : targets) {
                if (target != rank) {
                    batch.getAndAdd(target, WORD, 1);
                    posted++;
                }
            }
            batch.complete();
            added += posted;
        }
        return added;
    }

    /** Returns how many of these ranks cannot be reached. */
    private long unreachable(int rank, int[] targets) {
        long unreachable = 0;
        for (int target : targets) {
            try {
                fabric(rank).getAndAdd(target, WORD, 0);
            } catch (RankUnreachableException gone) {
                unreachable++;
            }
        }
        return unreachable;
    }

    private static long usable(Connections connections) {
        return connections.peers().stream().mapToLong(Connections.Peer::usable).sum();
    }

    private String words(long offset) {
        StringJoiner words = new StringJoiner(" ");
        attachments.values().forEach(each -> words.add("" + each.fabric().local().getVolatile(offset)));
        return words.toString();
    }

    // --- shutting a rank out ---

    /** Lets a rank add to all others until each of them has shut it out. */
    private String restless(int rank) {
        Fabric fabric = fabric(rank);
        restless = Thread.ofPlatform().daemon().start(() -> {
            int refused = 0;
            for (int next = 1; refused < WORLD.size() - 1; next = next % (WORLD.size() - 1) + 1) {
                refused = next == 1 ? 0 : refused;
                try {
                    fabric.getAndAdd((rank + next) % WORLD.size(), RESTLESS_WORD, 1);
                    restlessAdded++;
                } catch (RankUnreachableException shutOut) {
                    refused++;
                }
            }
        });
        return "restless";
    }

    /** Shuts the rank out, and returns the words to which it added as they are at that moment. */
    private String fence(int rank) {
        attachments.forEach((own, attachment) -> {
            if (own != rank) {
                attachment.fence(rank);
            }
        });
        return words(RESTLESS_WORD);
    }

    /** Waits until the restless rank can reach no other rank. Returns how many of its additions were acknowledged. */
    private String rest() throws InterruptedException {
        if (restless == null) {
            throw new IllegalStateException("no rank is restless");
        }
        restless.join();
        return "" + restlessAdded;
    }

    @Override
    public void close() {
        attachments.values().forEach(Attachment::close);
    }
}
