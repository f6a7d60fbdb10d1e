package io.atoll.fabric.sim;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.StructureLocator;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.Objects;
import java.util.function.IntConsumer;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/** The fabric of one process in a simulated world; {@link Simulation} says what it may do. */
public final class SimFabric implements Fabric {

    /** Writes that a thread may have under way to one rank; a further one waits until all have arrived. */
    private static final int SEND_QUEUE = 16;

    private final Simulation simulation;
    private final Scheduler scheduler;
    private final SimRank process;
    private final Guarantees guarantees;
    private final StructureLocator structures = new StructureLocator();
    private final LocalMemory[] memories;
    private final SimSegment[] known; // by rank: the segment that it has reached since its beginning, and no other
    private final int[] lostSince; // by rank; 0 if nothing was lost, or the process has yet to learn it
    private final Batch batchOutsideOfRuns;

    SimFabric(Simulation simulation, Scheduler scheduler, SimRank process) {
        this(simulation, scheduler, process, segments(simulation));
    }

    private SimFabric(Simulation simulation, Scheduler scheduler, SimRank process, SimSegment[] known) {
        this.simulation = simulation;
        this.scheduler = scheduler;
        this.process = process;
        this.guarantees = simulation.options().guarantees;
        this.memories = new LocalMemory[simulation.size()];
        this.known = known;
        this.lostSince = new int[simulation.size()];
        Arrays.setAll(memories, rank -> new SimMemory(simulation, scheduler, process, rank, known[rank]));
        this.batchOutsideOfRuns = newBatch(Batch.THREAD_BUFFER_BYTES);
    }

    private static SimSegment[] segments(Simulation simulation) {
        SimSegment[] segments = new SimSegment[simulation.size()];
        Arrays.setAll(segments, simulation::segment);
        return segments;
    }

    /** Returns a fabric that reaches the same segments, and the present segment of the rank. */
    SimFabric renewed(int rank) {
        SimSegment[] segments = known.clone();
        segments[rank] = simulation.segment(rank);
        return new SimFabric(simulation, scheduler, process, segments);
    }

    void lose(int rank, int born) {
        lostSince[rank] = lostSince[rank] == 0 ? born : lostSince[rank];
    }

    private boolean reaches(int rank) {
        return known[rank] == simulation.segment(rank) && process.reaches(rank);
    }

    @Override
    public int rank() {
        return process.rank();
    }

    @Override
    public int size() {
        return simulation.size();
    }

    @Override
    public Guarantees guarantees() {
        return guarantees;
    }

    @Override
    public boolean executesAtOnce(int target) {
        return simulation.options().executesAtOnce();
    }

    // --- verbs ---

    @Override
    public void read(int rank, long offset, MemorySegment target, long position, long bytes) {
        await(transfer(true, rank, offset, target, position, bytes));
    }

    @Override
    public long readWord(int rank, long offset) {
        MemorySegment word = MemorySegment.ofArray(new long[1]);
        read(rank, offset, word, 0, Long.BYTES);
        return word.get(JAVA_LONG, 0);
    }

    @Override
    public void write(int rank, long offset, MemorySegment source, long position, long bytes) {
        MemorySegment copy = MemorySegment.ofArray(new long[Math.toIntExact(Math.ceilDiv(bytes, Long.BYTES))]);
        MemorySegment.copy(source, position, copy, 0, bytes);
        send(transfer(false, rank, offset, copy, 0, bytes));
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        MemorySegment word = MemorySegment.ofArray(new long[]{value});
        send(transfer(false, rank, offset, word, 0, Long.BYTES));
    }

    @Override
    public long compareAndExchange(int rank, long offset, long expected, long value) {
        return await(atomic("compareAndExchange", rank, offset, Atomic.exchange(expected, value)));
    }

    @Override
    public long getAndAdd(int rank, long offset, long delta) {
        return await(atomic("getAndAdd", rank, offset, Atomic.add(delta)));
    }

