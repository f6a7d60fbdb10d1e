package io.atoll.fabric.link;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Connections;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.LateVerbs;
import io.atoll.failure.FabricException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.IntPredicate;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The attachment of a rank that others reach by connections. Its segment is a file of its host. The file also tells
 * this process from other processes of the host. A transport serves the segment to the other ranks.
 */
public final class LinkedAttachment implements Attachment {

    private static final Logger LOG = LoggerFactory.getLogger(LinkedAttachment.class);

    /** A process that answers does so within milliseconds. This bound keeps a paused process from delaying a start. */
    private static final Duration ASKING = Duration.ofSeconds(2);

    private final Attachment host;
    private final Deque<AutoCloseable> opened; // resources of the transport; the last is closed first
    private final Opening opening;
    private final boolean mapsItsHost;
    private Transport transport; // replaced only before it is used
    private volatile LinkedFabric fabric; // replaced when a rank has lost its segment

    /** Opens a transport. */
    @FunctionalInterface
    public interface Opening {

        /** @param opened receives what is closed with the attachment, or if opening fails; the last is closed first */
        Transport open(Deque<AutoCloseable> opened) throws IOException;
    }

    /**
     * Opens a transport for a rank.
     *
     * @param host this process's attachment on its host; it is closed with the result, or if opening fails
     * @param mapsItsHost true if this rank reaches the ranks of its host by shared memory
     * @param refused explains why the transport could not be opened
     */
    public static Attachment open(Attachment host, boolean mapsItsHost, Opening opening,
            Function<Exception, JoinRefusedException> refused) {
        Deque<AutoCloseable> opened = new ArrayDeque<>();
        try {
            return new LinkedAttachment(host, mapsItsHost, opening, opened);
        } catch (Error failure) {
            giveUp(host, opened, failure);
            throw failure;
        } catch (IOException | RuntimeException failure) {
            giveUp(host, opened, failure);
            throw refused.apply(failure);
        }
    }

    private static void giveUp(Attachment host, Deque<AutoCloseable> opened, Throwable failure) {
        // A segment that was kept from an earlier life stays, for a start with other settings.
        opened.addLast(host.incarnation() > 1 ? host::release : host);
        closeAll(opened, failure);
    }

    private LinkedAttachment(Attachment host, boolean mapsItsHost, Opening opening, Deque<AutoCloseable> opened)
            throws IOException {
        this.host = host;
        this.mapsItsHost = mapsItsHost;
        this.opening = opening;
        this.opened = opened;
        this.transport = openTransport();
        this.fabric = transport.fabric();
    }

    private Transport openTransport() throws IOException {
        Transport next = opening.open(opened);
        next.alarm().listen(next.peerProbe()::callSoon);
        next.accessControl().whenAsked(next.peerProbe()::isAskedBy);
        next.accessControl().formerIncarnations().leaveOut(runningHere(host));
        // Last: as soon as ranks of this host find the address, they meet this process and say so.
        SegmentHeader.publish(host.fabric().local(), next.here());
        return next;
    }

    /**
     * Makes the segment anew if it is of a former process, or if other ranks have met this incarnation before. A
     * segment that never belonged to a member holds nothing that others need. Structures are opened once the world is
     * founded, and by then each founder has its vote. A segment of a former process is made anew as well. That process
     * may not have known which lives others had met when it chose its number, which the segment bears.
     */
    @Override
    public boolean learnFormerLives(Map<Integer, Map<String, String>> addresses) {
        LocalMemory segment = host.fabric().local();
        if (segment.getAcquire(SegmentHeader.foundedWord()) != 0) {
            return false;
        }
        int before = host.incarnation();
        boolean isOfFormerProcess = SegmentHeader.born(segment) != before;
        int met = highestMet(addresses);
        boolean isMadeAnew = isOfFormerProcess || met >= before;
        if (isMadeAnew) {
            reopen(Math.max(met, before)); // others may have been told this number meanwhile
        }
        transport.accessControl().formerIncarnations().isChosen();
        return isMadeAnew;
    }

