package io.atoll.history;

import com.sun.management.ThreadMXBean;
import io.atoll.World;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.map.DistributedMap;
import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Prints the processor time and the Java heap that the thread takes which writes a history. The world's segment is full
 * of objects, and its epochs, locks and verbs are counted. Arguments: the segment's MiB, which default to 64, and
 * seconds.
 */
public final class HistoryCost {

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    private static final int WARM_UP_SECONDS = 10;
    private static final int TEXT_LENGTH = 40;

    private HistoryCost() {}

    /** Prints one line. */
    public static void main(String[] arguments) throws InterruptedException {
        long mebibytes = arguments.length > 0 ? Long.parseLong(arguments[0]) : 64;
        int seconds = arguments.length > 1 ? Integer.parseInt(arguments[1]) : 30;
        try (World world = World.named("history-cost")
                .segment(mebibytes << 20)
                .verbCounts(new VerbCounts())
                .history(true)
                .open()) {
            long entries = mebibytes * 1_000;
            DistributedMap<Long, String> map = world.map("texts", Long.class, String.class)
                    .capacity(entries)
                    .open();
            for (long key = 0; key < entries; key++) {
                map.put(key, "x".repeat(TEXT_LENGTH));
            }
            LockTable locks = world.lockTable("guards").locks(1_000).counted(true).open();
            for (int index = 0; index < 1_000; index++) {
                try (Acquisition held = locks.lockAt(index)) {
                    if (!held.isHeld()) {
                        throw new IllegalStateException("nobody else has the lock: index=" + index);
                    }
                }
            }
            measure(world, mebibytes, seconds);
        }
    }

    private static void measure(World world, long mebibytes, int seconds) {
        long thread = Thread.getAllStackTraces()
                .keySet()
                .stream()
                .filter(each -> each.getName().startsWith("atoll-history-"))
                .mapToLong(Thread::threadId)
                .findFirst()
                .orElseThrow();
        rest(WARM_UP_SECONDS);
        long cpuNanos = THREADS.getThreadCpuTime(thread);
        long bytes = THREADS.getThreadAllocatedBytes(thread);
        rest(seconds);
        double cpu = (THREADS.getThreadCpuTime(thread) - cpuNanos) / (double) seconds;
        double allocated = (THREADS.getThreadAllocatedBytes(thread) - bytes) / (double) seconds;
        RankHistory.Point last = world.inspection().history(0).orElseThrow().points().getLast();
        System.out.printf("segment=%dMiB objects=%dMiB point=%.0fus core=%.4f%% allocated=%.0fB/s%n", mebibytes,
                last.value(Series.HEAP_OBJECT_BYTES) >> 20, cpu / 1_000, cpu / 10_000_000, allocated);
    }

    private static void rest(int seconds) {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        for (long left = end - System.nanoTime(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }
}
