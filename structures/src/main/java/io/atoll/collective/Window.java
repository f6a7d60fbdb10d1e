package io.atoll.collective;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.memory.Layouts;
import io.atoll.memory.StackSafeLock;
import io.atoll.world.Participant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * This rank's part in the broadcasts of a window. It works in short steps, each under the window's turn. A step never
 * waits for another rank's step: a step that cannot go on is tried again later.
 *
 * <p><b>A piece</b> goes from a member to each child in one batch: the data to its place, then the description, then
 * the flag (Paznikov, figure 8). A child that sees the flag does three steps in this order. It passes the piece on,
 * adds 1 to the root's counter if the piece was the last, and acknowledges it. A request's slot is used again only when
 * the child has acknowledged.
 *
 * <p><b>No member waits in a circle</b>, however many roots there are: a piece that was received over some bit goes on
 * over lower bits only. Pieces over bit 0 need no room anywhere.
 *
 * <p><b>Deaths.</b> Requests count within an {@link Era}, and none is sent in one before all have entered it: see
 * {@link Assembly}. So what was under way when a member died is dropped, everywhere, before anything new is sent.
 *
 * <p><b>Broken connections.</b> A step that fails is done again, with the same words in the same places. Nothing else
 * is put there before. The addition is the exception: it may be unknown if it was done. So a member notes in its own
 * segment that it has finished, added or not. A root that waits for long looks there.
 */
class Window {

    /** The largest number of bytes that one request stands for. */
    static final long PIECE_BYTES = 28 << 10;

    /** The name of the verb in failures. */
    static final String DOING = "broadcast";

    private static final int LOOKS_AT_THE_RANKS = 16;

    private final Finding finding;
    private final Team team;
    private final BroadcastBlock block;
    private final int own;
    private final long pieceBytes;
    private final Assembly assembly;
    private final List<Link> links;
    private final StackSafeLock senders = new StackSafeLock();
    private final StackSafeLock turn = new StackSafeLock();
    private volatile Participant self; // guarded by the turn for changes, as are the three that follow
    private volatile Endpoint endpoint;
    private volatile long[] blocks;
    private volatile Stragglers stragglers;
    private int looksAtLosses; // of the thread that passes on
    private int looks; // guarded by the turn, as is all that follows
    private long sendings; // of the era
    private volatile @Nullable Sending sending;
    private volatile @Nullable Sending last; // the last one that was begun, under way or not
    private @Nullable Request inDoubt; // the piece that was sent and may have arrived
    private volatile @Nullable FabricException lastFailure;

    /**
     * Finds where each member's part lies in its segment, by position. The part of a member that has lost its own is
     * made anew.
     */
    interface Finding {

        long[] find(Participant self);
    }

    /** Makes a window of members that keep their segments. */
    Window(Participant self, Team team, BroadcastBlock block, long[] blocks, long pieceBytes) {
        this(self, team, block, blocks, pieceBytes, _ -> blocks);
    }

    /** @param blocks what {@code finding} finds for this participant */
    Window(Participant self, Team team, BroadcastBlock block, long[] blocks, long pieceBytes, Finding finding) {
        this.finding = finding;
        this.self = self;
        this.endpoint = self.endpoint();
        this.team = team;
        this.block = block;
        this.blocks = blocks;
        this.own = team.position(self.rank());
        this.pieceBytes = pieceBytes;
        this.assembly = assembly(self, team, entered(blocks));
        this.stragglers = new Stragglers(endpoint, team, block, blocks);
        this.links = IntStream.range(0, BinomialTree.rounds(team.size()))
                .mapToObj(bit -> new Link(bit, Math.floorMod(own + (1 << bit), team.size()),
                        Math.floorMod(own - (1 << bit), team.size())))
                .toList();
    }

    Assembly assembly(Participant self, Team team, long[] tables) {
        return new Assembly(self, team, tables);
    }

    Team team() {
        return team;
    }

    Endpoint endpoint() {
        return endpoint;
    }

    /** Returns this rank's position. */
    int position() {
        return own;
    }

    /** Returns the offset in this rank's segment of something in its part. */
    long local(long offset) {
        return blocks[own] + offset;
    }

    BroadcastBlock block() {
        return block;
    }

    Era era() {
        return assembly.era();
    }

