package io.atoll.app.bench.raw;

import io.atoll.World;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Verbs on a block of words in each rank's segment, without a structure. They are the least that structures do to
 * memory. Where segments are mapped, the verbs are loads, stores and atomics of the CPU.
 */
public final class RawMemory {

    private final Endpoint endpoint;
    private final long[] blocks;
    private final @Nullable LocalMemory[] mapped;

    private RawMemory(Endpoint endpoint, long[] blocks) {
        this.endpoint = endpoint;
        this.blocks = blocks;
        this.mapped = new LocalMemory[blocks.length];
        for (int rank = 0; rank < blocks.length; rank++) {
            mapped[rank] = endpoint.mapped(rank);
        }
    }

    /** @param bytes the size of each rank's block */
    public static RawMemory open(World world, String name, long bytes) {
        return new RawMemory(world.participant().endpoint(),
                world.participant().directory().open(name, "raw memory", rank -> bytes));
    }

    public int ranks() {
        return blocks.length;
    }

    /** Returns true if the verbs are the CPU's own at all ranks. Several of them then share nothing. */
    public boolean isMapped() {
        return Stream.of(mapped).allMatch(Objects::nonNull);
    }

    /** Returns a batch for verbs to several ranks in one round trip. */
    public Batch batch() {
        return endpoint.batch();
    }

    /** Returns an offset in a rank's segment. */
    public long offset(int rank, long at) {
        return blocks[rank] + at;
    }

    /** Reads the given number of words in one read. Returns their sum. */
    public long read(int rank, long at, int words) {
        LocalMemory memory = mapped[rank];
        long sum = 0;
        if (memory != null) {
            for (int word = 0; word < words; word++) {
                sum += memory.getAcquire(blocks[rank] + at + word * Layouts.WORD);
            }
            return sum;
        }
        Batch batch = endpoint.batch(rank);
        batch.read(rank, blocks[rank] + at, 0, words * Layouts.WORD);
        batch.complete();
        for (int word = 0; word < words; word++) {
            sum += batch.word(word * Layouts.WORD);
        }
        return sum;
    }

    /** Writes the given number of words in one write. The first word is as given, the others are all the same. */
    public void write(int rank, long at, int words, long first, long others) {
        LocalMemory memory = mapped[rank];
        if (memory != null) {
            for (int word = words - 1; word > 0; word--) {
                memory.setRelease(blocks[rank] + at + word * Layouts.WORD, others);
            }
            memory.setRelease(blocks[rank] + at, first);
            return;
        }
        Batch batch = endpoint.batch(rank);
        batch.setWord(0, first);
        for (int word = 1; word < words; word++) {
            batch.setWord(word * Layouts.WORD, others);
        }
        batch.write(rank, blocks[rank] + at, 0, words * Layouts.WORD);
        batch.complete();
    }

    /** Writes bytes in one write. They have arrived after the next {@link #flush}. */
    public void write(int rank, long at, MemorySegment from, long bytes) {
        endpoint.write(rank, blocks[rank] + at, from, 0, bytes);
    }

    public void read(int rank, long at, MemorySegment into, long bytes) {
        endpoint.read(rank, blocks[rank] + at, into, 0, bytes);
    }

    /** Writes a word. It has arrived after the next {@link #flush}. */
    public void writeWord(int rank, long at, long value) {
        LocalMemory memory = mapped[rank];
        if (memory != null) {
            memory.setRelease(blocks[rank] + at, value);
        } else {
            endpoint.writeWord(rank, blocks[rank] + at, value);
        }
    }

    public void flush(int rank) {
        endpoint.flush(rank);
    }

    public long compareAndExchange(int rank, long at, long expected, long value) {
        LocalMemory memory = mapped[rank];
        return memory != null
                ? memory.compareAndExchange(blocks[rank] + at, expected, value)
                : endpoint.compareAndExchange(rank, blocks[rank] + at, expected, value);
    }

    public long getAndAdd(int rank, long at, long delta) {
        LocalMemory memory = mapped[rank];
        return memory != null
                ? memory.getAndAdd(blocks[rank] + at, delta)
                : endpoint.getAndAdd(rank, blocks[rank] + at, delta);
    }

    /** Costs a read and a compare-and-exchange where the fabric has no verb for it. */
    public long getAndBitwiseOr(int rank, long at, long bits) {
        LocalMemory memory = mapped[rank];
        return memory != null
                ? memory.getAndBitwiseOr(blocks[rank] + at, bits)
                : endpoint.getAndBitwiseOr(rank, blocks[rank] + at, bits);
    }
}
