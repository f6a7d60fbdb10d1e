package io.atoll.queue;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.WordTest;
import io.atoll.memory.Layouts;
import io.atoll.memory.StackRoom;
import io.atoll.world.Participant;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/**
 * The protocol of the circular queues on one {@link RingBlock}. Before a push the caller places the payloads at {@link
 * #toPush} in the buffer of the host's batch. After a pop they stand at {@link #popped}.
 *
 * <p>A pusher makes sure that there is room, and draws its tickets by one compareAndExchange on the tail. Then it
 * writes payload and stamp of their slots. A popper reads the slot of the ticket at the head. If the stamp says that
 * the slot is ready, the popper claims it by compareAndExchange on the head. If that succeeds, no pusher can have
 * reused the slot meanwhile. Both words are {@linkplain CachedWord remembered}, so each operation starts with one
 * of these two verbs.
 *
 * <p>Where verbs cross a network, a push is one batch. A pop is one where the owner decides what is guarded:
 * <pre>
 *   push                                         pop
 *
 *   (3) tail == ticket? then tail + count        (2) stamps == ready(ticket, ...)?   up to eight in each search
 *        |                                            |
 *        | guards                                     |   the slots are read, in any case
 *        v                                            | guards
 *   (1) payload, then stamp                           v
 *                                                (4) head == ticket? then head + count
 * </pre>
 * The verbs are the same as in several batches, and in the same order. Others may come between any two of them. Only
 * (2) is another verb: a read guards nothing, so the owner searches for the stamps. A search guards the next one. If a
 * slot is not ready, the slots that were read tell which ones are. A second batch reads and claims these.
 *
 * <p>Nothing is pushed to a ring that is closed. A popper may see the ring closed, and then the head where the tail is.
 * Then it marks the ring as drained. Its slots may be freed from now on; its header stays. So a late operation still
 * finds the marks there: it draws no ticket, and claims none, whatever it has read where the slots were.
 */
final class Ring {

    // The results of a push.
    static final int PUSHED = 1;
    static final int FULL = -1;
    /** The queue goes on in the ring that follows. */
    static final int CLOSED = -2;

    // The results of a pop, besides a count.
    static final int EMPTY = 0;
    /** There is an unwritten ticket, see {@link DeadTicketSkipper}. */
    static final int PENDING = -1;
    /** The queue goes on in the ring that follows. */
    static final int DRAINED = -2;

    /**
     * The searches for the slots of one batch, without the one that the ring's end may add. A batch has a result for
     * each, and for the exchange of the head.
     */
    private static final int SEARCHES = Batch.ATOMICS - 2;

    /** Half of a batch's buffer. One half is for slots to be written, the other for slots that were read. */
    static final long AREA_BYTES = Batch.THREAD_BUFFER_BYTES / 2;

    // Positions in a batch's buffer.
    static final long WRITTEN = 0; // the slots to be written
    private static final long STAMPS = 0; // the slots as they were read first, if their payloads are read later
    private static final long TAIL_READ = Layouts.WORD; // the tail, if it is read together with slots
    private static final long TESTS = 2 * Layouts.WORD; // those of searches; one lies before READ_ALONE
    private static final long READ = AREA_BYTES; // the slots as they were read
    private static final long READ_ALONE = Layouts.CACHE_LINE; // the slot as it was read, if only one is wanted

    final Endpoint endpoint;
    final RingBlock block;
    final CachedWord tail;
    final CachedWord head;
    private final PushAnnouncements pushAnnouncements;
    private final LocalRing local;
    private final DeadTicketSkipper deadTicketSkipper;
    private final int host;
    private final Slot slot;
    private final int slotsOfSearch; // the most slots whose stamps one search tests

    // Plain: threads that race for it find the same ring.
    private @Nullable Ring follower;

