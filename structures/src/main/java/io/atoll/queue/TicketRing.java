package io.atoll.queue;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import io.atoll.world.waiting.Reservations;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * The protocol of the circular queues on a {@link CircularBlock}. Before a push the caller places the payloads at {@link #toPush} in the buffer of the
 * host's batch; after a pop they stand at {@link #popped}.
 *
 * <p>A pusher makes sure that there is room, draws its tickets by one compareAndExchange on the tail, then writes payload and stamp of their slots. A
 * popper reads the slot of the ticket at the head, and if the stamp says that it is ready, claims it by compareAndExchange on the head: if that
 * succeeds, nobody can have reused the slot meanwhile. Head and tail are remembered from the last operation, so each starts with one of these two verbs
 * and looks at the words themselves only if it failed. A remembered word may be too low, never too high.
 *
 * <p>A ticket that is drawn and not yet written, a hole, is nobody's element yet, but the queue is not empty: a popper waits for it. If nobody is left who
 * could fill it ({@link Announcements}), it is skipped.
 *
 * <p>What a test overrides to break the protocol, or to stand still in the middle of it, is not private.
 */
class TicketRing {

    /** A popper found no element. */
    static final int EMPTY = 0;

    /** A popper found a hole: {@link #settle} waits until it is filled or skipped. */
    static final int PENDING = -1;

    /** Slots as they are written and slots as they are read share a batch's buffer. */
    static final long AREA_BYTES = Batch.THREAD_BUFFER_BYTES / 2;

    private static final long FULL = -1;

    // Positions in a batch's buffer.
    static final long WRITTEN = 0; // slots as they are to be written
    private static final long STAMPS = 0; // slots as they were read first, where their payloads are read later
    static final long READ = AREA_BYTES; // slots as they were read
    private static final long HOLE = 0; // the ticket of the hole
    private static final long HOLE_STAMP = HOLE + Layouts.WORD; // the stamp of its slot

    final Endpoint endpoint;
    final int host;
    final CircularBlock block;
    private final String name;
    private final Participant participant;
    private final Announcements announcements;
    private final LocalRing local;
    private final Slot slot;
    private final long base; // of the block in the host's segment
    private final long tailWord;
    private final long headWord;
    // Opaque: whichever of several threads writes last, each value was true once, and stays a lower bound.
    private final AtomicLong knownTail = new AtomicLong();
    private final AtomicLong knownHead = new AtomicLong();

    TicketRing(String name, Participant participant, CircularBlock block, int host, long base,
            Announcements announcements) {
        this.name = name;
        this.participant = participant;
        this.endpoint = participant.endpoint();
        this.host = host;
        this.block = block;
        this.slot = block.slot;
        this.base = base;
        this.tailWord = base + CircularBlock.TAIL;
        this.headWord = base + CircularBlock.HEAD;
        this.announcements = announcements;
        this.local = new LocalRing(name, endpoint, host, block, base);
    }

    Batch batch() {
        return endpoint.batch(host);
    }

    /** How many elements one operation can move. */
    int mostAtOnce() {
        return (int) Math.min(block.capacity, AREA_BYTES / slot.size);
    }

    /** Position in the buffer of the payload that is to be pushed as the index-th. */
    long toPush(int index) {
        return WRITTEN + index * slot.size + slot.payload;
    }

    /** Position in the buffer of the payload that was popped as the index-th. */
    long popped(int index) {
        return READ + index * slot.size + slot.payload;
    }

    // --- push ---

    /**
     * Pushes all of them or, if there is no room, none. Cost: A + W; R more if there may be no room.
     *
     * @param count 1 to {@link #mostAtOnce}
     */
    boolean push(Batch batch, int count, QueuePromise promise) {
        if (promise == QueuePromise.LOCAL) {
            return local.push(batch, count);
        }
        long tail = knownTail.getOpaque();
        if (!hasRoom(tail, count)) {
            return false;
        }
        long announcement = announcements.begin(tail);
        long ticket;
        try {
            ticket = draw(tail, count);
            if (ticket != FULL) {
                write(batch, ticket, count, whole() || promise == QueuePromise.ONLY_PUSHES);
            }
        } catch (RuntimeException | Error failure) {
            // Nobody knows what of it has arrived, or may still. When an atomic comes through to the host again, nothing can.
            participant.reservations().undo(host, () -> giveUp(announcement));
            throw failure;
        }
        announcements.end(announcement);
        return ticket != FULL;
    }

    private void giveUp(long announcement) {
        endpoint.compareAndExchange(host, tailWord, Slot.NO_TICKET, Slot.NO_TICKET);
        announcements.end(announcement);
    }

    /** The first of so many tickets, or {@link #FULL}. Never given back: a popper may wait for them from now on. */
    long draw(long known, int count) {
        long tail = known;
        while (true) {
            long witness = endpoint.compareAndExchange(host, tailWord, tail, tail + count);
            if (witness == tail) {
                knownTail.setOpaque(tail + count);
                return tail;
            }
            tail = witness;
            knownTail.setOpaque(tail);
            if (!hasRoom(tail, count)) {
                return FULL;
            }
        }
    }

    /** Looks at the head after the tail was known: at that time the queue is as full as they say, or fuller. */
    boolean hasRoom(long tail, int count) {
        return tail + count - knownHead.getOpaque() <= block.capacity || tail + count - head() <= block.capacity;
    }

    final long head() {
        long head = endpoint.readWord(host, headWord);
        knownHead.setOpaque(head);
        return head;
    }

    final long tail() {
        long tail = endpoint.readWord(host, tailWord);
        knownTail.setOpaque(tail);
        return tail;
    }

    /** @param whole whether a slot may be written at once, its stamp at any time */
    void write(Batch batch, long ticket, int count, boolean whole) {
        for (int index = 0; index < count; index++) {
            long stamp = whole ? Slot.ready(ticket + index) : before(ticket + index);
            batch.setWord(WRITTEN + index * slot.size, stamp);
        }
        if (whole || count > 1) {
            writeSlots(batch, ticket, count);
        } else {
            batch.write(host, slotOf(ticket) + slot.payload, toPush(0), slot.payloadBytes);
        }
        if (!whole) {
            for (int index = 0; index < count; index++) {
                // (1) after all payloads, in the order of the batch: pairs with the first read of the stamp in read (2).
                batch.writeWord(host, slotOf(ticket + index), Slot.ready(ticket + index));
            }
        }
        batch.complete();
    }

    /** A stamp that the slot can have while nobody has written it for the ticket. */
    private long before(long ticket) {
        return ticket < block.capacity ? 0 : Slot.ready(ticket - block.capacity);
    }

    // --- pop ---

    /**
     * Pops what is ready, or says that there is nothing, or a hole. Cost: R + A, or 2 R if there is nothing.
     *
     * @param most 1 to {@link #mostAtOnce}
     * @return how many were popped, {@link #EMPTY} or {@link #PENDING}
     */
    int pop(Batch batch, int most, QueuePromise promise) {
        if (promise == QueuePromise.LOCAL) {
            return local.pop(batch, most);
        }
        boolean whole = whole() || promise == QueuePromise.ONLY_POPS;
        long stamps = whole ? READ : STAMPS;
        long head = knownHead.getOpaque();
        while (true) {
            read(batch, head, most, whole);
            long stamp = batch.word(stamps);
            if (Slot.ticket(stamp) > head) {
                head = head();
            } else if (Slot.ticket(stamp) < head) {
                // Nobody has popped this ticket, so this is the head, still. The tail is read after the slot.
                return isEmpty(head) ? EMPTY : hole(batch, head, stamp);
            } else {
                int run = run(batch, stamps, head, most);
                long witness = claim(head, run);
                if (witness == head && Slot.isReady(stamp)) {
                    return run;
                }
                head = witness == head ? head + run : witness;
            }
        }
    }

    /** As {@link #pop}, but waits for holes. */
    int popReady(Batch batch, int most, QueuePromise promise) {
        int count = pop(batch, most, promise);
        while (count == PENDING) {
            settle(batch);
            count = pop(batch, most, promise);
        }
        return count;
    }

    /** As {@link #pop}, but waits until there is something, or the time is over. */
    int popWithin(Batch batch, int most, Duration timeout) throws InterruptedException {
        int[] count = new int[1];
        int[] looks = new int[1];
        await(() -> {
            count[0] = pop(batch, most, QueuePromise.NOTHING);
            if (count[0] == PENDING && ++looks[0] % Reservations.LOOKS_BEFORE_DOUBT == 0) {
                trySkipHole(batch);
            }
            return count[0] > 0;
        }, timeout);
        return count[0];
    }

    /** As {@link #push}, but waits until there is room, or the time is over. */
    boolean pushWithin(Batch batch, int count, Duration timeout) throws InterruptedException {
        return await(() -> push(batch, count, QueuePromise.NOTHING), timeout);
    }

    private boolean await(BooleanSupplier attempt, Duration timeout) throws InterruptedException {
        Backoff backoff = new Backoff(endpoint.clock(), timeout);
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

    boolean isEmpty(long head) {
        return tail() == head;
    }

    /** Notes the hole that a popper has met. */
    static int hole(Batch batch, long ticket, long stamp) {
        batch.setWord(HOLE, ticket);
        batch.setWord(HOLE_STAMP, stamp);
        return PENDING;
    }

    /** @param whole whether stamp and payload of a slot may be read at once, in any order */
    void read(Batch batch, long head, int most, boolean whole) {
        if (!whole) {
            // (2) first: a stamp was written (1) after the payload.
            if (most == 1) {
                batch.read(host, slotOf(head), STAMPS, Layouts.WORD);
            } else {
                readSlots(batch, head, most, STAMPS);
            }
            if (!endpoint.readsInOrder(host)) {
                batch.complete();
            }
        }
        readSlots(batch, head, most, READ);
        batch.complete();
    }

    /** How many slots from the head on are as the first is: ready, or skipped. */
    private int run(Batch batch, long stamps, long head, int most) {
        boolean ready = Slot.isReady(batch.word(stamps));
        int run = 1;
        while (run < most && batch.word(stamps + run * slot.size) == (ready
                ? Slot.ready(head + run)
                : Slot.skipped(head + run))) {
            run++;
        }
        return run;
    }

    /** Returns the head that was there: the tickets are the caller's if it is the one it knew. */
    long claim(long head, int count) {
        long witness = endpoint.compareAndExchange(host, headWord, head, head + count);
        knownHead.setOpaque(witness == head ? head + count : witness);
        return witness;
    }

    /** Waits until the hole that {@link #pop} has found is filled or skipped. */
    private void settle(Batch batch) {
        long ticket = batch.word(HOLE);
        long stamp = batch.word(HOLE_STAMP);
        participant.reservations()
                .awaitSettled(host, slotOf(ticket), stamp, host, () -> trySkip(ticket, stamp), "push to " + name);
    }

    /** Skips a hole that nobody is left to fill; else returns who may be. */
    int trySkip(long ticket, long stamp) {
        int holder = announcements.holder(ticket);
        if (holder == Reservations.NOBODY) {
            // Fails if it was filled, or skipped, meanwhile: its stamp never becomes again what it was.
            participant.reservations()
                    .repair(() -> endpoint.compareAndExchange(host, slotOf(ticket), stamp, Slot.skipped(ticket)),
                            "push to " + name);
        }
        return holder;
    }

    /** Skips the hole that {@link #pop} has found, if nobody is left to fill it. */
    void trySkipHole(Batch batch) {
        trySkip(batch.word(HOLE), batch.word(HOLE_STAMP));
    }

    // --- looking on ---

    /** How many tickets are in the queue. Cost: R. */
    long size() {
        Batch batch = batch();
        batch.read(host, tailWord, 0, CircularBlock.HEAD + Layouts.WORD - CircularBlock.TAIL);
        batch.complete();
        long size = batch.word(0) - batch.word(CircularBlock.HEAD - CircularBlock.TAIL);
        return Math.clamp(size, 0, block.capacity);
    }

    /**
     * Shows the positions in the buffer of payloads that are in the queue, the first so many tickets' at most, in their order. Each was there when it was shown; what changes meanwhile may or may
     * not be seen. Cost: R for head and tail each, and R twice for each {@link #mostAtOnce} slots, and for the head once more.
     */
    void forEach(Batch batch, long most, LongConsumer position) {
        long end = tail();
        long first = head();
        long tail = Math.min(end, first + most);
        for (long ticket = first; ticket < tail; ticket += mostAtOnce()) {
            int count = (int) Math.min(mostAtOnce(), tail - ticket);
            readSlots(batch, ticket, count, STAMPS);
            batch.complete();
            readSlots(batch, ticket, count, READ);
            batch.complete();
            // What is not popped by now was not overwritten while it was read.
            long head = head();
            for (int index = 0; index < count; index++) {
                boolean there = ticket + index >= head
                        && batch.word(STAMPS + index * slot.size) == Slot.ready(ticket + index);
                if (there) {
                    position.accept(popped(index));
                }
            }
        }
    }

    // --- slots ---

    long slotOf(long ticket) {
        return base + block.slot(ticket);
    }

    /** How many of the tickets have slots that lie one behind the other, before the ring's end. */
    private int untilTheEnd(long ticket, int count) {
        return (int) Math.min(count, block.capacity - ticket % block.capacity);
    }

    private void writeSlots(Batch batch, long ticket, int count) {
        int first = untilTheEnd(ticket, count);
        batch.write(host, slotOf(ticket), WRITTEN, first * slot.size);
        if (first < count) {
            batch.write(host, slotOf(ticket + first), WRITTEN + first * slot.size, (count - first) * slot.size);
        }
    }

    private void readSlots(Batch batch, long ticket, int count, long position) {
        int first = untilTheEnd(ticket, count);
        batch.read(host, slotOf(ticket), position, first * slot.size);
        if (first < count) {
            batch.read(host, slotOf(ticket + first), position + first * slot.size, (count - first) * slot.size);
        }
    }

    private boolean whole() {
        return endpoint.atomicReadBytes(host) >= slot.size;
    }
}
