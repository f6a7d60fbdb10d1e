package io.atoll.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

/** Ranks of one world in this process, for tests, and threads of theirs that run at the same time. */
public abstract class ConcurrentRanks {

    private static final Duration PATIENCE = Duration.ofSeconds(20);

    /** What a thread of a rank does with the rank's fabric. */
    public interface Body {
        void run(Fabric fabric) throws Exception;
    }

    /** A thread of a rank. */
    public record Actor(int rank, Body body) {}

    protected static Actor at(int rank, Body body) {
        return new Actor(rank, body);
    }

    /** Of rank 0 or 1, which reach each other. */
    protected abstract Fabric fabric(int rank);

    /** A rank of the world that is not there. */
    protected abstract int absentRank();

    /** Where the words begin that a test may use, all zero, in every segment: a multiple of 64, with 64 KiB behind it. */
    protected abstract long freeOffset();

    /**
     * Whether a read waits until the writes of its thread before it have arrived, to whatever words of that rank. Where verbs are loads and
     * stores of the CPU it does not: a store waits in the CPU's store buffer, and a load goes past it, until a fence or an atomic.
     */
    protected boolean readsWaitForWrites() {
        return true;
    }

    /** How often something is tried that goes wrong rarely. */
    protected abstract int rounds();

    /** Runs the actors at the same time and returns when all have ended. */
    protected void together(List<Actor> actors) throws Exception {
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
            ended.get(2 * PATIENCE.toSeconds(), TimeUnit.SECONDS);
        }
    }

    protected final void together(Actor... actors) throws Exception {
        together(List.of(actors));
    }

    protected static void await(Fabric fabric, BooleanSupplier condition) {
        var backoff = new Backoff(fabric.clock(), PATIENCE);
        while (!condition.getAsBoolean()) {
            assertThat(backoff.pause()).as("within " + PATIENCE).isTrue();
        }
    }

    /** Where a number of threads meet again and again, without telling each other of memory what the fabric has not. */
    protected static final class Meeting {

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
