package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * A batch that takes one more round trip for each posting. The round trips of several batches that are under way
 * overlap.
 */
final class DelayedBatch implements Batch {

    private final Batch wrapped;
    private final Delay delay;
    private boolean empty = true; // true if no verb was added since the last posting
    private long bytes; // of the verbs added since the last posting
    private boolean underWay;
    private long dueNanos; // valid while the batch is under way

    DelayedBatch(Batch wrapped, Delay delay) {
        this.wrapped = wrapped;
        this.delay = delay;
    }

    @Override
    public MemorySegment buffer() {
        return wrapped.buffer();
    }

    @Override
    public LocalMemory memory() {
        return wrapped.memory();
    }

    @Override
    public MemorySegment buffer(long bytes) {
        return wrapped.buffer(bytes);
    }

    @Override
    public LocalMemory memory(long bytes) {
        return wrapped.memory(bytes);
    }

    @Override
    public long word(long position) {
        return wrapped.word(position);
    }

    @Override
    public void setWord(long position, long value) {
        wrapped.setWord(position, value);
    }

    @Override
    public void read(int rank, long offset, long position, long length) {
        wrapped.read(rank, offset, position, length);
        added(length);
    }

    @Override
    public void write(int rank, long offset, long position, long length) {
        wrapped.write(rank, offset, position, length);
        added(length);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        wrapped.writeWord(rank, offset, value);
        added(Long.BYTES);
    }

    @Override
    public int compareAndExchange(int rank, long offset, long expected, long value) {
        int index = wrapped.compareAndExchange(rank, offset, expected, value);
        added(Long.BYTES);
        return index;
    }

    @Override
    public int getAndAdd(int rank, long offset, long delta) {
        int index = wrapped.getAndAdd(rank, offset, delta);
        added(Long.BYTES);
        return index;
    }

    private void added(long length) {
        empty = false;
        bytes += length;
    }

    @Override
    public long result(int index) {
        return wrapped.result(index);
    }

    @Override
    public void complete() {
        depart();
        wrapped.complete();
        if (underWay) {
            Delay.await(dueNanos);
            underWay = false;
        }
    }

    @Override
    public void post() {
        depart();
        wrapped.post();
    }

    private void depart() {
        if (!empty) {
            dueNanos = delay.dueNanos(bytes);
            underWay = true;
            empty = true;
            bytes = 0;
        }
    }

    @Override
    public boolean poll() {
        if (!wrapped.poll() || underWay && !Delay.isOver(dueNanos)) {
            return false;
        }
        underWay = false;
        return true;
    }

    @Override
    public void close() {
        wrapped.close();
    }
}
