package io.atoll.fabric.exhaustive;

import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/** The segment through the CPU: each access of a word is a step. */
final class ReplayedMemory implements LocalMemory {

    private static final long BYTES = 1 << 20; // as far as anyone asks

    private final ReplayedFabric fabric;

    ReplayedMemory(ReplayedFabric fabric) {
        this.fabric = fabric;
    }

    @Override
    public long size() {
        return BYTES;
    }

    @Override
    public MemorySegment view(long offset, long bytes) {
        throw new UnsupportedOperationException("what is done there would be no step");
    }

    @Override
    public long get(long offset) {
        return fabric.readWord(fabric.rank(), offset);
    }

    @Override
    public long getAcquire(long offset) {
        return get(offset);
    }

    @Override
    public long getVolatile(long offset) {
        return get(offset);
    }

    @Override
    public void set(long offset, long value) {
        setRelease(offset, value);
    }

    @Override
    public void setRelease(long offset, long value) {
        fabric.writeWord(fabric.rank(), offset, value);
    }

    @Override
    public void setVolatile(long offset, long value) {
        setRelease(offset, value);
    }

    @Override
    public long compareAndExchange(long offset, long expected, long value) {
        return fabric.compareAndExchange(fabric.rank(), offset, expected, value);
    }

    /** As fabrics without an exchange do it. */
    @Override
    public long getAndSet(long offset, long value) {
        long seen = get(offset);
        long witness = compareAndExchange(offset, seen, value);
        while (witness != seen) {
            seen = witness;
            witness = compareAndExchange(offset, seen, value);
        }
        return seen;
    }

    @Override
    public long getAndAdd(long offset, long delta) {
        return fabric.getAndAdd(fabric.rank(), offset, delta);
    }

    @Override
    public long getAndBitwiseOr(long offset, long bits) {
        return fabric.getAndBitwiseOr(fabric.rank(), offset, bits);
    }

    @Override
    public void load(long offset, MemorySegment target, long position, long bytes) {
        fabric.read(fabric.rank(), offset, target, position, bytes);
    }

    @Override
    public void store(long offset, MemorySegment source, long position, long bytes) {
        fabric.write(fabric.rank(), offset, source, position, bytes);
    }

    @Override
    public void acquireFence() {
        // Every step is in order.
    }

    @Override
    public void fullFence() {
        // Every step is in order.
    }
}
