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
 * <p><b>Deaths.</b> Requests count within a {@link Generation}, and none is sent in one before all have entered it:
 * see {@link Regrouping}. So what was under way when a member died is dropped, everywhere, before anything new is sent.
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
    private final Regrouping regrouping;
    private final List<TreeEdge> treeEdges;
    private final StackSafeLock senders = new StackSafeLock();
    private final StackSafeLock turn = new StackSafeLock();
    private volatile Participant self; // guarded by the turn for changes, as are the three that follow
    private volatile Endpoint endpoint;
    private volatile long[] blocks;
    private volatile Stragglers stragglers;
    private int looksAtLosses; // of the thread that passes on
    private int looks; // guarded by the turn, as is all that follows
    private long sendings; // of the generation
    private volatile @Nullable OngoingBroadcast ongoingBroadcast;
    private volatile @Nullable OngoingBroadcast last; // the last one that was begun, under way or not
    private @Nullable ForwardRequest inDoubt; // the piece that was sent and may have arrived
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
        this.regrouping = assembly(self, team, entered(blocks));
        this.stragglers = new Stragglers(endpoint, team, block, blocks);
        this.treeEdges = IntStream.range(0, BinomialTree.rounds(team.size()))
                .mapToObj(bit -> new TreeEdge(bit, Math.floorMod(own + (1 << bit), team.size()),
                        Math.floorMod(own - (1 << bit), team.size())))
                .toList();
    }

    Regrouping assembly(Participant self, Team team, long[] tables) {
        return new Regrouping(self, team, tables);
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

    Generation generation() {
        return regrouping.generation();
    }

    /** @throws io.atoll.failure.RankUnreachableException if a member is not there, or was not in that generation */
    void requireWhole(Generation generation) {
        try {
            generation.requireWhole(DOING);
        } catch (FabricException failure) {
            throw named(failure);
        }
    }

    /** @throws io.atoll.failure.RankUnreachableException if another generation than this one has begun */
    void requireSame(Generation before, Generation now) {
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
            // Later attempts do it again, until the connection is back, or the generation has ended with the lost rank.
            lastFailure = failure;
            return false;
        } finally {
            turn.unlock();
        }
    }

    /**
     * Looks at the ranks now and then, and sees to it that this rank is in the present generation. Returns false if a
     * member is missing.
     */
    private boolean isInGeneration() {
        if (looks++ % LOOKS_AT_THE_RANKS == 0 && regrouping.look()) {
            treeEdges.forEach(TreeEdge::beginGeneration);
            sendings = 0;
            ongoingBroadcast = null;
            inDoubt = null;
        }
        if (!regrouping.generation().isWhole()) {
            return false;
        }
        regrouping.enter();
        return true;
    }

    /** Looks at the ranks at once. */
    boolean look() {
        return attempt(() -> {
            looks = 0;
            isInGeneration();
            return true;
        });
    }

    // --- members that come back without their segments ---

    /**
     * Reaches the segments that members have now. No caller need do anything for that. A member that only receives has
     * its thread. All members must have entered a generation before anything is sent in it.
     */
    private void reachLatest() {
        Participant latest = self.latest();
        // Only now and then: a rank may be away for long.
        if (latest == self || !regrouping.generation().isWhole() || looksAtLosses++ % LOOKS_AT_THE_RANKS != 0) {
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
            regrouping.reachBy(endpoint, entered(found));
            // the member that lost its segment was away, so what was under way belongs to a generation that has ended
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
            if (isInGeneration()) {
                OngoingBroadcast present = ongoingBroadcast;
                if (present != null && !present.isSent()) {
                    // The sender may have given up waiting while others send over the same bits.
                    worked = sendOn(present);
                }
                boolean[] arrived = arrived();
                for (TreeEdge treeEdge : treeEdges) {
                    worked |= arrived[treeEdge.bit] && passOn(treeEdge);
                }
            }
            return worked;
        });
    }

    /** Returns for each bit true if there is something to do. */
    private boolean[] arrived() {
        Batch batch = endpoint.batch(endpoint.rank());
        for (TreeEdge treeEdge : treeEdges) {
            batch.read(endpoint.rank(), local(block.request(treeEdge.bit, treeEdge.done)) + ForwardRequest.FLAG,
                    treeEdge.bit * Layouts.WORD, Layouts.WORD);
        }
        batch.complete();
        boolean[] arrived = new boolean[treeEdges.size()];
        for (TreeEdge treeEdge : treeEdges) {
            // A request that could not be finished may not lie there any more: its sender may know that it is
            // acknowledged, while this rank does not. (1) acquire: pairs with the flag in request, behind data and
            // description.
            arrived[treeEdge.bit] = treeEdge.received != null
                    || batch.word(treeEdge.bit * Layouts.WORD) == generation().number() + treeEdge.done + 1;
        }
        return arrived;
    }

    private boolean passOn(TreeEdge treeEdge) {
        ForwardRequest forwardRequest = treeEdge.received;
        if (forwardRequest == null) {
            forwardRequest = description(treeEdge);
            if (forwardRequest.last()) {
                note(block.arrived(forwardRequest.root()), forwardRequest.number());
            }
            treeEdge.received = forwardRequest;
        }
        if (treeEdge.next == TreeEdge.Step.PASS_ON) {
            if (!send(forwardRequest)) {
                return false;
            }
            treeEdge.next = isCounted(forwardRequest) ? TreeEdge.Step.COUNT : TreeEdge.Step.ACKNOWLEDGE;
        }
        if (treeEdge.next == TreeEdge.Step.COUNT) {
            // Before the addition: if its answer is lost, it must not be done twice.
            treeEdge.next = TreeEdge.Step.ACKNOWLEDGE;
            count(team.rank(forwardRequest.root()), blocks[forwardRequest.root()] + block.count());
        }
        acknowledge(treeEdge, forwardRequest);
        return true;
    }

    private ForwardRequest description(TreeEdge treeEdge) {
        Batch batch = endpoint.batch(endpoint.rank());
        batch.read(endpoint.rank(), local(block.request(treeEdge.bit, treeEdge.done)) + ForwardRequest.DESCRIPTION, 0,
                ForwardRequest.DESCRIPTION_BYTES);
        batch.complete();
        return ForwardRequest.decode(batch, 0);
    }

    /** Returns true if the root counts this piece: only the last piece, behind which nothing is under way. */
    boolean isCounted(ForwardRequest forwardRequest) {
        return forwardRequest.last();
    }

    void count(int root, long counter) {
        endpoint.getAndAdd(root, counter, 1);
    }

    private void acknowledge(TreeEdge treeEdge, ForwardRequest forwardRequest) {
        if (isCounted(forwardRequest)) {
            note(block.finished(forwardRequest.root()), forwardRequest.number());
        }
        endpoint.writeWord(team.rank(treeEdge.sender), blocks[treeEdge.sender] + block.acknowledged(treeEdge.bit),
                generation().number() + treeEdge.done + 1);
        endpoint.flush(team.rank(treeEdge.sender));
        treeEdge.done++;
        treeEdge.finish();
    }

    /** Writes the number in this rank's part. */
    private void note(long offset, long number) {
        endpoint.writeWord(endpoint.rank(), local(offset), generation().number() + number);
        endpoint.flush(endpoint.rank());
    }

    /** Sends a piece to all children in the tree of its root, if all have room for it. */
    private boolean send(ForwardRequest piece) {
        if (!isFreeFor(piece)) {
            return false;
        }
        int[] bits = BinomialTree.bitsToChildren(Math.floorMod(own - piece.root(), team.size()), team.size());
        for (int bit : bits) {
            if (!hasRoom(treeEdges.get(bit))) {
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
                TreeEdge treeEdge = treeEdges.get(bit);
                request(batch, piece, team.rank(treeEdge.receiver), blocks[treeEdge.receiver],
                        block.request(bit, treeEdge.sent), generation().number() + treeEdge.sent + 1);
            }
            batch.complete();
        }
        inDoubt = null;
        for (int bit : bits) {
            treeEdges.get(bit).sent++;
        }
        return true;
    }

    /**
     * Returns true if no other piece is in doubt. A child may have seen, and even acknowledged, a request whose answer
     * is missing. Nothing else must be put in its place before it was sent again.
     */
    boolean isFreeFor(ForwardRequest piece) {
        return inDoubt == null || inDoubt.equals(piece);
    }

    /** Loads the piece, as this rank has it, to the beginning of the buffer. */
    private void load(ForwardRequest piece, Batch batch) {
        endpoint.fabric().local().load(local(block.data(piece.place())), batch.buffer(piece.bytes()), 0, piece.bytes());
    }

    /**
     * Adds the writes that give a piece to a child: the data, which is in the buffer, then the description behind it,
     * then the flag.
     */
    void request(Batch batch, ForwardRequest piece, int rank, long child, long line, long flag) {
        batch.write(rank, child + block.data(piece.place()), 0, piece.bytes());
        batch.write(rank, child + line + ForwardRequest.DESCRIPTION, piece.bytes(), ForwardRequest.DESCRIPTION_BYTES);
        batch.writeWord(rank, child + line + ForwardRequest.FLAG, flag);
    }

    boolean hasRoom(TreeEdge treeEdge) {
        if (treeEdge.sent - treeEdge.acknowledged >= block.slots()) {
            long word = endpoint.readWord(endpoint.rank(), local(block.acknowledged(treeEdge.bit)))
                    - generation().number();
            // A number that was acknowledged in another generation is no number of this one.
            treeEdge.acknowledged = word >= 0 && word <= treeEdge.sent ? word : treeEdge.acknowledged;
        }
        return treeEdge.sent - treeEdge.acknowledged < block.slots();
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
     * Begins a broadcast, if all members are in the present generation and the one before is over. The caller holds the
     * senders' lock.
     */
    boolean begin(long place, long bytes, Algorithm algorithm) {
        return attempt(() -> {
            if (!isInGeneration() || ongoingBroadcast != null || !regrouping.haveAllEntered()) {
                return false;
            }
            // All members that have added have finished, so the counter stands still.
            long counted = endpoint.readWord(endpoint.rank(), local(block.count()));
            OngoingBroadcast begun = new OngoingBroadcast(generation(), ++sendings, algorithm, counted, place, bytes);
            last = begun;
            ongoingBroadcast = begun;
            return true;
        });
    }

    /** Returns this rank's last broadcast that was begun, if there is one. */
    @Nullable OngoingBroadcast last() {
        return last;
    }

    /** Returns this rank's broadcast that is not known to be complete. There is none if its generation has ended. */
    @Nullable OngoingBroadcast ongoingBroadcast() {
        return ongoingBroadcast;
    }

    /**
     * Goes on with the broadcast of this rank. Returns true if it is sent, or given up since its generation has ended.
     */
    boolean sendOn() {
        return attempt(() -> {
            isInGeneration();
            OngoingBroadcast present = ongoingBroadcast;
            return present == null || present.isSent() || sendOn(present);
        });
    }

    private boolean sendOn(OngoingBroadcast present) {
        do {
            ForwardRequest piece = present.next(own, pieceBytes);
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
    private void sendToAll(ForwardRequest piece) {
        try (Batch batch = endpoint.batch()) {
            load(piece, batch);
            for (int position = 0; position < team.size(); position++) {
                if (position != own) {
                    batch.write(team.rank(position), blocks[position] + block.data(piece.place()), 0, piece.bytes());
                    if (piece.last()) {
                        batch.writeWord(team.rank(position), blocks[position] + block.arrived(own),
                                generation().number() + piece.number());
                    }
                }
            }
            batch.complete();
        }
    }

    /**
     * Returns true if this rank has no broadcast under way: the last one is complete, or given up since its generation
     * has ended.
     */
    boolean isComplete(int attempts) {
        return attempt(() -> {
            isInGeneration();
            OngoingBroadcast present = ongoingBroadcast;
            if (present != null && present.isSent() && hasArrived(present, attempts)) {
                present.finish();
                ongoingBroadcast = null;
            }
            return ongoingBroadcast == null;
        });
    }

    private boolean hasArrived(OngoingBroadcast present, int attempts) {
        return present.algorithm == Algorithm.LINEAR
                // (2) acquire: pairs with the addition in passOn of every other member.
                || endpoint.readWord(endpoint.rank(), local(block.count())) - present.counted == team.size() - 1
                || stragglers.areWorthALook(attempts) && stragglers.haveFinished(generation(), present.number);
    }

    // --- members that do not go on ---

    /**
     * Returns the ranks that do not have a broadcast of this rank yet. Returns none if it is over, or if members do not
     * note that, as in a linear one. Any thread may call it. Cost: R for each other member, in batches.
     */
    List<Integer> unfinished(OngoingBroadcast begun) {
        return ongoingBroadcast != begun || begun.algorithm == Algorithm.LINEAR
                ? List.of()
                : stragglers.unfinished(begun.generation, begun.number);
    }

    /** Returns a rank that has not entered the generation. */
    int absent() {
        return team.rank(Math.min(regrouping.firstAbsent(), team.size() - 1));
    }

    /** Returns a rank that should act for the broadcast to go on. Cost: 2 R for each other member. */
    int straggler() {
        FabricException failure = lastFailure;
        return failure != null ? failure.rank() : stragglers.find(generation());
    }
}
