package io.atoll.world;

import io.atoll.fabric.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the threads of this process wait for at the moment. It shows observers why something does not go on. */
public final class Waits {

    /**
     * A thread that waits for another rank.
     *
     * @param doing the operation that waits, in words
     * @param rank that should act
     */
    public record Wait(String thread, String doing, int rank, Duration waited) {}

    /** A wait that has begun. To be closed when it is over. */
    public final class Waiting implements AutoCloseable {

        private final String thread = Thread.currentThread().getName();
        private final long sinceNanos = clock.nanoTime();
        private final String doing;
        private volatile int rank;

        private Waiting(String doing, int rank) {
            this.doing = doing;
            this.rank = rank;
        }

        /** From now on another rank should act. */
        public void isFor(int other) {
            rank = other;
        }

        private Wait soFar() {
            return new Wait(thread, doing, rank, Duration.ofNanos(clock.nanoTime() - sinceNanos));
        }

        @Override
        public void close() {
            present.remove(this);
        }
    }

    private final Clock clock;
    private final Set<Waiting> present = ConcurrentHashMap.newKeySet();

    public Waits(Clock clock) {
        this.clock = clock;
    }

    /**
     * Notes that the calling thread waits from now on.
     *
     * @param rank that should act
     */
    public Waiting begin(String doing, int rank) {
        Waiting waiting = new Waiting(doing, rank);
        present.add(waiting);
        return waiting;
    }

    /** Returns how many threads wait. */
    public int count() {
        return present.size();
    }

    /** Returns how long the longest present wait has lasted, 0 if no thread waits. */
    public long longestNanos() {
        if (present.isEmpty()) {
            return 0; // without an iterator: most of the time no thread waits
        }
        long longest = 0;
        for (Waiting each : present) {
            longest = Math.max(longest, clock.nanoTime() - each.sinceNanos);
        }
        return longest;
    }

    /** Returns the present waits, the longest first. */
    public List<Wait> snapshot() {
        return present.stream()
                .map(Waiting::soFar)
                .sorted(Comparator.comparing(Wait::waited).reversed())
                .toList();
    }
}
