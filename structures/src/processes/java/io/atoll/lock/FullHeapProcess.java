package io.atoll.lock;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Both ranks of a world in one process. Before each acquisition of a lock it fills its heap, up to a few bytes. */
final class FullHeapProcess implements Program {

    // sizes of the objects that fill the heap, one after the other
    private static final int[] SIZES = {64 << 10, 1 << 10, 0};
    private static final Duration PATIENCE = Duration.ofSeconds(30);
    private static final Duration SHORT = Duration.ofMillis(1);

    private final List<LockTable> tables = new ArrayList<>();
    private final List<World> worlds = new ArrayList<>();
    private final @Nullable Object[] filling = new Object[1 << 17];
    private int filled;

    /**
     * Commands: {@code open FOLDER ALGORITHM}; {@code use} acquires each lock once; {@code fill LOCK FIRST END} tells
     * how often memory was missing in those rounds; {@code check} tells which locks can be had.
     */
    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "open" -> open(Path.of(arguments.get(0)), LockAlgorithm.valueOf(arguments.get(1)));
            case "use" -> use();
            case "fill" -> "" + useWithFullHeap(Long.parseLong(arguments.get(0)), Integer.parseInt(arguments.get(1)),
                    Integer.parseInt(arguments.get(2)));
            case "check" -> check();
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    private String open(Path folder, LockAlgorithm algorithm) throws InterruptedException {
        for (int rank = 0; rank < 2; rank++) {
            worlds.add(World.named("full")
                    .size(2)
                    .rank(rank)
                    .segment(4 << 20)
                    .fabric(Fabrics.sharedMemory(folder, false))
                    .open());
        }
        for (World world : worlds) {
            LockTable table = world.lockTable("locks").algorithm(algorithm).locks(2).open();
            table.owner(0); // attached now
            tables.add(table);
        }
        return "opened";
    }

    private String use() throws InterruptedException {
        for (LockTable table : tables) {
            for (long index = 0; index < 2; index++) {
                table.lockAt(index).close();
            }
        }
        return "used";
    }

    private int useWithFullHeap(long index, int first, int end) {
        int missing = 0;
        for (int round = first; round < end; round++) {
            fill();
            for (int free = 3 * round; free > 0; free--) {
                filling[--filled] = null; // one of the smallest
            }
            missing += isMemoryMissing(index, round % 3) ? 1 : 0;
        }
        empty();
        return missing;
    }

    private void empty() {
        while (filled > 0) {
            filling[--filled] = null;
        }
    }

    private void fill() {
        for (int size : SIZES) {
            try {
                while (true) {
                    filling[filled] = new byte[size];
                    filled++;
                }
            } catch (OutOfMemoryError full) {
                // As intended.
            }
        }
    }

    /**
     * @param way 0: only this thread wants the lock. 1 or 2: a wait by rank 0 or by rank 1, in vain, comes before its
     * release
     */
    private boolean isMemoryMissing(long index, int way) {
        Acquisition held = null;
        try {
            held = tables.get(0).tryLockAt(index);
            if (way > 0) {
                Acquisition second = tables.get(way - 1).tryLockAt(index, SHORT);
                if (second != null) {
                    second.close();
                }
            }
            return false;
        } catch (OutOfMemoryError | LinkageError missing) {
            return true; // a message that is put together for the first time is linked
        } catch (InterruptedException | IllegalMonitorStateException refused) {
            return false; // the thread would wait for its own lock
        } finally {
            release(held);
        }
    }

    private static void release(@Nullable Acquisition held) {
        try {
            if (held != null) {
                held.close();
            }
        } catch (OutOfMemoryError | LinkageError later) {
            // It is released soon.
        }
    }

    private String check() throws InterruptedException {
        for (LockTable table : tables) {
            for (long index = 0; index < 2; index++) {
                try (Acquisition free = table.tryLockAt(index, PATIENCE)) {
                    if (free == null) {
                        return "lost: lock=" + index + " state=" + table.state(index);
                    }
                }
            }
        }
        return "all";
    }

    @Override
    public void close() {
        worlds.forEach(World::close);
    }
}
