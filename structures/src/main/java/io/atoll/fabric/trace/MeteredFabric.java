package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.PerThread;
import io.atoll.fabric.StructureLocator;
import io.atoll.fabric.Verb;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.function.IntConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Counts the verbs that cross a fabric, and times some of them. A verb crosses the fabric if the segment is not mapped
 * into this process. On a mapped segment a verb is a load or a store of the CPU, and is not counted. A verb counts when
 * it is used, even if it fails. It is counted by its kind, and by the rank that it goes to.
 */
public final class MeteredFabric implements Fabric {

    private final Fabric wrapped;
    private final Crossings crossings;
    private final PerThread<MeteredBatch> batches;

    private MeteredFabric(Fabric wrapped, VerbCounts counts) {
        Crossings counted = new Crossings(counts, wrapped.rank(), wrapped.size());
        this.wrapped = wrapped;
        this.crossings = counted;
        // The threads' values must not refer to this object.
        this.batches = new PerThread<>(() -> new MeteredBatch(counted));
        wrapped.whenRemapped(this::remap);
        for (int target = 0; target < wrapped.size(); target++) {
            remap(target);
        }
    }

    /** Returns a fabric that counts its verbs. Returns the fabric itself if no verb can ever cross it. */
    public static Fabric around(Fabric fabric, VerbCounts counts) {
        return fabric.mapsEverySegment() ? fabric : new MeteredFabric(fabric, counts);
    }

    private synchronized void remap(int target) {
        crossings.map(target, wrapped.mapped(target) != null);
    }

    @Override
    public int rank() {
        return wrapped.rank();
    }

    @Override
    public int size() {
        return wrapped.size();
    }

    @Override
    public Guarantees guarantees() {
        return wrapped.guarantees();
    }

    @Override
    public boolean executesAtOnce(int target) {
        return wrapped.executesAtOnce(target);
    }

    @Override
    public void read(int target, long offset, MemorySegment into, long position, long bytes) {
        long began = crossings.begin(Verb.READ, target, bytes);
        wrapped.read(target, offset, into, position, bytes);
        crossings.end(Verb.READ, target, began);
    }

    @Override
    public long readWord(int target, long offset) {
        long began = crossings.begin(Verb.READ, target, Long.BYTES);
        long word = wrapped.readWord(target, offset);
        crossings.end(Verb.READ, target, began);
        return word;
    }

    @Override
    public void write(int target, long offset, MemorySegment source, long position, long bytes) {
        long began = crossings.begin(Verb.WRITE, target, bytes);
        wrapped.write(target, offset, source, position, bytes);
        crossings.end(Verb.WRITE, target, began);
    }

    @Override
    public void writeWord(int target, long offset, long value) {
        long began = crossings.begin(Verb.WRITE, target, Long.BYTES);
        wrapped.writeWord(target, offset, value);
        crossings.end(Verb.WRITE, target, began);
    }

    @Override
    public long compareAndExchange(int target, long offset, long expected, long value) {
        long began = crossings.begin(Verb.COMPARE_AND_EXCHANGE, target, Long.BYTES);
        long found = wrapped.compareAndExchange(target, offset, expected, value);
        crossings.end(Verb.COMPARE_AND_EXCHANGE, target, began);
        return found;
    }

    /** Counts as one verb, even if the fabric executes it as several. */
    @Override
    public long getAndSet(int target, long offset, long value) {
        long began = crossings.begin(Verb.GET_AND_SET, target, Long.BYTES);
        long found = wrapped.getAndSet(target, offset, value);
        crossings.end(Verb.GET_AND_SET, target, began);
        return found;
    }

    @Override
    public long getAndAdd(int target, long offset, long delta) {
        long began = crossings.begin(Verb.GET_AND_ADD, target, Long.BYTES);
        long found = wrapped.getAndAdd(target, offset, delta);
        crossings.end(Verb.GET_AND_ADD, target, began);
        return found;
    }

    /** Counts as one verb, even if the fabric executes it as several. */
    @Override
    public long getAndBitwiseOr(int target, long offset, long bits) {
        long began = crossings.begin(Verb.GET_AND_BITWISE_OR, target, Long.BYTES);
        long found = wrapped.getAndBitwiseOr(target, offset, bits);
        crossings.end(Verb.GET_AND_BITWISE_OR, target, began);
        return found;
    }

    @Override
    public void flush(int target) {
        long began = crossings.begin(Verb.FLUSH, target, 0);
        wrapped.flush(target);
        crossings.end(Verb.FLUSH, target, began);
    }

    /** Counts the flush of all ranks as a single flush of another rank's segment. */
    @Override
    public void flush() {
        long began = crossings.beginFlush();
        wrapped.flush();
        crossings.endFlush(began);
    }

    @Override
    public Batch batch() {
        return batches.value().around(wrapped.batch());
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return new MeteredBatch(crossings).around(wrapped.newBatch(bufferBytes));
    }

    @Override
    public @Nullable LocalMemory mapped(int target) {
        return wrapped.mapped(target);
    }

    @Override
    public Fabric mapping() {
        return wrapped.mapping();
    }

    @Override
    public void whenRemapped(IntConsumer listener) {
        wrapped.whenRemapped(listener);
    }

    @Override
    public LocalMemory local() {
        return wrapped.local();
    }

    @Override
    public StructureLocator structures() {
        return wrapped.structures();
    }

    @Override
    public Clock clock() {
        return wrapped.clock();
    }

    @Override
    public void close() {
        wrapped.close();
    }
}
