package io.atoll.fabric.trace;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.StructureLocator;
import io.atoll.fabric.trace.Journal.Kind;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/**
 * A fabric that lists and counts the verbs that one thread, the one that made it, uses through it. Verbs of other
 * threads pass unrecorded. Loads and stores of the own memory are no verbs.
 *
 * <p>A batch is one round trip, however many verbs it has, and so is each verb that returns a value. A write is no
 * round trip until it is flushed. A later verb to the same rank that returns a value flushes it without a further round
 * trip.
 */
public final class RecordingFabric implements Fabric {

    private final Fabric wrapped;
    private final Guarantees declared;
    private final Recorder recorder = new Recorder();

    public RecordingFabric(Fabric wrapped) {
        this(wrapped, wrapped.guarantees());
    }

    /**
     * Declares other guarantees than the wrapped fabric's, so that a test can count here what a protocol costs
     * elsewhere. Weaker guarantees are always safe. Stronger ones are a lie: protocols then read torn values and lose
     * updates as soon as another thread or rank uses the same memory.
     */
    public RecordingFabric(Fabric wrapped, Guarantees declared) {
        this.wrapped = wrapped;
        this.declared = declared;
    }

    /** Returns what was recorded since the beginning or the last {@link #clear}. */
    public Journal journal() {
        return recorder.journal();
    }

    /** Forgets what was recorded. */
    public void clear() {
        recorder.clear();
    }

    /** Runs the work and returns the verbs that it costs. Forgets what was recorded before. */
    public Journal record(Runnable work) {
        clear();
        work.run();
        return journal();
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
        return declared;
    }

    @Override
    public boolean executesAtOnce(int target) {
        return wrapped.executesAtOnce(target);
    }

    @Override
    public void read(int rank, long offset, MemorySegment target, long position, long bytes) {
        wrapped.read(rank, offset, target, position, bytes);
        recorder.blocking(Kind.R, rank, offset, bytes);
    }

    @Override
    public long readWord(int rank, long offset) {
        long value = wrapped.readWord(rank, offset);
        recorder.blocking(Kind.R, rank, offset, Long.BYTES);
        return value;
    }

    @Override
    public void write(int rank, long offset, MemorySegment source, long position, long bytes) {
        wrapped.write(rank, offset, source, position, bytes);
        recorder.write(rank, offset, bytes);
    }

    @Override
    public void writeWord(int rank, long offset, long value) {
        wrapped.writeWord(rank, offset, value);
        recorder.write(rank, offset, Long.BYTES);
    }

    @Override
    public long compareAndExchange(int rank, long offset, long expected, long value) {
        long found = wrapped.compareAndExchange(rank, offset, expected, value);
        recorder.blocking(Kind.A, rank, offset, Long.BYTES);
        return found;
    }

    @Override
    public long getAndAdd(int rank, long offset, long delta) {
        long found = wrapped.getAndAdd(rank, offset, delta);
        recorder.blocking(Kind.A, rank, offset, Long.BYTES);
        return found;
    }

    @Override
    public long getAndBitwiseOr(int rank, long offset, long bits) {
        if (!declared.fetchOr()) {
            return Fabric.super.getAndBitwiseOr(rank, offset, bits); // recorded verb by verb
        }
        long found = wrapped.getAndBitwiseOr(rank, offset, bits);
        recorder.blocking(Kind.A, rank, offset, Long.BYTES);
        return found;
    }

    @Override
    public long getAndSet(int rank, long offset, long value) {
        if (!declared.fetchOr()) {
            return Fabric.super.getAndSet(rank, offset, value); // recorded verb by verb
        }
        long found = wrapped.getAndSet(rank, offset, value);
        recorder.blocking(Kind.A, rank, offset, Long.BYTES);
        return found;
    }

    @Override
    public void flush(int rank) {
        wrapped.flush(rank);
        recorder.flush(rank);
    }

    @Override
    public void flush() {
        wrapped.flush();
        recorder.flush();
    }

    @Override
    public Batch batch() {
        return new RecordingBatch(wrapped.batch(), recorder);
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return new RecordingBatch(wrapped.newBatch(bufferBytes), recorder);
    }

    /** Returns null: accesses of mapped memory would pass unrecorded. */
    @Override
    public @Nullable LocalMemory mapped(int rank) {
        return null;
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