    /**
     * @param drawn the tail, or an earlier value of it
     * @param popped the head, or an earlier value of it
     */
    Ring(String queue, Participant participant, RingBlock block, PushAnnouncements pushAnnouncements, long drawn,
            long popped) {
        this.endpoint = participant.endpoint();
        this.block = block;
        this.host = block.host;
        this.slot = block.slot;
        this.slotsOfSearch = (int) Math.min(WordTest.MOST, 1 + (Batch.SEARCH_BYTES - Layouts.WORD) / slot.size);
        this.tail = new CachedWord(endpoint, host, block.header + RingBlock.TAIL, drawn);
        this.head = new CachedWord(endpoint, host, block.header + RingBlock.HEAD, popped);
        this.pushAnnouncements = pushAnnouncements;
        this.local = new LocalRing(queue, endpoint, block);
        this.deadTicketSkipper = new DeadTicketSkipper(queue, participant, block, tail, head, pushAnnouncements);
    }

    DeadTicketSkipper deadTicketSkipper() {
        return deadTicketSkipper;
    }

    /** Returns the operations for the only user, at the host. */
    LocalRing local() {
        return local;
    }

    boolean isHere() {
        return endpoint.rank() == host;
    }

    Batch batch() {
        return endpoint.batch(host);
    }

    /** Returns how many elements with such slots one operation can move. */
    static int maxBatchSize(Slot slot) {
        return (int) (AREA_BYTES / slot.size);
    }

    /** Returns the position in the buffer of the payload that is to be pushed as the index-th. */
    static long toPush(Slot slot, int index) {
        return WRITTEN + index * slot.size + slot.payload;
    }

    /** Returns the buffer position of the payload that was popped as the index-th, by a pop of at most {@code most}. */
    static long popped(Slot slot, int most, int index) {
        return read(most) + index * slot.size + slot.payload;
    }

    /**
     * Returns the position in the buffer of slots as they were read. A single slot lies near the beginning: most
     * operations want one, and so take little of the buffer.
     */
    static long read(int most) {
        return most == 1 ? READ_ALONE : READ;
    }

    /** Returns the ring that follows, or null if this process has not been there. */
    @Nullable Ring follower() {
        return follower;
    }

    void followedBy(Ring ring) {
        follower = ring;
    }

    // --- push ---

    /**
     * Pushes all of them. If there is no room for all, pushes none. Cost: A + W; R more if there may be no room, 2 R in
     * all if there is none.
     *
     * @param count 1 to {@link #maxBatchSize}
     * @param onlyPushes true if no thread pops at the same time
     * @return {@link #PUSHED}, {@link #FULL} or {@link #CLOSED}
     */
    int push(Batch batch, int count, boolean onlyPushes) {
        StackRoom.require();
        long known = tail.last();
        if (RingBlock.isMarked(known) || !hasRoom(known, count)) {
            return fullUnlessFollowed();
        }
        long announcement = pushAnnouncements.begin(block, known);
        long ticket;
        try {
            ticket = drawAndWrite(batch, known, count, arrivesWhole() || onlyPushes);
        } catch (Throwable failure) {
            pushAnnouncements.endWhenSettled(announcement, block, tail);
            throw failure;
        }
        pushAnnouncements.end(announcement, block, tail);
        return ticket >= 0 ? PUSHED : (int) ticket;
    }

    /**
     * Draws {@code count} tickets, writes their slots and returns the first ticket, or returns {@link #FULL} or
     * {@link #CLOSED}. Tickets are never given back: a popper may wait for them from now on.
     */
    private long drawAndWrite(Batch batch, long known, int count, boolean whole) {
        long ticket = known;
        while (true) {
            long witness = inOneBatch(count, ticket == known)
                    ? drawAndWriteAtOnce(batch, ticket, count, whole)
                    : drawAndThenWrite(batch, ticket, count, whole);
            if (witness == ticket) {
                return ticket;
            }
            ticket = witness;
            if (RingBlock.isMarked(ticket) || !hasRoom(ticket, count)) {
                return fullUnlessFollowed();
            }
        }
    }

