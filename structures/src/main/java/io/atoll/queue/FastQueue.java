package io.atoll.queue;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.fabric.Batch;
import io.atoll.failure.CodecException;
import io.atoll.world.Handle;
import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import io.atoll.world.StructureBuilder;
import io.atoll.world.StructureStats;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue in the segment of one rank, its host, for phases that barriers separate (BCL, section 5.2.1). In one
 * phase all ranks push, in another all ranks pop, or the host alone uses what is there. <strong>What was pushed can be
 * popped after the next barrier</strong>, which also completes the writes: a push does not wait for its own. Elements
 * of one push stand one behind the other; null is none.
 *
 * <p>Pushes and pops are lock-free. A rank that dies in a phase makes the barrier fail that ends the phase. The
 * elements that it was pushing may be there half, or not at all. What was there must not be used any more. If that is
 * not acceptable, use a {@link io.atoll.queue.CircularQueue}.
 *
 * <p>Costs are those of an operation that finds head and tail where this process last saw them. Otherwise R or A more.
 * R, W and A are a remote read, write and atomic. At the host, an operation costs no verb where the fabric's atomics
 * are the CPU's.
 */
public final class FastQueue<T> {

    /** The figures that a queue shows to monitoring. */
    public static final StructureStats FIGURES = new QueueStats(0, -1);

    private final String name;
    private final Codec<T> codec;
    private final Handle<FastRings> handle;

    FastQueue(String name, Codec<T> codec, Handle<FastRings> handle) {
        this.name = name;
        this.codec = codec;
        this.handle = handle;
    }

    /** Begins to open the queue of this name. */
    public static <T> Builder<T> builder(String name, Class<T> elements, Supplier<Participant> participant) {
        return new Builder<>(name, Codecs.forType(elements), participant);
    }

    /** Begins to open the queue of this name, for a type with a codec of the caller's own. */
    public static <T> Builder<T> builder(String name, Codec<T> elements, Supplier<Participant> participant) {
        return new Builder<>(name, elements, participant);
    }

    /**
     * Returns a queue that is part of another structure, which opens it, lists it, and gives it the beginning of a
     * block. A zeroed block is an empty queue.
     *
     * @param structure its name; failures name it, and operations are counted for it
     * @param block finds the block in the host's segment, again whenever a rank has lost its segment
     */
    public static <T> FastQueue<T> within(String structure, Codec<T> codec, long capacity, int host,
            Supplier<Participant> participant, ToLongFunction<Participant> block) {
        Handle<FastRings> handle = Handle.ofReplacedParts(structure, participant,
                self -> rings(structure, self, host, block.applyAsLong(self), codec, capacity));
        handle.opened();
        return new FastQueue<>(structure, codec.within(structure), handle);
    }

    /** Returns how many bytes a block has that holds a queue. */
    public static long bytes(Codec<?> codec, long capacity) {
        return FastRing.bytes(codec.bytes(), capacity);
    }

    private static FastRings rings(String name, Participant self, int host, long block, Codec<?> codec, long capacity) {
        FastRings rings = new FastRings(name, self, host, block, codec.bytes(), capacity);
        self.endpoint().structures().ask(rings);
        return rings;
    }

    public String name() {
        return name;
    }

    /** Returns the rings for an operation, and counts the operation. */
    private FastRings rings() {
        return handle.use();
    }

    /** Returns the rank in whose segment the queue lies. Cost: R; no verb at the host. */
    public int host() {
        return handle.opened().latest().host;
    }

    /** Returns how many elements the queue can hold. Cost: R; no verb at the host. */
    public long capacity() {
        return handle.opened().latest().capacity;
    }

    /** Returns how many elements there are. Exact between phases. Cost: R. */
    public long size() {
        return handle.opened().size();
    }

    // --- between phases ---

