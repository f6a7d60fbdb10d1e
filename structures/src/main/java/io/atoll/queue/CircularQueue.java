package io.atoll.queue;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.completion.Completions;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.failure.CodecException;
import io.atoll.promise.Promise;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import io.atoll.world.StructureStats;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * A bounded queue in the segment of one rank, its host. All ranks push into it and pop from it (BCL, section 5.2).
 * First in, first out over all ranks. Elements are of fixed size; null is none.
 *
 * <p>All operations are atomic with each other (linearizable). Pushes are lock-free. A pop waits for a push that has
 * begun to place the next element. If the rank of that push dies, the element is skipped. If it lives and does not go
 * on, the wait ends with a {@link io.atoll.failure.FabricTimeoutException} that names it. No death loses what a push
 * that has returned has stored, except together with the host's segment. <strong>An element that was claimed by a pop
 * whose rank dies before the pop returns is lost</strong>: each element is delivered at most once.
 *
 * <p>Costs are those of an operation that finds head and tail where this process last saw them. Otherwise R or A more.
 * A process knows neither when it opens the queue: its first push costs 2 R + 2 A more, its first pop 2 R more.
 *
 * <p>R, W and A are a remote read, write and atomic. At the host, an operation costs no verb where the fabric's atomics
 * are the CPU's. Where a slot does not arrive whole, R is two reads, of stamp and payload, and W is two writes. Each
 * takes one round trip if the fabric keeps reads in order. For n elements W is 1 + n writes in one round trip.
 *
 * <p>Over TCP, where the owner decides what is guarded, a push is one round trip, and so is a pop. The owner looks at
 * the stamps of eight slots in one R then. So a pop of up to 496 elements is one round trip, and of more two. It is two
 * as well if fewer elements are there than it wants.
 */
public final class CircularQueue<T> {

    /** The figures that a queue shows to monitoring. */
    public static final StructureStats FIGURES = new QueueStats(QueueBlock.FIRST_RING, QueueBlock.OLDEST);

    private final String name;
    private final Handle<RingChainQueue> handle;
    private final Codec<T> codec;

