package io.atoll.fabric.exhaustive;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import io.atoll.fabric.StructureLocator;
import io.atoll.fabric.exhaustive.Verb.Kind;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The fabric of a program that runs again and again. Its first verbs return what they returned before. The first new
 * verb ends the run by a {@link NewVerb}. Each verb is one step, as on a fabric where lines arrive whole. A read of
 * several lines is one step for each line. All segments are one.
 */
final class ReplayedFabric implements Fabric.Composed {

    /** Ends the program: it passes through all of the program's code. */
    static final class NewVerb extends Error {

        private static final long serialVersionUID = 1L;

        final transient Verb verb;

        NewVerb(Verb verb) {
            super(null, null, false, false);
            this.verb = verb;
        }
    }

    private static final Guarantees GUARANTEES = new Guarantees(AtomicDomain.FABRIC_ONLY, (int) Layouts.CACHE_LINE,
            true, false);

    private static final Clock NEVER = new Clock() {

        @Override
        public long nanoTime() {
            throw new UnsupportedOperationException("a program that waits has no end");
        }

        @Override
        public void pause(int attempt) {
            throw new UnsupportedOperationException("a program that waits has no end");
        }
    };

    private final int rank;
    private final int size;
    private final Batch batch;
    private final LocalMemory local;
    private final StructureLocator structures = new StructureLocator();
    private List<Words> recorded = List.of();
    private int verbs;
    private @Nullable NewVerb end;

    ReplayedFabric(int rank, int size) {
        this.rank = rank;
        this.size = size;
        this.batch = newBatch(Batch.THREAD_BUFFER_BYTES);
        this.local = new ReplayedMemory(this);
    }

    /** Makes the verbs return these values from now on: the first verb the first value, and so on. */
    void replay(List<Words> found) {
        recorded = found;
        verbs = 0;
        end = null;
    }

    /** Returns the number of verbs since the last {@link #replay}. */
    int verbs() {
        return verbs;
    }

    private Words step(Kind kind, long offset, long bytes, Words operands) {
        if (offset / Layouts.CACHE_LINE != (offset + bytes - 1) / Layouts.CACHE_LINE) {
            throw new UnsupportedOperationException("more than a line is more than a step: bytes=" + bytes);
        }
        if (end != null) {
            // The verbs that the program uses on its way out take no effect.
            throw end;
        }
        if (verbs == recorded.size()) {
            end = new NewVerb(new Verb(kind, (int) (offset / Layouts.WORD), (int) (bytes / Layouts.WORD), operands));
            throw end;
        }
        return recorded.get(verbs++);
    }

    @Override
    public int rank() {
        return rank;
    }

    @Override
    public int size() {
        return size;
    }

    @Override
    public Guarantees guarantees() {
        return GUARANTEES;
    }

    @Override
    public boolean executesAtOnce(int target) {
        return true;
    }

    @Override
    public void read(int target, long offset, MemorySegment into, long position, long bytes) {
        for (long from = offset; from < offset + bytes;) {
            long to = Math.min(offset + bytes, (from / Layouts.CACHE_LINE + 1) * Layouts.CACHE_LINE);
            Words found = step(Kind.READ, from, to - from, new Words());
            MemorySegment.copy(found.values(), 0, into, JAVA_LONG, position + from - offset, found.values().length);
            from = to;
        }
    }

    @Override
    public long readWord(int target, long offset) {
        return step(Kind.READ, offset, Layouts.WORD, new Words()).get(0);
    }

    @Override
    public void write(int target, long offset, MemorySegment from, long position, long bytes) {
        step(Kind.WRITE, offset, bytes, new Words(from.asSlice(position, bytes).toArray(JAVA_LONG)));
    }

    @Override
    public void writeWord(int target, long offset, long value) {
        step(Kind.WRITE, offset, Layouts.WORD, new Words(value));
    }

    @Override
    public long compareAndExchange(int target, long offset, long expected, long value) {
        return step(Kind.COMPARE_AND_EXCHANGE, offset, Layouts.WORD, new Words(expected, value)).get(0);
    }

    @Override
    public long getAndAdd(int target, long offset, long delta) {
        return step(Kind.GET_AND_ADD, offset, Layouts.WORD, new Words(delta)).get(0);
    }

    @Override
    public void flush(int target) {
        // Every verb has taken effect.
    }

    @Override
    public void flush() {
        // Every verb has taken effect.
    }

    @Override
    public Batch batch() {
        return batch;
    }

    @Override
    public Batch newBatch(long bufferBytes) {
        return new ReplayedBatch(this, bufferBytes);
    }

    @Override
    public LocalMemory local() {
        return local;
    }

    @Override
    public StructureLocator structures() {
        return structures;
    }

    @Override
    public Clock clock() {
        return NEVER;
    }

    @Override
    public void close() {
        // There is nothing to give back.
    }
}
