package io.atoll.fabric.link;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Attachment.Presence;
import io.atoll.fabric.Attachment.State;
import io.atoll.failure.FabricException;
import io.atoll.failure.LayoutMismatchException;
import io.atoll.failure.RankUnreachableException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the ranks of a list, over and over, whether they are there: for worlds over several hosts that have no
 * membership. Each is asked about once a second by one thread, later while others do not answer at all, which takes
 * seconds, and sooner where a connection with it has broken. That a rank does not answer proves nothing: its network may be down. So none is ever said to be {@link
 * State#GONE}.
 */
public final class RollCall implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(RollCall.class);

    private static final Duration INTERVAL = Duration.ofSeconds(1);

    private final Connecting<?> connector;
    private final List<InetSocketAddress> addresses;
    private final List<Integer> ranks; // that have an address
    private final AtomicReferenceArray<Presence> presences; // written by the one thread
    private final @Nullable String[] silences; // the reasons that were told last; of the one thread
    private final Set<Integer> wanted = ConcurrentHashMap.newKeySet(); // ranks that are to be asked soon
    private final long intervalNanos;
    private long dueNanos = System.nanoTime(); // when all are to be called next; of the one thread
    private final BackgroundThread caller;

    /**
     * @param addresses where each rank listens, names to be resolved whenever they are needed; none where nobody is to
     * be asked
     */
    public RollCall(Connecting<?> connector, List<InetSocketAddress> addresses) {
        this(connector, addresses, INTERVAL);
    }

    RollCall(Connecting<?> connector, List<InetSocketAddress> addresses, Duration interval) {
        this.connector = connector;
        this.addresses = addresses;
        this.ranks = IntStream.range(0, addresses.size()).boxed().toList();
        this.presences = new AtomicReferenceArray<>(connector.world().size());
        this.silences = new String[presences.length()];
        Presence unasked = new Presence(addresses.isEmpty() ? State.UNKNOWN : State.ABSENT, 0);
        for (int rank = 0; rank < presences.length(); rank++) {
            presences.set(rank, unasked);
        }
        this.caller = new BackgroundThread(
                "atoll-roll-call-" + connector.world().name() + "-" + connector.rank(),
                this::call);
        this.intervalNanos = interval.toNanos();
        if (!addresses.isEmpty()) {
            caller.start();
        }
    }

    /** Calls all once in an interval, and in between those of which somebody wants to know. */
    private long call() {
        boolean isDue = System.nanoTime() - dueNanos >= 0;
        callEach(isDue ? ranks : wanted);
        if (isDue) {
            dueNanos = System.nanoTime() + intervalNanos;
        }
        return Math.max(0, dueNanos - System.nanoTime());
    }

    private void callEach(Iterable<Integer> some) {
        BackgroundThread.each(some, rank -> {
            wanted.remove(rank);
            return !caller.isClosed() && rank != connector.rank() && call(rank);
        });
    }

    /** Returns whether the rank has answered. */
    private boolean call(int rank) {
        try {
            InetSocketAddress address = resolved(rank);
            presences.set(rank, new Presence(State.PRESENT, connector.ask(rank, address), address));
            silences[rank] = null;
            return true;
        } catch (RankUnreachableException | LayoutMismatchException silence) {
            miss(rank, String.valueOf(silence.getMessage()));
            return false;
        }
    }

    private void miss(int rank, String reason) {
        Presence last = presences.get(rank);
        if (last.state() == State.PRESENT) {
            presences.set(rank, new Presence(State.SILENT, last.incarnation(), last.address()));
        }
        if (!reason.equals(silences[rank]) && !caller.isClosed()) {
            silences[rank] = reason;
            LOG.info("a rank does not answer: world={} rank={} address={} reason={}", connector.world().name(), rank,
                    addresses.get(rank), reason);
        }
    }

    private InetSocketAddress resolved(int rank) {
        return Addresses.resolve(addresses.get(rank), rank, "attach", FabricException.WHOLE_SEGMENT);
    }

    /**
     * What the rank has answered: {@link State#UNKNOWN} where nobody is asked, {@link State#ABSENT} until it has for
     * the first time.
     */
    public Presence presence(int rank) {
        return presences.get(rank);
    }

    /** Asks the rank soon, if ranks are asked: a connection with it has broken. */
    public void callSoon(int rank) {
        if (rank < addresses.size()) {
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
        caller.stop();
    }
}