    CircularQueue(String name, Codec<T> codec, Handle<RingChainQueue> handle) {
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

    public String name() {
        return name;
    }

    /** Returns this queue for asynchronous operations. Cost: none. */
    public AsyncCircularQueue<T> async(Completions completions) {
        return new AsyncCircularQueue<>(this, completions);
    }

    /** Returns the queue of encoded elements, to look at it; no operation is counted. */
    RingChainQueue opened() {
        return handle.opened();
    }

    Codec<T> codec() {
        return codec;
    }

    /** Returns the element as it lies in a slot. */
    MemorySegment encoded(T element) {
        MemorySegment encoded = MemorySegment.ofArray(new long[Math.ceilDiv(codec.bytes(), Long.BYTES)]);
        place(element, encoded, 0);
        return encoded;
    }

    private void placeAll(List<? extends T> elements, RingChainQueue tickets, Batch batch) {
        MemorySegment buffer = batch.buffer(tickets.toPush(elements.size()));
        for (int index = 0; index < elements.size(); index++) {
            place(elements.get(index), buffer, tickets.toPush(index));
        }
    }

    /** Returns the queue of encoded elements for an operation, and counts the operation. */
    RingChainQueue tickets() {
        return handle.use();
    }

    /** Returns the rank in whose segment elements are put. Cost: R. */
    public int host() {
        return handle.opened().host();
    }

    /** Returns how many elements the queue can hold. Cost: R. */
    public long capacity() {
        return handle.opened().capacity();
    }

    /** Returns how many elements one operation can move at most. */
    public int maxBatchSize() {
        return handle.opened().maxBatchSize();
    }

    /**
     * Returns how many elements there are, including those that are being placed. Exact while no thread uses the queue.
     * Cost: R. After a move it is 2 R, until the elements are popped that were there then.
     */
    public long size() {
        return handle.opened().size();
    }

    /** Returns how many more elements there is room for. Exact while no thread uses the queue. Cost: 2 R. */
    public long remainingCapacity() {
        return handle.opened().remainingCapacity();
    }

    // --- moves ---

    /**
     * Gives the queue another capacity. The memory for it is taken from the heap of the queue's host. Any rank may call
     * it at any time, and others go on meanwhile; the order of elements is kept. What is in the queue stays where it is
     * until it is popped, and takes none of the new room. Then its place is freed, except that of the ring which the
     * queue was created with. A caller that opens the queue later still names the capacity that the queue was created
     * with.
     *
     * <p>Some lines of memory of the old ring remain. By them, processes that have not used the queue for long find
     * their way. If this rank dies meanwhile, the queue moves or does not. Memory of a ring that was not finished may
     * be lost. Lock-free. Cost: about 12 R + 8 A, and W for each word of the new ring's header; no element is copied.
     *
     * @param capacity the number of elements, at least 1; more than that are never pushed at once
     * @throws io.atoll.failure.SegmentFullException when the host has no room for it; the queue is as it was
     */
    public void resize(long capacity) {
        tickets().resize(capacity);
    }

    /**
     * Lets the queue go on in the segment of another rank. Like {@link #resize}, with the same capacity. It is still
     * opened by its name and its first host.
     *
     * <p>If that rank loses its segment, the queue is lost: operations fail with a {@link
     * io.atoll.failure.SegmentLostException}, whatever it was opened with. The elements in that segment are lost, too,
     * when the first host loses its own.
     *
     * @throws IllegalArgumentException when the world has no such rank
     */
    public void migrate(int host) {
        tickets().migrate(host);
    }

    // --- one element ---

    /** Appends the element. Returns false if the queue is full. Cost: A + W. */
    public boolean push(T element) {
        return push(element, Promise.nothing());
    }

    /**
     * Like {@link #push(Object)}, for callers that keep a promise. Cost: A + W. With {@link Promise#onlyPushes} it is
     * one write on every fabric, with {@link Promise#local} no verb.
     *
     * @throws IllegalStateException for a local push elsewhere than at the host
     */
    public boolean push(T element, Promise.Pushing promise) {
        RingChainQueue tickets = QueuePromises.pushing(tickets(), promise);
        return QueuePromises.push(tickets, batchWith(tickets, element), 1, promise);
    }

    /**
     * Appends an element that could not be decoded where it was popped, in the form of {@link CodecException#encoded}.
     * Returns false if the queue is full. Cost: A + W.
     *
     * @throws IllegalArgumentException if an element of this queue takes another number of bytes
     */
    public boolean pushEncoded(byte[] element) {
        if (element.length != codec.bytes()) {
            throw new IllegalArgumentException("another number of bytes than an element takes: queue=" + name
                    + " elementBytes=" + codec.bytes() + " bytes=" + element.length);
        }
        RingChainQueue tickets = QueuePromises.pushing(tickets(), Promise.nothing());
        Batch batch = tickets.batch();
        long position = tickets.toPush(0);
        MemorySegment.copy(element, 0, batch.buffer(position + element.length), JAVA_BYTE, position, element.length);
        return QueuePromises.push(tickets, batch, 1, Promise.nothing());
    }

    /**
     * Takes the element at the head. Returns null if the queue is empty. Cost: R + A; 2 R if it is empty.
     *
     * @throws CodecException if it cannot be read here: it has been taken, so that the next one can be, and is in
     * {@link CodecException#encoded}
     */
    public @Nullable T pop() {
        return pop(Promise.nothing());
    }

    /**
     * Like {@link #pop()}, for callers that keep a promise. Cost: R + A. With {@link Promise#onlyPops} it is one read
     * on every fabric, with {@link Promise#local} no verb.
     *
     * @throws IllegalStateException for a local pop elsewhere than at the host
     */
    public @Nullable T pop(Promise.Popping promise) {
        RingChainQueue tickets = QueuePromises.popping(tickets(), promise);
        Batch batch = tickets.batch();
        return QueuePromises.pop(tickets, batch, 1, promise) == RingChainQueue.EMPTY ? null : popped(tickets, batch);
    }

    /** Like {@link #pop(Promise.Popping)} with {@link Promise#local}. Cost: no verb. */
    public @Nullable T localPop() {
        return pop(Promise.local());
    }

    // --- several ---

    /**
     * Appends all elements, one behind the other. If there is no room for all, it appends none and returns false. Cost:
     * A + W; two writes where the ring's end lies between.
     *
     * @param elements at most {@link #maxBatchSize}
     * @throws IllegalArgumentException for more than that, or than the queue's capacity
     */
    public boolean push(List<? extends T> elements) {
        return push(elements, Promise.nothing());
    }

    /**
     * Like {@link #push(List)}, for callers that keep a promise. Throws what {@link #push(Object, Promise.Pushing)}
     * throws. Cost: as there, for any number of elements.
     */
    public boolean push(List<? extends T> elements, Promise.Pushing promise) {
        checkCount("elements", elements.size());
        RingChainQueue tickets = QueuePromises.pushing(handle.use(elements.size()), promise);
        try (Batch batch = tickets.batch()) {
            placeAll(elements, tickets, batch);
            return elements.isEmpty() || QueuePromises.push(tickets, batch, elements.size(), promise);
        }
    }

    /**
     * Takes at most {@code most} elements from the head, in their order, of those that are there already. Returns an
     * empty list if the queue is empty. Cost: R + A; two reads where the ring's end lies between.
     *
     * @param most 1 to {@link #maxBatchSize}
     * @throws CodecException if one of them cannot be read here: all have been taken, and are in {@link
     * CodecException#encoded}
     */
    public List<T> pop(int most) {
        return pop(most, Promise.nothing());
    }

    /**
     * Like {@link #pop(int)}, for callers that keep a promise. Throws what {@link #pop(Promise.Popping)} throws. Cost:
     * as there, for any number of elements.
     */
    public List<T> pop(int most, Promise.Popping promise) {
        if (most < 1) {
            throw new IllegalArgumentException("at least one: most=" + most);
        }
        checkCount("most", most);
        RingChainQueue tickets = QueuePromises.popping(tickets(), promise);
        try (Batch batch = tickets.batch()) {
            int count = QueuePromises.pop(tickets, batch, most, promise);
            handle.count(count - 1);
            return decode(batch.buffer(tickets.popped(most, count)), tickets.popped(most, 0),
                    tickets.popped(most, 1) - tickets.popped(most, 0), count);
        }
    }

    /**
     * Decodes elements that have been taken and lie at equal distances. If one cannot be decoded, all of them are in
     * the exception.
     */
    private List<T> decode(MemorySegment buffer, long first, long distance, int count) {
        List<T> elements = new ArrayList<>(count);
        try {
            for (int index = 0; index < count; index++) {
                elements.add(codec.decode(buffer, first + index * distance));
            }
            return elements;
        } catch (CodecException | VirtualMachineError failure) {
            throw CodecException.ofElements(failure, IntStream.range(0, count)
                    .mapToObj(index -> buffer.asSlice(first + index * distance, codec.bytes()).toArray(JAVA_BYTE))
                    .toList());
        }
    }

    private void checkCount(String what, int count) {
        if (count > maxBatchSize()) {
            throw new IllegalArgumentException("one operation moves at most " + maxBatchSize() + ": queue=" + name + " "
                    + what + "=" + count);
        }
    }

    // --- waiting for others ---

    /**
     * Like {@link #push(Object)}, but waits for room. Returns false if the time is over. Cost: that of a push, and R
     * for each look.
     */
    public boolean offer(T element, Duration timeout) throws InterruptedException {
        RingChainQueue tickets = QueuePromises.pushing(tickets(), Promise.nothing());
        return tickets.pushWithin(batchWith(tickets, element), 1, timeout);
    }

    /**
     * Like {@link #pop()}, but waits for an element. Returns null if the time is over. Cost: that of a pop, and 2 R for
     * each look.
     */
    public @Nullable T poll(Duration timeout) throws InterruptedException {
        RingChainQueue tickets = QueuePromises.popping(tickets(), Promise.nothing());
        Batch batch = tickets.batch();
        return tickets.popWithin(batch, 1, timeout) > 0 ? popped(tickets, batch) : null;
    }

    /** Like {@link #push(Object)}, but waits for room without a time limit. */
    public void put(T element) throws InterruptedException {
        boolean pushed = offer(element, Backoff.UNBOUNDED);
        assert pushed : "the time is over: queue=" + name;
    }

    /** Like {@link #pop()}, but waits for an element without a time limit. */
    public T take() throws InterruptedException {
        return Objects.requireNonNull(poll(Backoff.UNBOUNDED), "the time is over");
    }

    /**
     * Returns the queue as a {@link BlockingQueue}. Elements cannot be removed from its middle. Its iterator shows the
     * elements that are there, in order, without removing them. {@link BlockingQueue#drainTo drainTo} takes many
     * elements at once. What its target refuses is in the {@link io.atoll.failure.DrainException} that it throws.
     */
    public BlockingQueue<T> asBlockingQueue() {
        return new BlockingView<>(this);
    }

    /**
     * Shows the elements in their order without taking them, each at most once. What changes meanwhile may or may not
     * be seen. Cost: 2 R, and 3 R for each {@link #maxBatchSize}.
     */
    public void forEach(Consumer<? super T> visitor) {
        // Decoded before the visitor is called: it may use this queue, and with it this thread's batch.
        elements(Long.MAX_VALUE).forEach(visitor);
    }

    /**
     * Returns the element at the head, without taking it. Returns null if there is none, or it is still being placed.
     * Cost: 5 R.
     */
    public @Nullable T peek() {
        List<T> first = elements(1);
        if (first.isEmpty() && size() > 0) {
            // The ticket at the head has been skipped. Those behind it may have elements.
            first = elements(Long.MAX_VALUE);
        }
        return first.isEmpty() ? null : first.getFirst();
    }

    private List<T> elements(long most) {
        RingChainQueue tickets = tickets();
        tickets.enter(QueuePromises.LOOK);
        List<T> elements = new ArrayList<>();
        tickets.forEach(most, (buffer, position) -> elements.add(codec.decode(buffer, position)));
        return elements;
    }

    private Batch batchWith(RingChainQueue tickets, T element) {
        Batch batch = tickets.batch();
        place(element, batch.buffer(tickets.toPush(1)), tickets.toPush(0));
        return batch;
    }

    private void place(T element, MemorySegment buffer, long position) {
        codec.encode(Objects.requireNonNull(element, "element"), buffer, position);
    }

    private T popped(RingChainQueue tickets, Batch batch) {
        return codec.decode(batch.buffer(tickets.popped(1, 1)), tickets.popped(1, 0));
    }

    @Override
    public String toString() {
        return "CircularQueue[" + name + "]";
    }

    /** The configuration that a queue is opened with. Every rank that opens it must ask for the same. */
    public static final class Builder<T> extends RingBuilder<T, CircularQueue<T>, Builder<T>> {

        private Builder(String name, Codec<T> codec, Supplier<Participant> participant) {
            super(name, codec, participant, CircularQueue.class);
        }

        @Override
        public CircularQueue<T> openLazily() {
            return new CircularQueue<>(name(), codec, handle());
        }

        @Override
        protected Handle<?> handle(CircularQueue<T> queue) {
            return queue.handle;
        }
    }
}
