package io.atoll.array;

import io.atoll.codec.Codec;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.Objects;

/**
 * A global pointer that knows what it points to. That is an element of fixed size in the segment of some rank, with
 * others before and behind it (BCL, section 3). Like pointers in general, it is not checked. It reaches everything in
 * that segment, even memory that was freed and belongs to others now.
 *
 * <p>Other ranks are told its {@link #address()}, a word: by a map, an array, a reduction. Nothing is atomic but a
 * word. A thread that reads a larger element while another one writes it may see old and new words.
 * <strong>What was written has arrived, for everyone, after {@link #flush} or the next barrier.</strong>
 *
 * <p>R, W and A are a remote read, write and atomic. On this rank's own memory, an operation costs no verb where the
 * fabric's atomics are the CPU's. No operation waits for another caller. While the rank is not there, all operations
 * throw a {@link io.atoll.failure.RankUnreachableException}. Immutable.
 */
public final class Pointer<T> implements Comparable<Pointer<T>> {

    private static final Comparator<GlobalPointer> BY_PLACE = Comparator.comparingInt(GlobalPointer::rank)
            .thenComparingLong(GlobalPointer::offset);

    private final Participant self;
    private final Endpoint endpoint;
    private final GlobalPointer address;
    private final Codec<T> codec;

    /**
     * Makes a pointer to the element at this address, which {@link #address()} has given.
     *
     * @throws IllegalArgumentException if no element can lie there
     */
    public Pointer(Participant self, GlobalPointer address, Codec<T> codec) {
        if (address.isNull() || address.rank() >= self.size() || address.offset() % Layouts.WORD != 0) {
            throw new IllegalArgumentException("no element lies there: size=" + self.size() + " rank=" + address.rank()
                    + " offset=" + address.offset());
        }
        if (codec.bytes() > Batch.THREAD_BUFFER_BYTES) {
            throw new IllegalArgumentException("elements are too large: type=" + codec.name() + " largestBytes="
                    + Batch.THREAD_BUFFER_BYTES + " bytes=" + codec.bytes());
        }
        this.self = self;
        this.endpoint = self.endpoint();
        this.address = address;
        this.codec = codec;
    }

    /**
     * Allocates {@code count} elements in the segment of that rank, with arbitrary contents, and returns a pointer to
     * the first. They stay until they are {@linkplain #free freed}. If this process dies before any other process knows
     * of them, they are lost. Cost: that of {@link io.atoll.heap.Heap#allocate}.
     *
     * @throws io.atoll.failure.SegmentFullException if there is no room; nothing was allocated then
     */
    public static <T> Pointer<T> allocate(Participant self, int rank, Codec<T> codec, long count) {
        if (rank < 0 || rank >= self.size()) {
            throw new IllegalArgumentException("the world has no such rank: size=" + self.size() + " rank=" + rank);
        }
        if (count < 1 || count > Long.MAX_VALUE / codec.bytes()) {
            throw new IllegalArgumentException("at least one, and what fits into memory: count=" + count);
        }
        return new Pointer<>(self, self.heap().allocatePointer(rank, count * codec.bytes()), codec);
    }

    /**
     * Gives back all elements that were allocated with this one, the first of them. No thread may use them any more. If
     * others might, retire the address by an epoch's token instead.
     */
    public void free() {
        self.heap().free(address);
    }

    /** Returns the address of the element, to be stored and sent to other ranks. */
    public GlobalPointer address() {
        return address;
    }

    /** Returns the rank in whose segment the element lies. */
    public int rank() {
        return address.rank();
    }

    /** Returns the pointer {@code elements} elements further on, or back if negative. */
    public Pointer<T> plus(long elements) {
        return elements == 0 ? this : new Pointer<>(self, address.plus(bytes(elements)), codec);
    }

    /**
     * Returns how many elements the other one lies behind this one; negative if it lies before it.
     *
     * @throws IllegalArgumentException if it points into another segment, or between elements
     */
    public long distanceTo(Pointer<T> other) {
        long bytes = other.address.offset() - address.offset();
        if (rank() != other.rank() || bytes % codec.bytes() != 0) {
            throw new IllegalArgumentException("no whole number of elements lies between: elementBytes=" + codec.bytes()
                    + " from=" + address + " to=" + other.address);
        }
        return bytes / codec.bytes();
    }

