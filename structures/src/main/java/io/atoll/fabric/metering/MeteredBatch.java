package io.atoll.fabric.metering;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Verb;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/** A batch of another fabric than memory that is mapped here, counted. */
final class MeteredBatch implements Batch {

    private final BatchTally tally;
    private Batch wrapped = this; // until there is one

    MeteredBatch(BatchTally tally) {
        this.tally = tally;
    }

    /** Itself, for the verbs of that batch, which is empty. */
    Batch around(Batch batch, Locality locality) {
        wrapped = batch;
        tally.begin(locality, 1);
        return this;
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
        tally.added(Verb.READ, rank, bytes);
        wrapped.read(rank, offset, position, bytes);
    }

    @Override
    public void write(int rank, long offset, long position, long bytes) {
        tally.added(Verb.WRITE, rank, bytes);
        wrapped.write(rank, offset, position, bytes);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        tally.added(Verb.WRITE, rank, Long.BYTES);
        wrapped.writeWord(rank, offset, value);
    }

    @Override
    public int compareAndExchange(int rank, long offset, long expected, long value) {
        tally.added(Verb.COMPARE_AND_EXCHANGE, rank, Long.BYTES);
        return wrapped.compareAndExchange(rank, offset, expected, value);
    }

    @Override
    public int getAndAdd(int rank, long offset, long delta) {
        tally.added(Verb.GET_AND_ADD, rank, Long.BYTES);
        return wrapped.getAndAdd(rank, offset, delta);
    }

    @Override
    public long result(int index) {
        return wrapped.result(index);
    }

    @Override
    public void complete() {
        wrapped.complete();
        tally.completed();
    }

    @Override
    public void post() {
        wrapped.post();
    }

    @Override
    public boolean poll() {
        boolean done = wrapped.poll();
        if (done) {
            tally.completed();
        }
        return done;
    }

    @Override
    public void close() {
        wrapped.close();
    }
}
