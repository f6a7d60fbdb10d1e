package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.trace.Journal.Kind;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/** A batch that records its verbs as they are added, and its round trip when they are posted. */
final class RecordingBatch implements Batch {

    private final Batch wrapped;
    private final Recorder recorder;
    private final BitSet unposted = new BitSet(); // ranks of the verbs that were added

    RecordingBatch(Batch wrapped, Recorder recorder) {
        this.wrapped = wrapped;
        this.recorder = recorder;
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
    public void read(int rank, long offset, long position, long bytes) {
        wrapped.read(rank, offset, position, bytes);
        added(Kind.R, rank, offset, bytes);
    }

    @Override
    public void write(int rank, long offset, long position, long bytes) {
        wrapped.write(rank, offset, position, bytes);
        added(Kind.W, rank, offset, bytes);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        wrapped.writeWord(rank, offset, value);
        added(Kind.W, rank, offset, Long.BYTES);
    }

    @Override
    public int compareAndExchange(int rank, long offset, long expected, long value) {
        int index = wrapped.compareAndExchange(rank, offset, expected, value);
        added(Kind.A, rank, offset, Long.BYTES);
        return index;
    }

    @Override
    public int getAndAdd(int rank, long offset, long delta) {
        int index = wrapped.getAndAdd(rank, offset, delta);
        added(Kind.A, rank, offset, Long.BYTES);
        return index;
    }

    private void added(Kind kind, int rank, long offset, long bytes) {
        recorder.inBatch(kind, rank, offset, bytes);
        unposted.set(rank);
    }

    @Override
    public long result(int index) {
        return wrapped.result(index);
    }

    @Override
    public void complete() {
        wrapped.complete();
        posted();
    }

    @Override
    public void post() {
        wrapped.post();
        posted();
    }

    private void posted() {
        recorder.batch(unposted);
        unposted.clear();
    }

    @Override
    public boolean poll() {
        return wrapped.poll();
    }

    @Override
    public void close() {
        wrapped.close();
    }
}
