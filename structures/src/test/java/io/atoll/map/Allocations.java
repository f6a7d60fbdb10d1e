package io.atoll.map;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.function.LongConsumer;

/** What operations take of the Java heap once they have been warmed up. */
final class Allocations {

    /** Operations use the keys from 0 on. */
    static final int KEYS = 20_000;

    /** So often all of them are done before they are measured. */
    static final int ROUNDS = 5;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private Allocations() {}

    /** Bytes of the operation on each key, when it has been done often enough before. */
    static long of(LongConsumer operation) {
        for (int round = 0; round < ROUNDS; round++) {
            ofOneRound(operation, KEYS);
        }
        return ofOneRound(operation, KEYS);
    }

    /** Bytes of the operation on each of so many keys. */
    static long ofOneRound(LongConsumer operation, int keys) {
        long before = THREADS.getCurrentThreadAllocatedBytes();
        for (long key = 0; key < keys; key++) {
            operation.accept(key);
        }
        return THREADS.getCurrentThreadAllocatedBytes() - before;
    }
}
