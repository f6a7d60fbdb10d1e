package io.atoll.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Ranks of one world in this process, for tests, and threads of theirs that run at the same time. */
public interface ConcurrentRanks {

    Duration PATIENCE = Duration.ofSeconds(30);

    /** Threads of a rank, in tests with several. */
    int THREADS = 3;

    /** What a thread of a rank does with the rank's fabric. */
    interface Body {
        void run(Fabric fabric) throws Exception;
    }

    /** What one of several threads does. */
    interface NumberedBody {
        void run(Fabric fabric, int number) throws Exception;
    }

    /** A thread of a rank. */
    record Actor(int rank, Body body) {}

    // --- the ranks of a fabric ---

    /** Of rank 0 or 1, which reach each other. */
    Fabric fabric(int rank);

    /** A rank of the world that is not there. */
    int absentRank();

    /** Where the words begin that a test may use, all zero, in every segment: a multiple of 64, with 64 KiB behind it. */
    long freeOffset();

    /** How often something is tried that goes wrong rarely. */
    int rounds();

    /**
     * Whether a read waits until the writes of its thread before it have arrived, to whatever words of that rank. Where verbs are loads and
     * stores of the CPU it does not: a store waits in the CPU's store buffer, and a load goes past it, until a fence or an atomic.
     */
    default boolean readsWaitForWrites() {
        return true;
    }

    /** Runs the actors at the same time and returns when all have ended. */
    default void together(List<Actor> actors) throws Exception {
        var start = new CyclicBarrier(actors.size());
        List<CompletableFuture<Void>> running = new ArrayList<>();
        for (Actor actor : actors) {
            var ended = new CompletableFuture<Void>();
            running.add(ended);
            Thread.ofPlatform().daemon().start(() -> {
                try {
                    start.await();
                    actor.body().run(fabric(actor.rank()));
                    ended.complete(null);
                } catch (Throwable failure) {
                    ended.completeExceptionally(failure);
                }
            });
        }
        for (CompletableFuture<Void> ended : running) {
            ended.get(6 * PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    // --- what tests are written with ---

    default void together(Actor... actors) throws Exception {
        together(List.of(actors));
    }

    /** {@link #THREADS} threads of each of both ranks. */
    default void everywhere(NumberedBody body) throws Exception {
        List<Actor> actors = new ArrayList<>();
        for (int i = 0; i < 2 * THREADS; i++) {
            int number = i;
            actors.add(at(i % 2, fabric -> body.run(fabric, number)));
        }
        together(actors);
    }

    static Actor at(int rank, Body body) {
        return new Actor(rank, body);
    }

    /** The offset of the n-th word that tests use, each on a cache line of its own. */
    default long line(int n) {
        return freeOffset() + 64L * n;
    }

    static MemorySegment words(long bytes) {
        return MemorySegment.ofArray(new long[(int) (bytes / 8)]);
    }

    static void await(Fabric fabric, BooleanSupplier condition) {
        var backoff = new Backoff(fabric.clock(), PATIENCE);
        while (!condition.getAsBoolean()) {
            assertThat(backoff.pause()).as("within " + PATIENCE).isTrue();
        }
    }

    /** Where a number of threads meet again and again. */
    final class Meeting {

        private final int size;
        private final AtomicInteger arrived = new AtomicInteger();

        public Meeting(int size) {
            this.size = size;
        }

        public void await(Fabric fabric) {
            int meeting = arrived.getAndIncrement() / size;
            ConcurrentRanks.await(fabric, () -> arrived.get() >= (meeting + 1) * size);
        }
    }
}
