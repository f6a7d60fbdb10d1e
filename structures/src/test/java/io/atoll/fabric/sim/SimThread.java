package io.atoll.fabric.sim;

import io.atoll.fabric.Batch;
import java.util.IdentityHashMap;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread of a simulated rank. It runs while it has the turn, which it has from one of its steps to the next. */
final class SimThread implements Agent {

    /** The body of a thread. */
    interface Body {
        void run() throws Exception;
    }

    /** A power of two, and not less than the places that a structure has for threads. */
    private static final int NUMBERS = 1 << 6;

    private final Scheduler scheduler;
    private final SimRank rank;
    private final String name;
    private final Thread thread;
    private final Channel[] channels;
    private final Channel storeBuffer;
    private final EarlyLoads earlyLoads;
    private final Errors errors;
    // Orders everything: what one thread did before it gave the turn, the next one sees.
    private volatile boolean turn;
    private boolean started;
    private boolean ended;
    private long wakeNanos;
    private @Nullable Awaitable awaited;
    private final Map<SimFabric, Batch> batches = new IdentityHashMap<>();

    SimThread(Scheduler scheduler, SimRank rank, int index, Body body) {
        this.scheduler = scheduler;
        this.rank = rank;
        this.name = "rank " + rank.rank() + (index == 0 ? "" : " thread " + index);
        this.thread = numbered(scheduler.numberOfThread(), Thread.ofVirtual().name(name), () -> live(body));
        this.channels = rank.openChannels(this);
        this.storeBuffer = new Channel(scheduler, this, "stored by the cpu");
        this.earlyLoads = new EarlyLoads(this, scheduler.fate().random(), scheduler.changes());
        this.errors = new Errors(scheduler.fate());
    }

    /**
     * Returns a thread whose number ends with the same bits. Structures spread threads by the low bits of their
     * numbers. So a seed gives the same run, whatever threads the virtual machine has made before.
     */
    private static Thread numbered(int number, Thread.Builder builder, Runnable body) {
        Thread thread = builder.unstarted(body);
        while ((thread.threadId() - number & NUMBERS - 1) != 0) {
            thread = builder.unstarted(body);
        }
        return thread;
    }

    private void live(Body body) {
        awaitTurn();
        try {
            stopIfKilled();
            earlyLoads.acquire();
            body.run();
            drain(storeBuffer);
        } catch (Throwable end) {
            if (!rank.endsBy(end)) {
                scheduler.fail(end);
            }
        } finally {
            ended = true;
            rank.hasEnded(this);
        }
    }

    /** Lets others go on at this point. Returns when this thread has the turn again. */
    void pass() {
        SimThread next = scheduler.next();
        if (next != this) {
            scheduler.hand(next);
            awaitTurn();
        }
        stopIfKilled();
    }

    void giveTurn() {
        turn = true;
        if (started) {
            LockSupport.unpark(thread);
        } else {
            started = true;
            thread.start();
        }
    }

    private void awaitTurn() {
        while (!turn) {
            LockSupport.park(this);
        }
        turn = false;
    }

    void stopIfKilled() {
        if (rank.isStopped()) {
            throw new RankKilled(rank.rank());
        }
    }

    /** Waits for its turn to take one step itself. */
    void takeStep() {
        stopIfKilled();
        pass();
    }

    /** Waits for an event that tells the thread something: no later load takes effect before it. */
    void await(Awaitable what) {
        waitFor(what);
        earlyLoads.acquire();
    }

    /** Waits until what it has sent, or stored, has taken effect. */
    void drain(Channel channel) {
        waitFor(channel);
    }

    private void waitFor(Awaitable what) {
        stopIfKilled();
        awaited = what;
        while (!what.isDone()) {
            pass();
        }
        awaited = null;
    }

    void sleep(long untilNanos) {
        wakeNanos = untilNanos;
        takeStep();
    }

    @Override
    public long readyNanos() {
        if (ended || awaited != null && !awaited.isDone()) {
            return NEVER;
        }
        return Math.max(wakeNanos, rank.pausedUntilNanos());
    }

    @Override
    public SimThread step() {
        return this;
    }

    /** Returns this thread if the event that it waits for has happened, and it can go on at once; otherwise null. */
    @Nullable SimThread resumed() {
        return awaited != null && readyNanos() <= scheduler.nowNanos() ? this : null;
    }

    @Override
    public SimThread thread() {
        return this;
    }

    SimRank rank() {
        return rank;
    }

    @Override
    public void stall(long untilNanos) {
        rank.pause(untilNanos);
    }

    Channel channel(int target) {
        return channels[target];
    }

    /** Returns the stores of the CPU that have not taken effect. */
    Channel storeBuffer() {
        return storeBuffer;
    }

    EarlyLoads earlyLoads() {
        return earlyLoads;
    }

    /** Returns the errors that may strike it. */
    Errors errors() {
        return errors;
    }

    Batch batch(SimFabric fabric) {
        return batches.computeIfAbsent(fabric, of -> of.newBatch(Batch.THREAD_BUFFER_BYTES));
    }

    boolean isCurrentThread() {
        return Thread.currentThread() == thread;
    }

    boolean hasEnded() {
        return ended;
    }

    /** Returns what it does, and where in the code under test. */
    String describe() {
        return name + (ended ? " has ended" : awaited != null ? " waits for " + awaited : " can go on")
                + Trace.framesOf(thread);
    }

    @Override
    public String toString() {
        return name;
    }
}