    /** @throws io.atoll.failure.RankUnreachableException if a member is not there, or was not in that era */
    void requireWhole(Era era) {
        try {
            era.requireWhole(DOING);
        } catch (FabricException failure) {
            throw named(failure);
        }
    }

    /** @throws io.atoll.failure.RankUnreachableException if another era than this one has begun */
    void requireSame(Era before, Era now) {
        try {
            before.requireSame(now, DOING);
        } catch (FabricException failure) {
            throw named(failure);
        }
    }

    /** Returns the failure, with the name of the broadcast that it is about. */
    FabricException named(FabricException failure) {
        return failure.in(endpoint.structures().find(endpoint.rank(), blocks[own]));
    }

    /** Returns the failure of the last step that failed since this was forgotten. */
    @Nullable FabricException lastFailure() {
        return lastFailure;
    }

    void forgetFailure() {
        lastFailure = null;
    }

    // --- for all threads that take steps ---

    /** Returns the lock of the turn. A thread that holds it keeps all others from taking steps. */
    StackSafeLock turn() {
        return turn;
    }

    /** A step, taken when it is the thread's turn. */
    interface Attempt {

        /** Returns true if the purpose of the attempt is reached. */
        boolean succeeds();
    }

    /** Returns false also if it is another thread's turn, or a connection is broken. */
    private boolean attempt(Attempt attempt) {
        if (!turn.tryLock()) {
            return false;
        }
        try {
            return attempt.succeeds();
        } catch (FencedException fenced) {
            throw fenced;
        } catch (FabricException failure) {
            // Later attempts do it again, until the connection is back, or the era has ended with the lost rank.
            lastFailure = failure;
            return false;
        } finally {
            turn.unlock();
        }
    }

    /**
     * Looks at the ranks now and then, and sees to it that this rank is in the present era. Returns false if a member
     * is missing.
     */
    private boolean isInEra() {
        if (looks++ % LOOKS_AT_THE_RANKS == 0 && assembly.look()) {
            links.forEach(Link::beginEra);
            sendings = 0;
            sending = null;
            inDoubt = null;
        }
        if (!assembly.era().isWhole()) {
            return false;
        }
        assembly.enter();
        return true;
    }

    /** Looks at the ranks at once. */
    boolean look() {
        return attempt(() -> {
            looks = 0;
            isInEra();
            return true;
        });
    }

    // --- members that come back without their segments ---

    /**
     * Reaches the segments that members have now. No caller need do anything for that. A member that only receives has
     * its thread. All members must have entered an era before anything is sent in it.
     */
    private void reachLatest() {
        Participant latest = self.latest();
        // Only now and then: a rank may be away for long.
        if (latest == self || !assembly.era().isWhole() || looksAtLosses++ % LOOKS_AT_THE_RANKS != 0) {
            return;
        }
        long[] found;
        try {
            found = finding.find(latest);
        } catch (FencedException fenced) {
            throw fenced;
        } catch (FabricException notYet) {
            lastFailure = notYet;
            return;
        }
        attempt(() -> {
            reachBy(latest, found);
            return true;
        });
    }

    private void reachBy(Participant latest, long[] found) {
        if (latest.lossesSeen() > self.lossesSeen()) {
            self = latest;
            endpoint = latest.endpoint();
            blocks = found;
            stragglers = new Stragglers(endpoint, team, block, found);
            assembly.reachBy(endpoint, entered(found));
            // the member that lost its segment was away, so what was under way belongs to an era that has ended
            looks = 0;
            looksAtLosses = 0;
        }
    }

    private long[] entered(long[] parts) {
        return Arrays.stream(parts).map(part -> part + block.entered()).toArray();
    }

    // --- the broadcaster: passes on what arrives ---

    /** Does what can be done with what has arrived. Returns true if anything was done. */
    boolean passOn() {
        reachLatest();
        return attempt(() -> {
            boolean worked = false;
            if (isInEra()) {
                Sending present = sending;
                if (present != null && !present.isSent()) {
                    // The sender may have given up waiting while others send over the same bits.
                    worked = sendOn(present);
                }
                boolean[] arrived = arrived();
                for (Link link : links) {
                    worked |= arrived[link.bit] && passOn(link);
                }
            }
            return worked;
        });
    }

