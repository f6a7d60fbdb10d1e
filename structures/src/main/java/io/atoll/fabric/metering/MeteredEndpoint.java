package io.atoll.fabric.metering;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ImmediateBatch;
import io.atoll.fabric.MappedSegment;
import io.atoll.fabric.PerThread;
import io.atoll.fabric.Verb;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * An endpoint whose verbs are counted, and some of them timed, here where it is decided between the fabric and the own memory. A verb is counted
 * when it is used, whether it succeeds or not.
 */
public final class MeteredEndpoint extends Endpoint {

    private final VerbCounts counts;
    private final int ownRank;
    private final PerThread<MeteredBatch> batches;

    public MeteredEndpoint(Fabric fabric, VerbCounts counts) {
        super(fabric);
        int own = fabric.rank();
        this.counts = counts;
        this.ownRank = own;
        this.batches = new PerThread<>(() -> new MeteredBatch(new BatchTally(counts, own)));
        turnShare();
    }

    private Locality locality(int target) {
        return target == ownRank ? Locality.LOCAL : Locality.REMOTE;
    }

    /** The time if this one is timed, else 0. */
    private long begin(Verb verb, int target) {
        return counts.count(verb, locality(target), 1) ? System.nanoTime() : 0;
    }

    private void end(Verb verb, int target, long began) {
        if (began != 0) {
            counts.samples().verb(verb, locality(target), System.nanoTime() - began);
        }
    }

    /** Counted one by one and not timed: a clock takes as long as what is done there. */
    @Override
    public @Nullable LocalMemory mapped(int target, Verb verb, int verbs) {
        LocalMemory memory = mapped(target);
        if (memory != null) {
            counts.count(verb, locality(target), verbs);
        }
        return memory;
    }

    @Override
    protected MappedSegment newSegment(int target) {
        return new MeteredSegment(counts, locality(target));
    }

    @Override
    public long beginSampledRead(int target) {
        return counts.count(Verb.READ, locality(target), SHARES) ? System.nanoTime() : 0;
    }

    @Override
    public void endSampledRead(int target, long began) {
        end(Verb.READ, target, began);
    }

    @Override
    public void turnSamples() {
        turnShare();
        counts.turn();
    }

    @Override
    public Batch batch(int target) {
        return counted(super.batch(target), locality(target));
    }

    @Override
    public Batch batch() {
        return counted(super.batch(), Locality.REMOTE);
    }

    /**
     * One over mapped memory is told to count rather than wrapped. With one class of batches only, the compiler knows which methods are called: with two, a find would
     * cost a tenth more, however seldom it is counted.
     */
    private Batch counted(Batch batch, Locality locality) {
        if (batch instanceof ImmediateBatch immediate) {
            if (!immediate.isPassedOver()) {
                tell(tally(immediate), immediate, locality);
            }
            return immediate;
        }
        return batches.value().around(batch, locality);
    }

    private static void tell(BatchTally tally, ImmediateBatch batch, Locality locality) {
        int weight = tally.weigh();
        tally.begin(locality, weight);
        batch.listener(tally);
        batch.passOver(weight - 1);
    }

    private BatchTally tally(ImmediateBatch batch) {
        if (batch.lastListener() instanceof BatchTally known && known.isOf(counts)) {
            return known;
        }
        BatchTally tally = new BatchTally(counts, ownRank);
        batch.listener(tally);
        return tally;
    }

    @Override
    public void read(int target, long offset, MemorySegment into, long position, long bytes) {
        long began = begin(Verb.READ, target);
        super.read(target, offset, into, position, bytes);
        end(Verb.READ, target, began);
    }

    @Override
    public long readWord(int target, long offset) {
        long began = begin(Verb.READ, target);
        long word = super.readWord(target, offset);
        end(Verb.READ, target, began);
        return word;
    }

    @Override
    public void write(int target, long offset, MemorySegment from, long position, long bytes) {
        long began = begin(Verb.WRITE, target);
        super.write(target, offset, from, position, bytes);
        end(Verb.WRITE, target, began);
    }

    @Override
    public void writeWord(int target, long offset, long value) {
        long began = begin(Verb.WRITE, target);
        super.writeWord(target, offset, value);
        end(Verb.WRITE, target, began);
    }

    @Override
    public long compareAndExchange(int target, long offset, long expected, long value) {
        long began = begin(Verb.COMPARE_AND_EXCHANGE, target);
        long found = super.compareAndExchange(target, offset, expected, value);
        end(Verb.COMPARE_AND_EXCHANGE, target, began);
        return found;
    }

    /** One verb, whatever the fabric makes of it. */
    @Override
    public long getAndSet(int target, long offset, long value) {
        long began = begin(Verb.GET_AND_SET, target);
        long found = super.getAndSet(target, offset, value);
        end(Verb.GET_AND_SET, target, began);
        return found;
    }

    @Override
    public long getAndAdd(int target, long offset, long delta) {
        long began = begin(Verb.GET_AND_ADD, target);
        long found = super.getAndAdd(target, offset, delta);
        end(Verb.GET_AND_ADD, target, began);
        return found;
    }

    /** One verb, whatever the fabric makes of it. */
    @Override
    public long getAndBitwiseOr(int target, long offset, long bits) {
        long began = begin(Verb.GET_AND_BITWISE_OR, target);
        long found = super.getAndBitwiseOr(target, offset, bits);
        end(Verb.GET_AND_BITWISE_OR, target, began);
        return found;
    }

    @Override
    public void flush(int target) {
        long began = begin(Verb.FLUSH, target);
        super.flush(target);
        end(Verb.FLUSH, target, began);
    }

    /** Of all ranks: one, of another's segment. */
    @Override
    public void flush() {
        long began = counts.count(Verb.FLUSH, Locality.REMOTE, 1) ? System.nanoTime() : 0;
        super.flush();
        if (began != 0) {
            counts.samples().verb(Verb.FLUSH, Locality.REMOTE, System.nanoTime() - began);
        }
    }
}
