package io.atoll.collective;

import java.util.Arrays;
import java.util.stream.DoubleStream;

/** Times of the same action. A few of them are far too long, since the scheduler or a collector came between. */
final class Samples {

    /** An action whose time is taken. */
    interface Timed {
        void run() throws InterruptedException;
    }

    private Samples() {}

    /**
     * Returns the median of {@code samples} times, in nanoseconds. Before them, the action runs as often without being
     * counted.
     */
    static double medianNanos(int samples, Timed timed) throws InterruptedException {
        return medianNanos(samples, timed, () -> {});
    }

    /** @param after an action after each sample, whose time does not count */
    static double medianNanos(int samples, Timed timed, Timed after) throws InterruptedException {
        double[] nanos = new double[samples];
        for (int sample = -samples; sample < samples; sample++) {
            long begin = System.nanoTime();
            timed.run();
            nanos[Math.max(0, sample)] = System.nanoTime() - begin;
            after.run();
        }
        return median(nanos);
    }

    static double median(double... nanos) {
        double[] sorted = Arrays.stream(nanos).sorted().toArray();
        return DoubleStream.of(sorted[(sorted.length - 1) / 2], sorted[sorted.length / 2]).average().orElseThrow();
    }
}
