package io.atoll.queue;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.StructureLocator;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import io.atoll.world.Lease;
import io.atoll.world.Participant;
import io.atoll.world.Reservations;
import io.atoll.world.StructureListener.Happening;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/*
 * A queue moves by going on in another ring, of another size or at another host. No element is copied, and no thread
 * waits.
 *
 *       oldest                                  (newest)
 *         |                                        |
 *         v                                        v
 *     +--------+  next  +--------+  next  +-----------------+
 *     | ring 1 | -----> | ring 2 | -----> |     ring 3      |
 *     +--------+        +--------+        +-----------------+
 *      drained,          closed:           open: pushers draw
 *      slots freed       poppers are here  tickets here
 *
 * A move (1) links a new ring behind the last one. It (2) closes that one, and (3) gives the new ring its first ticket.
 * This is the ticket at which the other ring was closed: tickets are the queue's. Only (1) decides between moves. Every
 * operation that comes by repeats (2) and (3). So the next operation finishes a move that was cut short after (1). A
 * move that was cut short before (1) leaves the queue as it was. A mover does not return before (2): until then pushers
 * stay where they are, as long as there is room. A pusher that finds a ring closed goes on in the next one. A popper
 * does so when it has found the ring drained. So elements are popped in the order of their tickets. No operation says
 * "empty" or "full" of a ring that is not the last.
 *
 * Slots of a drained ring are freed, headers stay. So a process that has not used the queue since finds the marks
 * there, and its way from there. A popper that reads where slots were claims nothing. Only two kinds of threads write
 * to slots. A pusher that holds a ticket in the ring does, and then the ring is not drained. A thread that skips a dead
 * ticket does; it announces itself first, and then looks if the ring is drained. So slots are freed when, after the
 * ring was drained, no announcement of its tickets is to be found.
 *
 * One sweeper frees the slots of a ring. (5) It takes the ring's lease, or takes over that of a dead rank. (6) It makes
 * the slots pending in its own name, announced with the header's word that says where they are. (7) It sets that word
 * to 0. (8) It frees the slots. If the sweeper dies before (7) the slots stay, and another one takes the lease over. If
 * it dies after (7), the repair of its rank takes the slots back. (5) comes before (6): otherwise a late sweeper would
 * make slots pending that are another ring's by then.
 */
/** The rings of a queue. */
class RingChain implements StructureLocator.Occupant {

    /** Makes the object by which this process uses a ring. */
    interface Rings {

        Ring ring(RingBlock block, long drawn, long popped);
    }

    private final String name;
    final Participant participant;
    final Endpoint endpoint;
    final Slot slot;
    private final int home;
    private final long oldestWord; // the offset of the word at home
    private final RingBlock first;
    private final PushAnnouncements pushAnnouncements;
    private final Rings rings;
    private final AtomicReference<Ring> pushing;
    private final AtomicReference<Ring> popping;

    /**
     * @param name the queue's name
     * @param first the ring that the queue was opened with
     * @param oldestWord where the pointer to the oldest ring lies in the same segment
     */
    RingChain(String name, Participant participant, RingBlock first, long oldestWord,
            PushAnnouncements pushAnnouncements,
            Rings rings) {
        this.name = name;
        this.participant = participant;
        this.endpoint = participant.endpoint();
        this.slot = first.slot;
        this.home = first.host;
        this.oldestWord = oldestWord;
        this.first = first;
        this.pushAnnouncements = pushAnnouncements;
        this.rings = rings;
        pushAnnouncements.begin();
        // No verb: 0 is an earlier value of tail and head. If the queue has moved since, their marks tell it.
        Ring opened = rings.ring(first, 0, 0);
        this.pushing = new AtomicReference<>(opened);
        this.popping = new AtomicReference<>(opened);
    }

    @Override
    public final String name() {
        return name;
    }

    @Override
    public final boolean occupies(int rank, long offset) {
        return isAtOrBehind(popping(), rank, offset) || isAtOrBehind(pushing(), rank, offset);
    }

    /** Returns true if one of the known rings, from this one on, has the byte. */
    private boolean isAtOrBehind(Ring ring, int rank, long offset) {
        for (Ring known = ring; known != null; known = known.follower()) {
            if (known.block.contains(rank, offset, participant.maxSize())) {
                return true;
            }
        }
        return false;
    }

    private RingReference oldest() {
        return known(endpoint.readWord(home, oldestWord));
    }

