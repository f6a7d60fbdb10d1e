package io.atoll.disni;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.TimeUnit;

/**
 * Waits until a file descriptor has something to read, with {@code poll(2)}.
 * <pre>
 *   pollfd:  0      4        6         8
 *            +------+--------+---------+
 *            |  fd  | events | revents |
 *            +------+--------+---------+
 * </pre>
 */
final class Readiness {

    static final StructLayout LAYOUT = MemoryLayout.structLayout( //
            JAVA_INT.withName("fd"), //
            JAVA_SHORT.withName("events"), // the events to wait for
            JAVA_SHORT.withName("revents")) // the events that have happened
            .withName("pollfd");

    private static final long FILE_DESCRIPTOR = Offsets.of(LAYOUT, "fd");
    private static final long EVENTS = Offsets.of(LAYOUT, "events");

    private static final short POLLIN = 1;
    private static final int EINTR = 4;

    private static final NativeFunction POLL = NativeLibrary.libc("poll", ValueLayout.ADDRESS, JAVA_LONG, JAVA_INT);

    private Readiness() {}

    /**
     * Returns true as soon as there is something to read, or false if the time is over.
     *
     * @param timeoutMillis -1 to wait for ever
     */
    public static boolean await(int fileDescriptor, int timeoutMillis) throws IOException {
        long startNanos = System.nanoTime();
        int leftMillis = timeoutMillis;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment descriptor = arena.allocate(LAYOUT);
            descriptor.set(JAVA_INT, FILE_DESCRIPTOR, fileDescriptor);
            descriptor.set(JAVA_SHORT, EVENTS, POLLIN);
            while (true) {
                try {
                    return POLL.count(descriptor, 1L, leftMillis) > 0;
                } catch (NativeCallException failure) {
                    // A signal that reached this thread says nothing about the descriptor.
                    if (failure.errorNumber() != EINTR) {
                        throw failure;
                    }
                }
                leftMillis = timeoutMillis < 0 ? timeoutMillis : left(timeoutMillis, startNanos);
            }
        }
    }

    private static int left(int timeoutMillis, long startNanos) {
        long passedMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
        return (int) Math.max(0, timeoutMillis - passedMillis);
    }
}
