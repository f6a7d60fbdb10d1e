package io.atoll.array;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.IntStream;

/**
 * An {@link Array} of longs, or a {@link DistributedArray}, without boxing: no operation on one element allocates.
 * Other ranks can open the same array as one of {@code Long}.
 *
 * <p>Each element is a word, so no thread ever sees it half written. {@link #getAndAdd} and {@link #compareAndExchange}
 * are atomic with each other. Where the fabric's atomics are not the CPU's, they take two steps. What is written
 * between the steps is lost. So an element that they change must not be {@linkplain #set set}, or changed in place, at
 * the same time. <strong>What was written has arrived, for everyone, after {@link #flush} or the next barrier.</strong>
 * No operation waits for another caller. An operation that needs a rank that is not there throws {@link
 * io.atoll.failure.RankUnreachableException}.
 *
 * <p>In the own segment, an operation costs no verb where the fabric's atomics are the CPU's. R, W and A are a remote
 * read, write and atomic.
 */
public final class LongArray {

    private static final Codec<Long> LONGS = Codecs.forType(long.class);

    /**
     * The places of the elements.
     *
     * @param ranks the rank of each part
     * @param offsets the offset of each part in its rank's segment
     * @param share the number of elements of the first part; no part has more
     */
    private record Parts(Endpoint endpoint, int[] ranks, long[] offsets, long share) {

        int rank(long index) {
            return ranks[(int) (index / share)];
        }

        long offset(long index) {
            return offsets[(int) (index / share)] + index % share * Layouts.WORD;
        }

        /** Returns how many elements from this one on, at most {@code most}, lie in its part. */
        int together(long index, int most) {
            return (int) Math.min(most, share - index % share);
        }
    }

    private final String name;
    private final long length;
    private final Handle<Parts> handle;

    LongArray(String name, long length, Handle<Parts> handle) {
        this.name = name;
        this.length = length;
        this.handle = handle;
    }

    /** Begins to open the array of this name. */
    public static Builder builder(String name, Supplier<Participant> participant) {
        return new Builder(name, participant);
    }

    public String name() {
        return name;
    }

    /** Returns the number of elements, over all ranks. */
    public long length() {
        return length;
    }

    private Parts parts() {
        return handle.opened();
    }

    private long checked(long index) {
        return Objects.checkIndex(index, length);
    }

    /** Returns the rank in whose segment the element lies. */
    public int owner(long index) {
        return parts().rank(checked(index));
    }

    /** Returns the element. Cost: R. */
    public long get(long index) {
        Parts parts = handle.use();
        return parts.endpoint.readWord(parts.rank(checked(index)), parts.offset(index));
    }

    /** Writes the element. Cost: W. */
    public void set(long index, long element) {
        Parts parts = handle.use();
        parts.endpoint.writeWord(parts.rank(checked(index)), parts.offset(index), element);
    }

    /** Adds to the element, and returns what it was. Cost: A. */
    public long getAndAdd(long index, long delta) {
        Parts parts = handle.use();
        return parts.endpoint.getAndAdd(parts.rank(checked(index)), parts.offset(index), delta);
    }

    /** Replaces the element if it is the expected one. Returns what it was. Cost: A. */
    public long compareAndExchange(long index, long expected, long element) {
        Parts parts = handle.use();
        return parts.endpoint.compareAndExchange(parts.rank(checked(index)), parts.offset(index), expected, element);
    }

    /** Reads as many elements as the target has room for. Cost: R for each rank that has some of them. */
    public void read(long from, long[] target) {
        forEachPart(from, target, (parts, index, elements, position, bytes) -> parts.endpoint
                .read(parts.rank(index), parts.offset(index), elements, position, bytes));
    }

    /**
     * Writes the elements. The caller may use {@code source} again at once. Cost: W for each rank that has some of
     * them.
     */
    public void write(long from, long[] source) {
        forEachPart(from, source, (parts, index, elements, position, bytes) -> parts.endpoint
                .write(parts.rank(index), parts.offset(index), elements, position, bytes));
    }

    private interface Transfer {
        void move(Parts parts, long index, MemorySegment elements, long position, long bytes);
    }

    private void forEachPart(long from, long[] elements, Transfer transfer) {
        Objects.checkFromIndexSize(from, elements.length, length);
        Parts parts = handle.use(elements.length);
        MemorySegment words = MemorySegment.ofArray(elements);
        for (int done = 0; done < elements.length;) {
            long index = from + done;
            int there = parts.together(index, elements.length - done);
            transfer.move(parts, index, words, done * Layouts.WORD, there * Layouts.WORD);
            done += there;
        }
    }

    /** Returns when everything that this process has written to the array has arrived. */
    public void flush() {
        for (int rank : parts().ranks) {
            parts().endpoint.flush(rank);
        }
    }

    @Override
    public String toString() {
        return "LongArray[" + name + "]";
    }

    /** The configuration that an array is opened with. Every rank that opens it must ask for the same. */
    public static final class Builder extends ArrayBuilder<Long, LongArray, Builder> {

        private boolean hosted;

        private Builder(String name, Supplier<Participant> participant) {
            super(name, LONGS, participant);
        }

        /** Sets the rank in whose segment the whole array lies. By default it lies in the segments of all ranks. */
        @Override
        public Builder host(int rank) {
            hosted = true;
            return super.host(rank);
        }

        @Override
        public LongArray openLazily() {
            long elements = checkedLength();
            boolean isHosted = hosted;
            int rank = host();
            OnLoss becomes = onLoss();
            return new LongArray(name(), elements, handle(self -> isHosted
                    ? hosted(self, elements, rank, becomes)
                    : distributed(self, elements, becomes)));
        }

        @Override
        protected Handle<?> handle(LongArray array) {
            return array.handle;
        }

        private Parts hosted(Participant self, long elements, int rank, OnLoss becomes) {
            long block = self.directory()
                    .openAt(rank, name(), Array.configuration(LONGS, elements), elements * Layouts.WORD,
                            becomes);
            return new Parts(self.endpoint(), new int[]{rank}, new long[]{block}, elements);
        }

        private Parts distributed(Participant self, long elements, OnLoss becomes) {
            long share = DistributedArray.share(elements, self.size());
            long[] offsets = self.directory()
                    .open(name(), DistributedArray.configuration(LONGS, elements),
                            rank -> DistributedArray.elements(rank, share, elements) * Layouts.WORD, becomes);
            return new Parts(self.endpoint(), IntStream.range(0, self.size()).toArray(), offsets, share);
        }
    }
}
