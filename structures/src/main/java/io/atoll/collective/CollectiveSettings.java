package io.atoll.collective;

import io.atoll.fabric.Batch;
import io.atoll.memory.Layouts;
import java.time.Duration;
import java.util.Optional;

/**
 * The defaults of collectives in this process.
 *
 * @param pollInterval how long the thread that passes broadcasts on sleeps at most between two looks. The longer it is,
 * the less the thread takes of a processor, and the longer the first broadcast after a pause waits. After it has found
 * something it spins, then sleeps longer each time
 * @param flushInterval how long a caller that waits for a broadcast to be complete sleeps at most between two looks. At
 * first it spins. From zero, which means never to sleep, to 1.28 ms
 * @param costs by which algorithms are chosen, the same at every process. Defaults to about what the fabric takes
 * @param algorithm by which it broadcasts. Defaults to the one that should be faster
 * @param windowBytes the bytes of a window, the same at every process, a multiple of 8
 * @param roomBytes the bytes of a member's staging buffer in an exchange, the same at every process, a multiple of 8
 */
public record CollectiveSettings(Duration pollInterval, Duration flushInterval, Optional<LogGP> costs,
        Optional<Algorithm> algorithm,
        long windowBytes, long roomBytes) {

    public static final CollectiveSettings DEFAULT = new CollectiveSettings(Duration.ofNanos(200_000),
            Duration.ofMillis(1),
            Optional.empty(),
            Optional.empty(), 1 << 20, 16 << 10);

    /** @throws IllegalArgumentException if a size or an interval is out of range */
    public CollectiveSettings {
        if (!pollInterval.isPositive()) {
            throw new IllegalArgumentException("an interval is positive: pollInterval=" + pollInterval);
        }
        if (flushInterval.isNegative()) {
            throw new IllegalArgumentException("an interval is not negative: flushInterval=" + flushInterval);
        }
        requireWords(windowBytes, Long.MAX_VALUE, "windowBytes");
        requireWords(roomBytes, Batch.THREAD_BUFFER_BYTES, "roomBytes");
    }

    private static void requireWords(long bytes, long most, String name) {
        if (bytes < Layouts.WORD || bytes % Layouts.WORD != 0 || bytes > most) {
            throw new IllegalArgumentException("whole words, at most " + most + " bytes: " + name + '=' + bytes);
        }
    }
}
