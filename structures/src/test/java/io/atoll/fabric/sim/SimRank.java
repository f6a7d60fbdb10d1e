package io.atoll.fabric.sim;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.RankUnreachableException;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.SplittableRandom;
import java.util.function.IntConsumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** One process of the simulated world: a rank from its start, in one incarnation, to its end. */
public final class SimRank {

    /** The body of one of several threads. */
    public interface NumberedBody {
        void run(int number) throws Exception;
    }

    private final Simulation simulation;
    private final Scheduler scheduler;
    private final int rank;
    private final int incarnation;
    private final List<SimFabric> fabrics = new ArrayList<>(); // the last one reaches the present segments
    private Endpoint endpoint;
    private final SplittableRandom random;
    private final List<SimThread> threads = new ArrayList<>();
    private final List<List<LateArrivals>> lateArrivals; // by segment, as the next field
    private final long[] cutUntilNanos;
    private final BitSet fencedSegments = new BitSet();
    private final BitSet unmappedSegments = new BitSet();
    private final int[] births; // of the segments that it reaches
    private final List<IntConsumer> remapping = new ArrayList<>(); // told of changes in both sets above
    private int busyThreads; // that do not wait for others of the rank
    private int steps;
    private long pausedUntilNanos;
    private boolean doomed;
    private boolean dead;
    private boolean stopped;

    SimRank(Simulation simulation, Scheduler scheduler, int rank, int incarnation, int[] births) {
        this.births = births.clone();
        this.simulation = simulation;
        this.scheduler = scheduler;
        this.rank = rank;
        this.incarnation = incarnation;
        this.doomed = incarnation > 1;
        this.random = scheduler.fate().random().split();
        fabrics.add(new SimFabric(simulation, scheduler, this));
        this.endpoint = new Endpoint(fabric());
        this.cutUntilNanos = new long[simulation.size()];
        this.lateArrivals = IntStream.range(0, simulation.size())
                .<List<LateArrivals>>mapToObj(_ -> new ArrayList<>())
                .toList();
    }

    public int rank() {
        return rank;
    }

    /** Returns how often the rank has been started, from 1. */
    public int incarnation() {
        return incarnation;
    }

    public SimFabric fabric() {
        return fabrics.getLast();
    }

    public Endpoint endpoint() {
        return endpoint;
    }

    public Simulation simulation() {
        return simulation;
    }

    /** Returns randomness for the program, which comes from the seed, too. */
    public SplittableRandom random() {
        return random;
    }

