package io.atoll.collective;

import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Logs the collectives that this process has begun: those that are under way, and a {@link CollectiveCounts} of each
 * kind. Any thread may use it.
 */
public final class CollectiveLog {

    /**
     * A collective that is under way. A broadcast is under way until its root knows that all members have it.
     *
     * @param bytes the bytes that this process hands over, or receives
     * @param thread the thread that has begun it
     * @param since for how long it has been under way
     * @param latecomers finds out which members have not arrived
     */
    public record Running(String name, String operation, int members, long bytes, String thread, Duration since,
            Latecomers latecomers) {}

    /**
     * A member that has not come to where the others wait for it. {@code since} tells for how long this rank has
     * waited.
     */
    public record Late(int rank, Duration since) {}

    /** Finds the members that have not arrived. */
    @FunctionalInterface
    public interface Latecomers {

        /** For collectives of which nothing is known about latecomers. */
        Latecomers UNKNOWN = List::of;

        /**
         * Looks, while the collective is under way. Any thread may call it. Cost: R for each other member, in batches.
         *
         * @throws io.atoll.failure.FabricException when a member cannot be reached
         */
        List<Late> look();
    }

    /** Called when a collective is over, by the thread that finds that out. */
    public interface Listener {
        void over(String name, String operation, boolean finished, Duration took);
    }

    private record Kind(String name, String operation) {}

    private final Set<Run> running = ConcurrentHashMap.newKeySet();
    private final Map<Kind, CollectiveCounts> counts = new ConcurrentHashMap<>();
    private final List<Listener> listeners = new CopyOnWriteArrayList<>();

    /**
     * A collective that has begun just now. {@link #close} records that it failed, unless it was recorded before that
     * it has finished.
     */
    public final class Run implements AutoCloseable {

        private final Kind kind;
        private final int members;
        private final long bytes;
        private final Latecomers latecomers;
        private final String thread = Thread.currentThread().getName();
        private final long beginNanos = System.nanoTime();
        private final AtomicBoolean over = new AtomicBoolean();

        private Run(Kind kind, int members, long bytes, Latecomers latecomers) {
            this.kind = kind;
            this.members = members;
            this.bytes = bytes;
            this.latecomers = latecomers;
        }

        public void finish() {
            end(true);
        }

        @Override
        public void close() {
            end(false);
        }

        private void end(boolean finished) {
            if (over.compareAndSet(false, true)) {
                Duration took = took();
                running.remove(this);
                counts.compute(kind, (_, before) -> {
                    CollectiveCounts collectiveCounts = before == null
                            ? CollectiveCounts.none(kind.name(), kind.operation())
                            : before;
                    return finished ? collectiveCounts.withFinished(bytes, took) : collectiveCounts.withFailed();
                });
                listeners.forEach(listener -> listener.over(kind.name(), kind.operation(), finished, took));
            }
        }

        private Duration took() {
            return Duration.ofNanos(System.nanoTime() - beginNanos);
        }

        private Running show() {
            return new Running(kind.name(), kind.operation(), members, bytes, thread, took(), latecomers);
        }
    }

    /** Like the method below, for a collective of which nothing is known about latecomers. */
    public Run begin(String name, String operation, int members, long bytes) {
        return begin(name, operation, members, bytes, Latecomers.UNKNOWN);
    }

    /** Records that a collective begins. */
    public Run begin(String name, String operation, int members, long bytes, Latecomers latecomers) {
        Run run = new Run(new Kind(name, operation), members, bytes, latecomers);
        running.add(run);
        return run;
    }

    public void listen(Listener listener) {
        listeners.add(listener);
    }

    /** Returns the collectives that are under way, the longest first. */
    public List<Running> running() {
        return running.stream().map(Run::show).sorted(Comparator.comparing(Running::since).reversed()).toList();
    }

    /** Returns the counts in the order of names and operations. */
    public List<CollectiveCounts> counts() {
        return counts.values()
                .stream()
                .sorted(Comparator.comparing(CollectiveCounts::name).thenComparing(CollectiveCounts::operation))
                .toList();
    }
}
