package io.atoll.fabric.sim;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.memory.Layouts;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/**
 * What a simulated world is like and what may happen in it. Immutable: each method returns other options. Without further words: one
 * segment of 64 KiB a rank, a fabric as weak as Soft-RoCE, nobody pauses, nobody dies.
 */
public final class SimOptions implements Cloneable {

    /** Shared memory: verbs are the CPU's own, words whole. */
    public static final Guarantees SHARED_MEMORY = new Guarantees(AtomicDomain.COHERENT_WITH_CPU, 8, true, true);

    /** A common network card: cache lines whole, reads in order, atomics not the CPU's. */
    public static final Guarantees NETWORK_CARD = new Guarantees(AtomicDomain.FABRIC_ONLY, 64, true, false);

    /** Soft-RoCE, and what any fabric may do at worst: words whole, reads in any order, atomics not the CPU's. */
    public static final Guarantees WEAKEST = new Guarantees(AtomicDomain.FABRIC_ONLY, 8, false, false);

    /** What a protocol for every fabric is tried on. */
    public static final List<Guarantees> EVERY_FABRIC = List.of(SHARED_MEMORY, NETWORK_CARD, WEAKEST);

    final int ranks;
    long segmentBytes = 64 << 10;
    Guarantees guarantees = WEAKEST;
    double pauseProbability;
    long longestPauseNanos = Duration.ofMillis(4).toNanos();
    double breakProbability;
    int mostBreaks;
    boolean cuts;
    double errorProbability;
    int mostErrors;
    boolean executesAtOnce;
    double killProbability;
    Set<Integer> mortals = Set.of();
    Map<Integer, Integer> killSteps = Map.of();
    boolean zombies;
    boolean losesMemory;
    boolean segmentsOutliveRanks = true;
    boolean unmapsTheDead;
    private boolean mapped = true;
    CpuOrder cpuOrder = CpuOrder.WEAK_WHERE_ALONE;
    long maximumSteps = 200_000;
    long longestSilenceMillis = 30_000;

    private SimOptions(int ranks) {
        if (ranks < 1) {
            throw new IllegalArgumentException("a world has at least one rank: ranks=" + ranks);
        }
        this.ranks = ranks;
    }

    public static SimOptions ranks(int ranks) {
        return new SimOptions(ranks);
    }

    /** @param bytes a multiple of 64 */
    public SimOptions segmentBytes(long bytes) {
        if (bytes <= 0 || bytes % Layouts.CACHE_LINE != 0) {
            throw new IllegalArgumentException("a segment has whole cache lines: segmentBytes=" + bytes);
        }
        return with(options -> options.segmentBytes = bytes);
    }

    /** What the fabric declares, and makes no better than it declares. */
    public SimOptions guarantees(Guarantees declared) {
        return with(options -> options.guarantees = declared);
    }

    /**
     * At each step, with this probability, the rank whose step it was stands still instead, or what it has sent stays under way,
     * for a time between a microsecond and {@link #longestPause}, short ones as likely as long ones.
     */
    public SimOptions pauses(double probability) {
        return with(options -> options.pauseProbability = probability);
    }

    public SimOptions longestPause(Duration longest) {
        return with(options -> options.longestPauseNanos = longest.toNanos());
    }

    /**
     * At each step of what a thread has sent to a rank, with this probability, the connection breaks instead: of what is under way some arrives, in order,
     * and what has arrived is not answered. It arrives at once, or later, but not after the process has sent another verb to that rank. That one goes by a new connection.
     *
     * @param most how often in a run, at most
     */
    public SimOptions breaks(double probability, int most) {
        return with(options -> {
            options.breakProbability = probability;
            options.mostBreaks = most;
        });
    }

    /**
     * A connection {@linkplain #breaks breaks} since the network is cut. The process cannot connect to that rank again for two of the {@linkplain #longestPause longest pauses} at most. Some of what arrives does
     * so later, but not after the process has sent another verb to that rank.
     */
    public SimOptions cuts() {
        return with(options -> options.cuts = true);
    }

    /**
     * At each access to memory of a thread that is {@linkplain Simulation#exposed exposed} to errors, with this
     * probability, an error strikes it instead, or just after that.
     *
     * @param most how often in a run, at most
     */
    public SimOptions errors(double probability, int most) {
        return with(options -> {
            options.errorProbability = probability;
            options.mostErrors = most;
        });
    }

    /** The fabric says that what has failed was not executed, although it {@linkplain #breaks breaks}: for tests that must fail. */
    public SimOptions claimsToExecuteAtOnce() {
        return with(options -> options.executesAtOnce = true);
    }

    boolean executesAtOnce() {
        return executesAtOnce || guarantees.coherentWithCpu() && breakProbability == 0;
    }

    /** At each step of one of these ranks, with this probability, it dies instead. A rank dies once at most. */
    public SimOptions kills(double probability, Integer... mortals) {
        return with(options -> {
            options.killProbability = probability;
            options.mortals = Set.of(mortals);
        });
    }

    /**
     * The rank dies instead of taking its n-th step, counted from 1. A loop over n, until the rank is no longer dead in the end, is a kill
     * between any two steps.
     */
    public SimOptions killAt(int rank, int step) {
        return with(options -> {
            options.killSteps = new HashMap<>(options.killSteps);
            options.killSteps.put(rank, step);
        });
    }

    /** Half of the ranks that are declared dead go on nevertheless, until they are fenced. */
    public SimOptions zombies() {
        return with(options -> options.zombies = true);
    }

    /**
     * Half of the ranks that are started again have another segment, which is zero. The others learn of it later, each at
     * a time of its own, see {@link Simulation#onLoss}; until then the rank is out of their reach.
     */
    public SimOptions losesMemory() {
        return with(options -> options.losesMemory = true);
    }

    /** The segment of a dead rank is unreachable until the rank is started again. Else it is used as before, as on one host. */
    public SimOptions segmentsDieWithRanks() {
        return with(options -> options.segmentsOutliveRanks = false);
    }

    /**
     * Some time after a rank was declared dead each survivor, at a time of its own, reaches its segment no more, until some time after it is started again. Without a restart nobody ever reads again
     * what the dead rank has left there.
     */
    public SimOptions survivorsUnmapTheDead() {
        return with(options -> options.unmapsTheDead = true);
    }

    /** {@link CpuOrder#WEAK_WHERE_ALONE} without further words. */
    public SimOptions cpuOrder(CpuOrder order) {
        return with(options -> options.cpuOrder = order);
    }

    /** No segment is mapped into another process, although the fabric may be coherent with the CPU. */
    public SimOptions unmapped() {
        return with(options -> options.mapped = false);
    }

    /** As on one host: there is no connection that breaks on the way to memory that is mapped, and it stays when who owns it dies. */
    boolean mapped() {
        return mapped && guarantees.coherentWithCpu() && breakProbability == 0 && segmentsOutliveRanks;
    }

    /** A run of more steps has failed: somebody waits for ever. */
    public SimOptions maximumSteps(long steps) {
        return with(options -> options.maximumSteps = steps);
    }

    /** A run in which no step is taken for so long, of real time, has failed: a thread blocks, or runs in circles. */
    SimOptions longestSilence(Duration longest) {
        return with(options -> options.longestSilenceMillis = longest.toMillis());
    }

    private SimOptions with(Consumer<SimOptions> change) {
        try {
            var copy = (SimOptions) clone();
            change.accept(copy);
            return copy;
        } catch (CloneNotSupportedException impossible) {
            throw new AssertionError(impossible);
        }
    }
}
