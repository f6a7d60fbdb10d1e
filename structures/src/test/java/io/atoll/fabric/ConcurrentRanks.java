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

/** Ranks of one world in this process, for tests. Several threads of them run at the same time. */
public interface ConcurrentRanks {

    Duration PATIENCE = Duration.ofSeconds(30);

    /** The number of threads of a rank in tests that use several. */
    int THREADS = 3;

    /** What one thread of a rank does with the fabric of the rank. */
    interface Body {
        void run(Fabric fabric) throws Exception;
    }

    /** What one of several threads does. The threads are numbered. */
    interface NumberedBody {
        void run(Fabric fabric, int number) throws Exception;
    }

    /** One thread of a rank. */
    record Actor(int rank, Body body) {}

    // --- the ranks of a fabric ---

    /** Returns the fabric of rank 0 or 1. The two ranks reach each other. */
    Fabric fabric(int rank);

    /** Returns a rank of the world that is not there. */
    int absentRank();

    /**
     * Returns the offset at which, in every segment, the words begin that a test may use. All of them are zero. The
     * offset is a multiple of 64, with 64 KiB behind it.
     */
    long freeOffset();

    /** Returns how often a test tries something that rarely goes wrong. */
    int rounds();

    /**
     * Returns true if a read waits until the earlier writes of its thread have arrived, to whatever words of the same
     * rank. A read does not wait where verbs are loads and stores of the CPU. There a store waits in the CPU's store
     * buffer, and a load overtakes it, until a fence or an atomic.
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

    // --- tools for tests ---

    default void together(Actor... actors) throws Exception {
        together(List.of(actors));
    }

    /** Runs the body in {@link #THREADS} threads of each of the two ranks. */
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

    /** Returns the offset of the n-th word that tests use. Each word lies on a cache line of its own. */
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

    /** A point at which a number of threads meet again and again. */
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