    @Override
    public long getAndBitwiseOr(int rank, long offset, long bits) {
        return guarantees.fetchOr()
                ? await(atomic("getAndBitwiseOr", rank, offset, Atomic.or(bits)))
                : Composed.getAndBitwiseOr(this, rank, offset, bits);
    }

    @Override
    public long getAndSet(int rank, long offset, long value) {
        return guarantees.fetchOr()
                ? await(atomic("getAndSet", rank, offset, found -> value))
                : Composed.getAndSet(this, rank, offset, value);
    }

    @Override
    public void flush(int rank) {
        checkAccess("flush", rank, 0);
        SimThread caller = process.caller();
        if (caller != null) {
            caller.errors().before("flush");
            caller.takeStep();
            for (SimThread thread : process.threads().toArray(SimThread[]::new)) {
                Posted last = thread.channel(rank).last();
                if (last != null) {
                    caller.await(last);
                }
                if (thread == caller) {
                    thread.channel(rank).throwLoss();
                } else {
                    thread.channel(rank).throwOthersLoss();
                }
            }
            strikeAfter(caller, "flush");
        }
    }

    @Override
    public void flush() {
        for (int rank = 0; rank < size(); rank++) {
            if (reaches(rank)) {
                flush(rank);
            }
        }
    }

    @Override
    public Batch batch() {
        SimThread caller = process.caller();
        Batch batch = caller == null ? batchOutsideOfRuns : caller.batch(this);
        ((SimBatch) batch).reset();
        return batch;
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return new SimBatch(this, bufferBytes);
    }

    @Override
    public @Nullable LocalMemory mapped(int rank) {
        boolean mapped = simulation.options().mapped() && reaches(rank) && !process.isFenced(rank);
        return mapped ? memories[rank] : null;
    }

    /**
     * Tells the listener when this process is shut out, and when dead ranks are unmapped. Nothing is mapped except on
     * one host.
     */
    @Override
    public void whenRemapped(IntConsumer listener) {
        process.whenRemapped(listener);
    }

    @Override
    public LocalMemory local() {
        return memories[process.rank()];
    }

    @Override
    public StructureLocator structures() {
        return structures;
    }

    @Override
    public Clock clock() {
        return clock;
    }

    @Override
    public void close() {
        // There is nothing to give back.
    }

    // --- what becomes of verbs ---

    Transfer transfer(boolean isRead, int rank, long offset, MemorySegment here, long position, long bytes) {
        SimSegment segment = segment(isRead ? "read" : "write", rank, offset, bytes);
        Objects.checkFromIndexSize(position, bytes, here.byteSize());
        return new Transfer(isRead, rank, segment, offset, here, position, bytes, guarantees.atomicReadBytes());
    }

    Atomic atomic(String verb, int rank, long offset, LongUnaryOperator update) {
        SimSegment segment = segment(verb, rank, offset, Long.BYTES);
        return new Atomic(verb, rank, segment, offset, update, guarantees.coherentWithCpu());
    }

    private SimSegment segment(String verb, int rank, long offset, long bytes) {
        SimSegment segment = known[rank];
        segment.check(offset, bytes);
        checkAccess(verb, rank, offset);
        return segment;
    }

    private void checkAccess(String verb, int rank, long offset) {
        if (lostSince[rank] != 0) {
            throw new SegmentLostException(lostSince[rank], verb, rank, offset).in(structures.find(rank, offset));
        }
        if (!reaches(rank)) {
            SimThread caller = process.caller();
            if (caller != null) {
                caller.channel(rank).forgetBreak();
            }
            throw unreachable(verb, rank, offset).in(structures.find(rank, offset));
        }
        process.checkNotFenced(verb, rank, offset);
    }

    static RankUnreachableException unreachable(String verb, int rank, long offset) {
        return new RankUnreachableException("the rank has died", verb, rank, offset);
    }

