package io.atoll.lock;

import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** A rank that holds locks and asks for some, of a table of each algorithm. */
final class LockHolderProcess implements Program {

    private static final int LOCKS = 64;
    private static final Duration JOIN_PATIENCE = Duration.ofSeconds(50);
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Map<LockAlgorithm, LockTable> tables = new ConcurrentHashMap<>();
    private final Map<String, CompletableFuture<String>> waiting = new ConcurrentHashMap<>();
    private @Nullable World world;

    /**
     * Commands: {@code join FOLDER SIZE RANK}; {@code open}; {@code hold ALGORITHM LOCK...};
     * {@code wait ALGORITHM LOCK} returns when a thread waits; {@code told ALGORITHM LOCK} returns the outcome of that
     * thread; {@code ask ALGORITHM LOCK}.
     */
    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "join" -> join(Path.of(arguments.get(0)), arguments.get(1), arguments.get(2));
            case "open" -> open();
            case "hold" -> hold(table(arguments), locks(arguments));
            case "wait" -> waitFor(arguments.toString(), table(arguments), locks(arguments)[0]);
            case "told" -> waiting.get(arguments.toString()).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            default -> ask(table(arguments), locks(arguments)[0]);
        };
    }

    private String join(Path folder, String size, String rank) {
        world = World.named("locks")
                .fabric(Fabrics.sharedMemory(folder, false))
                .size(Integer.parseInt(size))
                .rank(Integer.parseInt(rank))
                .segment(8 << 20)
                .joinTimeout(JOIN_PATIENCE)
                .open();
        return "";
    }

    private String open() {
        Stream.of(LockAlgorithm.values())
                .forEach(algorithm -> tables.put(algorithm,
                        world.lockTable(algorithm.name()).locks(LOCKS).algorithm(algorithm).open()));
        return "";
    }

    private LockTable table(List<String> arguments) {
        return tables.get(LockAlgorithm.valueOf(arguments.getFirst()));
    }

    private static long[] locks(List<String> arguments) {
        return arguments.stream().skip(1).mapToLong(Long::parseLong).toArray();
    }

    /** Acquires the locks, and never releases them. */
    private static String hold(LockTable table, long[] locks) throws InterruptedException {
        for (long lock : locks) {
            table.lockAt(lock);
        }
        return Arrays.toString(locks);
    }

    private String waitFor(String key, LockTable table, long lock) {
        CompletableFuture<String> told = new CompletableFuture<>();
        waiting.put(key, told);
        Thread.ofPlatform().daemon().start(() -> {
            try (Acquisition held = table.lockAt(lock)) {
                told.complete(describe(held));
            } catch (InterruptedException | RuntimeException failure) {
                told.completeExceptionally(failure);
            }
        });
        await()
                .atMost(PATIENCE)
                .until(() -> table.state(lock).waiting().stream().anyMatch(each -> each.rank() == world.rank()));
        return "";
    }

    private static String ask(LockTable table, long lock) throws InterruptedException {
        try (Acquisition held = table.tryLockAt(lock, PATIENCE)) {
            return held == null ? "not granted" : describe(held);
        }
    }

    private static String describe(Acquisition held) {
        return held.recovered() ? "recovered" : "granted";
    }

    @Override
    public void close() {
        if (world != null) {
            world.close();
        }
    }
}