    /**
     * Gives the queue another capacity. One rank calls it, between two phases. Other ranks use the queue again after a
     * barrier. Handles that were opened before still work. Handles that are opened later name the configuration that
     * the queue was created with. The elements are copied to the beginning of a new ring, so that {@link #local} shows
     * them in one piece.
     *
     * <p>If the rank dies meanwhile, no memory is lost, and the queue either has moved or has not. The barrier fails
     * then, so what is in the queue must not be used any more, as in any phase. Cost: about 18 R + 8 A + 6 W, and for
     * each MiB of elements R + W.
     *
     * @throws io.atoll.failure.SegmentFullException when its host has no room for it; the queue is as it was
     * @throws IllegalArgumentException when there are more elements than that; the queue is as it was
     */
    public void resize(long capacity) {
        FastRings rings = rings();
        rings.move(rings.latest().host, RingBuilder.checkCapacity(name, capacity));
    }

    /**
     * Moves the queue to the segment of another rank. Like {@link #resize}, with the same capacity. If that rank loses
     * its segment, the queue is lost: operations fail with a {@link io.atoll.failure.SegmentLostException}, whatever it
     * was opened with.
     *
     * @throws IllegalArgumentException when the world has no such rank
     */
    public void migrate(int host) {
        FastRings rings = rings();
        rings.move(host, rings.latest().capacity);
    }

    // --- while all push ---

    /** Appends the element. Returns false if the queue is full. Cost: A + W. */
    public boolean push(T element) {
        FastRings rings = rings();
        MemorySegment encoded = rings.toPush();
        codec.encode(Objects.requireNonNull(element, "element"), encoded, 0);
        return rings.push(encoded, 0, 1);
    }

    /**
     * Appends all elements. If there is no room for all, it appends none and returns false. Cost: A + W; two writes
     * where the ring's end lies between.
     */
    public boolean push(List<? extends T> elements) {
        if (elements.isEmpty()) {
            return true;
        }
        MemorySegment encoded = MemorySegment.ofArray(new long[Math.multiplyExact(elements.size(), words())]);
        long position = 0;
        for (T element : elements) {
            codec.encode(Objects.requireNonNull(element, "element"), encoded, position);
            position += codec.bytes();
        }
        return handle.use(elements.size()).push(encoded, 0, elements.size());
    }

    /**
     * Like {@link #push(List)}, for elements that are encoded already, as longs and records of longs are by nature.
     * Nothing is copied or allocated. The caller may use the source again at once.
     *
     * @param elements whole elements; {@code MemorySegment.ofArray(longs)}, for example
     */
    public boolean pushEncoded(MemorySegment elements) {
        long count = checkedCount(elements);
        return count == 0 || handle.use(count).push(elements, 0, count);
    }

    // --- while all pop ---

    /**
     * Takes the element at the head. Returns null if the queue is empty. Cost: R + A in one round trip.
     *
     * @throws CodecException if it cannot be read here: it has been taken, and is in {@link CodecException#encoded},
     * which {@link #pushEncoded} takes again
     */
    public @Nullable T pop() {
        FastRings rings = rings();
        MemorySegment encoded = rings.popped();
        return rings.pop(encoded, 0, 1) == 0 ? null : codec.decode(encoded, 0);
    }

    /**
     * Takes {@code most} elements from the head, or all there are if they are fewer. Cost: R + A in one round trip for
     * at most 32 KiB, otherwise in two. Two reads where the ring's end lies between, and one more if there may be fewer
     * elements.
     *
     * @throws CodecException if one of them cannot be read here: all have been taken, and are in {@link
     * CodecException#encoded}
     */
    public List<T> pop(int most) {
        if (most < 1) {
            throw new IllegalArgumentException("at least one: most=" + most);
        }
        MemorySegment encoded = MemorySegment.ofArray(new long[Math.multiplyExact(most, words())]);
        long count = rings().pop(encoded, 0, most);
        handle.count(count - 1);
        List<T> elements = new ArrayList<>();
        try {
            for (long index = 0; index < count; index++) {
                elements.add(codec.decode(encoded, index * codec.bytes()));
            }
        } catch (CodecException | VirtualMachineError failure) {
            throw CodecException.ofElements(failure,
                    encoded.asSlice(0, count * codec.bytes())
                            .elements(MemoryLayout.sequenceLayout(codec.bytes(), JAVA_BYTE))
                            .map(element -> element.toArray(JAVA_BYTE))
                            .toList());
        }
        return elements;
    }