    /** Returns true if the slots go with the exchange. Many slots are sent in vain only once: others may be faster. */
    private boolean inOneBatch(int count, boolean isFirst) {
        return !endpoint.executesAtOnce(host) && (isFirst || count * slot.size <= Batch.SMALL_BUFFER_BYTES);
    }

    /** Draws the tickets and writes their slots, if the tail is that ticket. Returns the tail that it found. */
    private long drawAndThenWrite(Batch batch, long ticket, int count, boolean whole) {
        long witness = tail.compareAndExchange(ticket, ticket + count);
        if (witness == ticket) {
            write(batch, ticket, count, whole);
        }
        return witness;
    }

    /** As {@link #drawAndThenWrite}, in one batch. */
    private long drawAndWriteAtOnce(Batch batch, long ticket, int count, boolean whole) {
        int exchange = draw(batch, ticket, count);
        write(batch, ticket, count, whole);
        return tail.found(batch.result(exchange), ticket, ticket + count);
    }

    /** Adds the exchange that draws the tickets, and guards what follows. Returns the index of its result. */
    private int draw(Batch batch, long ticket, int count) {
        int exchange = tail.compareAndExchange(batch, ticket, ticket + count); // (3)
        batch.guard(exchange);
        return exchange;
    }

    /**
     * Returns true if there is room. Reads the head after the tail was known: at that time the queue was as full as
     * both say, or fuller.
     */
    private boolean hasRoom(long ticket, int count) {
        return ticket + count - RingBlock.ticket(head.last()) <= block.capacity
                || ticket + count - RingBlock.ticket(head.read()) <= block.capacity;
    }

    /**
     * Returns CLOSED if a ring follows, otherwise FULL. If nothing follows after the head was read, this was the last
     * ring then. A ring is followed before it is closed, and the rank that moved the queue may have died in between.
     */
    private int fullUnlessFollowed() {
        return RingBlock.isMarked(tail.last()) || endpoint.readWord(host, block.header + RingBlock.NEXT) != 0
                ? CLOSED
                : FULL;
    }

    private void write(Batch batch, long ticket, int count, boolean whole) {
        addWrites(batch, ticket, count, WRITTEN, whole);
        batch.complete();
    }

    /**
     * @param position of the slots in the buffer
     * @param whole true if a slot may be written at once, its stamp at any time
     */
    private void addWrites(Batch batch, long ticket, int count, long position, boolean whole) {
        MemorySegment buffer = batch.buffer(position + count * slot.size);
        for (int index = 0; index < count; index++) {
            long stamp = whole ? Slot.ready(ticket + index) : before(ticket + index);
            buffer.set(ValueLayout.JAVA_LONG, position + index * slot.size, stamp);
        }
        if (whole || count > 1) {
            writeSlots(batch, ticket, count, position);
        } else {
            batch.write(host, block.slot(ticket) + slot.payload, payload(position, 0), slot.payloadBytes);
        }
        if (!whole) {
            for (int index = 0; index < count; index++) {
                // (1) after all payloads, in the order of the batch: pairs with the first look at the stamp (2).
                batch.writeWord(host, block.slot(ticket + index), Slot.ready(ticket + index));
            }
        }
    }

    /** Returns a stamp that the slot can have while no thread has written it for the ticket. */
    private long before(long ticket) {
        return ticket < block.capacity ? 0 : Slot.ready(ticket - block.capacity);
    }

    // --- pop ---

