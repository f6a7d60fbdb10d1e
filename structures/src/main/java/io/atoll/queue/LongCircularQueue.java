package io.atoll.queue;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.completion.Completions;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.promise.Promise;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.Supplier;

/**
 * A {@link CircularQueue} of longs, without boxing: no operation allocates, except those that wait. Other ranks can
 * open the same queue as one of {@code Long}. Atomicity, progress and costs are those of {@link CircularQueue}.
 */
public final class LongCircularQueue {

    private static final Codec<Long> LONGS = Codecs.forType(Long.class);

    private final String name;
    private final Handle<RingChainQueue> handle;

    LongCircularQueue(String name, Handle<RingChainQueue> handle) {
        this.name = name;
        this.handle = handle;
    }

    /** Begins to open the queue of this name. */
    public static Builder builder(String name, Supplier<Participant> participant) {
        return new Builder(name, participant);
    }

    public String name() {
        return name;
    }

    /** Returns this queue for asynchronous operations. Cost: none. */
    public AsyncCircularQueue<Long> async(Completions completions) {
        return new CircularQueue<>(name, LONGS, handle).async(completions);
    }

    /** Returns the queue of encoded elements for an operation, and counts the operation. */
    private RingChainQueue tickets() {
        return handle.use();
    }

    /** @see CircularQueue#host */
    public int host() {
        return handle.opened().host();
    }

    /** @see CircularQueue#capacity */
    public long capacity() {
        return handle.opened().capacity();
    }

    /** @see CircularQueue#maxBatchSize */
    public int maxBatchSize() {
        return handle.opened().maxBatchSize();
    }

    /** @see CircularQueue#size */
    public long size() {
        return handle.opened().size();
    }

    /** @see CircularQueue#remainingCapacity */
    public long remainingCapacity() {
        return handle.opened().remainingCapacity();
    }

    /** @see CircularQueue#resize */
    public void resize(long capacity) {
        tickets().resize(capacity);
    }

    /** @see CircularQueue#migrate */
    public void migrate(int host) {
        tickets().migrate(host);
    }

    /** @see CircularQueue#push(Object) */
    public boolean push(long element) {
        return push(element, Promise.nothing());
    }

    /** @see CircularQueue#push(Object, Promise.Pushing) */
    public boolean push(long element, Promise.Pushing promise) {
        RingChainQueue tickets = QueuePromises.pushing(tickets(), promise);
        return QueuePromises.push(tickets, batchWith(tickets, element), 1, promise);
    }

    /**
     * Takes the element at the head. Returns {@code otherwise} if the queue is empty.
     *
     * @see CircularQueue#pop()
     */
    public long pop(long otherwise) {
        return pop(otherwise, Promise.nothing());
    }

    /** @see CircularQueue#pop(Promise.Popping) */
    public long pop(long otherwise, Promise.Popping promise) {
        RingChainQueue tickets = QueuePromises.popping(tickets(), promise);
        Batch batch = tickets.batch();
        return QueuePromises.pop(tickets, batch, 1, promise) == RingChainQueue.EMPTY
                ? otherwise
                : popped(tickets, batch);
    }

    /** @see CircularQueue#localPop */
    public long localPop(long otherwise) {
        return pop(otherwise, Promise.local());
    }

    /**
     * @param count how many of the elements are pushed, from the array's first, 1 to {@link #maxBatchSize}
     * @see CircularQueue#push(java.util.List)
     */
    public boolean push(long[] elements, int count) {
        return push(elements, count, Promise.nothing());
    }

    /** @see CircularQueue#push(java.util.List, Promise.Pushing) */
    public boolean push(long[] elements, int count, Promise.Pushing promise) {
        checkCount(count);
        RingChainQueue tickets = QueuePromises.pushing(handle.use(count), promise);
        try (Batch batch = tickets.batch()) {
            MemorySegment buffer = batch.buffer(tickets.toPush(count));
            for (int index = 0; index < count; index++) {
                buffer.set(JAVA_LONG, tickets.toPush(index), elements[index]);
            }
            return QueuePromises.push(tickets, batch, count, promise);
        }
    }

    /**
     * Takes as many elements as are there already and fit into the array and into one operation. Returns how many.
     *
     * @param target an array of at least one element
     * @see CircularQueue#pop(int)
     */
    public int pop(long[] target) {
        return pop(target, Promise.nothing());
    }

    /** @see CircularQueue#pop(int, Promise.Popping) */
    public int pop(long[] target, Promise.Popping promise) {
        int most = Math.min(target.length, maxBatchSize());
        checkCount(most);
        RingChainQueue tickets = QueuePromises.popping(tickets(), promise);
        try (Batch batch = tickets.batch()) {
            int count = QueuePromises.pop(tickets, batch, most, promise);
            handle.count(count - 1);
            MemorySegment buffer = batch.buffer(tickets.popped(most, count));
            for (int index = 0; index < count; index++) {
                target[index] = buffer.get(JAVA_LONG, tickets.popped(most, index));
            }
            return count;
        }
    }

    private void checkCount(int count) {
        if (count < 1 || count > maxBatchSize()) {
            throw new IllegalArgumentException("one operation moves 1 to " + maxBatchSize() + ": queue=" + name
                    + " count=" + count);
        }
    }

    /** @see CircularQueue#offer */
    public boolean offer(long element, Duration timeout) throws InterruptedException {
        RingChainQueue tickets = QueuePromises.pushing(tickets(), Promise.nothing());
        return tickets.pushWithin(batchWith(tickets, element), 1, timeout);
    }

    /**
     * Like {@link #pop(long)}, but waits for an element. Returns {@code otherwise} if the time is over.
     *
     * @see CircularQueue#poll
     */
    public long poll(long otherwise, Duration timeout) throws InterruptedException {
        RingChainQueue tickets = QueuePromises.popping(tickets(), Promise.nothing());
        Batch batch = tickets.batch();
        return tickets.popWithin(batch, 1, timeout) > 0 ? popped(tickets, batch) : otherwise;
    }

    /** @see CircularQueue#put */
    public void put(long element) throws InterruptedException {
        boolean pushed = offer(element, Backoff.UNBOUNDED);
        assert pushed : "the time is over: queue=" + name;
    }

    /** @see CircularQueue#take */
    public long take() throws InterruptedException {
        RingChainQueue tickets = QueuePromises.popping(tickets(), Promise.nothing());
        Batch batch = tickets.batch();
        int count = tickets.popWithin(batch, 1, Backoff.UNBOUNDED);
        assert count > 0 : "the time is over: queue=" + name;
        return popped(tickets, batch);
    }

    private static Batch batchWith(RingChainQueue tickets, long element) {
        Batch batch = tickets.batch();
        batch.setWord(tickets.toPush(0), element);
        return batch;
    }

    private static long popped(RingChainQueue tickets, Batch batch) {
        return batch.word(tickets.popped(1, 0));
    }

    @Override
    public String toString() {
        return "LongCircularQueue[" + name + "]";
    }

    /** The configuration that a queue is opened with. Every rank that opens it must ask for the same. */
    public static final class Builder extends RingBuilder<Long, LongCircularQueue, Builder> {

        private Builder(String name, Supplier<Participant> participant) {
            super(name, LONGS, participant, LongCircularQueue.class);
        }

        @Override
        public LongCircularQueue openLazily() {
            return new LongCircularQueue(name(), handle());
        }

        @Override
        protected Handle<?> handle(LongCircularQueue queue) {
            return queue.handle;
        }
    }
}