    /** Runs the body on that many threads of this rank, numbered 0, 1, ..., and returns when all have ended. */
    public void inParallel(int count, NumberedBody body) {
        SimThread caller = scheduler.caller();
        if (caller == null || caller.rank() != this) {
            throw new IllegalStateException("only a thread of this rank starts others: rank=" + rank);
        }
        caller.drain(caller.storeBuffer());
        List<SimThread> family = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int index = i;
            family.add(start(threads.size(), () -> body.run(index)));
        }
        busyThreads--;
        caller.await(new Awaitable() {
            @Override
            public boolean isDone() {
                return family.stream().allMatch(SimThread::hasEnded);
            }

            @Override
            public String toString() {
                return family.toString();
            }
        });
        busyThreads++;
    }

    /**
     * Repeats the action until every rank that it needs can be reached.
     *
     * @param meanwhile what to do after each failure
     */
    public <T> T persist(Supplier<T> action, Runnable meanwhile) {
        while (true) {
            try {
                return action.get();
            } catch (RankUnreachableException gone) {
                meanwhile.run();
                fabric().clock().pause(8);
            }
        }
    }

    SimThread start(int index, SimThread.Body body) {
        var thread = new SimThread(scheduler, this, index, body);
        threads.add(thread);
        scheduler.add(thread);
        busyThreads++;
        return thread;
    }

    void hasEnded(SimThread thread) {
        busyThreads--;
        scheduler.leave(thread);
    }

    /** Returns true if its loads and stores may take effect in another order than that of the program. */
    boolean isWeaklyOrdered() {
        return switch (simulation.options().cpuOrder) {
            case PROGRAM -> false;
            case WEAK_WHERE_ALONE -> busyThreads <= 1;
            case WEAK -> true;
        };
    }

    Channel[] openChannels(SimThread thread) {
        Channel[] channels = new Channel[simulation.size()];
        for (int target = 0; target < channels.length; target++) {
            channels[target] = new Channel(scheduler, thread, "on the way to rank " + target, target);
        }
        return channels;
    }

    List<SimThread> threads() {
        return threads;
    }

    /**
     * Cuts the network to that segment. Late verbs may arrive by it when it is whole again. The network to the own
     * segment is cut for no time.
     */
    void isCutFrom(int segment, LateArrivals late) {
        lateArrivals.get(segment).add(late);
        long wholeNanos = scheduler.nowNanos() + scheduler.fate().anyPauseNanos();
        late.beginAt(wholeNanos);
        if (segment != rank) {
            cutUntilNanos[segment] = wholeNanos + scheduler.fate().anyPauseNanos();
        }
    }

    /** Returns true if it cannot connect to the owner of that segment. */
    boolean isCutOff(int segment) {
        return scheduler.nowNanos() < cutUntilNanos[segment];
    }

    /** Lets nothing arrive any more by a broken connection to that segment. */
    void endLateArrivals(int segment) {
        List<LateArrivals> late = lateArrivals.get(segment);
        late.forEach(LateArrivals::end);
        late.clear();
    }

    // --- standing still ---

    void pause(long untilNanos) {
        pausedUntilNanos = untilNanos;
    }

    long pausedUntilNanos() {
        return stopped ? 0 : pausedUntilNanos;
    }

    // --- the end ---

    /** Returns true if it dies instead of taking the step that it is about to take. */
    boolean diesNow() {
        steps++;
        if (doomed || !scheduler.fate().kills(rank, steps)) {
            return false;
        }
        doomed = true;
        simulation.kill(this);
        return true;
    }

    void declareDead() {
        dead = true;
    }

    /** Returns true if others have been told that it is dead. */
    boolean isDead() {
        return dead;
    }

    /** Stops its threads, which take no further step. What they have sent is still on its way. */
    void stop() {
        if (!stopped) {
            stopped = true;
            threads.forEach(thread -> thread.storeBuffer().drain());
            scheduler.unwind(threads);
            simulation.hasStopped(this);
        }
    }

    boolean isStopped() {
        return stopped;
    }

    /** Returns true if a thread with this end ends in order: it was killed, or it noticed that it was declared dead. */
    boolean endsBy(Throwable end) {
        return stopped || dead && end instanceof RankUnreachableException;
    }

    /**
     * Lets nothing of it reach that segment from now on. It could reach its own segment without the fabric, so its own
     * fence stops it.
     */
    void fence(int segment) {
        fencedSegments.set(segment);
        if (segment == rank) {
            stop();
        }
        for (SimThread thread : threads) {
            thread.storeBuffer().drain();
            thread.channel(segment).cut(revoked("post", segment, 0));
        }
        endLateArrivals(segment);
        tellRemapped(segment);
    }

    /** Returns the incarnation of the rank in which the segment that this process reaches was made. */
    public int born(int segment) {
        return births[segment];
    }

    private void tellRemapped(int segment) {
        remapping.forEach(listener -> listener.accept(segment));
    }

    void whenRemapped(IntConsumer listener) {
        remapping.add(listener);
    }

    /**
     * Notes that the segment which it has reached of that rank is lost. It reaches the present segment by another
     * fabric.
     */
    void renew(int lost, int born) {
        births[lost] = born;
        fabrics.forEach(former -> former.lose(lost, born));
        fabrics.add(fabric().renewed(lost));
        endpoint = new Endpoint(fabric());
        tellRemapped(lost);
    }

    /**
     * Makes it reach that segment no more, since its owner has died, or cannot be connected to. Verbs under way there
     * arrive, or do not, as before.
     */
    public void unmap(int segment) {
        unmappedSegments.set(segment);
        tellRemapped(segment);
    }

    /** Makes it reach the segment again: the owner has been started again, or can be connected to. */
    public void map(int segment) {
        unmappedSegments.clear(segment);
        tellRemapped(segment);
    }

    /** Returns true if the segment can be reached from here, unless this rank has been shut out of it. */
    boolean reaches(int segment) {
        return simulation.isReachable(segment) && !unmappedSegments.get(segment);
    }

    boolean isFencedEverywhere() {
        return fencedSegments.cardinality() == simulation.size();
    }

    boolean isFenced(int segment) {
        return fencedSegments.get(segment);
    }

    void checkNotFenced(String verb, int segment, long offset) {
        if (fencedSegments.get(segment)) {
            throw revoked(verb, segment, offset).in(fabric().structures().find(segment, offset));
        }
    }

    private RankUnreachableException revoked(String verb, int segment, long offset) {
        return new RankUnreachableException("this rank was declared dead and has no access any more", verb, segment,
                offset);
    }

    @Nullable SimThread caller() {
        SimThread caller = scheduler.caller();
        if (caller != null && caller.rank() != this) {
            throw new IllegalStateException("a rank uses its own fabric: thread=" + caller + " fabric=rank " + rank);
        }
        return caller;
    }

    @Override
    public String toString() {
        return "rank " + rank + " incarnation " + incarnation;
    }
}