    /**
     * Like {@link #pop(int)}, but leaves the elements encoded. Returns how many whole elements are at the beginning of
     * the target then.
     */
    public long popEncoded(MemorySegment target) {
        long most = checkedCount(target);
        if (most == 0) {
            return 0;
        }
        long count = rings().pop(target, 0, most);
        handle.count(count - 1);
        return count;
    }

    // --- while the host alone uses it ---

    /**
     * Takes the element at the head. Returns null if the queue is empty. Cost: no verb.
     *
     * @throws IllegalStateException elsewhere than at the host
     */
    public @Nullable T localPop() {
        FastRings rings = rings();
        MemorySegment encoded = rings.popped();
        return rings.latest().popLocal(encoded, 0) == 0 ? null : codec.decode(encoded, 0);
    }

    /**
     * Drops {@code count} elements at the head, or all there are. Cost: no verb.
     *
     * @throws IllegalStateException elsewhere than at the host
     */
    public void localSkip(long count) {
        handle.use(count).latest().skipLocal(count);
    }

    /**
     * Returns the elements where they lie, encoded, to be read or changed in place. They are in one piece, or in two
     * where the ring's end lies between. There is one piece as long as no more than {@link #capacity} elements have
     * been pushed in all. Cost: no verb.
     *
     * @throws IllegalStateException elsewhere than at the host
     */
    public List<MemorySegment> local() {
        return handle.opened().latest().local();
    }

    private int words() {
        return codec.bytes() / Long.BYTES;
    }

    private long checkedCount(MemorySegment elements) {
        if (elements.byteSize() % codec.bytes() != 0) {
            throw new IllegalArgumentException("whole elements: queue=" + name + " elementBytes=" + codec.bytes()
                    + " bytes=" + elements.byteSize());
        }
        return elements.byteSize() / codec.bytes();
    }

    @Override
    public String toString() {
        return "FastQueue[" + name + "]";
    }

    /** The configuration that a queue is opened with. Every rank that opens it must ask for the same. */
    public static final class Builder<T> extends StructureBuilder<FastQueue<T>, Builder<T>> {

        private final Codec<T> codec;
        private long capacity = 1 << 16;

        private Builder(String name, Codec<T> codec, Supplier<Participant> participant) {
            super(name, participant);
            this.codec = codec.within(name);
        }

        /** Sets how many elements it can hold. Defaults to 65,536. */
        public Builder<T> capacity(long elements) {
            this.capacity = elements;
            return this;
        }

        /** Sets the rank in whose segment it lies. Defaults to 0. */
        @Override
        public Builder<T> host(int rank) {
            return super.host(rank);
        }

        /**
         * Sets what becomes of the queue when its host loses its segment. By default, operations fail with a {@link
         * io.atoll.failure.SegmentLostException}, and the queue cannot be opened any more. With {@link OnLoss#EMPTY} it
         * begins empty.
         */
        @Override
        public Builder<T> onLoss(OnLoss becomes) {
            return super.onLoss(becomes);
        }

        @Override
        public FastQueue<T> openLazily() {
            if (codec.bytes() > Batch.THREAD_BUFFER_BYTES) {
                throw new IllegalArgumentException("elements are too large: queue=" + name() + " bytes=" + codec.bytes()
                        + " largestBytes=" + Batch.THREAD_BUFFER_BYTES);
            }
            long elements = RingBuilder.checkCapacity(name(), capacity);
            int rank = host();
            OnLoss becomes = onLoss();
            return new FastQueue<>(name(), codec, handle(self -> open(self, elements, rank, becomes)));
        }

        @Override
        protected Handle<?> handle(FastQueue<T> queue) {
            return queue.handle;
        }

        private FastRings open(Participant self, long elements, int rank, OnLoss becomes) {
            String configuration = "fast-queue type=" + codec.name() + " capacity=" + elements;
            long block = self.directory().openAt(rank, name(), configuration, bytes(codec, elements), becomes);
            return rings(name(), self, rank, block, codec, elements);
        }
    }
}
