package io.atoll.array;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.function.Supplier;

/**
 * An array in the segment of one rank, its host, which all ranks read and write (BCL, table 1). Elements are of fixed size and zeroed at first; each takes whole
 * words.
 *
 * <p>Nothing is atomic but a word: who reads an element while another writes it may see some of its words old and some new. So phases of writing and of
 * reading are separated by barriers. <strong>What was written has arrived, for everyone, after {@link #flush} or the next barrier.</strong> No operation waits for
 * another caller. Elsewhere than at the host, all throw {@link io.atoll.failure.RankUnreachableException} while it is not there.
 *
 * <p>At the host, no verb where the fabric's atomics are the CPU's. R and W are a remote read and write.
 */
public final class Array<T> {

    private final String name;
    private final Codec<T> codec;
    private final long length;
    private final Handle<ElementBlock<T>> handle;

    Array(String name, Codec<T> codec, long length, Handle<ElementBlock<T>> handle) {
        this.name = name;
        this.codec = codec;
        this.length = length;
        this.handle = handle;
    }

    /** Begins to open the array of this name. */
    public static <T> Builder<T> builder(String name, Class<T> elements, Supplier<Participant> participant) {
        return new Builder<>(name, Codecs.forType(elements), participant);
    }

    /** Begins to open the array of this name, for a type with a codec of one's own. */
    public static <T> Builder<T> builder(String name, Codec<T> elements, Supplier<Participant> participant) {
        return new Builder<>(name, elements, participant);
    }

    public String name() {
        return name;
    }

    /** How many elements it has. */
    public long length() {
        return length;
    }

    private ElementBlock<T> block() {
        return handle.opened();
    }

    /** The rank in whose segment it lies. */
    public int host() {
        return block().first().rank();
    }

    /** The element there. Cost: R. */
    public T get(long index) {
        return handle.use().get(index);
    }

    /** Writes the element. Cost: W. */
    public void set(long index, T element) {
        handle.use().set(index, element);
    }

    /**
     * Reads as many elements as the target has room for, encoded as the codec lays them out: longs as they are. Cost: R.
     *
     * @param target of whole elements; {@code MemorySegment.ofArray(longs)}, for example
     */
    public void read(long from, MemorySegment target) {
        long count = ElementBlock.count(name, codec, target);
        handle.use(count).read(from, target, 0, count);
    }

    /** Writes as many encoded elements as the source holds, which may be used again at once. Cost: W. */
    public void write(long from, MemorySegment source) {
        long count = ElementBlock.count(name, codec, source);
        handle.use(count).write(from, source, 0, count);
    }

    /** Everything that this process has written to the array has arrived. */
    public void flush() {
        block().first().flush();
    }

    /**
     * The elements where they lie, encoded, to be read and changed in place, by the host in a phase in which nobody else uses them. Cost: no verb.
     *
     * @throws IllegalStateException elsewhere than at the host
     */
    public MemorySegment local() {
        return block().local();
    }

    static String configuration(Codec<?> codec, long length) {
        return "array type=" + codec.name() + " length=" + length;
    }

    @Override
    public String toString() {
        return "Array[" + name + "]";
    }

    /** What an array is opened with; every rank that opens it must ask for the same. */
    public static final class Builder<T> {

        private final String name;
        private final Codec<T> codec;
        private final Supplier<Participant> participant;
        private long length = 1 << 16;
        private OnLoss onLoss = OnLoss.FAIL;
        private int host;

        private Builder(String name, Codec<T> codec, Supplier<Participant> participant) {
            this.name = name;
            this.codec = codec.within(name);
            this.participant = participant;
        }

        /** How many elements it has; 65,536 unless told. */
        public Builder<T> length(long elements) {
            this.length = elements;
            return this;
        }

        /** The rank in whose segment it lies; 0 unless told. */
        public Builder<T> host(int rank) {
            this.host = rank;
            return this;
        }

        /**
         * What becomes of elements whose segment is lost: unless told otherwise, operations on them fail with a {@link
         * io.atoll.failure.SegmentLostException}, and the array cannot be opened any more. With {@link OnLoss#EMPTY} they
         * are zero.
         */
        public Builder<T> onLoss(OnLoss becomes) {
            this.onLoss = becomes;
            return this;
        }

        /**
         * Attaches to the array, or creates it.
         *
         * @throws io.atoll.failure.ConfigurationMismatchException when the name exists with another configuration
         * @throws io.atoll.failure.SegmentFullException when there is no room for it
         * @throws IllegalArgumentException when the world has no such host
         */
        public Array<T> open() {
            Array<T> array = openLazily();
            array.block();
            return array;
        }

        /** As {@link #open()}, but on first use: that waits for missing ranks and throws what {@code open} throws, and if it fails the next use tries again. */
        public Array<T> openLazily() {
            ElementBlock.check(name, codec, length);
            long elements = length;
            int rank = host;
            OnLoss becomes = onLoss;
            return new Array<>(name, codec, elements,
                    Handle.of(name, becomes, participant, self -> open(self, elements, rank, becomes)));
        }

        private ElementBlock<T> open(Participant self, long elements, int rank, OnLoss becomes) {
            long block = self.directory()
                    .openAt(rank, name, configuration(codec, elements), elements * codec.bytes(), becomes);
            return new ElementBlock<>(new Pointer<>(self, new GlobalPointer(rank, block), codec), elements);
        }
    }
}
