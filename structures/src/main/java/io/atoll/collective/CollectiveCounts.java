package io.atoll.collective;

import java.time.Duration;

/**
 * Counts what became of all collectives of one kind that this process has begun.
 *
 * @param name the name of the window or exchange
 * @param operation such as {@code broadcast} or {@code allReduce}
 * @param finished the number that came to their end
 * @param failed the number that did not, since a member was lost, or this thread was interrupted
 * @param bytes the bytes that this process handed over, or received, in those that have finished
 * @param total the time of those that have finished
 * @param longest the longest of those times
 * @param durations the times of those that have finished; later ones are counted in it, too
 */
public record CollectiveCounts(String name, String operation, long finished, long failed, long bytes, Duration total,
        Duration longest, Durations durations) {

    static CollectiveCounts none(String name, String operation) {
        return new CollectiveCounts(name, operation, 0, 0, 0, Duration.ZERO, Duration.ZERO, new Durations());
    }

    CollectiveCounts withFinished(long more, Duration took) {
        durations.count(took.toNanos());
        return new CollectiveCounts(name, operation, finished + 1, failed, bytes + more, total.plus(took),
                took.compareTo(longest) > 0 ? took : longest, durations);
    }

    CollectiveCounts withFailed() {
        return new CollectiveCounts(name, operation, finished, failed + 1, bytes, total, longest, durations);
    }
}
