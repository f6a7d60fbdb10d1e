package io.atoll.queue;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.promise.PromiseWatch;
import io.atoll.promise.Use;
import io.atoll.queue.RingChain.Place;
import io.atoll.world.Reservations;
import io.atoll.world.WaitReason;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.LongConsumer;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A queue of encoded elements, over all its rings. Before a push the caller places the elements at {@link #toPush} in
 * the buffer of {@link #batch}. After a pop they stand at {@link #popped} in it.
 */
final class RingChainQueue {

    /** The result of a pop that found no element. */
    public static final int EMPTY = Ring.EMPTY;

    private final String name;
    private final RingChain rings;
    private final Slot slot;
    private final @Nullable PromiseWatch watch;

    RingChainQueue(String name, RingChain rings, @Nullable PromiseWatch watch) {
        this.name = name;
        this.rings = rings;
        this.watch = watch;
        this.slot = rings.slot;
    }

    /**
     * Checks promises. Must be called before an operation, and before its batch is asked for.
     *
     * @throws io.atoll.promise.BrokenPromiseException if promises are watched over, and one is broken
     */
    public void enter(Use use) {
        if (watch != null) {
            watch.enter(use);
        }
    }

    /**
     * Returns the batch of this thread. Must be called before each operation. The batch must not be used for anything
     * else until the operation has ended.
     */
    public Batch batch() {
        return rings.pushing().batch();
    }

    Endpoint endpoint() {
        return rings.endpoint;
    }

    /** Returns true if verbs to the queue's host, as this process knows it, are executed at once. */
    boolean isReachedAtOnce() {
        return rings.endpoint.executesAtOnce(rings.pushing().block.host);
    }

    /** Returns the ring for pushers, as far as this process knows. */
    Ring pushing() {
        return rings.pushing();
    }

    /** Returns the ring for poppers, as far as this process knows. */
    Ring popping() {
        return rings.popping();
    }

    /** Returns how many elements one operation can move at most. */
    public int maxBatchSize() {
        return Ring.maxBatchSize(slot);
    }

    /** Returns the position in the buffer of the payload that is to be pushed as the index-th. */
    public long toPush(int index) {
        return Ring.toPush(slot, index);
    }

    /** Returns the buffer position of the payload that was popped as the index-th, by a pop of at most {@code most}. */
    public long popped(int most, int index) {
        return Ring.popped(slot, most, index);
    }

    // --- push ---

    /**
     * Pushes all of them. If there is no room for all, pushes none and returns false.
     *
     * @param count 1 to {@link #maxBatchSize}
     * @param onlyPushes true if no thread pops at the same time
     * @throws IllegalArgumentException if they are more than the queue can hold
     */
    public boolean push(Batch batch, int count, boolean onlyPushes) {
        return isPushed(tryPush(batch, count, onlyPushes), rings.pushing(), count);
    }

    /** As {@link #push}, but also returns false if they are more than the queue can hold. */
    boolean pushIfThereIsRoom(Batch batch, int count) {
        return tryPush(batch, count, false) == Ring.PUSHED;
    }

    private int tryPush(Batch batch, int count, boolean onlyPushes) {
        Ring ring = rings.pushing();
        int outcome = ring.push(placed(batch, ring, count), count, onlyPushes);
        while (outcome == Ring.CLOSED) {
            ring = rings.pushingAfter(ring);
            outcome = ring.push(placed(batch, ring, count), count, onlyPushes);
        }
        return outcome;
    }

    /** Like {@link #push}, for the only user, at the host. Cost: no verb, except after a move. */
    public boolean pushLocal(Batch batch, int count) {
        Ring ring = rings.pushing();
        while (isLeft(ring)) {
            ring = rings.pushingAfter(ring);
        }
        return isPushed(ring.local().push(placed(batch, ring, count), count), ring, count);
    }

    /** Returns true if the ring is closed. Needs no verb for a ring that this rank hosts. */
    private static boolean isLeft(Ring ring) {
        return RingBlock.isMarked(ring.isHere() ? ring.local().tail() : ring.tail.read());
    }

    private boolean isPushed(int outcome, Ring ring, int count) {
        if (count > ring.block.capacity) {
            throw new IllegalArgumentException("the queue never holds so many: queue=" + name + " capacity="
                    + ring.block.capacity + " elements=" + count);
        }
        return outcome == Ring.PUSHED;
    }

    /** Returns the batch of that ring's host, with the elements that were placed. */
    private Batch placed(Batch batch, Ring ring, int count) {
        Batch own = ring.batch();
        copy(batch, own, Ring.WRITTEN, count);
        return own;
    }

    private void copy(Batch from, Batch to, long position, int count) {
        if (from != to) {
            long end = position + count * slot.size;
            MemorySegment.copy(from.buffer(end), position, to.buffer(end), position, count * slot.size);
        }
    }

    // --- pop ---

    /**
     * Pops what is there already, waiting for unwritten tickets.
     *
     * @param most 1 to {@link #maxBatchSize}
     * @param onlyPops true if no thread pushes at the same time
     * @return how many were popped, or {@link #EMPTY}
     */
    public int pop(Batch batch, int most, boolean onlyPops) {
        int count = tryPop(batch, most, onlyPops);
        return count == Ring.PENDING ? await(() -> tryPop(batch, most, onlyPops)) : count;
    }

    /** Like {@link #pop}, for the only user, at the host. Cost: no verb, except for what is left at a former host. */
    public int popLocal(Batch batch, int most) {
        int count = tryPopLocal(batch, most);
        return count == Ring.PENDING ? await(() -> tryPopLocal(batch, most)) : count;
    }

    private int tryPop(Batch batch, int most, boolean onlyPops) {
        Ring ring = rings.popping();
        Batch own = ring.batch();
        int count = ring.pop(own, most, onlyPops);
        while (count == Ring.DRAINED) {
            ring = rings.poppingAfter(ring);
            own = ring.batch();
            count = ring.pop(own, most, onlyPops);
        }
        copy(own, batch, Ring.read(most), Math.max(count, 0));
        return count;
    }

    private int tryPopLocal(Batch batch, int most) {
        Ring ring = rings.popping();
        while (isLeft(ring)) {
            rings.newest().local().refuseElsewhere();
            int count = tryPop(batch, most, true);
            if (count != EMPTY) {
                return count;
            }
            ring = rings.popping();
        }
        return ring.local().pop(batch, most);
    }

    private int await(IntSupplier attempt) {
        int[] count = {Ring.PENDING};
        RingBlock ring = rings.popping().block;
        rings.participant.reservations().awaitSettled(() -> {
            count[0] = attempt.getAsInt();
            return count[0] != Ring.PENDING;
        }, ring.host, ring.header, ring.host, this::trySkipDeadTicket, new WaitReason("push to", name));
        return count[0];
    }

    /**
     * Skips the ticket at the head, if it is dead. Returns a rank that may still write it, or
     * {@link Reservations#NOBODY}.
     */
    int trySkipDeadTicket() {
        return rings.popping().deadTicketSkipper().trySkip();
    }

    // --- waiting for others ---

    /** Like {@link #pop}, but waits until there is something, or the time is over. */
    public int popWithin(Batch batch, int most, Duration timeout) throws InterruptedException {
        int[] count = new int[1];
        int[] looks = new int[1];
        await(() -> {
            count[0] = tryPop(batch, most, false);
            if (count[0] == Ring.PENDING && ++looks[0] % Reservations.LOOKS_BEFORE_ASKING == 0) {
                trySkipDeadTicket();
            }
            return count[0] > 0;
        }, timeout);
        return count[0];
    }

    /** Like {@link #push}, but waits until there is room, or the time is over. */
    public boolean pushWithin(Batch batch, int count, Duration timeout) throws InterruptedException {
        return await(() -> push(batch, count, false), timeout);
    }

    private boolean await(BooleanSupplier attempt, Duration timeout) throws InterruptedException {
        Backoff backoff = new Backoff(rings.endpoint.clock(), timeout);
        boolean inTime = true;
        while (true) {
            if (Thread.interrupted()) {
                throw new InterruptedException("interrupted while waiting for others: queue=" + name);
            }
            if (attempt.getAsBoolean()) {
                return true;
            }
            if (!inTime) {
                return false;
            }
            inTime = backoff.pause();
        }
    }

    // --- monitoring ---

    /** Returns the rank in whose segment elements are pushed. Cost: R. */
    public int host() {
        return rings.newest().block.host;
    }

    /** Returns the capacity in elements. Cost: R. */
    public long capacity() {
        return rings.newest().block.capacity;
    }

    /** Returns how many tickets are in the queue. Cost: R; after a move, until the former ring is drained, 2 R. */
    public long size() {
        Ring ring = rings.popping();
        Batch batch = ring.batch();
        ring.readWords(batch);
        while (RingBlock.isMarked(batch.word(RingBlock.HEAD))) {
            ring = rings.poppingAfter(ring);
            batch = ring.batch();
            ring.readWords(batch);
        }
        long tail = batch.word(RingBlock.TAIL);
        long head = batch.word(RingBlock.HEAD);
        long drawn = RingBlock.isMarked(tail) ? rings.newest().tail.last() : tail;
        return Math.max(RingBlock.ticket(drawn) - head, 0);
    }

    /** Returns how many more elements there is room for. Cost: 2 R. */
    public long remainingCapacity() {
        Ring ring = rings.newest();
        Batch batch = ring.batch();
        ring.readWords(batch);
        long there = RingBlock.ticket(batch.word(RingBlock.TAIL)) - RingBlock.ticket(batch.word(RingBlock.HEAD));
        return Math.clamp(ring.block.capacity - there, 0, ring.block.capacity);
    }

    /**
     * Shows the payloads in the queue, in their order, of the first {@code most} tickets at most: their buffers, and
     * the positions in them. Each was there when it was shown. What changes meanwhile may or may not be seen. Cost: 2 R
     * for each ring, and 3 R for each {@link #maxBatchSize} slots.
     */
    public void forEach(long most, Visitor visitor) {
        Ring ring = rings.popping();
        long left = most;
        while (true) {
            try (Batch batch = ring.batch()) {
                LongConsumer positions = position -> visitor.visit(batch.buffer(), position);
                left -= ring.forEach(batch, left, positions);
            }
            if (left <= 0 || !RingBlock.isMarked(ring.tail.last())) {
                return;
            }
            ring = rings.follow(ring);
        }
    }

    /** Called with an encoded element. */
    public interface Visitor {

        void visit(MemorySegment buffer, long position);
    }

    // --- moves ---

    /**
     * Lets the queue go on in a new ring of that size. What is there already is popped first. Other threads go on
     * meanwhile.
     */
    public void resize(long capacity) {
        RingBuilder.checkCapacity(name, capacity);
        move(place -> new Place(place.host(), capacity));
    }

    /** Like {@link #resize}, but in the segment of another rank. */
    public void migrate(int host) {
        rings.participant.directory().checkHost(name, host);
        move(place -> new Place(host, place.capacity()));
    }

    void move(UnaryOperator<Place> change) {
        rings.move(change);
    }
}
