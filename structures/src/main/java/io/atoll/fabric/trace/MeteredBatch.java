package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Verb;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/**
 * Counts the verbs of a batch that cross the fabric as they are added, and the batch when it departs. Times some
 * batches. A thread's own object serves one batch after the other.
 */
final class MeteredBatch implements Batch {

    private final Crossings crossings;
    private Batch wrapped = this; // itself until there is one
    private Locality locality = Locality.LOCAL;
    private int verbs; // since the last departure
    private long bytes; // of these verbs
    private int departedVerbs; // 0 if no timed batch is under way
    private long departedBytes;
    private long began; // when the first verb was added, 0 if the batch is not timed

    MeteredBatch(Crossings crossings) {
        this.crossings = crossings;
    }

    /** Returns this object, for the verbs of that batch, which is empty. */
    Batch around(Batch batch) {
        wrapped = batch;
        verbs = 0;
        departedVerbs = 0;
        return this;
    }

    private void add(Verb verb, int rank, long moved) {
        if (!crossings.isCounted(rank)) {
            return;
        }
        VerbCounts counts = crossings.counts();
        Locality whose = crossings.locality(rank);
        if (verbs == 0) {
            bytes = 0;
            began = counts.isNextBatchTimed() ? System.nanoTime() : 0;
        }
        locality = verbs == 0 || whose == Locality.REMOTE ? whose : locality;
        verbs++;
        bytes += moved;
        crossings.count(verb, rank, moved);
    }

    private void depart() {
        if (verbs > 0) {
            crossings.counts().countBatch(locality, verbs, bytes);
            departedVerbs = began != 0 ? verbs : 0;
            departedBytes = bytes;
            verbs = 0;
        }
    }

    private void arrive() {
        if (departedVerbs > 0) {
            crossings.counts().samples().batch(locality, departedVerbs, departedBytes, System.nanoTime() - began);
            departedVerbs = 0;
        }
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
        depart();
        wrapped.complete();
        arrive();
    }

    @Override
    public void post() {
        depart();
        wrapped.post();
    }

    @Override
    public boolean poll() {
        boolean isDone = wrapped.poll();
        if (isDone) {
            arrive();
        }
        return isDone;
    }

    @Override
    public void close() {
        wrapped.close();
    }
}
