package io.atoll.queue;

import io.atoll.fabric.Batch;
import io.atoll.fabric.WordTest;
import io.atoll.memory.Layouts;

/**
 * Asynchronous pops that claim their elements together, in rounds. A round claims as many as are there, as far as this
 * process knows, or as are wanted. Then it looks at what is there:
 * <pre>
 *   stamps == ready(ticket, ...)?         (2), guards; then the slots are read, in any case
 *   head == ticket? then head + count     (4)
 *   head, then tail                       (9) in this order, after the claim
 * </pre>
 * The ticket is a {@link Guess}: other batches of this process may be under way before this one. The operation begins
 * anew if the guess was wrong, or if fewer elements were there. It leaves its pops to the synchronous operation where
 * the owner does not decide guards. It also does so if the ring is closed, or the ticket at the head is unwritten or
 * skipped.
 *
 * @param <T> the elements
 */
final class PopOperation<T> extends RingOperation<PopRequest<T>> {

    private static final long WORDS = 2 * Layouts.WORD; // head and tail, at the beginning

    private final Guess heads;
    private final Guess tails;
    private long ticket;
    private int count; // of the slots that the round claims
    private int generation; // of the guess
    private int claim; // the index of its result
    private int ready; // how many slots from the ticket on were ready when they were read last; 0 if that is unknown

    /** @param most how many requests it has at most, 1 to {@link Batch#ATOMICS} */
    PopOperation(RingChainQueue queue, Guess heads, Guess tails, int most) {
        super(queue, queue.popping(), most);
        this.heads = heads;
        this.tails = tails;
    }

    @Override
    protected long bytes() {
        int left = left();
        return slots(left) + left * ring.block.slot.size;
    }

    /** Returns the position of the slots, behind the tests. */
    private static long slots(int tested) {
        return WORDS + tested * WordTest.BYTES;
    }

    @Override
    protected int atomics() {
        return ring.popAtomics(left());
    }

    @Override
    protected Step begin() {
        return endpoint().decidesAtOwner(owner()) ? Step.AGAIN : Step.ALONE;
    }

    @Override
    protected void add(Batch batch, long position) {
        long before = ticket;
        ticket = heads.ticketIn(ring.head);
        count = (int) Math.min(left(), ring.block.capacity);
        if (ready > 0 && ticket == before) {
            count = Math.min(count, ready);
        }
        long there = tails.ticketIn(ring.tail) - ticket;
        if (there > 0) {
            count = (int) Math.min(count, there);
        }
        generation = heads.expect(ring.head, ticket + count);
        claim = ring.addPop(batch, ticket, count, position + WORDS, position + slots(count));
        ring.addLook(batch, position);
    }

    @Override
    protected Step take(Batch batch, long position) {
        long popped = batch.word(position);
        long drawn = batch.word(position + Layouts.WORD);
        boolean isClaimed = batch.succeeded(claim);
        ring.head.saw(popped);
        ring.tail.saw(drawn);
        if (isClaimed) {
            for (int index = 0; index < count; index++) {
                left(0).take(batch.buffer(), ring.payload(position + slots(count), index));
            }
        } else {
            heads.discard(generation);
        }
        if (left() == 0) {
            return Step.DONE;
        }
        if (popped == drawn && !RingBlock.isMarked(drawn)) {
            // (9) The head only grows, and is not beyond the tail. So both were there when the tail was read.
            answerEmpty();
            return Step.DONE;
        }
        ready = isClaimed || popped != ticket ? 0 : ring.ready(batch, ticket, count, position + slots(count));
        boolean waits = popped == ticket && !isClaimed && ready == 0;
        return waits || RingBlock.isMarked(popped) || RingBlock.isMarked(drawn) ? Step.ALONE : Step.AGAIN;
    }

    /** Pops as often as there is something. */
    @Override
    protected void aloneWithLeft() {
        while (left() > 0) {
            try (Batch batch = queue.batch()) {
                int most = left();
                int popped = queue.pop(batch, most, false);
                for (int index = 0; index < popped; index++) {
                    left(0).take(batch.buffer(queue.popped(most, index + 1)), queue.popped(most, index));
                }
                if (popped == RingChainQueue.EMPTY) {
                    answerEmpty(); // all are under way at that time
                }
            }
        }
    }

    private void answerEmpty() {
        while (left() > 0) {
            left(0).answer(null);
        }
    }
}