    /**
     * Pops what is ready, or returns why there is nothing. Cost: R + A, or 2 R if there is nothing. In one batch R more
     * for each eight slots, and R for the tail if nothing may be there. R + A more if fewer are ready than wanted.
     *
     * @param most 1 to {@link #maxBatchSize}
     * @param onlyPops true if no thread pushes at the same time
     * @return how many were popped, {@link #EMPTY}, {@link #PENDING} or {@link #DRAINED}
     */
    int pop(Batch batch, int most, boolean onlyPops) {
        StackRoom.require();
        int wanted = (int) Math.min(most, block.capacity);
        boolean whole = arrivesWhole() || onlyPops;
        boolean inOneBatch = endpoint.decidesAtOwner(host) && wanted <= SEARCHES * slotsOfSearch;
        long read = read(most);
        long stamps = whole || inOneBatch ? read : STAMPS;
        long ticket = head.last();
        while (!RingBlock.isMarked(ticket)) {
            boolean readsTail = inOneBatch && RingBlock.ticket(tail.last()) <= ticket;
            if (inOneBatch) {
                long witness = tryPop(batch, ticket, wanted, read, readsTail);
                if (witness == ticket) {
                    return wanted;
                }
                if (witness != Slot.NO_TICKET) {
                    ticket = witness;
                    continue;
                }
            } else {
                read(batch, ticket, wanted, read, whole);
            }
            long stamp = batch.word(stamps);
            if (Slot.ticket(stamp) > ticket) {
                ticket = head.read();
            } else if (Slot.ticket(stamp) < ticket) {
                // No thread has popped this ticket, so this is still the head. The tail is read after the slot.
                long drawn = readsTail ? batch.word(TAIL_READ) : tail.read();
                boolean atEnd = ticket == RingBlock.ticket(drawn);
                if (!RingBlock.isMarked(drawn)) {
                    return atEnd ? EMPTY : PENDING;
                }
                // The slots of a closed ring may have been freed, so what was read there may be anything. The head says
                // if they still were there.
                long left = head.read();
                if (left == ticket && !atEnd) {
                    return PENDING;
                }
                ticket = left == ticket ? drain(ticket) : left;
            } else {
                int alike = alike(batch, stamps, ticket, wanted);
                long witness = inOneBatch
                        ? readAndClaim(batch, ticket, alike, read)
                        : head.compareAndExchange(ticket, ticket + alike);
                if (witness == ticket && Slot.isReady(stamp)) {
                    return alike;
                }
                ticket = witness == ticket ? ticket + alike : witness;
            }
        }
        return DRAINED;
    }

    /**
     * Reads the slots, and claims all of them if they are ready and the head is that ticket. Returns the head that it
     * found, or {@link Slot#NO_TICKET} if a slot was not ready. Then the stamps are there that were read. The payloads
     * do not count: they may have been read before the stamps.
     */
    private long tryPop(Batch batch, long ticket, int count, long position, boolean readsTail) {
        int ready = searchAndRead(batch, ticket, count, TESTS, position);
        if (readsTail) {
            tail.read(batch, TAIL_READ); // after the slots, see pop
        }
        int claim = claim(batch, ready, ticket, count);
        batch.complete();
        if (readsTail) {
            tail.saw(batch.word(TAIL_READ));
        }
        return batch.succeeded(ready)
                ? head.found(batch.result(claim), ticket, ticket + count)
                : Slot.NO_TICKET;
    }

    /** Adds the exchange that claims slots if they are ready. Returns the index of its result. */
    private int claim(Batch batch, int ready, long ticket, int count) {
        batch.guard(ready);
        return head.compareAndExchange(batch, ticket, ticket + count); // (4)
    }

    /** Adds searches for slots that are ready, and reads the slots in any case. Returns as {@link #search}. */
    private int searchAndRead(Batch batch, long ticket, int count, long tests, long position) {
        int ready = search(batch, ticket, count, tests);
        batch.unguard();
        readSlots(batch, ticket, count, position);
        return ready;
    }

