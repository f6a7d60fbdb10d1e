package io.atoll.peers;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures several subjects in turns, so that other load of the machine affects all of them. Takes the median of all
 * turns.
 */
final class Rounds {

    private static final int TURNS = 31;
    private static final int WARM_UP_TURNS = 8;
    // The operations of one turn.
    private static final int OPERATIONS = 2_000;
    private static final long THROUGHPUT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** An operation that is measured. */
    interface Operation {
        void run() throws Exception;
    }

    /** Returns the result of one turn. */
    private interface Turn {
        double take() throws Exception;
    }

    private final Map<String, Turn> turns = new LinkedHashMap<>();
    private final Map<String, Double> results = new LinkedHashMap<>();

    /** Measures the median of an operation in microseconds. */
    void add(String name, Operation operation) {
        turns.put(name, () -> {
            long[] nanos = new long[OPERATIONS];
            for (int each = 0; each < OPERATIONS; each++) {
                long began = System.nanoTime();
                operation.run();
                nanos[each] = System.nanoTime() - began;
            }
            Arrays.sort(nanos);
            return nanos[OPERATIONS / 2] / 1e3;
        });
    }

    /** Takes the median of an operation from another process, in microseconds. */
    void addMedian(String name, MedianOf median) {
        turns.put(name, () -> median.nanos(OPERATIONS) / 1e3);
    }

    /** Asks for the median of this number of operations, in nanoseconds. */
    interface MedianOf {
        long nanos(int operations) throws Exception;
    }

    /** Measures throughput in thousands of operations per second. Each operation runs in a thread of its own. */
    void addThroughput(String name, List<Operation> ofThreads) {
        turns.put(name, () -> {
            LongAdder done = new LongAdder();
            CountDownLatch begin = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            for (Operation operation : ofThreads) {
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        begin.await();
                        long until = System.nanoTime() + THROUGHPUT_NANOS;
                        while (System.nanoTime() < until) {
                            operation.run();
                            done.increment();
                        }
                    } catch (Exception failure) {
                        throw new IllegalStateException(failure);
                    }
                }));
            }
            long began = System.nanoTime();
            begin.countDown();
            for (Thread thread : threads) {
                thread.join();
            }
            return done.sum() * 1e6 / (System.nanoTime() - began);
        });
    }

    void run() throws Exception {
        Map<String, double[]> taken = new LinkedHashMap<>();
        for (int turn = -WARM_UP_TURNS; turn < TURNS; turn++) {
            for (Map.Entry<String, Turn> each : turns.entrySet()) {
                double result = each.getValue().take();
                if (turn >= 0) {
                    taken.computeIfAbsent(each.getKey(), _ -> new double[TURNS])[turn] = result;
                }
            }
        }
        taken.forEach((name, values) -> {
            Arrays.sort(values);
            results.put(name, values[TURNS / 2]);
            IO.println("%-36s %10.2f   from %.2f to %.2f".formatted(name, values[TURNS / 2], values[0],
                    values[TURNS - 1]));
        });
    }

    double result(String name) {
        return results.getOrDefault(name, Double.NaN);
    }
}