    private RingReference known(long word) {
        return word == RingReference.NONE ? RingReference.fromWord(first.reference()) : RingReference.fromWord(word);
    }

    private boolean isFirst(RingReference ring) {
        return ring.host() == home && ring.header() == first.header;
    }

    /** Returns the last ring that this process knows, for pushers. */
    final Ring pushing() {
        return pushing.getOpaque();
    }

    /** Returns the ring for poppers, as far as this process knows. */
    final Ring popping() {
        return popping.getOpaque();
    }

    /** Returns the ring that pushers use after they have found this one closed. */
    final Ring pushingAfter(Ring closed) {
        Ring next = follow(closed);
        pushing.compareAndSet(closed, next);
        return next;
    }

    /** Returns the ring that poppers use after they have found this one drained. */
    final Ring poppingAfter(Ring drained) {
        Ring next = follow(drained);
        if (popping.compareAndSet(drained, next)) {
            try {
                sweep();
            } catch (RankUnreachableException gone) {
                // The slots are gone with the rank, or are freed when the next ring is drained.
            }
        }
        return next;
    }

    /** Returns the last ring. Cost: R, more after moves. */
    final Ring newest() {
        Ring ring = pushing();
        while (RingBlock.isMarked(ring.tail.read())) {
            ring = pushingAfter(ring);
        }
        return ring;
    }

    // --- from ring to ring ---

    /** Returns the ring that is linked behind this one. Finishes the move to it if that was cut short. */
    final Ring follow(Ring ring) {
        Ring known = ring.follower();
        if (known != null) {
            return known;
        }
        Ring follower = ring.block == first ? oldestInUse() : null;
        if (follower == null) {
            long next = endpoint.readWord(ring.block.host, ring.block.header + RingBlock.NEXT);
            follower = begin(RingReference.fromWord(next), RingBlock.ticket(close(ring)));
        }
        ring.followedBy(follower);
        if (ring.tail.takeMarkedHere()) {
            tellMove(Place.of(ring.block), Place.of(follower.block));
        }
        return follower;
    }

    /**
     * Returns the ring before which all are drained, and null if that is the first one. It saves a process that has
     * just opened the queue the way over all others. It also returns null if the move to the ring is not finished:
     * whoever follows the links finishes it. Cost: R, and more after moves.
     */
    private @Nullable Ring oldestInUse() {
        RingReference place = oldest();
        if (isFirst(place)) {
            return null;
        }
        Ring oldest = ring(place);
        return oldest.tail.last() == 0 ? null : oldest;
    }

    /** Only the process that has closed the ring tells of the move, even if another one has begun it. */
    private void tellMove(Place from, Place to) {
        participant.tell(Happening.MOVED, name, to.host, () -> "from " + from + " to " + to);
    }

    /** Closes the ring: no ticket is drawn there from now on. Returns the tail. */
    long close(Ring ring) {
        return ring.tail.mark();
    }

    private Ring begin(RingReference place, long ticket) {
        Ring ring = ring(place);
        if (ring.tail.last() == 0) {
            ring.head.begin(ticket);
            ring.tail.begin(ticket);
        }
        return ring;
    }

    private Ring ring(RingReference place) {
        requirePresent(place);
        RingBlock block = block(place);
        long drawn = word(place, RingBlock.TAIL);
        long popped = word(place, RingBlock.HEAD);
        return rings.ring(block, drawn, block.slots == 0 ? RingBlock.marked(popped) : popped);
    }

    /** Throws if the ring's segment is lost. The first ring needs no check: it lies in the block that was opened. */
    private void requirePresent(RingReference place) {
        if (isFirst(place)) {
            return;
        }
        try {
            place.requirePresent(endpoint);
        } catch (FabricException lost) {
            throw lost.in(endpoint.structures().named(name));
        }
    }

    private RingBlock block(RingReference place) {
        return isFirst(place)
                ? first
                : new RingBlock(place, word(place, RingBlock.SLOTS), word(place, RingBlock.CAPACITY), slot);
    }

    private long word(RingReference place, long word) {
        return endpoint.readWord(place.host(), place.header() + word);
    }

    private long word(RingBlock ring, long word) {
        return endpoint.readWord(ring.host, ring.header + word);
    }

    // --- what is left behind ---

