package io.atoll.queue.ring;

import io.atoll.fabric.Backoff;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import io.atoll.world.waiting.Reservations;
import java.time.Duration;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;

/**
 * The protocol of the circular queues on a {@link CircularBlock}. Before a push the caller places the payloads at {@link #toPush} in the buffer of the
 * host's batch; after a pop they stand at {@link #popped}.
 *
 * <p>A pusher makes sure that there is room, draws its tickets by one compareAndExchange on the tail, then writes payload and stamp of their slots. A
 * popper reads the slot of the ticket at the head, and if the stamp says that it is ready, claims it by compareAndExchange on the head: if that
 * succeeds, nobody can have reused the slot meanwhile. Both words are {@linkplain RememberedWord remembered}, so each operation starts with one of these two verbs.
 *
 * <p>A popper waits for a ticket that is drawn and not yet written: see {@link Holes}.
 *
 * <p>What a test overrides to break the protocol, or to stand still in the middle of it, is not private.
 */
public class TicketRing {

    /** A popper found no element. */
    public static final int EMPTY = 0;

    /** A popper found a hole, and noted it. */
    static final int PENDING = -1;

    /** Slots as they are written and slots as they are read share a batch's buffer. */
    static final long AREA_BYTES = Batch.THREAD_BUFFER_BYTES / 2;

    private static final long FULL = -1;

    // Positions in a batch's buffer.
    static final long WRITTEN = 0; // slots as they are to be written
    private static final long STAMPS = 0; // slots as they were read first, where their payloads are read later
    static final long READ = AREA_BYTES; // slots as they were read

    final Endpoint endpoint;
    final int host;
    final CircularBlock block;
    final RememberedWord tail;
    final RememberedWord head;
    private final String name;
    private final Participant participant;
    private final Announcements announcements;
    private final LocalRing local;
    private final Slot slot;
    private final long base; // of the block in the host's segment
    private final Holes holes;

    TicketRing(String name, Participant participant, CircularBlock block, int host, long base,
            Announcements announcements) {
        this.name = name;
        this.participant = participant;
        this.endpoint = participant.endpoint();
        this.host = host;
        this.block = block;
        this.slot = block.slot;
        this.base = base;
        this.tail = new RememberedWord(endpoint, host, base + CircularBlock.TAIL);
        this.head = new RememberedWord(endpoint, host, base + CircularBlock.HEAD);
        this.announcements = announcements;
        this.local = new LocalRing(name, endpoint, host, block, base);
        this.holes = holes(participant, announcements);
    }

    Holes holes(Participant self, Announcements known) {
        return new Holes(name, self, host, known);
    }

    /** The rank in whose segment it lies. */
    public int host() {
        return host;
    }

    /** In elements. */
    public long capacity() {
        return block.capacity;
    }

    public Batch batch() {
        return endpoint.batch(host);
    }

    /** How many elements one operation can move. */
    public int mostAtOnce() {
        return (int) Math.min(block.capacity, AREA_BYTES / slot.size);
    }

    /** Position in the buffer of the payload that is to be pushed as the index-th. */
    public long toPush(int index) {
        return WRITTEN + index * slot.size + slot.payload;
    }

    /** Position in the buffer of the payload that was popped as the index-th. */
    public long popped(int index) {
        return READ + index * slot.size + slot.payload;
    }

    // --- push ---

    /**
     * Pushes all of them or, if there is no room, none. Cost: A + W; R more if there may be no room.
     *
     * @param count 1 to {@link #mostAtOnce}
     * @param onlyPushes nobody pops at the same time
     */
    public boolean push(Batch batch, int count, boolean onlyPushes) {
        long known = tail.last();
        if (!hasRoom(known, count)) {
            return false;
        }
        long announcement = announcements.begin(known);
        long ticket;
        try {
            ticket = draw(known, count);
            if (ticket != FULL) {
                write(batch, ticket, count, whole() || onlyPushes);
            }
        } catch (RuntimeException | Error failure) {
            // Nobody knows what of it has arrived, or may still. When an atomic comes through to the host again, nothing can.
            participant.reservations().undo(host, () -> giveUp(announcement));
            throw failure;
        }
        announcements.end(announcement);
        return ticket != FULL;
    }

    /** As {@link #push}, of the only user, at the host. Cost: no verb. */
    public boolean pushLocal(Batch batch, int count) {
        return local.push(batch, count);
    }

    private void giveUp(long announcement) {
        tail.settle();
        announcements.end(announcement);
    }

