package io.atoll.fabric.sim;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A segment as the CPU of a simulated rank reaches it: its own, or one that is mapped. Each access of a word is a step,
 * which {@link CpuOrder} may delay or advance: stores wait in the thread's store buffer, in order, and loads may be
 * early.
 */
final class SimMemory implements LocalMemory {

    private static final Object PLAIN_STORES = new Object();

    private final SimRank process;
    private final Scheduler scheduler;
    private final int target;
    private final SimSegment segment;
    private final boolean coherent;

    SimMemory(Simulation simulation, Scheduler scheduler, SimRank process, int target, SimSegment segment) {
        this.process = process;
        this.scheduler = scheduler;
        this.target = target;
        this.segment = segment;
        this.coherent = simulation.options().guarantees.coherentWithCpu();
    }

    /** What a step did, for the trace. */
    private record Access(String verb, int target, long offset, long value) {
        @Override
        public String toString() {
            return "cpu " + verb + " " + target + "+" + offset + ": " + value;
        }
    }

    @Override
    public long size() {
        return segment.size();
    }

    @Override
    public MemorySegment view(long offset, long bytes) {
        segment.check(offset, bytes);
        step();
        return segment.view(offset, bytes);
    }

    // --- loads ---

    @Override
    public long get(long offset) {
        return load("plain load", offset, false);
    }

    @Override
    public long getAcquire(long offset) {
        return load("load", offset, true);
    }

    private long load(String verb, long offset, boolean acquires) {
        segment.check(offset, Long.BYTES);
        SimThread caller = step();
        if (caller == null) {
            return segment.get(offset);
        }
        Transfer stored = caller.storeBuffer().lastWriteOf(segment, offset);
        long value = stored != null
                ? stored.written(offset)
                : process.isWeaklyOrdered()
                        ? caller.earlyLoads().load(segment, offset, acquires)
                        : loadInOrder(caller, offset);
        return trace(caller, verb, offset, value);
    }

    /**
     * Loads so that no later load goes past this one either: the thread may be alone then, and its loads may be early.
     */
    private long loadInOrder(SimThread caller, long offset) {
        caller.earlyLoads().acquire();
        return segment.get(offset);
    }

    @Override
    public long getVolatile(long offset) {
        segment.check(offset, Long.BYTES);
        SimThread caller = step();
        if (caller != null) {
            caller.earlyLoads().acquire();
        }
        Transfer stored = caller == null ? null : caller.storeBuffer().lastWriteOf(segment, offset);
        return trace(caller, "volatile load", offset, stored == null ? segment.get(offset) : stored.written(offset));
    }

    @Override
    public void load(long offset, MemorySegment into, long position, long bytes) {
        segment.check(offset, bytes);
        for (long at : wordsInAnyOrder(bytes)) {
            into.set(JAVA_LONG, position + at, get(offset + at));
        }
        acquireFence();
    }

    @Override
    public void acquireFence() {
        SimThread caller = process.caller();
        if (caller != null) {
            caller.earlyLoads().acquire();
        }
    }

    // --- stores ---

    @Override
    public void set(long offset, long value) {
        store("plain store", offset, value, PLAIN_STORES);
    }

    @Override
    public void setRelease(long offset, long value) {
        store("store", offset, value, null);
    }

    /** @param group of stores that may overtake each other, if any */
    private void store(String verb, long offset, long value, @Nullable Object group) {
        segment.check(offset, Long.BYTES);
        SimThread caller = step();
        if (caller != null && process.isWeaklyOrdered()) {
            MemorySegment word = MemorySegment.ofArray(new long[]{value});
            caller.storeBuffer()
                    .post(new Transfer(false, target, segment, offset, word, 0, Long.BYTES, Long.BYTES)
                            .passedByReads()
                            .unorderedAmong(group));
        } else {
            segment.set(offset, value);
        }
        trace(caller, verb, offset, value);
    }

    @Override
    public void setVolatile(long offset, long value) {
        segment.check(offset, Long.BYTES);
        SimThread caller = stepAndFence();
        segment.set(offset, value);
        trace(caller, "volatile store", offset, value);
    }

    @Override
    public void store(long offset, MemorySegment from, long position, long bytes) {
        segment.check(offset, bytes);
        for (long at : wordsInAnyOrder(bytes)) {
            setRelease(offset + at, from.get(JAVA_LONG, position + at));
        }
    }

    private long[] wordsInAnyOrder(long bytes) {
        long[] words = new long[Math.toIntExact(bytes / Long.BYTES)];
        for (int i = 0; i < words.length; i++) {
            int other = scheduler.fate().random().nextInt(i + 1);
            words[i] = words[other];
            words[other] = i * (long) Long.BYTES;
        }
        return words;
    }

    // --- atomics and fences ---

    @Override
    public long compareAndExchange(long offset, long expected, long value) {
        return update("compareAndExchange", offset, Atomic.exchange(expected, value));
    }

    @Override
    public long getAndSet(long offset, long value) {
        return update("getAndSet", offset, found -> value);
    }

    @Override
    public long getAndAdd(long offset, long delta) {
        return update("getAndAdd", offset, Atomic.add(delta));
    }

    @Override
    public long getAndBitwiseOr(long offset, long bits) {
        return update("getAndBitwiseOr", offset, Atomic.or(bits));
    }

    private long update(String verb, long offset, LongUnaryOperator update) {
        segment.check(offset, Long.BYTES);
        SimThread caller = stepAndFence();
        long found = segment.get(offset);
        long updated = update.applyAsLong(found);
        if (updated != found) {
            segment.set(offset, updated);
        }
        return trace(caller, verb, offset, found);
    }

    @Override
    public void fullFence() {
        stepAndFence();
    }

    private @Nullable SimThread step() {
        SimThread caller = process.caller();
        if (caller != null) {
            caller.errors().before("an access of the cpu");
            caller.takeStep();
            if (coherent) {
                // Here loads and stores are verbs, and those to one rank keep their order.
                caller.drain(caller.channel(target));
            }
            process.checkNotFenced("load or store", target, 0);
        }
        return caller;
    }

    /** Takes the step after the stores before it have arrived. No later load takes effect before it. */
    private @Nullable SimThread stepAndFence() {
        SimThread caller = step();
        if (caller != null) {
            caller.drain(caller.storeBuffer());
            caller.earlyLoads().acquire();
        }
        return caller;
    }

    private long trace(@Nullable SimThread caller, String verb, long offset, long value) {
        if (caller != null) {
            scheduler.trace().add(scheduler.steps(), caller, new Access(verb, target, offset, value));
        }
        return value;
    }
}
