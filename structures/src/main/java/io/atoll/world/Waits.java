package io.atoll.world;

import io.atoll.fabric.Clock;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** What the threads of this process wait for at the moment, for those who want to know why something does not go on. */
public final class Waits {

    /**
     * A thread that waits for another rank.
     *
     * @param doing what it waits with, in words
     * @param rank who should act
     */
    public record Wait(String thread, String doing, int rank, Duration waited) {}

    /** To be closed when the wait is over. */
    public final class Waiting implements AutoCloseable {

        private final String thread = Thread.currentThread().getName();
        private final long sinceNanos = clock.nanoTime();
        private final String doing;
        private volatile int rank;

        private Waiting(String doing, int rank) {
            this.doing = doing;
            this.rank = rank;
        }

        /** Another rank should act. */
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
     * From now on the thread waits.
     *
     * @param rank who should act
     */
    public Waiting begin(String doing, int rank) {
        Waiting waiting = new Waiting(doing, rank);
        present.add(waiting);
        return waiting;
    }

    /** How many threads wait. */
    public int count() {
        return present.size();
    }

    /** How long the one that waits longest has done so, 0 if none does. */
    public long longestNanos() {
        if (present.isEmpty()) {
            return 0; // without an iterator: nothing waits most of the time
        }
        long longest = 0;
        for (Waiting each : present) {
            longest = Math.max(longest, clock.nanoTime() - each.sinceNanos);
        }
        return longest;
    }

    /** The longest first. */
    public List<Wait> snapshot() {
        return present.stream()
                .map(Waiting::soFar)
                .sorted(Comparator.comparing(Wait::waited).reversed())
                .toList();
    }
}