    private long bytes(long elements) {
        return Math.multiplyExact(elements, codec.bytes());
    }

    /** Returns the element. Cost: R. */
    public T read() {
        return read(0);
    }

    /** Returns the element {@code index} elements further on. Cost: R. */
    public T read(long index) {
        Batch batch = endpoint.batch(rank());
        endpoint.read(rank(), offset(index), batch.buffer(codec.bytes()), 0, codec.bytes());
        return codec.decode(batch.buffer(codec.bytes()), 0);
    }

    /** Replaces the element. Cost: W. */
    public void write(T value) {
        write(0, value);
    }

    /** Replaces the element {@code index} elements further on. Cost: W. */
    public void write(long index, T value) {
        Batch batch = endpoint.batch(rank());
        codec.encode(Objects.requireNonNull(value, "value"), batch.buffer(codec.bytes()), 0);
        endpoint.write(rank(), offset(index), batch.buffer(codec.bytes()), 0, codec.bytes());
    }

    /**
     * Reads elements, encoded as the codec lays them out (longs as they are). Cost: R.
     *
     * @param index of the first
     * @param position in the target, in bytes
     */
    public void read(long index, MemorySegment target, long position, long count) {
        endpoint.read(rank(), offset(index), target, position, bytes(count));
    }

    /**
     * Writes encoded elements. The caller may use the source again at once. Cost: W.
     *
     * @param index of the first
     * @param position in the source, in bytes
     */
    public void write(long index, MemorySegment source, long position, long count) {
        endpoint.write(rank(), offset(index), source, position, bytes(count));
    }

    /**
     * Replaces an element of one word if it is the expected one. Returns the one that was there. Atomic with all other
     * calls of this method. Cost: A.
     *
     * @throws IllegalArgumentException if elements are larger than a word
     */
    public T compareAndExchange(T expected, T value) {
        if (codec.bytes() != Layouts.WORD) {
            throw new IllegalArgumentException("an element of one word: type=" + codec.name() + " bytes="
                    + codec.bytes());
        }
        long witness = endpoint.compareAndExchange(rank(), address.offset(), word(expected), word(value));
        Batch batch = endpoint.batch(rank());
        batch.setWord(0, witness);
        return codec.decode(batch.buffer(codec.bytes()), 0);
    }

    private long word(T value) {
        Batch batch = endpoint.batch(rank());
        codec.encode(Objects.requireNonNull(value, "value"), batch.buffer(codec.bytes()), 0);
        return batch.word(0);
    }

    private long offset(long index) {
        return address.offset() + bytes(index);
    }

    /** Returns when everything that this process has written to the segment has arrived. */
    public void flush() {
        endpoint.flush(rank());
    }

    /** Returns true if the element lies in this rank's segment. */
    public boolean isLocal() {
        return rank() == self.rank();
    }

    /**
     * Returns the element and those behind it where they lie, encoded. The caller may read and change them in place in
     * a phase in which no other rank uses them. Cost: no verb.
     *
     * @throws IllegalStateException if they lie in another rank's segment
     */
    public MemorySegment local(long count) {
        if (!isLocal()) {
            throw new IllegalStateException(
                    "the elements are local to their owner: owner=" + rank() + " rank=" + self.rank());
        }
        return endpoint.fabric().local().view(address.offset(), bytes(count));
    }

    /** Compares by rank, then by place in the segment. */
    @Override
    public int compareTo(Pointer<T> other) {
        return BY_PLACE.compare(address, other.address);
    }

    /** Returns true if the other one points to the same element, of the same type. */
    @Override
    public boolean equals(Object other) {
        return other instanceof Pointer<?> pointer && address.equals(pointer.address)
                && codec.name().equals(pointer.codec.name());
    }

    @Override
    public int hashCode() {
        return address.hashCode();
    }

    @Override
    public String toString() {
        return codec.name() + " at " + rank() + "+" + address.offset();
    }
}
