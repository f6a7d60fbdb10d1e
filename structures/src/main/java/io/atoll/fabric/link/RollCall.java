package io.atoll.fabric.link;

import io.atoll.background.BackgroundThread;
import io.atoll.background.RunningTime;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.Presence;
import io.atoll.fabric.Attachment.Proof;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.link.Inquiries.Answer;
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
 * Asks ranks whether they are there. Those of a list over and over, for worlds over several hosts that have no membership.
 * Those that a membership names until they have proved themselves, see {@link Proofs}, and as long as they are connected:
 * the membership of a process that stood still loses ranks that live. Each is asked about once a second, and sooner
 * where a connection with it has broken. One that runs on this host is not
 * asked, nor one that has answered by a lane since it was looked at last: to ask takes a connection. One of which nothing
 * is heard for four fifths of the time that it has to answer is silent, before that time is over. That a rank does not
 * answer proves nothing: its network may be down. So none is ever said to be {@link State#GONE}.
 */
public final class RollCall implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RollCall.class);

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    /** The time in which this process runs must be read often. */
    private static final Duration LOOK_INTERVAL = RunningTime.LONGEST_GAP.dividedBy(2);

    private static final Presence TOLD_BY_MEMBERSHIP = new Presence(State.UNKNOWN, 0);

    private final Connecting<?> connector;
    private final List<InetSocketAddress> addresses;
    private volatile Links<?> links; // replaced when a rank has lost its segment
    private final IntPredicate runsHere;
    private final List<Integer> ranks; // of the list
    private final AtomicReferenceArray<@Nullable InetSocketAddress> followed; // without a list, where those are that are connected
    private final AtomicReferenceArray<Presence> presences; // written by whoever asks, see isAsked
    private final AtomicReferenceArray<@Nullable String> silences; // the reasons that were told last; as above
    private final Set<Integer> wanted = ConcurrentHashMap.newKeySet(); // ranks that are to be asked soon
    private final Set<Integer> isAsked = ConcurrentHashMap.newKeySet(); // ranks, each by one thread at a time
    private final long[] heard; // by lanes, until a rank was looked at last; of the one thread
    private final RunningTime time;
    private final AtomicLongArray heardNanos; // of that time: when a rank has answered last, or a look has found that it had
    private final AtomicReference<@Nullable Error> error = new AtomicReference<>(); // of a thread that asks, not told yet
    private final long intervalNanos;
    private long dueNanos = System.nanoTime(); // when all are to be called next; of the one thread
    private final Inquiries inquiries;
    private final Alarm alarm = new Alarm();
    private final Proofs proofs;
    private final CountDownLatch unasked; // ranks of the list of which not even that is known that they do not answer
    private final Set<Integer> askedOnce = ConcurrentHashMap.newKeySet();
    private final BackgroundThread caller;

    /**
     * @param addresses where each rank listens, names to be resolved whenever they are needed; none where the
     * membership tells
     * @param links to the ranks
     * @param runsHere whether a rank is known to live without being asked
     * @param listener is told what each rank tells, by the thread that has asked it
     */
    public RollCall(Connecting<?> connector, List<InetSocketAddress> addresses, Links<?> links, IntPredicate runsHere,
            ObjIntConsumer<Told> listener) {
        this(connector, addresses, links, runsHere, listener, INTERVAL, new RunningTime());
    }

    RollCall(Connecting<?> connector, List<InetSocketAddress> addresses, Links<?> links, IntPredicate runsHere,
            ObjIntConsumer<Told> listener, Duration interval, RunningTime time) {
        this.time = time;
        this.connector = connector;
        this.addresses = addresses;
        this.links = links;
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
        this.inquiries = new Inquiries(connector);
        this.proofs = new Proofs(inquiries, connector.timeout(), alarm, listener);
        this.unasked = new CountDownLatch(ranks.size());
        this.caller = new BackgroundThread(
                "atoll-roll-call-" + connector.world().name() + "-" + connector.rank(),
                this::call);
        this.intervalNanos = interval.toNanos();
        caller.start();
    }

    /** Calls all once in an interval, and in between those of which somebody wants to know. */
    private long call() {
        time.nanos(); // though nobody may ask how long somebody is unheard
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

    /** A rank that a membership has named is connected: from now on it is listened for there. */
    void follow(int rank, int incarnation, InetSocketAddress address) {
        if (asksClaimants()) {
            heardNanos.set(rank, time.nanos());
            presences.set(rank, new Presence(State.PRESENT, incarnation, address, born(rank, incarnation)));
            followed.set(rank, address);
        }
    }

    /** The rank has left, or has died. */
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

    /** Returns when each rank of the list has told what it knows of this one, or does not answer, or the time is over. */
    void awaitFirst(Duration timeout) throws InterruptedException {
        if (!unasked.await(timeout.toNanos(), TimeUnit.NANOSECONDS)) {
            LOG.info("some ranks have not told yet whether they know this one: world={} rank={} asked={}",
                    connector.world().name(), connector.rank(), askedOnce);
        }
    }

    /** Asks a rank that a membership names, once, and tells the listener if it answers. Returns what ends then. */
    Future<?> ask(int rank, InetSocketAddress address) {
        CompletableFuture<Void> asked = new CompletableFuture<>();
        inquiries.ask(rank, address, connector.timeoutAnew(), answer -> {
            try {
                if (answer.refusal() == null) {
                    proofs.note(rank, answer.told());
                }
            } finally {
                asked.complete(null);
            }
        });
        return asked;
    }

    /** From now on those links lead to the ranks. */
    void reachBy(Links<?> renewed) {
        links = renewed;
    }

    /** A rank has asked this one: if it is there in another life than this one knows, it is asked, too. */
    void isAskedBy(int rank, int incarnation) {
        if (presences.get(rank).incarnation() != incarnation) {
            callSoon(rank);
        }
    }

    /** Returns whether its lanes show that it lives. Asks for a sign of life by them, which costs little. */
    private boolean isHeard(int rank) {
        Presence last = presences.get(rank);
        long before = heard[rank];
        heard[rank] = links.heard(rank, last.incarnation());
        boolean isHeard = heard[rank] != before && heard[rank] != Link.UNHEARD;
        if (isHeard) {
            heardNanos.set(rank, time.nanos());
            presences.set(rank, with(last, State.PRESENT));
        }
        return isHeard;
    }

    private static Presence with(Presence last, State state) {
        return new Presence(state, last.incarnation(), last.address(), last.born());
    }

    /** Returns whether the rank is asked from now on. One that is asked already will be afterwards, if that is wanted. */
    private boolean ask(int rank) {
        InetSocketAddress address = address(rank);
        if (caller.isClosed() || address == null || !isAsked.add(rank)) {
            return false;
        }
        wanted.remove(rank);
        boolean hasBegun = false;
        try {
            inquiries.ask(rank, address, timeout(rank), answer -> take(rank, answer));
            hasBegun = true;
        } finally {
            if (!hasBegun) {
                isAsked.remove(rank);
            }
        }
        return true;
    }

    /** One that has answered before has no longer than another one waits for it. */
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
                Told told = answer.told();
                proofs.note(rank, told);
                heardNanos.set(rank, time.nanos());
                presences.set(rank,
                        new Presence(State.PRESENT, told.incarnation(), answer.address(), told.born()));
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

    /** Returns whether a rank that answers has proved that it is one. */
    boolean asksForProofs() {
        return connector.asksForProofs();
    }

    /** Returns whether the rank has answered there that it is that incarnation. Asks it, if it has not. */
    Proof proof(Target claimed) {
        return proofs.of(claimed);
    }

    /** Returns whether the rank has answered that it is that incarnation. */
    boolean isProved(int rank, int incarnation) {
        return proofs.isGiven(rank, incarnation);
    }

    /** Returns the incarnation in which the segment was made that a life of the rank has, 0 where it has not answered. */
    int born(int rank, int incarnation) {
        return proofs.born(rank, incarnation);
    }

    /** Returns whether a membership tells where ranks are, and not a list. */
    boolean asksClaimants() {
        return addresses.isEmpty();
    }

    /** @param listener is called when a rank that a membership names has proved itself; must neither wait nor throw */
    void whenProved(Runnable listener) {
        alarm.listen(_ -> listener.run());
    }

    /**
     * What the rank has answered: {@link State#UNKNOWN} where nobody is asked, {@link State#ABSENT} until it has for
     * the first time.
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

    /** A rank that lives is heard within two intervals, unless it is paused, or its network is slow. */
    private Duration longestSilence() {
        Duration interval = Duration.ofNanos(intervalNanos);
        Duration most = connector.timeoutAnew().multipliedBy(4).dividedBy(5);
        return most.compareTo(interval.multipliedBy(2)) > 0 ? most : interval.multipliedBy(2);
    }

    /** Returns what {@link io.atoll.fabric.Attachment#unheard} asks; zero of one that runs on this host. */
    Duration unheard(int rank) {
        if (runsHere.test(rank)) {
            return Duration.ZERO;
        }
        return presences.get(rank).incarnation() == 0
                ? Attachment.NEVER_HEARD
                : Duration.ofNanos(time.nanos() - heardNanos.get(rank));
    }

    /** Asks the rank soon, if ranks are asked: a connection with it has broken. */
    public void callSoon(int rank) {
        if (rank != connector.rank() && address(rank) != null) {
            wanted.add(rank);
            caller.wake();
        }
    }

    /** The one thread. */
    public BackgroundThread thread() {
        return caller;
    }

    /** Asks nobody any more, but does not wait for an answer that is under way: nothing depends on it. */
    @Override
    public void close() {
        inquiries.close();
        caller.stop();
    }
}
