package io.atoll.fabric.link;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Connections;
import io.atoll.fabric.Fabric;
import io.atoll.failure.FabricException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;

/**
 * A rank that others reach by connections. Its segment is a file of its host, which also tells it from other processes
 * of the host; a transport serves it to the others.
 */
public final class LinkedAttachment implements Attachment {

    private final Attachment host;
    private final Deque<AutoCloseable> opened; // the last first
    private final Transport transport;
    private final Fabric fabric;
    private final boolean mapsItsHost;
    private boolean closed;

    /** Opens a transport. */
    @FunctionalInterface
    public interface Opening {

        /** @param opened what is closed with the attachment, and when opening fails: the last first */
        Transport open(Deque<AutoCloseable> opened) throws IOException;
    }

    /**
     * Opens a transport for a rank.
     *
     * @param host this process's place on its host, closed with the attachment, and when that cannot be
     * @param mapsItsHost whether ranks of this host are reached by the memory that it shares with them
     * @param refused says why the transport could not be opened
     */
    public static Attachment open(Attachment host, boolean mapsItsHost, Opening opening,
            Function<Exception, JoinRefusedException> refused) {
        Deque<AutoCloseable> opened = new ArrayDeque<>();
        opened.push(host);
        try {
            return new LinkedAttachment(host, mapsItsHost, opening.open(opened), opened);
        } catch (Error failure) {
            closeAll(opened, failure);
            throw failure;
        } catch (IOException | RuntimeException failure) {
            closeAll(opened, failure);
            throw refused.apply(failure);
        }
    }

    private LinkedAttachment(Attachment host, boolean mapsItsHost, Transport transport, Deque<AutoCloseable> opened) {
        this.host = host;
        this.mapsItsHost = mapsItsHost;
        this.transport = transport;
        this.fabric = transport.fabric();
        this.opened = opened;
        transport.alarm().listen(transport.rollCall()::callSoon);
    }

    @Override
    public Optional<Connections> connections() {
        return Optional.of(transport.connections().get());
    }

    @Override
    public void whenToLook(Runnable listener) {
        transport.alarm().listen(_ -> listener.run());
        transport.rollCall().whenProved(listener);
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
        return Map.of(hostKey(), transport.host(), portKey(), String.valueOf(transport.port()));
    }

    private String hostKey() {
        return transport.name() + ".host";
    }

    private String portKey() {
        return transport.name() + ".port";
    }

    /**
     * A rank that runs on this host is known to, once it lets others connect. Others are asked, where a list says where
     * they are. Else the membership knows; also of one that has ended here, which may have been started elsewhere.
     */
    @Override
    public Presence presence(int rank) {
        Presence here = host.presence(rank);
        if (rank == fabric.rank() || isReachedHere(here)) {
            // Without what tells segments apart: by a connection nobody does yet.
            return new Presence(here.state(), here.incarnation(), here.address());
        }
        Presence answered = transport.rollCall().presence(rank);
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
    public boolean isShutOut() {
        return transport.links().isShutOut();
    }

    private static boolean isReachedHere(Presence here) {
        return here.state() == State.PRESENT && here.address() != null;
    }

    /** Returns which ranks are known to live since they run on the host, and let others connect. */
    public static IntPredicate runningHere(Attachment host) {
        return rank -> isReachedHere(host.presence(rank));
    }

    /**
     * A rank whose memory this host shares needs no other proof: who writes its files could write its memory. Of one
     * that is reached by a connection they prove the incarnation, and not the address that somebody claims.
     */
    @Override
    public Proof proof(int rank, int incarnation, Map<String, String> address) {
        RollCall rollCall = transport.rollCall();
        if (!rollCall.asksForProofs() || mapsItsHost && runsHere(rank, incarnation)) {
            return Proof.GIVEN;
        }
        try {
            return rollCall.proof(new Target(rank, incarnation, resolve(rank, address)));
        } catch (RankUnreachableException unknown) {
            return Proof.refused(String.valueOf(unknown.getMessage()));
        } catch (IllegalArgumentException noNumber) {
            return Proof.refused("the membership tells a port that is none, see who takes part in it");
        }
    }

    private boolean isProved(int rank, int incarnation) {
        RollCall rollCall = transport.rollCall();
        return !rollCall.asksForProofs() || rollCall.isProved(rank, incarnation) || runsHere(rank, incarnation);
    }

    @Override
    public void connect(int rank, int incarnation, Map<String, String> address) {
        refuseFormer(rank, incarnation);
        refuseUnproved(rank, incarnation);
        meet(rank, incarnation);
        if (mapsItsHost && runsHere(rank, incarnation)) {
            host.connect(rank, incarnation, Map.of());
        } else {
            transport.links().open(new Target(rank, incarnation, resolve(rank, address)));
        }
    }

    private boolean runsHere(int rank, int incarnation) {
        Presence here = host.presence(rank);
        return isReachedHere(here) && here.incarnation() == incarnation;
    }

    /**
     * A rank that has lost its segment counts its incarnations from 1 again: it is not the rank that others have
     * offsets into the segment of.
     */
    private void refuseFormer(int rank, int incarnation) {
        LocalMemory segment = host.fabric().local();
        int met = SegmentHeader.remembered(segment, rank);
        long fenced = segment.getAcquire(SegmentHeader.fencedWord(rank));
        if (incarnation < met || incarnation <= fenced) {
            throw new RankUnreachableException(
                    "a former one, or a rank that comes back without its segment, start the whole world anew",
                    "incarnation=" + incarnation + " met=" + met + " fenced=" + fenced, "attach", rank,
                    FabricException.WHOLE_SEGMENT);
        }
    }

    /**
     * What is noted of an incarnation that is met outlives this process, and shuts out all before it: so nobody's word
     * is taken for it.
     */
    private void refuseUnproved(int rank, int incarnation) {
        if (!isProved(rank, incarnation)) {
            throw new RankUnreachableException(
                    "the rank has not proved itself yet, repeat the operation when it has joined",
                    "incarnation=" + incarnation, "attach", rank, FabricException.WHOLE_SEGMENT);
        }
    }

    /**
     * As the rank has told its membership, published on this host, or as the list has it. Names stay names: they are
     * resolved at each attempt to connect.
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
     * Ends the connections by which the rank reaches this segment, then those by which this rank reaches its. Shuts out
     * every incarnation that was met, also by former processes of this rank.
     */
    @Override
    public void fence(int rank) {
        int met = SegmentHeader.remembered(host.fabric().local(), rank);
        revoking(rank, () -> transport.access().fenceUpTo(rank, met));
        transport.links().close(rank, "the rank has left or has died, start it or wait until it is back");
        if (mapsItsHost) {
            host.fence(rank);
        }
    }

    private void meet(int rank, int incarnation) {
        revoking(rank, () -> transport.access().meet(rank, incarnation));
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
            transport.access().withdraw();
        } catch (IOException failure) {
            throw new UncheckedIOException("the access of other ranks cannot be revoked", failure);
        }
        for (int rank = 0; rank < fabric.size(); rank++) {
            transport.links().close(rank, "this process takes part no more, start it anew");
        }
        host.withdraw(reason);
    }

    @Override
    public void close() {
        if (closed) {
            return;
        }
        closed = true;
        RuntimeException failure = new IllegalStateException("the attachment does not close");
        closeAll(opened, failure);
        transport.alarm().close();
        if (failure.getSuppressed().length > 0) {
            throw failure;
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
