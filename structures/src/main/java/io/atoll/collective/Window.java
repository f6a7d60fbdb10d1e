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
 * This rank's part in the broadcasts of a window. All that it does are short steps, each under the window's turn, which never wait for another rank's step:
 * whoever cannot go on comes again.
 *
 * <p><b>A piece</b> goes from a member to each child in one batch: the data to its place, then the description, then the flag (Paznikov, figure 8). A child that sees
 * the flag passes the piece on, adds 1 to the counter at the root if it was the last, and acknowledges it, in this order. A request's slot is used again only when the
 * child has acknowledged.
 *
 * <p><b>Nobody waits in a circle</b>, however many roots there are: a piece that was received over some bit goes on over lower ones only, and those over bit 0 need no
 * room anywhere.
 *
 * <p><b>Deaths.</b> Requests count within an {@link Era}, and none is sent in one before all have entered it: see {@link Assembly}. So what was under way when a member
 * died is dropped, everywhere, before anything new is sent.
 *
 * <p><b>Broken connections.</b> A step that fails is done again, with the same words in the same places and nothing else there before, except for the addition: whether it was done may be
 * unknown. So a member notes at its own segment that it has finished, added or not, and a root that waits for long looks there.
 *
 * <p>What a test overrides to break the protocol is not private: {@link #request}, {@link #hasRoom}, {@link #isFreeFor}, {@link #isCounted}, {@link #count}, {@link #assembly}.
 */
class Window {

    /** Bytes that one request stands for at most. */
    static final long PIECE_BYTES = 28 << 10;

    /** As failures have it for a verb. */
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
    private volatile Participant self; // changed by the turn, as are the three that follow
    private volatile Endpoint endpoint;
    private volatile long[] blocks;
    private volatile Stragglers stragglers;
    private int looksAtLosses; // of the thread that passes on
    private int looks; // guarded by the turn, as is all that follows
    private long sendings; // of the era
    private volatile @Nullable Sending sending;
    private volatile @Nullable Sending last; // begun, under way or not
    private @Nullable Request inDoubt; // what was sent and may have arrived
    private volatile @Nullable FabricException lastFailure;

    /** Finds where each member's part lies in its segment, by position: that of a member which has lost its own is made anew. */
    interface Finding {

        long[] find(Participant self);
    }

    /** Of members that keep their segments. */
    Window(Participant self, Team team, BroadcastBlock block, long[] blocks, long pieceBytes) {
        this(self, team, block, blocks, pieceBytes, _ -> blocks);
    }

    /** @param blocks what is found by this participant */
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

    /** This rank's position. */
    int position() {
        return own;
    }

    /** Where something of this rank's part lies in its segment. */
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

    /** The failure, which says now what broadcast it is of. */
    FabricException named(FabricException failure) {
        return failure.in(endpoint.structures().find(endpoint.rank(), blocks[own]));
    }

    /** What has made a step fail, the last time that one did since this was forgotten. */
    @Nullable FabricException lastFailure() {
        return lastFailure;
    }

    void forgetFailure() {
        lastFailure = null;
    }

    // --- for all who take steps ---

    /** Whoever has it keeps all others from taking steps. */
    StackSafeLock turn() {
        return turn;
    }

    /** A step of whoever comes when it is his turn. */
    interface Attempt {

        /** True if that is done which the attempt was for. */
        boolean succeeds();
    }

    /** False also if it is another thread's turn, or a connection is broken. */
    private boolean attempt(Attempt attempt) {
        if (!turn.tryLock()) {
            return false;
        }
        try {
            return attempt.succeeds();
        } catch (FencedException fenced) {
            throw fenced;
        } catch (FabricException failure) {
            // Done again by whoever comes next, until the connection is back, or the era has ended with the rank that was lost.
            lastFailure = failure;
            return false;
        } finally {
            turn.unlock();
        }
    }

    /** Looks at the ranks now and then, and sees to it that this one is in the present era. */
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
     * Reaches the segments that members have now. Nobody need call anything for that: a member that only receives has its
     * thread, and all must have entered an era before anything is sent in it.
     */
    private void reachLatest() {
        Participant latest = self.latest();
        // Now and then: some rank may be away for long.
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
            looks = 0; // who has lost a segment was away: what was under way belongs to an era that has ended
            looksAtLosses = 0;
        }
    }

    private long[] entered(long[] parts) {
        return Arrays.stream(parts).map(part -> part + block.entered()).toArray();
    }

    // --- the broadcaster: passes on what arrives ---

    /** Does what can be done of what has arrived. True if that was something. */
    boolean passOn() {
        reachLatest();
        return attempt(() -> {
            boolean worked = false;
            if (isInEra()) {
                Sending present = sending;
                if (present != null && !present.isSent()) {
                    // Its caller may have given up waiting, and others send over the same bits.
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

    /** Over which bits there is something to do. */
    private boolean[] arrived() {
        Batch batch = endpoint.batch(endpoint.rank());
        for (Link link : links) {
            batch.read(endpoint.rank(), local(block.request(link.bit, link.done)) + Request.FLAG,
                    link.bit * Layouts.WORD, Layouts.WORD);
        }
        batch.complete();
        boolean[] arrived = new boolean[links.size()];
        for (Link link : links) {
            // One that could not be finished may lie there no more: its sender may know that it is acknowledged, while this rank does not.
            // (1) acquire: pairs with the flag in request, behind data and description.
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

    /** Whether the root counts this one: the last piece, behind which there is nothing under way. */
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

    /** In this rank's part. */
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

    /** A child may have seen, and even acknowledged, a request whose answer is missing: nothing else must be put where it lies before it was sent again. */
    boolean isFreeFor(Request piece) {
        return inDoubt == null || inDoubt.equals(piece);
    }

    /** What this rank has of the piece, to the beginning of the buffer. */
    private void load(Request piece, Batch batch) {
        endpoint.fabric().local().load(local(block.data(piece.place())), batch.buffer(piece.bytes()), 0, piece.bytes());
    }

    /** Adds what tells a child of a piece: the data, which is in the buffer, then the description behind it, then the flag. */
    void request(Batch batch, Request piece, int rank, long child, long line, long flag) {
        batch.write(rank, child + block.data(piece.place()), 0, piece.bytes());
        batch.write(rank, child + line + Request.DESCRIPTION, piece.bytes(), Request.DESCRIPTION_BYTES);
        batch.writeWord(rank, child + line + Request.FLAG, flag);
    }

    boolean hasRoom(Link link) {
        if (link.sent - link.acknowledged >= block.slots()) {
            long word = endpoint.readWord(endpoint.rank(), local(block.acknowledged(link.bit))) - era().number();
            // What was acknowledged in another era is no number of this one.
            link.acknowledged = word >= 0 && word <= link.sent ? word : link.acknowledged;
        }
        return link.sent - link.acknowledged < block.slots();
    }

    // --- the root ---

    /** Whoever has it keeps all other callers of this process, through whatever object, from sending. */
    StackSafeLock senders() {
        return senders;
    }

    /** Begins a broadcast, if all members are in the present era and the one before is over. The caller is the sender whose turn it is. */
    boolean begin(long place, long bytes, Algorithm algorithm) {
        return attempt(() -> {
            if (!isInEra() || sending != null || !assembly.haveAllEntered()) {
                return false;
            }
            // All who have added have finished, so the counter stands still.
            long counted = endpoint.readWord(endpoint.rank(), local(block.count()));
            Sending begun = new Sending(era(), ++sendings, algorithm, counted, place, bytes);
            last = begun;
            sending = begun;
            return true;
        });
    }

    /** The broadcast of this rank that was begun last, if there is one. */
    @Nullable Sending last() {
        return last;
    }

    /** The broadcast of this rank that is not known to be complete, if there is one, and if its era has not ended. */
    @Nullable Sending sending() {
        return sending;
    }

    /** Goes on with the broadcast of this rank. True if it is sent, or given up since its era has ended. */
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

    /** Paznikov, section 2.1: a write for each member; and with the last piece a word that says so. */
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

    /** Whether this rank has no broadcast under way: the last one is complete, or given up since its era has ended. */
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

    // --- who does not go on ---

    /**
     * The ranks that do not have a broadcast of this one yet; none if it is over, or if nobody notes that, as in a linear
     * one. Any thread may call it. Cost: R for each other member, in batches.
     */
    List<Integer> unfinished(Sending begun) {
        return sending != begun || begun.algorithm == Algorithm.LINEAR
                ? List.of()
                : stragglers.unfinished(begun.era, begun.number);
    }

    /** A rank that has not entered the era. */
    int absent() {
        return team.rank(Math.min(assembly.firstAbsent(), team.size() - 1));
    }

    /** A rank that should act for the broadcast to go on. Cost: 2 R for each other member. */
    int straggler() {
        FabricException failure = lastFailure;
        return failure != null ? failure.rank() : stragglers.find(era());
    }
}
