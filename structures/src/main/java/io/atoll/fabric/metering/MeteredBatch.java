package io.atoll.fabric.metering;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Verb;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * A thread's own batch, counted: its verbs as they are added, the batch with the first of them. Knows nothing of the endpoint: a batch that leads back to where
 * it is kept stays as long as the thread does.
 */
final class MeteredBatch implements Batch {

    private final VerbCounts counts;
    private final int part; // the thread's
    private final int ownRank;
    private Batch wrapped = this; // until there is one
    private Locality locality = Locality.LOCAL;
    private int verbs;
    private long bytes;
    private long began; // 0 if it is not timed

    MeteredBatch(VerbCounts counts, int ownRank) {
        this.counts = counts;
        this.part = VerbCounts.part();
        this.ownRank = ownRank;
    }

    /** Itself, for the verbs of that batch, which is empty. */
    Batch around(Batch batch, Locality whose) {
        wrapped = batch;
        locality = whose;
        verbs = 0;
        bytes = 0;
        return this;
    }

    private void add(Verb verb, int rank, long moved) {
        if (verbs == 0) {
            began = counts.countBatch(part, locality) ? System.nanoTime() : 0;
        }
        verbs++;
        bytes += moved;
        counts.count(part, verb, rank == ownRank ? Locality.LOCAL : Locality.REMOTE, 1);
    }

    private void completed() {
        if (verbs == 0) {
            return;
        }
        counts.countBatched(part, locality, verbs, bytes);
        if (began != 0) {
            counts.samples().batch(locality, verbs, bytes, System.nanoTime() - began);
        }
        verbs = 0;
        bytes = 0;
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
    public long word(long position) {
        return wrapped.word(position);
    }

    @Override
    public void setWord(long position, long value) {
        wrapped.setWord(position, value);
    }

    @Override
    public void read(int rank, long offset, long position, long bytes) {
        add(Verb.READ, rank, bytes);
        wrapped.read(rank, offset, position, bytes);
    }

    @Override
    public void write(int rank, long offset, long position, long bytes) {
        add(Verb.WRITE, rank, bytes);
        wrapped.write(rank, offset, position, bytes);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        add(Verb.WRITE, rank, Long.BYTES);
        wrapped.writeWord(rank, offset, value);
    }

    @Override
    public int compareAndExchange(int rank, long offset, long expected, long value) {
        add(Verb.COMPARE_AND_EXCHANGE, rank, Long.BYTES);
        return wrapped.compareAndExchange(rank, offset, expected, value);
    }

    @Override
    public int getAndAdd(int rank, long offset, long delta) {
        add(Verb.GET_AND_ADD, rank, Long.BYTES);
        return wrapped.getAndAdd(rank, offset, delta);
    }

    @Override
    public long result(int index) {
        return wrapped.result(index);
    }

    @Override
    public void complete() {
        wrapped.complete();
        completed();
    }

    @Override
    public void post() {
        wrapped.post();
    }

    @Override
    public boolean poll() {
        boolean done = wrapped.poll();
        if (done) {
            completed();
        }
        return done;
    }

    @Override
    public void close() {
        wrapped.close();
    }
}