    private long await(Atomic verb) {
        await((Posted) verb);
        return verb.found();
    }

    private void await(Posted verb) {
        SimThread caller = process.caller();
        if (caller != null) {
            caller.errors().before(verb);
        }
        post(caller, verb);
        if (caller != null) {
            caller.await(verb);
        }
        verb.throwFailure();
        strikeAfter(caller, verb);
    }

    private void send(Transfer write) {
        SimThread caller = process.caller();
        if (caller != null) {
            caller.errors().before(write);
            caller.takeStep();
        }
        post(caller, write);
        if (caller != null && caller.channel(write.target).length() > SEND_QUEUE) {
            caller.drain(caller.channel(write.target));
        }
        strikeAfter(caller, write);
    }

    /** Strikes after a verb, on a fabric where a verb that has failed may have been executed. */
    void strikeAfter(@Nullable SimThread caller, Object verb) {
        if (caller != null && !simulation.options().executesAtOnce()) {
            caller.errors().after(verb);
        }
    }

    /** Posts the verb. */
    void post(@Nullable SimThread caller, Posted verb) {
        if (caller == null) {
            verb.runToEnd(scheduler.fate().random());
            return;
        }
        if (!mayPassStores(caller, verb)) {
            caller.drain(caller.storeBuffer());
        }
        if (verb instanceof Transfer write && write.isWrite() && guarantees.coherentWithCpu()
                && process.isWeaklyOrdered()) {
            write.passedByReads();
        }
        caller.stopIfKilled();
        // Once more: others have taken steps since the verb was called.
        checkAccess("post", verb.target, verb.offset);
        connect(caller, verb);
        // An atomic that returned would say that the writes before it have arrived.
        caller.channel(verb.target).throwBreak();
        caller.channel(verb.target).post(verb);
    }

    /** Replaces all broken connections to a rank before one is used, as links do. */
    private void connect(SimThread caller, Posted verb) {
        if (process.isCutOff(verb.target)) {
            // Otherwise a thread that tries again at once would keep all others from their steps.
            caller.takeStep();
            caller.channel(verb.target).forgetBreak();
            throw new RankUnreachableException("cannot connect", "post", verb.target, verb.offset);
        }
        process.endLateArrivals(verb.target);
    }

    /**
     * Returns true if the verb may take effect before earlier stores of the CPU. Only a read may, and only where verbs
     * are the CPU's own: it is a load then. All other verbs wait for the stores.
     */
    private boolean mayPassStores(SimThread caller, Posted verb) {
        return guarantees.coherentWithCpu() && verb instanceof Transfer read && !read.isWrite()
                && caller.storeBuffer().mayAllBeOvertakenBy(verb);
    }

    @Nullable SimThread caller() {
        return process.caller();
    }

    Scheduler scheduler() {
        return scheduler;
    }

    private final Clock clock = new Clock() {

        private static final int DOUBLINGS = 10;
        private static final int MOST_PAUSES = 1_000_000;

        @Override
        public long nanoTime() {
            return scheduler.nowNanos();
        }

        /**
         * Lets time pass outside of a run, too: otherwise a thread that waits there until the network is whole would
         * wait for ever.
         */
        private void passIfCut(int attempt, long nanos) {
            if (process.simulation().options().cuts) {
                scheduler.pass(nanos);
            } else if (attempt > MOST_PAUSES) {
                throw new IllegalStateException(
                        "no time passes outside of a run, so this wait never ends: pauses=" + attempt);
            }
        }

        @Override
        public void pause(int attempt) {
            SimThread caller = process.caller();
            long nanos = Scheduler.STEP_NANOS << Math.min(attempt, DOUBLINGS);
            if (caller == null) {
                passIfCut(attempt, nanos);
            } else {
                caller.errors().before("a pause");
                caller.sleep(scheduler.nowNanos() + nanos - Scheduler.STEP_NANOS);
            }
        }
    };
}