    private int highestMet(Map<Integer, Map<String, String>> addresses) {
        ConnectDeadline connectDeadline = ConnectDeadline.of(Clock.SYSTEM, ASKING);
        PeerProbe peerProbe = transport.peerProbe();
        List<Future<?>> asked = new ArrayList<>();
        addresses.forEach((rank, address) -> {
            if (rank != fabric.rank() && address.containsKey(hostKey()) && !isReachedHere(host.presence(rank))) {
                asked.add(peerProbe.ask(rank, resolve(rank, address)));
            }
        });
        try {
            peerProbe.awaitFirst(Duration.ofNanos(connectDeadline.leftNanos()));
            for (Future<?> each : asked) {
                each.get(connectDeadline.leftNanos(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt(); // the caller is about to enter the world, and sees the interrupt
        } catch (TimeoutException | ExecutionException noAnswer) {
            LOG.info("some ranks have not told yet whether they know this one: rank={} asked={}", fabric.rank(),
                    addresses.keySet(), noAnswer);
        }
        return transport.accessControl().formerIncarnations().highest();
    }

    /** Opens the transport again, over a new segment. No rank has been let in yet, since this process has met none. */
    private void reopen(int above) {
        RuntimeException failure = new IllegalStateException("the transport does not close");
        closeAll(opened, failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
        host.makeAnew(above);
        try {
            transport = openTransport();
        } catch (IOException noMore) {
            throw new UncheckedIOException("the transport cannot be opened again", noMore);
        }
        fabric = transport.fabric();
        LOG.info("others have met this rank before, which has no memory of it: rank={} incarnation={}", fabric.rank(),
                host.incarnation());
    }

    @Override
    public int laterLife() {
        return transport.accessControl().formerIncarnations().later();
    }

    @Override
    public Optional<Connections> connections() {
        return Optional.of(transport.connections().get());
    }

    @Override
    public Optional<LateVerbs> lateVerbs() {
        return Optional.of(fabric.peerConnections().lateVerbs());
    }

    @Override
    public void whenToLook(Runnable listener) {
        transport.alarm().listen(_ -> listener.run());
        transport.peerProbe().whenProved(listener);
    }

    @Override
    public boolean readLeft(int rank, long offset, MemorySegment into) {
        return host.readLeft(rank, offset, into);
    }

    @Override
    public List<BackgroundThread> background() {
        return transport.threads();
    }

    @Override
    public Fabric fabric() {
        return fabric;
    }

    @Override
    public int incarnation() {
        return host.incarnation();
    }

    @Override
    public Map<String, String> address() {
        return Map.of(hostKey(), transport.host(), portKey(), String.valueOf(transport.here().getPort()));
    }

    private String hostKey() {
        return transport.name() + ".host";
    }

    private String portKey() {
        return transport.name() + ".port";
    }

    /**
     * Returns what is known of a rank. If the rank runs on this host and lets others connect, its file tells. If there
     * is a list of addresses, other ranks are asked. Otherwise the membership knows. It also knows about a rank that
     * has ended here, which may have been started elsewhere.
     */
    @Override
    public Presence presence(int rank) {
        Presence here = host.presence(rank);
        if (rank == fabric.rank() || isReachedHere(here)) {
            return here;
        }
        Presence answered = transport.peerProbe().presence(rank);
        boolean endedHere = here.state() == State.GONE && here.incarnation() >= answered.incarnation();
        return endedHere ? new Presence(State.UNKNOWN, here.incarnation()) : answered;
    }

    @Override
    public boolean needsViews() {
        return true;
    }

    @Override
    public boolean sharesMemoryWith(int rank) {
        return mapsItsHost && isReachedHere(host.presence(rank));
    }

    @Override
    public Duration unheard(int rank) {
        return transport.peerProbe().unheard(rank);
    }

    @Override
    public boolean isShutOut() {
        return fabric.peerConnections().isShutOut();
    }

    private static boolean isReachedHere(Presence here) {
        return here.state() == State.PRESENT && here.address() != null;
    }

    /** Returns the test for ranks that are known to live because they run on this host and let others connect. */
    public static IntPredicate runningHere(Attachment host) {
        return rank -> isReachedHere(host.presence(rank));
    }

    /**
     * Returns the proof that the rank is this incarnation. A rank that shares this host's memory needs no other proof:
     * a process that writes its files could write its memory. For a rank reached by a connection, the files prove the
     * incarnation. They do not prove the address: a stranger may claim any.
     *
     * <p>A rank that a membership names is asked in any case. Its answer tells its segment. Asking also tells it,
     * before it is met, which of its lives was met last.
     */
    @Override
    public Proof proof(int rank, int incarnation, Map<String, String> address) {
        PeerProbe peerProbe = transport.peerProbe();
        boolean needsNone = !peerProbe.asksForProofs() && !peerProbe.asksClaimants();
        if (needsNone || mapsItsHost && runsHere(rank, incarnation)) {
            return Proof.GIVEN;
        }
        try {
            return peerProbe.proof(new PeerAddress(rank, incarnation, resolve(rank, address)));
        } catch (RankUnreachableException unknown) {
            return Proof.refused(String.valueOf(unknown.getMessage()));
        } catch (IllegalArgumentException noNumber) {
            return Proof.refused("the membership tells a port that is none, see who takes part in it");
        }
    }

    private boolean isProved(int rank, int incarnation) {
        PeerProbe peerProbe = transport.peerProbe();
        return !peerProbe.asksForProofs() || peerProbe.isProved(rank, incarnation) || runsHere(rank, incarnation);
    }

    @Override
    public void connect(int rank, int incarnation, Map<String, String> address) {
        refuseFormer(rank, incarnation);
        refuseUnproved(rank, incarnation);
        meet(rank, incarnation);
        // Also if the rank is on this host now, where no connection replaces those that broke.
        fabric.peerConnections().lateVerbs().endBefore(rank, incarnation);
        if (mapsItsHost && runsHere(rank, incarnation)) {
            host.connect(rank, incarnation, Map.of());
        } else {
            InetSocketAddress where = resolve(rank, address);
            fabric.peerConnections().open(new PeerAddress(rank, incarnation, born(rank, incarnation), where));
            transport.peerProbe().follow(rank, incarnation, where);
        }
    }

    /** Returns the incarnation in which the segment was made, or any if neither file nor answer tells. */
    private int born(int rank, int incarnation) {
        Presence seen = presence(rank);
        return seen.incarnation() == incarnation && seen.born() != 0
                ? seen.born()
                : transport.peerProbe().born(rank, incarnation);
    }

    @Override
    public void renew(int rank, int born) {
        if (mapsItsHost) {
            // First, and also for a rank of another host: it may come to this host.
            host.renew(rank, born);
        }
        LinkedFabric renewed = fabric.renewed(host.fabric(), rank, born);
        transport.peerProbe().reachBy(renewed.peerConnections());
        fabric = renewed;
    }

    private boolean runsHere(int rank, int incarnation) {
        Presence here = host.presence(rank);
        return isReachedHere(here) && here.incarnation() == incarnation;
    }

    /** Refuses a life that has ended: one before a life that was met, or one that was shut out. */
    private void refuseFormer(int rank, int incarnation) {
        LocalMemory segment = host.fabric().local();
        int met = SegmentHeader.remembered(segment, rank);
        long fenced = segment.getAcquire(SegmentHeader.fencedWord(rank));
        if (incarnation < met || incarnation <= fenced) {
            throw new RankUnreachableException(
                    "a life of the rank that has ended, start it anew",
                    "incarnation=" + incarnation + " met=" + met + " fenced=" + fenced, "attach", rank,
                    FabricException.WHOLE_SEGMENT);
        }
    }

    /**
     * Refuses an incarnation that has not proved itself. The note of an incarnation that is met outlives this process,
     * and shuts out all earlier ones. So a mere claim is not enough.
     */
    private void refuseUnproved(int rank, int incarnation) {
        if (!isProved(rank, incarnation)) {
            throw new RankUnreachableException(
                    "the rank has not proved itself yet, repeat the operation when it has joined",
                    "incarnation=" + incarnation, "attach", rank, FabricException.WHOLE_SEGMENT);
        }
    }

    /**
     * Returns the rank's address: the one it has told its membership, has published on this host, or has in the list.
     * Names stay names: they are resolved at each attempt to connect.
     */
    private InetSocketAddress resolve(int rank, Map<String, String> address) {
        if (address.containsKey(hostKey())) {
            return InetSocketAddress.createUnresolved(address.get(hostKey()),
                    Integer.parseInt(address.getOrDefault(portKey(), "")));
        }
        InetSocketAddress published = presence(rank).address();
        if (published == null) {
            throw new RankUnreachableException("nobody says where the rank can be reached, list its address", "attach",
                    rank, FabricException.WHOLE_SEGMENT);
        }
        return published;
    }

    /**
     * Ends the connections by which the rank reaches this segment, then those by which this rank reaches the other's.
     * Shuts out every incarnation that was met, also by former processes of this rank.
     */
    @Override
    public void fence(int rank) {
        transport.peerProbe().forget(rank);
        int met = SegmentHeader.remembered(host.fabric().local(), rank);
        revoking(rank, () -> transport.accessControl().fenceUpTo(rank, met));
        fabric.peerConnections().close(rank, "the rank has left or has died, start it or wait until it is back");
        if (mapsItsHost) {
            host.fence(rank);
        }
    }

    private void meet(int rank, int incarnation) {
        revoking(rank, () -> transport.accessControl().meet(rank, incarnation));
    }

    private interface Revocation {
        void run() throws IOException;
    }

    private static void revoking(int rank, Revocation revocation) {
        try {
            revocation.run();
        } catch (IOException failure) {
            throw new UncheckedIOException("the access of a rank cannot be revoked: rank=" + rank, failure);
        }
    }

    @Override
    public boolean isFenced(int rank, int incarnation, int segment) {
        return SegmentHeader.isFenced(rank, incarnation, word -> segment == fabric.rank()
                ? fabric.local().getAcquire(word)
                : fabric.readWord(segment, word));
    }

    @Override
    public void withdraw(JoinRefusedException reason) {
        try {
            transport.accessControl().withdraw();
        } catch (IOException failure) {
            throw new UncheckedIOException("the access of other ranks cannot be revoked", failure);
        }
        for (int rank = 0; rank < fabric.size(); rank++) {
            fabric.peerConnections()
                    .close(rank, "this process is out of its world, repeat the operation if it joins again");
        }
        host.withdraw(reason);
    }

    @Override
    public void release() {
        RuntimeException failure = new IllegalStateException("the attachment does not close");
        closeAll(opened, failure);
        closeAll(new ArrayDeque<>(List.of(host::release, transport.alarm()::close)), failure);
        if (failure.getSuppressed().length > 0) {
            throw failure;
        }
    }

    @Override
    public void close() {
        try (host) {
            release();
        }
    }

    private static void closeAll(Deque<AutoCloseable> opened, Throwable failure) {
        while (!opened.isEmpty()) {
            try {
                opened.pop().close();
            } catch (Exception another) {
                failure.addSuppressed(another);
            }
        }
    }
}
