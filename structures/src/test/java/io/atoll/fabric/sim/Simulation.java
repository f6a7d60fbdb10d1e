package io.atoll.fabric.sim;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.SegmentHeader;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.function.BiConsumer;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * A world of ranks in one JVM, of which exactly one thread runs at a time. Every verb, every access to a local word and
 * every pause of the clock is a step. The seed decides which thread takes the next one, so the same seed gives the same
 * run:
 * <pre>{@code
 * Seeds.each(1_000, seed -> {
 *     var simulation = new Simulation(seed, SimOptions.ranks(3).pauses(0.01).kills(0.005, 2));
 *     Queue.create(simulation.endpoint(0), ...);         // outside of a run verbs take effect at once
 *     var history = new History<Operation, Result>(simulation);
 *     simulation.run(rank -> { ... history.call(operation, () -> queue.push(...)); ... });
 *     Linearizability.check(history, specification);
 * });
 * }</pre>
 *
 * <p>The fabric of such a world does no better than {@link SimOptions#guarantees} says:
 * <ul>
 * <li>A read or write moves in aligned pieces of {@code atomicReadBytes}, in any order, each piece a step.
 * <li>Reads of one batch overtake each other unless {@code readsInOrder}; all else from one thread to one rank keeps
 * its order.
 * <li>A write that was not flushed arrives at some later step, before any later verb of its thread to that rank takes
 * effect.
 * <li>Where atomics are not coherent with the CPU, they are a read step and a write step, see {@link Atomic}.
 * <li>Loads and stores of the CPU, and verbs where they are the CPU's, take effect in the order that {@link CpuOrder}
 * says.
 * </ul>
 *
 * <p>A killed rank takes no further step. A prefix of what it had sent arrives, and the rest does not. Some time later
 * it is declared dead ({@link #isDead}). Then each owner shuts it out ({@link #isFenced}). Then, if there is a program
 * {@link #onDeath}, the rank is started again. Programs must not wait for each other by anything but memory and
 * {@link io.atoll.fabric.Clock#pause}.
 */
public final class Simulation {

    /** The program of each rank. */
    public interface Program {
        void run(SimRank rank) throws Exception;
    }

    private final SimOptions options;
    private final Scheduler scheduler;
    private final SimSegment[] segments;
    private final SimRank[] ranks;
    private @Nullable Program successor;
    private IntConsumer losing = _ -> {};
    private BiConsumer<SimRank, Integer> learning = (_, _) -> {};
    private int losses;
    private final int[] births; // of segments: the incarnation in which each was made

    public Simulation(long seed, SimOptions options) {
        this.options = options;
        this.scheduler = new Scheduler(seed, options);
        this.segments = new SimSegment[options.ranks];
        this.ranks = new SimRank[options.ranks];
        this.births = new int[options.ranks];
        Arrays.fill(births, 1);
        for (int rank = 0; rank < options.ranks; rank++) {
            segments[rank] = new SimSegment(options.segmentBytes, scheduler.changes());
        }
        for (int rank = 0; rank < options.ranks; rank++) {
            ranks[rank] = new SimRank(this, scheduler, rank, 1, births);
        }
    }

    /** Runs the program in a new world. */
    public static Simulation run(long seed, SimOptions options, Program program) {
        return new Simulation(seed, options).run(program);
    }

    /** Sets the program of a killed rank after it has been started again. Without one, the rank stays dead. */
    public Simulation onDeath(Program program) {
        successor = program;
        return this;
    }

    /**
     * Sets what follows from a loss. Neither listener may take a step.
     *
     * @param lost is told the rank at the moment of the loss
     * @param learnt is called when a process learns that a rank has another segment: from now on
     * {@link SimRank#endpoint} is another one, which reaches that segment
     */
    public Simulation onLoss(IntConsumer lost, BiConsumer<SimRank, Integer> learnt) {
        losing = lost;
        learning = learnt;
        return this;
    }

    /**
     * Returns the incarnation of the rank in which its present segment was made. A process that has not learnt of it
     * reaches another segment.
     */
    public int born(int rank) {
        return births[rank];
    }

    /** Returns how many segments were lost. */
    public int losses() {
        return losses;
    }

    /**
     * Runs the program at every rank that is not dead. Returns when all have ended and all that was sent has arrived.
     * The caller may call it again.
     *
     * @throws AssertionError if a program throws, or if a thread waits for ever; with the last steps and where each
     * thread stands
     */
    public Simulation run(Program program) {
        for (SimRank rank : ranks) {
            if (!rank.isStopped() && !rank.isDead()) {
                rank.start(0, () -> program.run(rank));
            }
        }
        scheduler.run();
        return this;
    }

    public int size() {
        return ranks.length;
    }

    /** Returns the rank's present process. */
    public SimRank rank(int rank) {
        return ranks[rank];
    }

    /**
     * Returns the rank's fabric, for set-up and inspection: outside of a run verbs are no steps and take effect at
     * once.
     */
    public SimFabric fabric(int rank) {
        return ranks[rank].fabric();
    }

    /** As {@link #fabric}. */
    public Endpoint endpoint(int rank) {
        return ranks[rank].endpoint();
    }

    /** Returns how many steps have been taken. */
    public long steps() {
        return scheduler.steps();
    }

    /** Returns the last steps, and where each thread stands. */
    public String report() {
        return scheduler.report();
    }

    /** Lets others go on before the calling thread's next step. Does nothing outside of a run. */
    public void step() {
        SimThread caller = scheduler.caller();
        if (caller != null) {
            caller.takeStep();
        }
    }

    /**
     * Begins an operation that others may know of: none of its loads takes effect before. The calling thread's next
     * step mostly follows at once.
     */
    void begin() {
        SimThread caller = scheduler.caller();
        if (caller != null) {
            caller.takeStep();
            caller.earlyLoads().acquire();
            if (scheduler.fate().chance(0.75)) {
                scheduler.stay();
            }
        }
    }

    /**
     * Ends an operation. Others may know of its end, and the message that tells them waits for the processor's stores.
     */
    void end() {
        SimThread caller = scheduler.caller();
        if (caller != null) {
            caller.drain(caller.storeBuffer());
        }
    }

    // --- errors ---

    /**
     * Runs the action while errors may strike the calling thread, as {@link SimOptions#errors} says.
     *
     * @throws SimulatedError if one has struck
     */
    public <R> R exposed(Supplier<R> action) {
        return callerToStrike().errors().expose(action);
    }

    /**
     * Runs the action while an error strikes the calling thread instead of one access to memory, counted from 1.
     * Returns true if the action came to that access, whatever became of the error.
     *
     * @param isAfter true if it strikes after a verb, whose answer is lost; accesses without such a moment do not count
     */
    public boolean isStruckAt(int access, boolean isAfter, Runnable action) {
        return callerToStrike().errors().strikeAt(access, isAfter, action);
    }

    private SimThread callerToStrike() {
        return Objects.requireNonNull(scheduler.caller(), "errors strike in a run");
    }

    // --- death ---

    /** Returns the present incarnation of the rank. */
    public int incarnation(int rank) {
        looked();
        return ranks[rank].incarnation();
    }

    /** Returns true if others have been told that the incarnation is dead. Its writes may still arrive. */
    public boolean isDead(int rank, int incarnation) {
        looked();
        return incarnation < ranks[rank].incarnation() || ranks[rank].isDead();
    }

    /**
     * Returns true if nothing of that incarnation of the rank can reach the segment any more. It has the form of
     * {@code Liveness}.
     */
    public boolean isFenced(int rank, int incarnation, int segment) {
        looked();
        return incarnation < ranks[rank].incarnation() || ranks[rank].isDead() && ranks[rank].isFenced(segment);
    }

    /** A thread that has learnt of a death loads nothing from before it. */
    private void looked() {
        SimThread caller = scheduler.caller();
        if (caller != null) {
            caller.earlyLoads().acquire();
        }
    }

    /** Shuts a rank that is declared dead out of all segments at once. */
    public void fence(int rank) {
        if (!ranks[rank].isDead()) {
            throw new IllegalStateException("only who is declared dead is fenced: rank=" + rank);
        }
        for (int segment = 0; segment < ranks.length; segment++) {
            fence(ranks[rank], segment);
        }
    }

    void kill(SimRank rank) {
        if (options.zombies && scheduler.fate().random().nextBoolean()) {
            declareDead(rank);
        } else {
            tell(rank, "is killed");
            rank.stop();
            later(() -> declareDead(rank));
        }
    }

    private void declareDead(SimRank rank) {
        tell(rank, rank.isStopped() ? "is declared dead" : "is declared dead, and lives");
        rank.declareDead();
        for (int segment = 0; segment < ranks.length; segment++) {
            int fenced = segment;
            later(() -> fence(rank, fenced));
        }
        if (options.unmapsTheDead) {
            survivors(rank).forEach(survivor -> later(() -> unmap(survivor, rank)));
        }
    }

    private List<SimRank> survivors(SimRank dead) {
        return Arrays.stream(ranks).filter(rank -> rank != dead).toList();
    }

    private void unmap(SimRank survivor, SimRank dead) {
        if (ranks[dead.rank()] == dead) {
            tell(survivor, "has unmapped segment " + dead.rank());
            survivor.unmap(dead.rank());
        }
    }

    private void map(SimRank survivor, SimRank restarted) {
        if (ranks[restarted.rank()] == restarted && !restarted.isDead()) {
            tell(survivor, "has mapped segment " + restarted.rank());
            survivor.map(restarted.rank());
        }
    }

    private void fence(SimRank rank, int segment) {
        if (rank.isFenced(segment)) {
            return;
        }
        tell(rank, "is shut out of segment " + segment);
        rank.fence(segment);
        Program program = successor;
        if (program != null && rank.isFencedEverywhere()) {
            later(() -> restart(rank, program));
        }
    }

    private void restart(SimRank dead, Program program) {
        boolean isLost = options.losesMemory && scheduler.fate().random().nextBoolean();
        if (isLost) {
            losses++;
            SimSegment anew = new SimSegment(options.segmentBytes, scheduler.changes());
            anew.set(SegmentHeader.bornWord(), dead.incarnation() + 1);
            segments[dead.rank()] = anew;
            births[dead.rank()] = dead.incarnation() + 1;
            losing.accept(dead.rank());
        }
        var rank = new SimRank(this, scheduler, dead.rank(), dead.incarnation() + 1, births);
        ranks[rank.rank()] = rank;
        if (options.unmapsTheDead) {
            survivors(rank).forEach(survivor -> {
                later(() -> map(survivor, rank));
                if (survivor.isDead()) {
                    rank.unmap(survivor.rank());
                }
            });
        }
        if (isLost) {
            survivors(rank).forEach(survivor -> later(() -> learn(survivor, rank)));
        }
        tell(rank, isLost ? "starts with another segment" : "starts");
        rank.start(0, () -> program.run(rank));
    }

    private void learn(SimRank survivor, SimRank restarted) {
        // If it is lost again, the survivor will learn of that, too.
        boolean isLostAgain = births[restarted.rank()] != restarted.incarnation();
        if (!survivor.isStopped() && !isLostAgain) {
            tell(survivor, "knows another segment of rank " + restarted.rank());
            survivor.renew(restarted.rank(), restarted.incarnation());
            learning.accept(survivor, restarted.rank());
        }
    }

    private void later(Runnable action) {
        scheduler.at(scheduler.nowNanos() + scheduler.fate().anyPauseNanos(), action);
    }

    private void tell(SimRank rank, String what) {
        scheduler.trace().add(scheduler.steps(), null, rank + " " + what);
    }

    // --- memory ---

    SimSegment segment(int rank) {
        return segments[rank];
    }

    /** Returns true if ranks that have not been shut out of the segment can reach it. */
    boolean isReachable(int rank) {
        return options.segmentsOutliveRanks || !ranks[rank].isStopped();
    }

    /** Cuts what is on its way to a segment that is gone: it does not arrive. */
    void hasStopped(SimRank gone) {
        if (!isReachable(gone.rank())) {
            var cause = SimFabric.unreachable("post", gone.rank(), 0);
            for (SimRank rank : ranks) {
                rank.threads().forEach(thread -> thread.channel(gone.rank()).cut(cause));
                rank.endLateArrivals(gone.rank());
            }
        }
    }

    SimOptions options() {
        return options;
    }
}