    /** The first of so many tickets, or {@link #FULL}. Never given back: a popper may wait for them from now on. */
    long draw(long known, int count) {
        long ticket = known;
        while (true) {
            long witness = tail.compareAndExchange(ticket, ticket + count);
            if (witness == ticket) {
                return ticket;
            }
            ticket = witness;
            if (!hasRoom(ticket, count)) {
                return FULL;
            }
        }
    }

    /** Looks at the head after the tail was known: at that time the queue is as full as they say, or fuller. */
    boolean hasRoom(long ticket, int count) {
        return ticket + count - head.last() <= block.capacity || ticket + count - head.read() <= block.capacity;
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
     * @param onlyPops nobody pushes at the same time
     * @return how many were popped, {@link #EMPTY} or {@link #PENDING}
     */
    public int pop(Batch batch, int most, boolean onlyPops) {
        boolean whole = whole() || onlyPops;
        long stamps = whole ? READ : STAMPS;
        long ticket = head.last();
        while (true) {
            read(batch, ticket, most, whole);
            long stamp = batch.word(stamps);
            if (Slot.ticket(stamp) > ticket) {
                ticket = head.read();
            } else if (Slot.ticket(stamp) < ticket) {
                // Nobody has popped this ticket, so this is the head, still. The tail is read after the slot.
                return isEmpty(ticket) ? EMPTY : hole(batch, ticket, stamp);
            } else {
                int run = run(batch, stamps, ticket, most);
                long witness = head.compareAndExchange(ticket, ticket + run);
                if (witness == ticket && Slot.isReady(stamp)) {
                    return run;
                }
                ticket = witness == ticket ? ticket + run : witness;
            }
        }
    }

    /** As {@link #pop}, but waits for holes. */
    public int popReady(Batch batch, int most, boolean onlyPops) {
        int count = pop(batch, most, onlyPops);
        while (count == PENDING) {
            holes.await(batch);
            count = pop(batch, most, onlyPops);
        }
        return count;
    }

    /** Skips the hole that {@link #pop} has found, if nobody is left to fill it. */
    final void trySkipHole(Batch batch) {
        holes.trySkip(batch);
    }

    /** As {@link #popReady}, of the only user, at the host. Cost: no verb. */
    public int popLocal(Batch batch, int most) {
        int count = local.pop(batch, most);
        while (count == PENDING) {
            holes.await(batch);
            count = local.pop(batch, most);
        }
        return count;
    }

    /** As {@link #pop}, but waits until there is something, or the time is over. */
    public int popWithin(Batch batch, int most, Duration timeout) throws InterruptedException {
        int[] count = new int[1];
        int[] looks = new int[1];
        await(() -> {
            count[0] = pop(batch, most, false);
            if (count[0] == PENDING && ++looks[0] % Reservations.LOOKS_BEFORE_DOUBT == 0) {
                trySkipHole(batch);
            }
            return count[0] > 0;
        }, timeout);
        return count[0];
    }

    /** As {@link #push}, but waits until there is room, or the time is over. */
    public boolean pushWithin(Batch batch, int count, Duration timeout) throws InterruptedException {
        return await(() -> push(batch, count, false), timeout);
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

    boolean isEmpty(long ticket) {
        return tail.read() == ticket;
    }

    private int hole(Batch batch, long ticket, long stamp) {
        Holes.note(batch, ticket, slotOf(ticket), stamp);
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

    // --- looking on ---

    /** How many tickets are in the queue. Cost: R. */
    public long size() {
        Batch batch = batch();
        batch.read(host, base + CircularBlock.TAIL, 0, CircularBlock.HEAD + Layouts.WORD - CircularBlock.TAIL);
        batch.complete();
        long size = batch.word(0) - batch.word(CircularBlock.HEAD - CircularBlock.TAIL);
        return Math.clamp(size, 0, block.capacity);
    }

    /**
     * Shows the positions in the buffer of payloads that are in the queue, the first so many tickets' at most, in their order. Each was there when it was shown; what changes meanwhile may or may
     * not be seen. Cost: R for head and tail each, and R twice for each {@link #mostAtOnce} slots, and for the head once more.
     */
    public void forEach(Batch batch, long most, LongConsumer position) {
        long drawn = tail.read();
        long first = head.read();
        long end = Math.min(drawn, first + most);
        for (long ticket = first; ticket < end; ticket += mostAtOnce()) {
            int count = (int) Math.min(mostAtOnce(), end - ticket);
            readSlots(batch, ticket, count, STAMPS);
            batch.complete();
            readSlots(batch, ticket, count, READ);
            batch.complete();
            // What is not popped by now was not overwritten while it was read.
            long left = head.read();
            for (int index = 0; index < count; index++) {
                boolean there = ticket + index >= left
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
