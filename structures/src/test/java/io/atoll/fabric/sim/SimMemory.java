package io.atoll.fabric.sim;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A simulated rank's own segment through the CPU. Each access of a word is a step. Stores wait in the thread's store buffer, in order, as on
 * x86; its own loads see them there.
 */
final class SimMemory implements LocalMemory {

    private final SimRank process;
    private final Scheduler scheduler;
    private final SimSegment segment;
    private final boolean delaysStores;

    SimMemory(Simulation simulation, Scheduler scheduler, SimRank process) {
        this.process = process;
        this.scheduler = scheduler;
        this.segment = simulation.segment(process.rank());
        this.delaysStores = simulation.options().delaysStores;
    }

    /** What a step did, for the trace. */
    private record Access(String verb, long offset, long value) {
        @Override
        public String toString() {
            return "local " + verb + " " + offset + ": " + value;
        }
    }

    @Override
    public long size() {
        return segment.size();
    }

    @Override
    public long get(long offset) {
        return getAcquire(offset);
    }

    @Override
    public void acquireFence() {
        // Loads take effect in the order of their calls, as on x86.
    }

    @Override
    public long getAcquire(long offset) {
        segment.check(offset, Long.BYTES);
        SimThread caller = step();
        Long stored = caller == null ? null : stored(caller, offset);
        return trace(caller, "load", offset, stored == null ? segment.get(offset) : stored);
    }

    private static @Nullable Long stored(SimThread caller, long offset) {
        List<Posted> stores = caller.storeBuffer().underWay();
        for (int i = stores.size() - 1; i >= 0; i--) {
            if (stores.get(i).offset == offset) {
                return ((Transfer) stores.get(i)).written(offset);
            }
        }
        return null;
    }

    @Override
    public void setRelease(long offset, long value) {
        segment.check(offset, Long.BYTES);
        SimThread caller = step();
        if (caller != null && delaysStores) {
            MemorySegment word = MemorySegment.ofArray(new long[]{value});
            caller.storeBuffer()
                    .post(
                            new Transfer(false, process.rank(), segment, offset, word, 0, Long.BYTES, Long.BYTES,
                                    null));
        } else {
            segment.set(offset, value);
        }
        trace(caller, "store", offset, value);
    }

    @Override
    public long getVolatile(long offset) {
        return getAcquire(offset);
    }

    @Override
    public void setVolatile(long offset, long value) {
        segment.check(offset, Long.BYTES);
        SimThread caller = stepAfterStores();
        segment.set(offset, value);
        trace(caller, "volatile store", offset, value);
    }

    @Override
    public long compareAndExchange(long offset, long expected, long value) {
        return update("compareAndExchange", offset, Atomic.exchange(expected, value));
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
        SimThread caller = stepAfterStores();
        long found = segment.get(offset);
        long updated = update.applyAsLong(found);
        if (updated != found) {
            segment.set(offset, updated);
        }
        return trace(caller, verb, offset, found);
    }

    @Override
    public void load(long offset, MemorySegment target, long position, long bytes) {
        segment.check(offset, bytes);
        for (long at : wordsInAnyOrder(bytes)) {
            target.set(JAVA_LONG, position + at, getAcquire(offset + at));
        }
    }

    @Override
    public void store(long offset, MemorySegment source, long position, long bytes) {
        segment.check(offset, bytes);
        for (long at : wordsInAnyOrder(bytes)) {
            setRelease(offset + at, source.get(JAVA_LONG, position + at));
        }
    }

    private long[] wordsInAnyOrder(long bytes) {
        long[] words = new long[Math.toIntExact(bytes / Long.BYTES)];
        for (int i = 0; i < words.length; i++) {
            int other = scheduler.random().nextInt(i + 1);
            words[i] = words[other];
            words[other] = i * (long) Long.BYTES;
        }
        return words;
    }

    @Override
    public void fullFence() {
        stepAfterStores();
    }

    private @Nullable SimThread step() {
        SimThread caller = process.caller();
        if (caller != null) {
            caller.takeStep();
        }
        return caller;
    }

    /** The step comes when the stores before it are there, and no load of the thread comes between them and it. */
    private @Nullable SimThread stepAfterStores() {
        SimThread caller = step();
        if (caller != null) {
            SimFabric.awaitStores(caller);
        }
        return caller;
    }

    private long trace(@Nullable SimThread caller, String verb, long offset, long value) {
        if (caller != null) {
            scheduler.trace().add(scheduler.steps(), caller, new Access(verb, offset, value));
        }
        return value;
    }
}
