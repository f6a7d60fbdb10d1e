package io.atoll.fabric.link;

import io.atoll.fabric.Connections.Peer;
import io.atoll.fabric.LateVerbs;
import io.atoll.fabric.StructureLocator;
import io.atoll.failure.FabricException;
import io.atoll.memory.Layouts;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * The connections from this rank to all ranks, as the verbs of a fabric use them.
 *
 * @param <L> a lane
 */
public final class PeerConnections<L extends Lane> {

    /** The most lanes that an owner serves for one rank. */
    public static final int MOST_LANES = 64;

    private final int rank;
    private final List<PeerConnection<L>> peerConnections; // by rank
    private final StructureLocator structures;
    private final InProcess<L> process;

    /** The state that all connections of one process share. */
    private static final class InProcess<L extends Lane> {
        private final List<PeerConnection<L>> all = new CopyOnWriteArrayList<>(); // includes those to lost segments
        private final LateVerbs lateVerbs = new LateVerbs();
        private volatile boolean closed;
    }

    /**
     * @param laneCount the number of lanes to each rank
     * @param structures by which failures name the structure
     */
    public PeerConnections(LaneConnector<L> connector, int laneCount, StructureLocator structures) {
        this(connector, laneCount, structures, new InProcess<>());
    }

    private PeerConnections(LaneConnector<L> connector, int laneCount, StructureLocator structures,
            InProcess<L> process) {
        this(connector.rank(), IntStream.range(0, connector.world().size())
                .mapToObj(other -> new PeerConnection<>(other, connector, laneCount, process.lateVerbs))
                .toList(), structures, process);
    }

    private PeerConnections(int rank, List<PeerConnection<L>> peerConnections, StructureLocator structures,
            InProcess<L> process) {
        this.rank = rank;
        this.peerConnections = List.copyOf(peerConnections);
        this.structures = structures;
        this.process = process;
        peerConnections.stream()
                .filter(peerConnection -> !process.all.contains(peerConnection))
                .forEach(process.all::add);
    }

    /**
     * Returns the same connections, except for that to a rank that has lost its segment. The caller has to open the new
     * connection to the present segment. These connections and their predecessors never lead there.
     * <pre>
     *   former -> [ 0 | 1 | x ]     x: fails for good
     *               |   |
     *   later  -> [ 0 | 1 | 2 ]     2: to the new segment
     * </pre>
     *
     * @param born the incarnation in which the present segment was made
     * @param renewed by which failures name the structure
     */
    public PeerConnections<L> renewed(int lost, int born, StructureLocator renewed) {
        List<PeerConnection<L>> next = new ArrayList<>(peerConnections);
        next.set(lost, peerConnections.get(lost).renewed(born));
        return new PeerConnections<>(rank, next, renewed, process);
    }

    /** Returns the rank from which the connections lead. */
    public int rank() {
        return rank;
    }

    /** Returns what counts the changes of this process that may still arrive although they have failed. */
    public LateVerbs lateVerbs() {
        return process.lateVerbs;
    }

    /** Returns the locator by which failures name the structure. */
    public StructureLocator structures() {
        return structures;
    }

    public int size() {
        return peerConnections.size();
    }

    /** Returns true if a rank has refused to let this one in, because it takes this one for dead. */
    boolean isShutOut() {
        return peerConnections.stream().anyMatch(PeerConnection::isShutOut);
    }

    /** Sets the address at which the rank can be reached from now on. */
    public void open(PeerAddress peerAddress) {
        peerConnections.get(peerAddress.rank()).open(peerAddress);
    }

    /** Returns true if the rank can be reached by a lane. */
    public boolean isOpen(int other) {
        return peerConnections.get(other).isOpen();
    }

    /** Closes the way to the rank. Verbs under way fail. */
    public void close(int other, String why) {
        peerConnections.get(other).close(why);
    }

