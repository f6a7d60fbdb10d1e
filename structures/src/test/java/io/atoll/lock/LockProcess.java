package io.atoll.lock;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.rdma.Verbs;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.process.Program;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.jspecify.annotations.Nullable;

/**
 * A rank that acquires locks at random. For each lock it adds to two plain counters, {@code first} and then
 * {@code second}, that only the lock protects. They are equal whenever the lock is free. Each thread keeps its number
 * of additions in the rank's segment. So a process that is started again after a kill goes on there.
 */
final class LockProcess implements Program {

    static final int LOCKS = 20;
    static final int THREADS = 4;

    private static final Duration PATIENCE = Duration.ofSeconds(400);
    private static final int PAIR_BYTES = 2 * Long.BYTES;
    private static final long TALLIES = LOCKS * PAIR_BYTES;

    private @Nullable World world;
    private @Nullable Shared shared;

    /**
     * The structures that all ranks use. They are opened once: an opening fails while a rank is being started again.
     */
    private record Shared(LockTable table, long[] blocks) {}

    /**
     * Commands: {@code join FABRIC FOLDER SIZE RANK}; {@code open}; {@code work COUNT}, for each thread; {@code sum}.
     */
    @Override
    public String obey(String command, List<String> arguments) throws Exception {
        return switch (command) {
            case "join" -> join(arguments);
            case "open" -> "locks=" + shared().table().locks();
            case "work" -> work(Long.parseLong(arguments.getFirst()));
            default -> sum();
        };
    }

    private String join(List<String> arguments) {
        FabricType memory = Fabrics.sharedMemory(Path.of(arguments.get(1)), false);
        World joined = World.named("locks")
                .fabric(arguments.get(0).equals("verbs") ? new Verbs(memory) : memory)
                .size(Integer.parseInt(arguments.get(2)))
                .rank(Integer.parseInt(arguments.get(3)))
                .segment(4 << 20)
                .joinTimeout(PATIENCE)
                .open();
        world = joined;
        return "" + joined.incarnation();
    }

    private World joined() {
        if (world == null) {
            throw new IllegalStateException("no world is open");
        }
        return world;
    }

    private Shared shared() {
        Shared opened = shared;
        if (opened == null) {
            LockTable table = joined().lockTable("accounts").locks(LOCKS).open();
            long[] blocks = joined().participant()
                    .directory()
                    .open("counters", "counters", _ -> TALLIES + THREADS * (long) Long.BYTES);
            opened = new Shared(table, blocks);
            shared = opened;
        }
        return opened;
    }

    private String work(long count) throws InterruptedException {
        Shared used = shared();
        List<Future<Long>> running = new ArrayList<>();
        try (ExecutorService pool = Executors.newFixedThreadPool(THREADS)) {
            for (int thread = 0; thread < THREADS; thread++) {
                Worker worker = new Worker(joined().participant().endpoint(), used.table(), used.blocks(), thread);
                running.add(pool.submit(() -> worker.acquire(count)));
            }
            long recovered = 0;
            for (Future<Long> each : running) {
                recovered += each.get();
            }
            return "recovered=" + recovered;
        } catch (ExecutionException failure) {
            throw new IllegalStateException(String.valueOf(failure.getCause()), failure);
        }
    }

    /** One of its threads. */
    private record Worker(Endpoint endpoint, LockTable table, long[] blocks, int thread) {

        /** Returns how often it was told that a former holder may have died. */
        long acquire(long count) throws InterruptedException {
            long tally = blocks[endpoint.rank()] + TALLIES + (long) thread * Long.BYTES;
            var random = new SplittableRandom(endpoint.rank() * THREADS + thread);
            long recovered = 0;
            long done = endpoint.readWord(endpoint.rank(), tally);
            while (done < count) {
                try (Acquisition held = table.lockAt(random.nextInt(LOCKS))) {
                    recovered += held.recovered() ? 1 : 0;
                    increment(held);
                    endpoint.writeWord(endpoint.rank(), tally, ++done);
                } catch (RankUnreachableException | FabricTimeoutException gone) {
                    // its owner is being started again, or the rank that repairs its queue; other locks can be had
                    Thread.onSpinWait();
                }
            }
            return recovered;
        }

        private void increment(Acquisition held) {
            int owner = table.owner(held.index());
            long first = blocks[owner] + held.index() * PAIR_BYTES;
            long second = first + Long.BYTES;
            long value = read(endpoint, owner, first);
            if (value != read(endpoint, owner, second) && !held.recovered()) {
                throw new IllegalStateException("somebody else is at it: lock=" + held.index() + " first=" + value);
            }
            write(owner, first, value + 1);
            write(owner, second, value + 1);
        }

        /** The thread has the lock and must finish, also if the counters' rank is being started again meanwhile. */
        private void write(int owner, long offset, long value) {
            while (true) {
                try {
                    endpoint.writeWord(owner, offset, value);
                    endpoint.flush(owner);
                    return;
                } catch (RankUnreachableException gone) {
                    Thread.yield();
                }
            }
        }
    }

    /**
     * Returns in the end even if the rank is being started again. It also does so if writes of this thread's connection
     * were lost when the rank ended.
     */
    private static long read(Endpoint endpoint, int rank, long offset) {
        while (true) {
            try {
                return endpoint.readWord(rank, offset);
            } catch (RankUnreachableException gone) {
                Thread.yield();
            }
        }
    }

    /** Returns the sum of all counters, and the sum of the additions that all threads of all ranks know of. */
    private String sum() {
        Endpoint endpoint = joined().participant().endpoint();
        long[] blocks = shared().blocks();
        long counted = 0;
        long told = 0;
        for (int rank = 0; rank < joined().size(); rank++) {
            for (int lock = 0; lock < LOCKS; lock++) {
                counted += read(endpoint, rank, blocks[rank] + lock * (long) PAIR_BYTES);
            }
            for (int thread = 0; thread < THREADS; thread++) {
                told += read(endpoint, rank, blocks[rank] + TALLIES + thread * (long) Long.BYTES);
            }
        }
        return counted + " " + told;
    }

    @Override
    public void close() {
        if (world != null) {
            world.close();
        }
    }
}