    /**
     * Frees the slots of drained rings, from the oldest on. Stops at a ring in which a thread may be about to skip a
     * dead ticket.
     */
    final void sweep() {
        RingReference place = oldest();
        requirePresent(place);
        while (isDrained(place)) {
            RingBlock block = block(place);
            if (block != first && block.slots != 0) {
                if (isInUse(block, RingBlock.ticket(word(place, RingBlock.TAIL)) - 1)) {
                    return;
                }
                if (!free(block)) {
                    return;
                }
            }
            long next = word(place, RingBlock.NEXT);
            endpoint.compareAndExchange(home, oldestWord, block == first ? RingReference.NONE : place.toWord(), next);
            place = RingReference.fromWord(next);
            requirePresent(place);
        }
    }

    /** Returns true if the ring is drained, even if the last popper has not marked it so. */
    private boolean isDrained(RingReference place) {
        long tail = word(place, RingBlock.TAIL);
        long head = word(place, RingBlock.HEAD);
        if (RingBlock.isMarked(tail) && head == RingBlock.ticket(tail)) {
            endpoint.compareAndExchange(place.host(), place.header() + RingBlock.HEAD, head, tail);
            return true;
        }
        return RingBlock.isMarked(head);
    }

    boolean isInUse(RingBlock drained, long lastTicket) {
        return pushAnnouncements.holder(drained, lastTicket) != Reservations.NOBODY;
    }

    /** Returns true if the slots are freed, and false if another sweeper is about to free them. */
    private boolean free(RingBlock block) {
        long word = block.header + RingBlock.SWEEPER;
        long holder = endpoint.readWord(block.host, word);
        if (!Lease.isFree(holder, block.host, participant.liveness())) {
            return false;
        }
        var sweep = new Sweep(block, Lease.of(participant.rank(), participant.incarnation(),
                participant.reservations().nextAttempt()));
        try {
            if (endpoint.compareAndExchange(block.host, word, holder, sweep.lease) != holder) {
                return false;
            }
            sweep.end();
            return true;
        } catch (Throwable failure) {
            participant.reservations().undo(block.host, () -> {
                if (endpoint.compareAndExchange(block.host, word, sweep.lease, sweep.lease) == sweep.lease) {
                    sweep.end();
                }
            });
            throw failure;
        }
    }

    /** Frees the slots of one ring for the sweeper that holds its lease. */
    private final class Sweep {

        private final RingBlock ring;
        private final long lease;

        private Sweep(RingBlock ring, long lease) {
            this.ring = ring;
            this.lease = lease;
        }

        /** May be called again after it has failed. */
        private void end() {
            GlobalPointer place = slotsWord(ring);
            if (endpoint.readWord(ring.host, place.offset()) == ring.slots) {
                // (6) before (7): from then on the slots are taken back if this rank dies.
                participant.heap().uncommit(ring.host, ring.slots, place, ring.slots);
                endpoint.compareAndExchange(ring.host, place.offset(), ring.slots, 0);
            }
            giveBack(ring);
        }
    }

    private static GlobalPointer slotsWord(RingBlock ring) {
        return new GlobalPointer(ring.host, ring.header + RingBlock.SLOTS);
    }

    /** May be called again after it has failed. */
    void giveBack(RingBlock drained) {
        participant.heap().withdraw(drained.host, drained.slots, slotsWord(drained), drained.slots);
    }

    // --- moves ---

    /**
     * The place of a ring, and its size.
     *
     * @param capacity in elements
     */
    record Place(int host, long capacity) {

        static Place of(RingBlock block) {
            return new Place(block.host, block.capacity);
        }

        /** For people to read. */
        @Override
        public String toString() {
            return capacity + " elements at rank " + host;
        }
    }

    /**
     * Lets the queue go on in a new ring.
     *
     * @param change gives the place where it goes on, from the place where it is; asked again if another move comes
     * first
     * @throws io.atoll.failure.SegmentFullException when the host has no room for it; the queue is as it was
     * @throws FabricException when it is in doubt whether the queue moves; nothing is left that hinders others
     */
    final void move(UnaryOperator<Place> change) {
        sweep();
        var move = new Move(change, newest());
        move.make();
        try {
            settle(move.added());
            pushingAfter(move.last);
        } catch (FabricException | VirtualMachineError | LinkageError notYet) {
            // Once no thread can draw a ticket of the ring before, the caller may be told of the move.
            close(move.last);
            Aftermath.warn("whoever comes by finishes a move", notYet);
        }
    }

    /** A move, until the ring that was made for it is linked. */
    private final class Move {

        private final UnaryOperator<Place> change;
        private Ring last;
        private @Nullable RingBlock added; // known to this process alone as long as it is not linked