    /** Returns for each bit true if there is something to do. */
    private boolean[] arrived() {
        Batch batch = endpoint.batch(endpoint.rank());
        for (Link link : links) {
            batch.read(endpoint.rank(), local(block.request(link.bit, link.done)) + Request.FLAG,
                    link.bit * Layouts.WORD, Layouts.WORD);
        }
        batch.complete();
        boolean[] arrived = new boolean[links.size()];
        for (Link link : links) {
            // A request that could not be finished may not lie there any more: its sender may know that it is
            // acknowledged, while this rank does not. (1) acquire: pairs with the flag in request, behind data and
            // description.
            arrived[link.bit] = link.received != null
                    || batch.word(link.bit * Layouts.WORD) == era().number() + link.done + 1;
        }
        return arrived;
    }

    private boolean passOn(Link link) {
        Request request = link.received;
        if (request == null) {
            request = description(link);
            if (request.last()) {
                note(block.arrived(request.root()), request.number());
            }
            link.received = request;
        }
        if (link.next == Link.Step.PASS_ON) {
            if (!send(request)) {
                return false;
            }
            link.next = isCounted(request) ? Link.Step.COUNT : Link.Step.ACKNOWLEDGE;
        }
        if (link.next == Link.Step.COUNT) {
            // Before the addition: if its answer is lost, it must not be done twice.
            link.next = Link.Step.ACKNOWLEDGE;
            count(team.rank(request.root()), blocks[request.root()] + block.count());
        }
        acknowledge(link, request);
        return true;
    }

    private Request description(Link link) {
        Batch batch = endpoint.batch(endpoint.rank());
        batch.read(endpoint.rank(), local(block.request(link.bit, link.done)) + Request.DESCRIPTION, 0,
                Request.DESCRIPTION_BYTES);
        batch.complete();
        return Request.decode(batch, 0);
    }

    /** Returns true if the root counts this piece: only the last piece, behind which nothing is under way. */
    boolean isCounted(Request request) {
        return request.last();
    }

    void count(int root, long counter) {
        endpoint.getAndAdd(root, counter, 1);
    }

    private void acknowledge(Link link, Request request) {
        if (isCounted(request)) {
            note(block.finished(request.root()), request.number());
        }
        endpoint.writeWord(team.rank(link.sender), blocks[link.sender] + block.acknowledged(link.bit),
                era().number() + link.done + 1);
        endpoint.flush(team.rank(link.sender));
        link.done++;
        link.finish();
    }

    /** Writes the number in this rank's part. */
    private void note(long offset, long number) {
        endpoint.writeWord(endpoint.rank(), local(offset), era().number() + number);
        endpoint.flush(endpoint.rank());
    }

    /** Sends a piece to all children in the tree of its root, if all have room for it. */
    private boolean send(Request piece) {
        if (!isFreeFor(piece)) {
            return false;
        }
        int[] bits = BinomialTree.bitsToChildren(Math.floorMod(own - piece.root(), team.size()), team.size());
        for (int bit : bits) {
            if (!hasRoom(links.get(bit))) {
                return false;
            }
        }
        if (bits.length == 0) {
            return true;
        }
        inDoubt = piece;
        try (Batch batch = endpoint.batch()) {
            load(piece, batch);
            piece.encode(batch, piece.bytes());
            for (int bit : bits) {
                Link link = links.get(bit);
                request(batch, piece, team.rank(link.receiver), blocks[link.receiver],
                        block.request(bit, link.sent), era().number() + link.sent + 1);
            }
            batch.complete();
        }
        inDoubt = null;
        for (int bit : bits) {
            links.get(bit).sent++;
        }
        return true;
    }

    /**
     * Returns true if no other piece is in doubt. A child may have seen, and even acknowledged, a request whose answer
     * is missing. Nothing else must be put in its place before it was sent again.
     */
    boolean isFreeFor(Request piece) {
        return inDoubt == null || inDoubt.equals(piece);
    }

    /** Loads the piece, as this rank has it, to the beginning of the buffer. */
    private void load(Request piece, Batch batch) {
        endpoint.fabric().local().load(local(block.data(piece.place())), batch.buffer(piece.bytes()), 0, piece.bytes());
    }

    /**
     * Adds the writes that give a piece to a child: the data, which is in the buffer, then the description behind it,
     * then the flag.
     */
    void request(Batch batch, Request piece, int rank, long child, long line, long flag) {
        batch.write(rank, child + block.data(piece.place()), 0, piece.bytes());
        batch.write(rank, child + line + Request.DESCRIPTION, piece.bytes(), Request.DESCRIPTION_BYTES);
        batch.writeWord(rank, child + line + Request.FLAG, flag);
    }

