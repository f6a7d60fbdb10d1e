package io.atoll.fabric.link;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Connections;
import io.atoll.fabric.Fabric;
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
 * A rank that others reach by connections. Its segment is a file of its host, which also tells it from other processes
 * of the host; a transport serves it to the others.
 */
public final class LinkedAttachment implements Attachment {

    private static final Logger LOG = LoggerFactory.getLogger(LinkedAttachment.class);

    /** A process that answers does so in milliseconds; one that is paused keeps nobody from starting. */
    private static final Duration ASKING = Duration.ofSeconds(2);

    private final Attachment host;
    private final Deque<AutoCloseable> opened; // on the host; the last first
    private final Opening opening;
    private final boolean mapsItsHost;
    private Transport transport; // replaced before anybody uses it
    private volatile LinkedFabric fabric; // replaced when a rank has lost its segment

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
        // What it has kept from before stays, for a start with other settings.
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
        next.alarm().listen(next.rollCall()::callSoon);
        next.access().whenAsked(next.rollCall()::isAskedBy);
        next.access().formerLives().leaveOut(runningHere(host));
        // Last: ranks of this host meet this process, and say so, as soon as they find where it is.
        SegmentHeader.publish(host.fabric().local(), next.here());
        return next;
    }

    /**
     * A segment that never belonged to a member has nothing that anybody needs: structures are opened once the world is
     * founded, and by then each founder has its vote. It is made anew where a process before this one has made it, too:
     * that one may not have known which lives others had met when it named its memory.
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
            reopen(Math.max(met, before)); // which others may have been told meanwhile
        }
        transport.access().formerLives().isChosen();
        return isMadeAnew;
    }

    private int highestMet(Map<Integer, Map<String, String>> addresses) {
        Patience patience = Patience.of(Clock.SYSTEM, ASKING);
        RollCall rollCall = transport.rollCall();
        List<Future<?>> asked = new ArrayList<>();
        addresses.forEach((rank, address) -> {
            if (rank != fabric.rank() && address.containsKey(hostKey()) && !isReachedHere(host.presence(rank))) {
                asked.add(rollCall.ask(rank, resolve(rank, address)));
            }
        });
        try {
            rollCall.awaitFirst(Duration.ofNanos(patience.leftNanos()));
            for (Future<?> each : asked) {
                each.get(patience.leftNanos(), TimeUnit.NANOSECONDS);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt(); // whoever enters sees it
        } catch (TimeoutException | ExecutionException noAnswer) {
            LOG.info("some ranks have not told yet whether they know this one: rank={} asked={}", fabric.rank(),
                    addresses.keySet(), noAnswer);
        }
        return transport.access().formerLives().highest();
    }

    /** Nobody has been let in yet, since this process has met nobody. */
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
        return transport.access().formerLives().later();
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
     * A rank that runs on this host is known to, once it lets others connect. Others are asked, where a list says where
     * they are. Else the membership knows; also of one that has ended here, which may have been started elsewhere.
     */
    @Override
    public Presence presence(int rank) {
        Presence here = host.presence(rank);
        if (rank == fabric.rank() || isReachedHere(here)) {
            return here;
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
    public Duration unheard(int rank) {
        return transport.rollCall().unheard(rank);
    }

    @Override
    public boolean isShutOut() {
        return fabric.links().isShutOut();
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
     * that is reached by a connection they prove the incarnation, and not the address that somebody claims. One that a
     * membership names is asked in any case: by its answer its segment is known, and before it is met it is told which
     * life of it was met last.
     */
    @Override
    public Proof proof(int rank, int incarnation, Map<String, String> address) {
        RollCall rollCall = transport.rollCall();
        boolean needsNone = !rollCall.asksForProofs() && !rollCall.asksClaimants();
        if (needsNone || mapsItsHost && runsHere(rank, incarnation)) {
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
            InetSocketAddress where = resolve(rank, address);
            fabric.links().open(new Target(rank, incarnation, born(rank, incarnation), where));
            transport.rollCall().follow(rank, incarnation, where);
        }
    }

    /** Any, where neither its file nor its answer tells. */
    private int born(int rank, int incarnation) {
        Presence seen = presence(rank);
        return seen.incarnation() == incarnation && seen.born() != 0
                ? seen.born()
                : transport.rollCall().born(rank, incarnation);
    }

    @Override
    public void renew(int rank, int born) {
        if (mapsItsHost) {
            // First, and also for a rank of another host: it may come here.
            host.renew(rank, born);
        }
        LinkedFabric renewed = fabric.renewed(host.fabric(), rank, born);
        transport.rollCall().reachBy(renewed.links());
        fabric = renewed;
    }

    private boolean runsHere(int rank, int incarnation) {
        Presence here = host.presence(rank);
        return isReachedHere(here) && here.incarnation() == incarnation;
    }

    /** A life before one that was met, or one that was shut out, has ended. */
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
        transport.rollCall().forget(rank);
        int met = SegmentHeader.remembered(host.fabric().local(), rank);
        revoking(rank, () -> transport.access().fenceUpTo(rank, met));
        fabric.links().close(rank, "the rank has left or has died, start it or wait until it is back");
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
            fabric.links().close(rank, "this process is out of its world, repeat the operation if it joins again");
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
