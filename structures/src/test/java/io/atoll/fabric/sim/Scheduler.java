package io.atoll.fabric.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Lets exactly one thread run at a time and draws which agent takes the next step. It has no thread of its own: the
 * thread that has the turn draws, takes the steps that need no thread, and hands the turn on. So one thread at a time
 * uses everything here.
 */
final class Scheduler {

    /** The time of a step; about the time that a verb takes on a network card. */
    static final long STEP_NANOS = 1_000;

    private final SimOptions options;
    private final Fate fate;
    private final Trace trace = new Trace();
    private final Changes changes = new Changes();
    private final List<SimThread> threads = new ArrayList<>();
    private final List<Agent> agents = new ArrayList<>();
    private final List<Agent> ready = new ArrayList<>();
    private final Deque<SimThread> unwinding = new ArrayDeque<>();
    private CountDownLatch finished = new CountDownLatch(0);
    private volatile @Nullable SimThread current;
    private volatile long steps;
    private long nowNanos;
    private int nextNumber; // of a thread
    private int livingThreads;
    private @Nullable SimThread last;
    private boolean stay;
    private boolean aborting;
    private @Nullable Throwable failure;

    Scheduler(long seed, SimOptions options) {
        this.options = options;
        this.fate = new Fate(seed, options);
        this.nextNumber = (int) seed;
    }

    // --- the run ---

    /** Runs until all threads have ended and all that was sent has arrived. */
    void run() {
        finished = new CountDownLatch(1);
        SimThread first = next();
        if (first != null) {
            hand(first);
            awaitEnd();
        }
        current = null;
        if (failure != null) {
            String what = failure instanceof AssertionError ? failure.getMessage() : failure.toString();
            throw new AssertionError(what + "\n" + report(), failure);
        }
    }

    private void awaitEnd() {
        try {
            long seen = -1;
            while (!finished.await(options.longestSilenceMillis, TimeUnit.MILLISECONDS)) {
                if (steps == seen) {
                    throw new AssertionError("a thread runs or blocks without taking steps\n" + report());
                }
                seen = steps;
            }
        } catch (InterruptedException interruption) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted\n" + report(), interruption);
        }
    }

    /** Returns the seed for the first thread, and one more for each later thread. */
    int numberOfThread() {
        return nextNumber++;
    }

    void add(SimThread thread) {
        threads.add(thread);
        agents.add(thread);
        livingThreads++;
    }

    void add(Agent agent) {
        agents.add(agent);
    }

    void remove(Agent agent) {
        agents.remove(agent);
    }

    void at(long nanos, Runnable action) {
        agents.add(new Event(nanos, action, this));
    }

    void hand(SimThread next) {
        current = next;
        next.giveTurn();
    }

    void leave(SimThread thread) {
        agents.remove(thread);
        livingThreads--;
        SimThread next = next();
        if (next != null) {
            hand(next);
        } else {
            finished.countDown();
        }
    }

    /** Lets the threads run once more, to unwind. */
    void unwind(List<SimThread> killed) {
        unwinding.addAll(killed);
    }

    /** Ends the run: the first failure is the run's. */
    void fail(Throwable cause) {
        if (failure == null) {
            failure = cause;
            trace.freeze(threads);
        }
        aborting = true;
        threads.stream().map(SimThread::rank).distinct().forEach(SimRank::stop);
    }

    // --- which agent is next ---

    /**
     * Takes steps until one lets a thread go on, and returns that thread. Returns null when no thread is left and
     * nothing is under way.
     */
    @Nullable SimThread next() {
        while (true) {
            SimThread killed = nextToUnwind();
            if (killed != null) {
                return killed;
            }
            Agent agent = aborting ? null : draw();
            if (agent == null && (aborting || livingThreads == 0)) {
                return null;
            }
            SimThread resumed = agent == null ? stuck() : step(agent);
            if (resumed != null) {
                return resumed;
            }
        }
    }

    private @Nullable SimThread nextToUnwind() {
        SimThread killed = unwinding.poll();
        while (killed != null && killed.hasEnded()) {
            killed = unwinding.poll();
        }
        return killed;
    }

    private @Nullable SimThread stuck() {
        fail(new AssertionError("nobody can take a step"));
        return null;
    }

    private @Nullable SimThread step(Agent agent) {
        last = agent.thread();
        changes.by(last);
        steps++;
        nowNanos += STEP_NANOS;
        if (steps > options.maximumSteps) {
            fail(new AssertionError("somebody waits for ever, or maximumSteps is too low: steps=" + steps));
            return null;
        }
        try {
            return strikes(agent) ? null : agent.step();
        } catch (RuntimeException | AssertionError inNobodysProgram) {
            fail(inNobodysProgram);
            return null;
        }
    }

    private @Nullable Agent draw() {
        long earliest = collectReady();
        if (ready.isEmpty()) {
            if (earliest == Agent.NEVER) {
                return null;
            }
            nowNanos = earliest;
            collectReady();
        }
        if (stay || fate.staysWithAThread()) {
            stay = false;
            Agent same = oneOfTheSameThread();
            if (same != null) {
                return same;
            }
        }
        return ready.get(fate.random().nextInt(ready.size()));
    }

    private long collectReady() {
        ready.clear();
        long earliest = Agent.NEVER;
        for (int i = 0; i < agents.size(); i++) {
            Agent agent = agents.get(i);
            long at = agent.readyNanos();
            if (at <= nowNanos) {
                ready.add(agent);
            } else {
                earliest = Math.min(earliest, at);
            }
        }
        return earliest;
    }

    private @Nullable Agent oneOfTheSameThread() {
        Agent found = null;
        int count = 0;
        for (int i = 0; i < ready.size(); i++) {
            if (last != null && ready.get(i).thread() == last && fate.random().nextInt(++count) == 0) {
                found = ready.get(i);
            }
        }
        return found;
    }

    /** Makes the next step, if possible, one of the thread that has the turn. */
    void stay() {
        last = current;
        stay = true;
    }

    private boolean strikes(Agent agent) {
        SimThread thread = agent.thread();
        if (thread == null) {
            return false;
        }
        if (thread.rank().diesNow()) {
            return true;
        }
        if (fate.pauses()) {
            trace.add(steps, thread, agent == thread ? "pauses" : "is held up on the way");
            agent.stall(nowNanos + fate.anyPauseNanos());
            return true;
        }
        return false;
    }

    // --- what others need ---

    /** Returns the calling thread, which must be a simulated one. Returns null outside of a run. */
    @Nullable SimThread caller() {
        SimThread running = current;
        if (running != null && !running.isCurrentThread()) {
            throw new IllegalStateException(
                    "not a thread of the simulation: thread=" + Thread.currentThread().getName());
        }
        return running;
    }

    Fate fate() {
        return fate;
    }

    Changes changes() {
        return changes;
    }

    Trace trace() {
        return trace;
    }

    long nowNanos() {
        return nowNanos;
    }

    /** Lets time pass outside of a run. */
    void pass(long nanos) {
        nowNanos += nanos;
    }

    long steps() {
        return steps;
    }

    String report() {
        return trace.report(threads);
    }
}
