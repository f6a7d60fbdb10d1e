package io.atoll.fabric.link;

import io.atoll.background.BackgroundThread;
import io.atoll.background.RunningTime;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.Presence;
import io.atoll.fabric.Attachment.Proof;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.link.IncarnationQueries.Answer;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.IntPredicate;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks ranks whether they are there. There are two uses:
 * <ul>
 * <li>A world over several hosts without a membership has a list of ranks. They are asked over and over.
 * <li>Ranks that a membership names are asked until they have proved themselves; see {@link Proofs}. They are also
 * asked as long as they are connected: the membership of a process that stood still loses ranks that live.
 * </ul>
 * Each rank is asked about once a second, and sooner if a connection with it has broken. A rank that runs on this host
 * is not asked. Neither is a rank that has answered by a lane since the last look, because asking takes a connection.
 *
 * <p>A rank that was there counts as silent if an attempt to ask it fails. It also does if nothing is heard of it for
 * too long. That is four fifths of the time that it has to answer, or two intervals if these are more. A missing answer
 * proves nothing: the rank's network may be down. So no rank is ever said to be {@link State#GONE}.
 */
public final class PeerProbe implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(PeerProbe.class);

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    /** The clock of this process's running time must be read this often. */
    private static final Duration LOOK_INTERVAL = RunningTime.LONGEST_GAP.dividedBy(2);

    private static final Presence TOLD_BY_MEMBERSHIP = new Presence(State.UNKNOWN, 0);

    private final LaneConnector<?> connector;
    private final List<InetSocketAddress> addresses;
    private volatile PeerConnections<?> peerConnections; // replaced when a rank has lost its segment
    private final IntPredicate runsHere;
    private final List<Integer> ranks; // the ranks of the list
    // Without a list: the addresses of the connected ranks.
    private final AtomicReferenceArray<@Nullable InetSocketAddress> followed;
    private final AtomicReferenceArray<Presence> presences; // written by the thread that asks; see isAsked
    // The reasons that were logged last; written likewise.
    private final AtomicReferenceArray<@Nullable String> silences;
    private final Set<Integer> wanted = ConcurrentHashMap.newKeySet(); // ranks that are to be asked soon
    // Ranks that are being asked, each by one thread at a time.
    private final Set<Integer> isAsked = ConcurrentHashMap.newKeySet();
    private final long[] heard; // how much lanes had heard of a rank at the last look; used by the one thread
    private final RunningTime time;
    // On the clock of the running time: when a rank has answered last, or when a look found that it had.
    private final AtomicLongArray heardNanos;
    // The error of a thread that asks; not reported yet.
    private final AtomicReference<@Nullable Error> error = new AtomicReference<>();
    private final long intervalNanos;
    private long dueNanos = System.nanoTime(); // when all are to be asked next; used by the one thread
    private final IncarnationQueries incarnationQueries;
    private final Alarm alarm = new Alarm();
    private final Proofs proofs;
    private final CountDownLatch unasked; // ranks of the list that have neither answered nor failed to
    private final Set<Integer> askedOnce = ConcurrentHashMap.newKeySet();
    private final BackgroundThread caller;

    /**
     * @param addresses where each rank listens, names to be resolved whenever they are needed; empty if the membership
     * tells
     * @param peerConnections to the ranks
     * @param runsHere returns true if a rank is known to live without being asked
     * @param listener receives what each rank tells, from the thread that has asked it
     */
    public PeerProbe(LaneConnector<?> connector, List<InetSocketAddress> addresses, PeerConnections<?> peerConnections,
            IntPredicate runsHere,
            ObjIntConsumer<RefusalDetails> listener) {
        this(connector, addresses, peerConnections, runsHere, listener, INTERVAL, new RunningTime());
    }

    PeerProbe(LaneConnector<?> connector, List<InetSocketAddress> addresses, PeerConnections<?> peerConnections,
            IntPredicate runsHere,
            ObjIntConsumer<RefusalDetails> listener, Duration interval, RunningTime time) {
        this.time = time;
        this.connector = connector;
        this.addresses = addresses;
        this.peerConnections = peerConnections;
        this.runsHere = runsHere;
        this.ranks = IntStream.range(0, addresses.size()).filter(rank -> rank != connector.rank()).boxed().toList();
        this.presences = new AtomicReferenceArray<>(connector.world().size());
        this.followed = new AtomicReferenceArray<>(presences.length());
        this.silences = new AtomicReferenceArray<>(presences.length());
        this.heard = new long[presences.length()];
        this.heardNanos = new AtomicLongArray(presences.length());
        Presence unasked = new Presence(State.ABSENT, 0);
        for (int rank = 0; rank < presences.length(); rank++) {
            presences.set(rank, unasked);
        }
        this.incarnationQueries = new IncarnationQueries(connector);
        this.proofs = new Proofs(incarnationQueries, connector.timeout(), alarm, listener);
        this.unasked = new CountDownLatch(ranks.size());
        this.caller = new BackgroundThread(
                "atoll-probe-" + connector.world().name() + "-" + connector.rank(),
                this::call);
        this.intervalNanos = interval.toNanos();
        caller.start();
    }

    /** Asks all ranks once in an interval, and in between those that are wanted. */
    private long call() {
        time.nanos(); // in case no other thread reads this clock
        Error failure = error.getAndSet(null);
        if (failure != null) {
            throw failure;
        }
        boolean isDue = System.nanoTime() - dueNanos >= 0;
        if (isDue) {
            dueNanos = System.nanoTime() + intervalNanos;
            BackgroundThread.each(asksClaimants() ? connected() : ranks, rank -> isKnown(rank) || ask(rank));
        }
        BackgroundThread.each(wanted, this::ask);
        return Math.clamp(dueNanos - System.nanoTime(), 0, LOOK_INTERVAL.toNanos());
    }

    private List<Integer> connected() {
        return IntStream.range(0, followed.length()).filter(rank -> followed.get(rank) != null).boxed().toList();
    }

    private @Nullable InetSocketAddress address(int rank) {
        return asksClaimants() ? followed.get(rank) : addresses.get(rank);
    }

    /** Listens to a connected rank, which a membership has named, at this address from now on. */
    void follow(int rank, int incarnation, InetSocketAddress address) {
        if (asksClaimants()) {
            heardNanos.set(rank, time.nanos());
            presences.set(rank, new Presence(State.PRESENT, incarnation, address, born(rank, incarnation)));
            followed.set(rank, address);
        }
    }

    /** Stops listening to a rank that has left or has died. */
    void forget(int rank) {
        followed.set(rank, null);
    }

    private boolean isKnown(int rank) {
        if (runsHere.test(rank)) {
            isAskedOnce(rank);
            return true;
        }
        return !isAsked.contains(rank) && isHeard(rank);
    }

    private void isAskedOnce(int rank) {
        if (askedOnce.add(rank)) {
            unasked.countDown();
        }
    }

    /**
     * Waits until each rank of the list has told what it knows of this one or has failed to answer. Returns earlier if
     * the time is over.
     */
    void awaitFirst(Duration timeout) throws InterruptedException {
        if (!unasked.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            LOG.info("some ranks have not told yet whether they know this one: world={} rank={} asked={}",
                    connector.world().name(), connector.rank(), askedOnce);
        }
    }

    /**
     * Asks a rank that a membership names, once. Tells the listener if it answers.
     *
     * @return a future that completes when the asking has ended
     */
    Future<?> ask(int rank, InetSocketAddress address) {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        incarnationQueries.ask(rank, address, connector.timeoutAnew(), answer -> {
            try {
                if (answer.refusal() == null) {
                    proofs.note(rank, answer.refusalDetails());
                }
            } finally {
                asked.complete(null);
            }
        });
        return asked;
    }

    /** Uses these connections to the ranks from now on. */
    void reachBy(PeerConnections<?> renewed) {
        peerConnections = renewed;
    }

    /** Takes notice that a rank has asked this one. If it has another life than this one knows, it is asked, too. */
    void isAskedBy(int rank, int incarnation) {
        if (presences.get(rank).incarnation() != incarnation) {
            callSoon(rank);
        }
    }

    /** Returns true if the lanes show that the rank lives. Asks for a sign of life by the lanes, which costs little. */
    private boolean isHeard(int rank) {
        Presence last = presences.get(rank);
        long before = heard[rank];
        heard[rank] = peerConnections.heard(rank, last.incarnation());
        boolean isHeard = heard[rank] != before && heard[rank] != PeerConnection.UNHEARD;
        if (isHeard) {
            heardNanos.set(rank, time.nanos());
            presences.set(rank, with(last, State.PRESENT));
        }
        return isHeard;
    }

    private static Presence with(Presence last, State state) {
        return new Presence(state, last.incarnation(), last.address(), last.born());
    }

    /**
     * Starts to ask the rank, and returns true if it has. A rank that is being asked already is asked again afterwards,
     * if it is wanted.
     */
    private boolean ask(int rank) {
        InetSocketAddress address = address(rank);
        if (caller.isClosed() || address == null || !isAsked.add(rank)) {
            return false;
        }
        wanted.remove(rank);
        boolean hasBegun = false;
        try {
            incarnationQueries.ask(rank, address, timeout(rank), answer -> take(rank, answer));
            hasBegun = true;
        } finally {
            if (!hasBegun) {
                isAsked.remove(rank);
            }
        }
        return true;
    }

    /**
     * Returns how long the rank has to answer. If it has answered before, this is no longer than other ranks wait for
     * it.
     */
    private Duration timeout(int rank) {
        return presences.get(rank).state() == State.ABSENT ? connector.timeout() : connector.timeoutAnew();
    }

    private void take(int rank, Answer answer) {
        try {
            if (answer.error() != null) {
                error.set(answer.error());
            } else if (answer.refusal() != null) {
                miss(rank, answer.refusal());
            } else {
                RefusalDetails refusalDetails = answer.refusalDetails();
                proofs.note(rank, refusalDetails);
                heardNanos.set(rank, time.nanos());
                presences.set(rank,
                        new Presence(State.PRESENT, refusalDetails.incarnation(), answer.address(),
                                refusalDetails.born()));
                silences.set(rank, null);
            }
        } finally {
            isAsked.remove(rank);
            isAskedOnce(rank);
            if (wanted.contains(rank) || answer.error() != null) {
                caller.wake();
            }
        }
    }

    private void miss(int rank, String reason) {
        Presence last = presences.get(rank);
        if (last.state() == State.PRESENT) {
            presences.set(rank, with(last, State.SILENT));
        }
        if (!reason.equals(silences.get(rank)) && !caller.isClosed()) {
            silences.set(rank, reason);
            LOG.info("a rank does not answer: world={} rank={} address={} reason={}", connector.world().name(), rank,
                    address(rank), reason);
        }
    }

    /** Returns true if a rank that answers has proved its identity. */
    boolean asksForProofs() {
        return connector.asksForProofs();
    }

    /** Returns the proof that the rank has answered at this address as this incarnation. Asks it if it has not. */
    Proof proof(PeerAddress claimed) {
        return proofs.of(claimed);
    }

    /** Returns true if the rank has answered as this incarnation. */
    boolean isProved(int rank, int incarnation) {
        return proofs.isGiven(rank, incarnation);
    }

    /** Returns the incarnation in which the segment of this life was made, or 0 if the rank has not answered. */
    int born(int rank, int incarnation) {
        return proofs.born(rank, incarnation);
    }

    /** Returns true if a membership, not a list, tells where ranks are. */
    boolean asksClaimants() {
        return addresses.isEmpty();
    }

    /** @param listener is called when a rank that a membership names has proved itself; must neither wait nor throw */
    void whenProved(Runnable listener) {
        alarm.listen(_ -> listener.run());
    }

    /**
     * Returns what the rank has answered. Returns {@link State#UNKNOWN} if a membership tells instead, and
     * {@link State#ABSENT} until the first answer.
     */
    public Presence presence(int rank) {
        if (asksClaimants()) {
            return TOLD_BY_MEMBERSHIP;
        }
        Presence last = presences.get(rank);
        return last.state() == State.PRESENT && unheard(rank).compareTo(longestSilence()) > 0
                ? with(last, State.SILENT)
                : last;
    }

    /**
     * Returns after how long a rank counts as silent. A living rank is heard within two intervals, unless it is paused
     * or its network is slow.
     */
    private Duration longestSilence() {
        Duration interval = Duration.ofNanos(intervalNanos);
        Duration most = connector.timeoutAnew().multipliedBy(4).dividedBy(5);
        return most.compareTo(interval.multipliedBy(2)) > 0 ? most : interval.multipliedBy(2);
    }

    /** Returns the answer to {@link io.atoll.fabric.Attachment#unheard}; zero for a rank that runs on this host. */
    Duration unheard(int rank) {
        if (runsHere.test(rank)) {
            return Duration.ZERO;
        }
        return presences.get(rank).incarnation() == 0
                ? Attachment.NEVER_HEARD
                : Duration.ofNanos(time.nanos() - heardNanos.get(rank));
    }

    /**
     * Asks the rank soon, because a connection with it has broken. Does nothing if the rank's address is not known
     * here.
     */
    public void callSoon(int rank) {
        if (rank != connector.rank() && address(rank) != null) {
            wanted.add(rank);
            caller.wake();
        }
    }

    /** Returns the one thread that decides when to ask. */
    public BackgroundThread thread() {
        return caller;
    }

    /** Asks no more ranks. Does not wait for an answer that is under way, since nothing depends on it. */
    @Override
    public void close() {
        incarnationQueries.close();
        caller.stop();
    }
}
