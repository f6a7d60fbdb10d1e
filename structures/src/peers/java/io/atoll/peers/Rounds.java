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

    private static final int TURNS = 21;
    private static final int WARM_UP_TURNS = 8;
    /** The turns of each subject, with those that warm it up. */
    static final int ALL_TURNS = WARM_UP_TURNS + TURNS;
    /** The operations of one turn, where nothing else is said. */
    static final int OPERATIONS = 1_000;
    private static final long THROUGHPUT_NANOS = TimeUnit.MILLISECONDS.toNanos(200);

    /** An operation that is measured. */
    interface Operation {

        /** @param index the number of the operation, which counts those of all turns */
        void run(int index) throws Exception;

        /** Makes what the operation of this number is given. The time that takes does not count. */
        default void prepare(int index) {}
    }

    /** Returns the result of one turn. */
    private interface Turn {
        double take(int turn) throws Exception;
    }

    private final Map<String, Turn> turns = new LinkedHashMap<>();
    private final Map<String, Double> results = new LinkedHashMap<>();

    /** Measures the median of an operation in microseconds. */
    void add(String name, Operation operation) {
        addMedian(name, turn -> medianNanos(operation, OPERATIONS, turn));
    }

    /** Takes the median of each turn in microseconds, as another process measures it. */
    void addMedian(String name, MedianOf median) {
        turns.put(name, turn -> median.nanos(turn) / 1e3);
    }

    /** Returns the median of the operations of a turn, in nanoseconds. */
    interface MedianOf {
        long nanos(int turn) throws Exception;
    }

    /** Measures the operations of a turn. Returns the median in nanoseconds. */
    static long medianNanos(Operation operation, int operations, int turn) throws Exception {
        long[] nanos = new long[operations];
        for (int each = 0; each < operations; each++) {
            int index = turn * operations + each;
            operation.prepare(index);
            long began = System.nanoTime();
            operation.run(index);
            nanos[each] = System.nanoTime() - began;
        }
        Arrays.sort(nanos);
        return nanos[operations / 2];
    }

    /** Measures throughput in thousands of operations per second. Each operation runs in a thread of its own. */
    void addThroughput(String name, List<Operation> ofThreads) {
        turns.put(name, _ -> {
            LongAdder done = new LongAdder();
            CountDownLatch begin = new CountDownLatch(1);
            List<Thread> threads = new ArrayList<>();
            for (Operation operation : ofThreads) {
                threads.add(Thread.ofPlatform().start(() -> {
                    try {
                        begin.await();
                        long until = System.nanoTime() + THROUGHPUT_NANOS;
                        for (int index = 0; System.nanoTime() < until; index++) {
                            operation.prepare(index);
                            operation.run(index);
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
        for (int turn = 0; turn < ALL_TURNS; turn++) {
            for (Map.Entry<String, Turn> each : turns.entrySet()) {
                double result = each.getValue().take(turn);
                if (turn >= WARM_UP_TURNS) {
                    taken.computeIfAbsent(each.getKey(), _ -> new double[TURNS])[turn - WARM_UP_TURNS] = result;
                }
            }
        }
        taken.forEach((name, values) -> {
            Arrays.sort(values);
            results.put(name, values[TURNS / 2]);
            IO.println("%-60s %10.2f   from %.2f to %.2f".formatted(name, values[TURNS / 2], values[0],
                    values[TURNS - 1]));
        });
    }

    double result(String name) {
        return results.getOrDefault(name, Double.NaN);
    }
}