    /**
     * Adds searches for slots that are ready. Returns the index of the last one, which finds them if all others do.
     *
     * @param position of the tests in the buffer
     */
    private int search(Batch batch, long ticket, int count, long position) {
        int last = 0;
        int index = 0;
        while (index < count) {
            int tested = untilTheEnd(ticket + index, Math.min(count - index, slotsOfSearch));
            long tests = position + index * WordTest.BYTES;
            for (int test = 0; test < tested; test++) {
                WordTest.putEqual(batch, tests + test * WordTest.BYTES, test * slot.size,
                        Slot.ready(ticket + index + test));
            }
            long bytes = (tested - 1) * slot.size + Layouts.WORD;
            // (2) as in read. The owner loads each stamp by acquire, and the slots are read later.
            last = batch.search(host, block.slot(ticket + index), bytes, 1, tests, tested);
            batch.guard(last);
            index += tested;
        }
        return last;
    }

    /** Reads slots again whose stamps are known, and claims them. Returns the head that it found. */
    private long readAndClaim(Batch batch, long ticket, int count, long position) {
        readSlots(batch, ticket, count, position); // in a later batch than the stamps (2)
        int claim = head.compareAndExchange(batch, ticket, ticket + count);
        batch.complete();
        return head.found(batch.result(claim), ticket, ticket + count);
    }

    /** Marks a closed ring as drained at its end. Returns the head. */
    private long drain(long end) {
        long witness = head.compareAndExchange(end, RingBlock.marked(end));
        return witness == end ? RingBlock.marked(end) : witness;
    }

    /**
     * @param position in the buffer
     * @param whole true if stamp and payload of a slot may be read at once, in any order
     */
    private void read(Batch batch, long ticket, int most, long position, boolean whole) {
        if (!whole) {
            // (2) first: a stamp was written (1) after the payload.
            if (most == 1) {
                batch.read(host, block.slot(ticket), STAMPS, Layouts.WORD);
            } else {
                readSlots(batch, ticket, most, STAMPS);
            }
            if (!endpoint.readsInOrder(host)) {
                batch.complete();
            }
        }
        readSlots(batch, ticket, most, position);
        batch.complete();
    }

    /** Returns how many slots, from the ticket's on, are in the same state as the first: ready, or skipped. */
    private int alike(Batch batch, long stamps, long ticket, int most) {
        boolean ready = Slot.isReady(batch.word(stamps));
        int count = 1;
        while (count < most && batch.word(stamps + count * slot.size) == (ready
                ? Slot.ready(ticket + count)
                : Slot.skipped(ticket + count))) {
            count++;
        }
        return count;
    }

    // --- rounds of asynchronous operations, where the owner decides ---

    /** Returns how many tickets, from this one on, there is room for, as far as this process knows. No verb. */
    long knownRoom(long ticket) {
        return Math.min(block.capacity, block.capacity - (ticket - RingBlock.ticket(head.last())));
    }

    /** Announces the ticket as {@link PushAnnouncements#tryBegin} does. */
    long tryAnnounce(long ticket) {
        return pushAnnouncements.tryBegin(block, ticket);
    }

    void endAnnouncement(long announcement) {
        pushAnnouncements.end(announcement);
    }

    /** Ends the announcement of a push that has failed, or has had its effect. May wait. */
    void endAnnouncementWhenSettled(long announcement) {
        pushAnnouncements.endWhenSettled(announcement, block, tail);
    }

    /** Returns the position of a payload, of slots from this position on. */
    long payload(long slots, int index) {
        return slots + index * slot.size + slot.payload;
    }

    /**
     * Adds what draws the tickets, if the tail is that ticket, and writes their slots. Returns the index of the
     * exchange. Cost: A + W.
     *
     * @param position of the slots, where the payloads are
     */
    int addPush(Batch batch, long ticket, int count, long position) {
        int exchange = draw(batch, ticket, count);
        addWrites(batch, ticket, count, position, arrivesWhole());
        batch.unguard();
        return exchange;
    }

    /** Adds reads of the head, and then of the word that leads to the next ring. If asked to, reads the tail first. */
    void addLookForRoom(Batch batch, long position, boolean readsTail) {
        if (readsTail) {
            tail.read(batch, position);
        }
        head.read(batch, position + Layouts.WORD); // (8) after the tail was known: see hasRoom
        batch.read(host, block.header + RingBlock.NEXT, position + 2 * Layouts.WORD, Layouts.WORD);
    }