        private Move(UnaryOperator<Place> change, Ring last) {
            this.change = change;
            this.last = last;
        }

        private RingBlock added() {
            return Objects.requireNonNull(added);
        }

        /** Makes a ring and links it. Fails only if the queue has not moved, or if that is in doubt. */
        private void make() {
            try {
                fit();
                while (!link(last, added())) {
                    last = follow(last);
                    fit();
                }
            } catch (Throwable failure) {
                if (!isLinkedAfterAll()) {
                    throw failure;
                }
                Aftermath.warn("a queue has moved", failure);
            }
        }

        /** Makes the ring, or replaces it if the last ring has changed and another place is wanted. */
        private void fit() {
            Place wanted = change.apply(Place.of(last.block));
            RingBlock unfit = added;
            if (unfit == null || !wanted.equals(Place.of(unfit))) {
                added = null;
                if (unfit != null) {
                    discard(unfit);
                }
                added = create(wanted);
            }
        }

        /**
         * Returns true if the ring is linked after all. Otherwise gives the ring back, now or as soon as it is known
         * not to be linked.
         */
        private boolean isLinkedAfterAll() {
            RingBlock inDoubt = added;
            if (inDoubt == null) {
                return false;
            }
            Ring before = last;
            var isLinked = new AtomicBoolean();
            var isDiscarded = new AtomicBoolean();
            participant.reservations().undo(before.block.host, () -> {
                before.tail.settle();
                if (word(before.block, RingBlock.NEXT) == inDoubt.reference()) {
                    isLinked.set(true);
                } else if (isDiscarded.compareAndSet(false, true)) {
                    discard(inDoubt);
                }
            });
            return isLinked.get();
        }

        private void discard(RingBlock unknown) {
            participant.giveBack(unknown.host, unknown.slots, unknown.header);
        }
    }

    /** Makes a ring. Its slots are pending until it is linked: if this rank dies before, none of them is lost. */
    private RingBlock create(Place place) {
        try {
            return createAt(place);
        } catch (FabricException failure) {
            throw failure.in(endpoint.structures().named(name));
        }
    }

    private RingBlock createAt(Place place) {
        int host = place.host;
        long capacity = place.capacity;
        long header = participant.heap().allocate(host, RingBlock.headerBytes(participant.maxSize()));
        long slots;
        try {
            slots = participant.heap().reserve(host, capacity * slot.size + Heap.ANNOUNCED_BYTES);
        } catch (Throwable failure) {
            participant.giveBack(host, header);
            throw failure;
        }
        try {
            var block = new RingBlock(RingReference.toPresent(endpoint, host, header), slots, capacity, slot);
            describe(block);
            return block;
        } catch (Throwable failure) {
            participant.giveBack(host, slots, header);
            throw failure;
        }
    }

    private void describe(RingBlock block) {
        MemorySegment header = MemorySegment
                .ofArray(new long[(int) (RingBlock.headerBytes(participant.maxSize()) / Long.BYTES)]);
        header.set(ValueLayout.JAVA_LONG, RingBlock.CAPACITY, block.capacity);
        header.set(ValueLayout.JAVA_LONG, RingBlock.SLOTS, block.slots);
        endpoint.write(block.host, block.header, header, 0, header.byteSize());
    }

    /** Decides which ring follows. Returns false if another one does. */
    private boolean link(Ring last, RingBlock added) {
        RingBlock block = last.block;
        long moves = word(block, RingBlock.MOVES) + 1;
        endpoint.writeWord(added.host, added.header + RingBlock.MOVES, moves);
        // (4) before it is linked: from then on its slots stay if this rank dies. All of the header has arrived, too,
        // before any other rank finds it.
        participant.heap()
                .announce(added.host, added.slots, new GlobalPointer(block.host, block.header + RingBlock.NEXT),
                        added.reference());
        return endpoint.compareAndExchange(block.host, block.header + RingBlock.NEXT, RingReference.NONE,
                added.reference()) == RingReference.NONE;
    }

    /**
     * Commits the slots, now or later. If this incarnation leaves them pending, the repair finds that they are known.
     */
    private void settle(RingBlock linked) {
        try {
            participant.heap().settle(linked.host, linked.slots);
        } catch (FabricException | VirtualMachineError | LinkageError inDoubt) {
            participant.reservations()
                    .undo(linked.host, () -> participant.heap().settle(linked.host, linked.slots));
        }
    }
}
