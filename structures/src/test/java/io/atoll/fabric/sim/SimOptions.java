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
 * The properties of a simulated world and what may happen in it. Immutable: each method returns other options. By
 * default each rank has one segment of 64 KiB, the fabric is as weak as Soft-RoCE, and no rank pauses or dies.
 */
public final class SimOptions implements Cloneable {

    /** Shared memory: verbs are the CPU's own, words whole. */
    public static final Guarantees SHARED_MEMORY = new Guarantees(AtomicDomain.COHERENT_WITH_CPU, 8, true, true);

    /** A common network card: cache lines whole, reads in order, atomics not the CPU's. */
    public static final Guarantees NETWORK_CARD = new Guarantees(AtomicDomain.FABRIC_ONLY, 64, true, false);

    /** Soft-RoCE, and the worst that any fabric may do: words whole, reads in any order, atomics not the CPU's. */
    public static final Guarantees WEAKEST = new Guarantees(AtomicDomain.FABRIC_ONLY, 8, false, false);

    /** The fabrics on which a test tries a protocol that is for every fabric. */
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

    /** Sets what the fabric declares. The simulated fabric is no better than it declares. */
    public SimOptions guarantees(Guarantees declared) {
        return with(options -> options.guarantees = declared);
    }

    /**
     * Lets ranks and verbs pause. At each step, with this probability, the rank that would take it stands still
     * instead. If it is a step of a verb, the verb stays under way. The pause lasts between a microsecond and
     * {@link #longestPause}, short pauses as likely as long ones.
     */
    public SimOptions pauses(double probability) {
        return with(options -> options.pauseProbability = probability);
    }

    public SimOptions longestPause(Duration longest) {
        return with(options -> options.longestPauseNanos = longest.toNanos());
    }

    /**
     * Lets connections break. At each step of what a thread has sent to a rank, with this probability, the connection
     * breaks instead. Some of the verbs under way arrive, in order, and those that have arrived are not answered. They
     * arrive at once, or later, but not after the process has sent another verb to that rank. That verb goes by a new
     * connection.
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
     * Lets a connection {@linkplain #breaks break} because the network is cut. The process cannot connect to that rank
     * again for at most two of the {@linkplain #longestPause longest pauses}. Some of the verbs arrive later, but not
     * after the process has sent another verb to that rank.
     */
    public SimOptions cuts() {
        return with(options -> options.cuts = true);
    }

    /**
     * Lets errors strike. They strike a thread that is {@linkplain Simulation#exposed exposed} to them. At each of its
     * accesses to memory, with this probability, an error strikes instead of the access, or just after it.
     *
     * @param most how often in a run, at most
     */
    public SimOptions errors(double probability, int most) {
        return with(options -> {
            options.errorProbability = probability;
            options.mostErrors = most;
        });
    }

    /**
     * Lets the fabric say that a failed verb was not executed, although its connections {@linkplain #breaks break}: for
     * tests that must fail.
     */
    public SimOptions claimsToExecuteAtOnce() {
        return with(options -> options.executesAtOnce = true);
    }

    boolean executesAtOnce() {
        return executesAtOnce || guarantees.coherentWithCpu() && breakProbability == 0;
    }

    /**
     * Lets ranks die. At each step of one of these ranks, with this probability, it dies instead. A rank dies at most
     * once.
     */
    public SimOptions kills(double probability, Integer... mortals) {
        return with(options -> {
            options.killProbability = probability;
            options.mortals = Set.of(mortals);
        });
    }

    /**
     * Lets the rank die instead of taking its n-th step, counted from 1. A loop over n, until the rank is no longer
     * dead in the end, is a kill between any two steps.
     */
    public SimOptions killAt(int rank, int step) {
        return with(options -> {
            options.killSteps = new HashMap<>(options.killSteps);
            options.killSteps.put(rank, step);
        });
    }

    /** Lets half of the ranks that are declared dead go on nevertheless, until they are fenced. */
    public SimOptions zombies() {
        return with(options -> options.zombies = true);
    }

    /**
     * Gives half of the ranks that are started again another segment, which is zero. The others learn of it later, each
     * at a time of its own, see {@link Simulation#onLoss}. Until then they cannot reach the rank.
     */
    public SimOptions losesMemory() {
        return with(options -> options.losesMemory = true);
    }

    /**
     * Makes the segment of a dead rank unreachable until the rank is started again. By default it is used as before, as
     * on one host.
     */
    public SimOptions segmentsDieWithRanks() {
        return with(options -> options.segmentsOutliveRanks = false);
    }

    /**
     * Lets survivors unmap the dead. Some time after a rank was declared dead, each survivor stops reaching its
     * segment, at a time of its own. It reaches it again some time after the rank is started again. Without a restart
     * no survivor ever reads again what the dead rank has left there.
     */
    public SimOptions survivorsUnmapTheDead() {
        return with(options -> options.unmapsTheDead = true);
    }

    /** Sets the order of the CPU. Defaults to {@link CpuOrder#WEAK_WHERE_ALONE}. */
    public SimOptions cpuOrder(CpuOrder order) {
        return with(options -> options.cpuOrder = order);
    }

    /** Maps no segment into another process, although the fabric may be coherent with the CPU. */
    public SimOptions unmapped() {
        return with(options -> options.mapped = false);
    }

    /**
     * Returns true if segments are mapped, as on one host. No connection can break on the way to mapped memory, and the
     * memory stays when its owner dies.
     */
    boolean mapped() {
        return mapped && guarantees.coherentWithCpu() && breakProbability == 0 && segmentsOutliveRanks;
    }

    /** Sets the most steps of a run. A run of more steps has failed: a thread waits for ever. */
    public SimOptions maximumSteps(long steps) {
        return with(options -> options.maximumSteps = steps);
    }

    /**
     * Sets the longest silence. A run in which no step is taken for this long, of real time, has failed: a thread
     * blocks, or runs in circles.
     */
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