    boolean hasRoom(Link link) {
        if (link.sent - link.acknowledged >= block.slots()) {
            long word = endpoint.readWord(endpoint.rank(), local(block.acknowledged(link.bit))) - era().number();
            // A number that was acknowledged in another era is no number of this one.
            link.acknowledged = word >= 0 && word <= link.sent ? word : link.acknowledged;
        }
        return link.sent - link.acknowledged < block.slots();
    }

    // --- the root ---

    /**
     * Returns the lock of the senders. A thread that holds it keeps all other callers of this process from sending,
     * through whatever object.
     */
    StackSafeLock senders() {
        return senders;
    }

    /**
     * Begins a broadcast, if all members are in the present era and the one before is over. The caller holds the
     * senders' lock.
     */
    boolean begin(long place, long bytes, Algorithm algorithm) {
        return attempt(() -> {
            if (!isInEra() || sending != null || !assembly.haveAllEntered()) {
                return false;
            }
            // All members that have added have finished, so the counter stands still.
            long counted = endpoint.readWord(endpoint.rank(), local(block.count()));
            Sending begun = new Sending(era(), ++sendings, algorithm, counted, place, bytes);
            last = begun;
            sending = begun;
            return true;
        });
    }

    /** Returns this rank's last broadcast that was begun, if there is one. */
    @Nullable Sending last() {
        return last;
    }

    /** Returns this rank's broadcast that is not known to be complete. There is none if its era has ended. */
    @Nullable Sending sending() {
        return sending;
    }

    /** Goes on with the broadcast of this rank. Returns true if it is sent, or given up since its era has ended. */
    boolean sendOn() {
        return attempt(() -> {
            isInEra();
            Sending present = sending;
            return present == null || present.isSent() || sendOn(present);
        });
    }

    private boolean sendOn(Sending present) {
        do {
            Request piece = present.next(own, pieceBytes);
            if (present.algorithm == Algorithm.LINEAR) {
                sendToAll(piece);
            } else if (!send(piece)) {
                return false;
            }
            present.hasSent(piece);
        } while (!present.isSent());
        return true;
    }

    /** Paznikov, section 2.1: a write for each member, and with the last piece a word that says so. */
    private void sendToAll(Request piece) {
        try (Batch batch = endpoint.batch()) {
            load(piece, batch);
            for (int position = 0; position < team.size(); position++) {
                if (position != own) {
                    batch.write(team.rank(position), blocks[position] + block.data(piece.place()), 0, piece.bytes());
                    if (piece.last()) {
                        batch.writeWord(team.rank(position), blocks[position] + block.arrived(own),
                                era().number() + piece.number());
                    }
                }
            }
            batch.complete();
        }
    }

    /**
     * Returns true if this rank has no broadcast under way: the last one is complete, or given up since its era has
     * ended.
     */
    boolean isComplete(int attempts) {
        return attempt(() -> {
            isInEra();
            Sending present = sending;
            if (present != null && present.isSent() && hasArrived(present, attempts)) {
                present.finish();
                sending = null;
            }
            return sending == null;
        });
    }

    private boolean hasArrived(Sending present, int attempts) {
        return present.algorithm == Algorithm.LINEAR
                // (2) acquire: pairs with the addition in passOn of every other member.
                || endpoint.readWord(endpoint.rank(), local(block.count())) - present.counted == team.size() - 1
                || stragglers.areWorthALook(attempts) && stragglers.haveFinished(era(), present.number);
    }

    // --- members that do not go on ---

    /**
     * Returns the ranks that do not have a broadcast of this rank yet. Returns none if it is over, or if members do not
     * note that, as in a linear one. Any thread may call it. Cost: R for each other member, in batches.
     */
    List<Integer> unfinished(Sending begun) {
        return sending != begun || begun.algorithm == Algorithm.LINEAR
                ? List.of()
                : stragglers.unfinished(begun.era, begun.number);
    }

    /** Returns a rank that has not entered the era. */
    int absent() {
        return team.rank(Math.min(assembly.firstAbsent(), team.size() - 1));
    }

    /** Returns a rank that should act for the broadcast to go on. Cost: 2 R for each other member. */
    int straggler() {
        FabricException failure = lastFailure;
        return failure != null ? failure.rank() : stragglers.find(era());
    }
}
