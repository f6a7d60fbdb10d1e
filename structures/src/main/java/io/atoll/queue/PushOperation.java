package io.atoll.queue;

import io.atoll.fabric.Batch;
import io.atoll.failure.Aftermath;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;

/**
 * Asynchronous pushes that draw their tickets together, in rounds. A round draws as many tickets as this process knows
 * room for, and writes their slots. If some requests may be left, it looks for room:
 * <pre>
 *   tail == ticket? then tail + count     (3), guards
 *   payloads, then stamps                 (1)
 *   tail                                  if no ticket was to be drawn
 *   head, then next                       (8) in this order after the tail, if requests may be left
 * </pre>
 * The ticket is a {@link Guess}: other batches of this process may be under way before this one. The operation begins
 * anew if the guess was wrong. It leaves its pushes to the synchronous operation where the owner does not decide
 * guards. It also does so if the ring is closed, or if all announcements are taken.
 */
final class PushOperation extends RingOperation<PushRequest> {

    private final Guess tails;
    private long announcement = PushAnnouncements.NOT_BEGUN;
    private long ticket;
    private int count; // of the tickets that the round draws
    private int generation; // of the guess
    private int exchange; // the index of its result
    private boolean looks; // for room

    /** @param most how many requests it has at most, 1 to {@link Batch#ATOMICS} */
    PushOperation(RingChainQueue queue, Guess tails, int most) {
        super(queue, queue.pushing(), most);
        this.tails = tails;
    }

    @Override
    protected long bytes() {
        return slotsBytes(left()) + 3 * Layouts.WORD;
    }

    /** Returns the bytes of so many slots. Behind them lie the words that are read: tail, head and next. */
    private long slotsBytes(int slots) {
        return slots * ring.block.slot.size;
    }

    @Override
    protected int atomics() {
        return 1;
    }

    /** Announces a ticket that is not higher than any that may be drawn, whatever becomes of the guesses. */
    @Override
    protected Step begin() {
        long known = ring.tail.last();
        if (RingBlock.isMarked(known) || !endpoint().decidesAtOwner(owner())) {
            return Step.ALONE;
        }
        announcement = ring.tryAnnounce(known);
        return announcement == PushAnnouncements.NOT_BEGUN ? Step.ALONE : Step.AGAIN;
    }

    @Override
    protected void add(Batch batch, long position) {
        int left = left();
        ticket = tails.ticketIn(ring.tail);
        count = Math.clamp(ring.knownRoom(ticket), 0, left);
        generation = tails.expect(ring.tail, ticket + count);
        looks = count < left;
        if (count > 0) {
            MemorySegment buffer = batch.buffer();
            for (int index = 0; index < count; index++) {
                left(index).place(buffer, ring.payload(position, index));
            }
            exchange = ring.addPush(batch, ticket, count, position);
        }
        if (looks) {
            ring.addLookForRoom(batch, position + slotsBytes(left), count == 0);
        }
    }

    @Override
    protected Step take(Batch batch, long position) {
        long words = position + slotsBytes(left());
        long drawn; // the tail at some time before the head was read
        if (count == 0) {
            drawn = batch.word(words);
            ring.tail.saw(drawn);
            tails.discard(generation); // it may have left no room where there is some
        } else {
            drawn = ring.tail.found(batch.result(exchange), ticket, ticket + count);
            if (drawn == ticket) {
                answer(count, true);
                drawn += count;
            } else {
                tails.discard(generation);
            }
        }
        return left() == 0 ? end() : next(batch, words, drawn);
    }

    private Step next(Batch batch, long words, long drawn) {
        if (RingBlock.isMarked(drawn)) {
            return goAlone();
        }
        if (!looks) {
            return Step.AGAIN;
        }
        if (batch.word(words + 2 * Layouts.WORD) != RingReference.NONE) {
            return goAlone();
        }
        // (8) No ring followed after the head was read, so this was the last one then. It was full then: its tail only
        // grows.
        long popped = batch.word(words + Layouts.WORD);
        ring.head.saw(popped);
        if (drawn - popped < ring.block.capacity) {
            return Step.AGAIN;
        }
        answer(left(), false);
        return end();
    }

    /**
     * Ends the announcement before the operation may have to stand aside. The one before it may wait for an
     * announcement. Nothing of this one is under way.
     */
    private Step goAlone() {
        ring.endAnnouncement(announcement);
        announcement = PushAnnouncements.NOT_BEGUN;
        return Step.ALONE;
    }

    private Step end() {
        try {
            ring.endAnnouncement(announcement);
            announcement = PushAnnouncements.NOT_BEGUN;
            return Step.DONE;
        } catch (VirtualMachineError | LinkageError notYet) {
            Aftermath.warn("its announcement ends later", notYet);
            return Step.AFTERWARDS;
        }
    }

    @Override
    protected void afterwards() {
        long ended = announcement;
        announcement = PushAnnouncements.NOT_BEGUN;
        ring.endAnnouncementWhenSettled(ended);
    }

    @Override
    protected boolean isInDoubt() {
        return announcement != PushAnnouncements.NOT_BEGUN;
    }

    @Override
    protected void undo() {
        afterwards();
    }

    /** Pushes all together, or one by one while there is room. */
    @Override
    protected void aloneWithLeft() {
        try (Batch batch = queue.batch()) {
            place(batch, left());
            if (queue.pushIfThereIsRoom(batch, left())) {
                answer(left(), true);
                return;
            }
        }
        boolean isFull = false;
        while (left() > 0) {
            isFull = isFull || !isNextPushed();
            left(0).answer(!isFull); // if one finds the queue full, so do all that are under way with it
        }
    }

    private boolean isNextPushed() {
        Batch batch = queue.batch();
        place(batch, 1);
        return queue.push(batch, 1, false);
    }

    private void place(Batch batch, int requests) {
        MemorySegment buffer = batch.buffer(queue.toPush(requests));
        for (int index = 0; index < requests; index++) {
            left(index).place(buffer, queue.toPush(index));
        }
    }

    private void answer(int requests, boolean isPushed) {
        for (int request = 0; request < requests; request++) {
            left(0).answer(isPushed);
        }
    }
}
