package io.atoll.fabric.exhaustive;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.fabric.Batch;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.MappedMemory;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;

/** A batch whose verbs are executed as they are added, each a step. */
final class ReplayedBatch implements Batch {

    private final ReplayedFabric fabric;
    private final MemorySegment buffer;
    private final List<Long> results = new ArrayList<>();

    ReplayedBatch(ReplayedFabric fabric, long bufferBytes) {
        this.fabric = fabric;
        this.buffer = MemorySegment.ofArray(new long[Math.toIntExact(bufferBytes / Long.BYTES)]);
    }

    @Override
    public MemorySegment buffer() {
        return buffer;
    }

    @Override
    public MemorySegment buffer(long bytes) {
        return buffer;
    }

    @Override
    public LocalMemory memory() {
        return new MappedMemory(buffer);
    }

    @Override
    public LocalMemory memory(long bytes) {
        return memory();
    }

    @Override
    public long word(long position) {
        return buffer.get(JAVA_LONG, position);
    }

    @Override
    public void setWord(long position, long value) {
        buffer.set(JAVA_LONG, position, value);
    }

    @Override
    public void read(int rank, long offset, long position, long bytes) {
        fabric.read(rank, offset, buffer, position, bytes);
    }

    @Override
    public void write(int rank, long offset, long position, long bytes) {
        fabric.write(rank, offset, buffer, position, bytes);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        fabric.writeWord(rank, offset, value);
    }

    @Override
    public int compareAndExchange(int rank, long offset, long expected, long value) {
        return keep(fabric.compareAndExchange(rank, offset, expected, value));
    }

    @Override
    public int getAndAdd(int rank, long offset, long delta) {
        return keep(fabric.getAndAdd(rank, offset, delta));
    }

    private int keep(long result) {
        results.add(result);
        return results.size() - 1;
    }

    @Override
    public long result(int index) {
        return results.get(index);
    }

    @Override
    public void complete() {
        results.clear();
    }

    @Override
    public void post() {
        results.clear();
    }

    @Override
    public boolean poll() {
        return true;
    }

    @Override
    public void close() {
        // The buffer belongs to the garbage collector.
    }
}
