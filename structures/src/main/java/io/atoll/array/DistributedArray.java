package io.atoll.array;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * An array over all ranks (DArray in BCL, table 1). Each rank has one part of it. All parts are equally long, but the
 * parts of the last ranks may be shorter or empty. Elements are of fixed size and zeroed at first; each takes whole
 * words.
 *
 * <p>Nothing is atomic but a word. A thread that reads an element while another one writes it may see some old words
 * and some new ones. So barriers separate phases of writing from phases of reading. <strong>What was written has
 * arrived, for everyone, after {@link #flush} or the next barrier.</strong> No operation waits for another caller. An
 * operation that needs the part of a rank that is not there throws {@link io.atoll.failure.RankUnreachableException}.
 *
 * <p>On the own part, an operation costs no verb where the fabric's atomics are the CPU's. R and W are a remote read
 * and write.
 */
public final class DistributedArray<T> {

    /** @param share the number of elements of rank 0; no rank has more */
    private record Parts<T>(List<ElementBlock<T>> blocks, long share) {

        ElementBlock<T> of(long index) {
            return blocks.get((int) (index / share));
        }
    }

    private final String name;
    private final Codec<T> codec;
    private final long length;
    private final Handle<Parts<T>> handle;

    DistributedArray(String name, Codec<T> codec, long length, Handle<Parts<T>> handle) {
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

    static String configuration(Codec<?> codec, long length) {
        return "distributed-array type=" + codec.name() + " length=" + length;
    }

    /** Returns the number of elements of rank 0. No rank has more, and only the last ranks have fewer. */
    static long share(long length, int ranks) {
        return Math.ceilDiv(length, ranks);
    }

    /**
     * Returns the number of elements of the rank. It may be 0 for the last ranks, as for rank 3 of 4 that share 5
     * elements.
     */
    static long elements(int rank, long share, long length) {
        return Math.clamp(length - rank * share, 0, share);
    }

    public String name() {
        return name;
    }

    /** Returns the number of elements, over all ranks. */
    public long length() {
        return length;
    }

    private Parts<T> parts() {
        return handle.opened();
    }

    /** Returns the rank in whose segment the element lies. */
    public int owner(long index) {
        return parts().of(Objects.checkIndex(index, length)).first().rank();
    }

    /** Returns the element. Cost: R. */
    public T get(long index) {
        Parts<T> parts = handle.use();
        return parts.of(Objects.checkIndex(index, length)).get(index % parts.share());
    }

    /** Writes the element. Cost: W. */
    public void set(long index, T element) {
        Parts<T> parts = handle.use();
        parts.of(Objects.checkIndex(index, length)).set(index % parts.share(), element);
    }

    /**
     * Reads as many elements as the target has room for. They are encoded as the codec lays them out, longs as they
     * are. Cost: R for each rank that has some of them.
     *
     * @param target a segment of whole elements; {@code MemorySegment.ofArray(longs)}, for example
     */
    public void read(long from, MemorySegment target) {
        forEachPart(from, target, (part, index, position, count) -> part.read(index, target, position, count));
    }

    /**
     * Writes as many encoded elements as the source holds. The caller may use the source again at once. Cost: W for
     * each rank that has some of them.
     */
    public void write(long from, MemorySegment source) {
        forEachPart(from, source, (part, index, position, count) -> part.write(index, source, position, count));
    }

    private interface Transfer<T> {
        void move(ElementBlock<T> part, long index, long position, long count);
    }

    private void forEachPart(long from, MemorySegment elements, Transfer<T> transfer) {
        long count = ElementBlock.count(name, codec, elements);
        Objects.checkFromIndexSize(from, count, length);
        Parts<T> parts = handle.use(count);
        long share = parts.share();
        for (long done = 0; done < count;) {
            long index = from + done;
            long there = Math.min(count - done, share - index % share);
            transfer.move(parts.of(index), index % share, done * codec.bytes(), there);
            done += there;
        }
    }

    /** Returns when everything that this process has written to the array has arrived. */
    public void flush() {
        for (ElementBlock<T> part : parts().blocks()) {
            if (part.length() > 0) {
                part.first().flush();
            }
        }
    }

    /** Returns the index of the first element that lies in this rank's segment, if any does. */
    public long firstLocal() {
        return own().first().rank() * parts().share();
    }

    /**
     * Returns the elements that lie in this rank's segment, encoded. The caller may read and change them in place in a
     * phase in which no other rank uses them. There may be none. Cost: no verb.
     */
    public MemorySegment local() {
        return own().length() == 0 ? MemorySegment.ofArray(new long[0]) : own().local();
    }

    private ElementBlock<T> own() {
        return parts().blocks().stream().filter(block -> block.first().isLocal()).findFirst().orElseThrow();
    }

    @Override
    public String toString() {
        return "DistributedArray[" + name + "]";
    }

    /** The configuration that an array is opened with. Every rank that opens it must ask for the same. */
    public static final class Builder<T> extends ArrayBuilder<T, DistributedArray<T>, Builder<T>> {

        private Builder(String name, Codec<T> codec, Supplier<Participant> participant) {
            super(name, codec, participant);
        }

        @Override
        public DistributedArray<T> openLazily() {
            long elements = checkedLength();
            OnLoss becomes = onLoss();
            return new DistributedArray<>(name(), codec, elements, handle(self -> open(self, elements, becomes)));
        }

        @Override
        protected Handle<?> handle(DistributedArray<T> array) {
            return array.handle;
        }

        private Parts<T> open(Participant self, long length, OnLoss becomes) {
            long share = share(length, self.size());
            long[] offsets = self.directory()
                    .open(name(), configuration(codec, length), rank -> elements(rank, share, length) * codec.bytes(),
                            becomes);
            return new Parts<>(IntStream.range(0, self.size())
                    .mapToObj(rank -> new ElementBlock<>(
                            new Pointer<>(self, new GlobalPointer(rank, offsets[rank]), codec),
                            elements(rank, share, length)))
                    .toList(), share);
        }
    }
}
