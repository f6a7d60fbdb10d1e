package io.atoll.fabric.tcp;

import com.sun.management.ThreadMXBean;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.WordTest;
import io.atoll.process.Program;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** Two ranks, of which the first one uses every verb. Tells what the threads of one of them have allocated. */
final class TcpAllocationProgram implements Program {

    /** The verbs, or a little more, that a command uses. */
    static final int VERBS = 4_000;

    private static final long WORD = TcpRanks.FREE;
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private @Nullable TcpRanks ranks;
    private String serving = "";

    @Override
    public String obey(String command, List<String> arguments) {
        return switch (command) {
            case "open" -> open(Path.of(arguments.getFirst()), Integer.parseInt(arguments.getLast()));
            case "caller" -> "" + allocated(Thread.currentThread().threadId());
            case "owner" -> "" + allocated(serving());
            default -> throw new IllegalArgumentException("no such command: command=" + command);
        };
    }

    private String open(Path folder, int mostThreads) {
        ranks = new TcpRanks(folder, tcp -> tcp, mostThreads);
        serving = "atoll-tcp-" + TcpRanks.WORLD.name() + (mostThreads == 0 ? "-1-loop" : "-1-from-0");
        use();
        return "opened";
    }

    private long[] serving() {
        long[] threads = Thread.getAllStackTraces()
                .keySet()
                .stream()
                .filter(thread -> thread.getName().startsWith(serving))
                .mapToLong(Thread::threadId)
                .toArray();
        if (threads.length == 0) {
            throw new IllegalStateException("no thread serves: name=" + serving);
        }
        return threads;
    }

    /** Returns the bytes that these threads allocate while the verbs are used. */
    private long allocated(long... threads) {
        long before = allocatedUntilNow(threads);
        use();
        return allocatedUntilNow(threads) - before;
    }

    private static long allocatedUntilNow(long... threads) {
        return Arrays.stream(THREADS.getThreadAllocatedBytes(threads)).sum();
    }

    private void use() {
        Fabric fabric = Objects.requireNonNull(ranks).fabric(0);
        for (int verb = 0; verb < VERBS / 4; verb++) {
            fabric.readWord(1, WORD);
            fabric.getAndAdd(1, WORD, 1);
            fabric.writeWord(1, WORD, 1);
            Batch batch = fabric.batch();
            batch.read(1, WORD, 0, 64);
            batch.readRecords(1, WORD, 16, 2, 64);
            batch.guard(batch.compareAndExchange(1, WORD, 1, 2));
            batch.writeWord(1, WORD + 8, 3);
            batch.complete();
            WordTest.putEqual(batch, 64, 8, 3);
            WordTest.put(batch, 64 + WordTest.BYTES, 0, -1, 1, 9);
            batch.guard(batch.search(1, WORD, 16, 4, 64, 2));
            int exchange = batch.exchangeFound(1, WORD + 8, -1, 0);
            batch.guard(exchange);
            batch.writeBeside(1, WORD + 16, 0, 8, 0);
            batch.getAndAdd(1, WORD, 0);
            batch.complete();
            if (!batch.succeeded(exchange)) {
                throw new AssertionError("nothing was found");
            }
        }
    }

    @Override
    public void close() {
        if (ranks != null) {
            ranks.close();
        }
    }
}