    /** Returns how many results {@link #addPop} of so many slots has at most. */
    int popAtomics(int count) {
        return Math.ceilDiv(count, slotsOfSearch) + 2; // the ring's end may add a search
    }

    /**
     * Adds what reads the slots, and claims all of them if they are ready and the head is that ticket. Returns the
     * index of the claim. Cost: R for each eight slots, and R + A.
     */
    int addPop(Batch batch, long ticket, int count, long tests, long position) {
        int ready = searchAndRead(batch, ticket, count, tests, position);
        int claim = claim(batch, ready, ticket, count);
        batch.unguard();
        return claim;
    }

    /** Adds reads of the head, and then of the tail. */
    void addLook(Batch batch, long position) {
        head.read(batch, position);
        tail.read(batch, position + Layouts.WORD); // (9) after the head: if both are the same, the queue was empty
    }

    /** Returns how many slots that were read, from the ticket's on, are ready. */
    int ready(Batch batch, long ticket, int count, long position) {
        return batch.word(position) == Slot.ready(ticket) ? alike(batch, position, ticket, count) : 0;
    }

    // --- monitoring ---

    /** Reads tail and head, in any order, to the beginning of the batch's buffer. Cost: R. */
    void readWords(Batch batch) {
        batch.read(host, block.header + RingBlock.TAIL, 0, RingBlock.HEAD + Layouts.WORD - RingBlock.TAIL);
        batch.complete();
    }

    /**
     * Shows the buffer positions of payloads that are in the ring, in their order. Covers the first {@code most}
     * tickets at most. Each was there when it was shown. What changes meanwhile may or may not be seen. Cost: R for
     * head and tail each, and R twice for each {@link #maxBatchSize} slots, and for the head once more.
     *
     * @return how many tickets there were, at most {@code most}
     */
    long forEach(Batch batch, long most, LongConsumer position) {
        long drawn = RingBlock.ticket(tail.read());
        long first = RingBlock.ticket(head.read());
        long end = drawn - first > most ? first + most : drawn;
        int mostAtOnce = (int) Math.min(maxBatchSize(slot), block.capacity);
        for (long ticket = first; ticket < end; ticket += mostAtOnce) {
            int count = (int) Math.min(mostAtOnce, end - ticket);
            readSlots(batch, ticket, count, STAMPS);
            batch.complete();
            readSlots(batch, ticket, count, READ);
            batch.complete();
            // A slot that is not popped by now was not overwritten while it was read.
            long left = RingBlock.ticket(head.read());
            for (int index = 0; index < count; index++) {
                if (ticket + index >= left
                        && batch.word(STAMPS + index * slot.size) == Slot.ready(ticket + index)) {
                    position.accept(READ + index * slot.size + slot.payload);
                }
            }
        }
        return Math.max(end - first, 0);
    }

    // --- slots ---

    /** Returns how many of the tickets have slots that lie one behind the other, before the ring's end. */
    private int untilTheEnd(long ticket, int count) {
        return (int) Math.min(count, block.capacity - ticket % block.capacity);
    }

    private void writeSlots(Batch batch, long ticket, int count, long position) {
        int first = untilTheEnd(ticket, count);
        batch.write(host, block.slot(ticket), position, first * slot.size);
        if (first < count) {
            batch.write(host, block.slot(ticket + first), position + first * slot.size, (count - first) * slot.size);
        }
    }

    private void readSlots(Batch batch, long ticket, int count, long position) {
        int first = untilTheEnd(ticket, count);
        batch.read(host, block.slot(ticket), position, first * slot.size);
        if (first < count) {
            batch.read(host, block.slot(ticket + first), position + first * slot.size, (count - first) * slot.size);
        }
    }

    /** Returns true if one read brings a slot as it was at one moment. */
    private boolean arrivesWhole() {
        return endpoint.atomicReadBytes(host) >= slot.size;
    }
}
