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
 * An array in the segment of one rank, its host, which all ranks read and write (BCL, table 1). Elements are of fixed
 * size and zeroed at first; each takes whole words.
 *
 * <p>Nothing is atomic but a word. A thread that reads an element while another one writes it may see some old words
 * and some new ones. So barriers separate phases of writing from phases of reading. <strong>What was written has
 * arrived, for everyone, after {@link #flush} or the next barrier.</strong> No operation waits for another caller.
 * Elsewhere than at the host, all operations throw {@link io.atoll.failure.RankUnreachableException} while the host is
 * not there.
 *
 * <p>At the host, an operation costs no verb where the fabric's atomics are the CPU's. R and W are a remote read and
 * write.
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

    /** Begins to open the array of this name, for a type with a codec of the caller's own. */
    public static <T> Builder<T> builder(String name, Codec<T> elements, Supplier<Participant> participant) {
        return new Builder<>(name, elements, participant);
    }

    public String name() {
        return name;
    }

    /** Returns the number of elements. */
    public long length() {
        return length;
    }

    private ElementBlock<T> block() {
        return handle.opened();
    }

    /** Returns the rank in whose segment the array lies. */
    public int host() {
        return block().first().rank();
    }

    /** Returns the element. Cost: R. */
    public T get(long index) {
        return handle.use().get(index);
    }

    /** Writes the element. Cost: W. */
    public void set(long index, T element) {
        handle.use().set(index, element);
    }

    /**
     * Reads as many elements as the target has room for. They are encoded as the codec lays them out, longs as they
     * are. Cost: R.
     *
     * @param target a segment of whole elements; {@code MemorySegment.ofArray(longs)}, for example
     */
    public void read(long from, MemorySegment target) {
        long count = ElementBlock.count(name, codec, target);
        handle.use(count).read(from, target, 0, count);
    }

    /** Writes as many encoded elements as the source holds. The caller may use the source again at once. Cost: W. */
    public void write(long from, MemorySegment source) {
        long count = ElementBlock.count(name, codec, source);
        handle.use(count).write(from, source, 0, count);
    }

    /** Returns when everything that this process has written to the array has arrived. */
    public void flush() {
        block().first().flush();
    }

    /**
     * Returns the elements where they lie, encoded, to be read and changed in place. Only the host may call this, in a
     * phase in which no other rank uses them. Cost: no verb.
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

    /** The configuration that an array is opened with. Every rank that opens it must ask for the same. */
    public static final class Builder<T> extends ArrayBuilder<T, Array<T>, Builder<T>> {

        private Builder(String name, Codec<T> codec, Supplier<Participant> participant) {
            super(name, codec, participant);
        }

        /** Sets the rank in whose segment it lies. Defaults to 0. */
        @Override
        public Builder<T> host(int rank) {
            return super.host(rank);
        }

        @Override
        public Array<T> openLazily() {
            long elements = checkedLength();
            int rank = host();
            OnLoss becomes = onLoss();
            return new Array<>(name(), codec, elements, handle(self -> open(self, elements, rank, becomes)));
        }

        @Override
        protected Handle<?> handle(Array<T> array) {
            return array.handle;
        }

        private ElementBlock<T> open(Participant self, long elements, int rank, OnLoss becomes) {
            long block = self.directory()
                    .openAt(rank, name(), configuration(codec, elements), elements * codec.bytes(), becomes);
            return new ElementBlock<>(new Pointer<>(self, new GlobalPointer(rank, block), codec), elements);
        }
    }
}