    /**
     * Returns the lane of a thread to these words. Fails if the rank's segment has no such words.
     *
     * @throws io.atoll.failure.RankUnreachableException if the rank is not there, or if writes of the thread were lost
     */
    public L lane(ThreadLanes<L> thread, int target, String verb, long offset, long bytes) {
        refuseIfClosed(target, offset);
        requireWhole(offset, bytes);
        L lane = way(thread, target, verb, offset);
        requireWithin(lane, offset, bytes);
        return lane;
    }

    /** Fails if the segment that the lane leads to has no such words, as {@link #lane} does. */
    public static void requireWords(Lane lane, long offset, long bytes) {
        requireWhole(offset, bytes);
        requireWithin(lane, offset, bytes);
    }

    private static void requireWhole(long offset, long bytes) {
        if (((offset | bytes) & (Layouts.WORD - 1)) != 0) {
            throw new IllegalArgumentException("whole words only: offset=" + offset + " bytes=" + bytes);
        }
    }

    private static void requireWithin(Lane lane, long offset, long bytes) {
        Objects.checkFromIndexSize(offset, bytes, lane.segmentBytes());
    }

    private L way(ThreadLanes<L> thread, int target, String verb, long offset) {
        try {
            return thread.lane(peerConnections.get(target), target, verb, offset);
        } catch (FabricException failure) {
            throw named(failure);
        }
    }

    /** Returns the failure, extended by the name of the structure that was accessed. */
    public FabricException named(FabricException failure) {
        return failure.in(structures.find(failure.rank(), failure.offset()));
    }

    /**
     * Waits until every write that any thread has posted to the rank so far has arrived.
     *
     * @param thread the lanes of the thread that flushes
     * @throws io.atoll.failure.RankUnreachableException if the rank is not there, or if writes were lost that the
     * thread has not been told of
     */
    public void flush(ThreadLanes<L> thread, int target) {
        refuseIfClosed();
        thread.flush(peerConnections.get(target), target);
    }

    /** Does {@link #flush(ThreadLanes, int)} for every rank that can be reached. */
    public void flush(ThreadLanes<L> thread) {
        refuseIfClosed();
        for (int other = 0; other < peerConnections.size(); other++) {
            if (peerConnections.get(other).isOpen()) {
                thread.flush(peerConnections.get(other), other);
            }
        }
    }

    /** Returns how much was heard of an incarnation of a rank, see {@link PeerConnection#heard}. */
    long heard(int other, int incarnation) {
        return peerConnections.get(other).heard(incarnation);
    }

    /**
     * Returns the ranks to which there are lanes, in their order. Meant for a transport whose device measures for
     * itself, so there are no round trips here.
     */
    public List<Peer> peers() {
        return IntStream.range(0, peerConnections.size())
                .filter(other -> !peerConnections.get(other).lanes().isEmpty())
                .mapToObj(other -> peer(other, peerConnections.get(other).lanes(), null, null))
                .toList();
    }

    /** Returns a summary of the lanes to a rank. */
    public static Peer peer(int rank, List<? extends Lane> lanes, @Nullable Duration roundTrip,
            @Nullable Instant silentSince) {
        return new Peer(rank, (int) lanes.stream().filter(Lane::isUsable).count(),
                lanes.stream().map(Lane::broken).filter(Objects::nonNull).toList(),
                lanes.stream().mapToLong(Lane::unanswered).sum(), roundTrip, silentSince);
    }

    /** Returns how much was posted to a rank by the present lanes. */
    public long posted(int target) {
        return peerConnections.get(target).posted();
    }

    public void refuseIfClosed() {
        refuseIfClosed(rank, FabricException.WHOLE_SEGMENT);
    }

    private void refuseIfClosed(int target, long offset) {
        if (process.closed) {
            throw new IllegalStateException(
                    "this process has left its world: " + structures.facts(target, offset) + "rank=" + rank);
        }
    }

    /**
     * Ends every lane of this process, also those of other objects. When it returns, no attempt to connect is under
     * way.
     */
    public void close() {
        process.all.forEach(PeerConnection::mayBeLate);
        process.closed = true;
        process.all.forEach(peerConnection -> peerConnection.close("this process has left"));
        process.all.forEach(PeerConnection::awaitAttempts);
    }
}
