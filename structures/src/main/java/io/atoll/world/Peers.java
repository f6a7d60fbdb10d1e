package io.atoll.world;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.Presence;
import io.atoll.failure.MissingRanksException;
import io.atoll.memory.WorldIdentity;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ranks of the world as this process sees them, kept up to date by one thread: connects to those that have come, fences those that are
 * gone. What the fabric can see for itself (shared memory: the kernel's locks) is believed before the membership.
 */
public final class Peers implements Liveness, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Peers.class);

    private static final long LOOK_INTERVAL_MILLIS = 100;

    /** Where a rank stands. */
    public enum Standing {
        /** It has not joined yet. */
        MISSING,
        /** Its segment is in use. */
        JOINED,
        /** It had joined and has left or died. */
        LOST
    }

    /**
     * @param incarnation the last one met, 0 where {@link Standing#MISSING}
     * @param refusal why its segment cannot be used, if it is there and cannot
     */
    public record Peer(int rank, Standing standing, int incarnation, @Nullable String refusal) {}

    private final WorldIdentity world;
    private final Attachment attachment;
    private final Membership membership;
    private final Peer[] peers; // guarded by lock
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition changed = lock.newCondition();
    private final ScheduledExecutorService watch;

    public Peers(WorldIdentity world, Attachment attachment, Membership membership) {
        this.world = world;
        this.attachment = attachment;
        this.membership = membership;
        this.peers = IntStream.range(0, world.size())
                .mapToObj(rank -> new Peer(rank, Standing.MISSING, 0, null))
                .toArray(Peer[]::new);
        int own = attachment.fabric().rank();
        peers[own] = new Peer(own, Standing.JOINED, attachment.incarnation(), null);
        this.watch = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().name("atoll-peers-" + world.name()).daemon().factory());
    }

    /** Begins to look; from now on peers are connected as they come. */
    public void start() {
        watch.scheduleWithFixedDelay(this::look, 0, LOOK_INTERVAL_MILLIS, TimeUnit.MILLISECONDS);
    }

    /** Looks at once: for those who know that something has changed. */
    public void lookSoon() {
        watch.execute(this::look);
    }

    private void look() {
        Map<Integer, Member> members = new HashMap<>();
        membership.members().forEach(member -> members.putIfAbsent(member.rank(), member));
        for (int rank = 0; rank < world.size(); rank++) {
            if (rank != attachment.fabric().rank()) {
                try {
                    look(rank, members.get(rank));
                } catch (RuntimeException failure) {
                    // One peer's broken file must not end the watch over the others.
                    place(new Peer(rank, peer(rank).standing(), peer(rank).incarnation(),
                            String.valueOf(failure.getMessage())));
                }
            }
        }
    }

    private void look(int rank, @Nullable Member member) {
        Peer known = peer(rank);
        Presence presence = presence(rank, member, known);
        boolean anotherLife = known.standing() == Standing.JOINED && presence.incarnation() != known.incarnation();
        if (known.standing() == Standing.JOINED && (presence.state() != Attachment.State.PRESENT || anotherLife)) {
            attachment.fence(rank);
            place(new Peer(rank, Standing.LOST, known.incarnation(), null));
        }
        if (presence.state() == Attachment.State.PRESENT && (known.standing() != Standing.JOINED || anotherLife)) {
            attachment.connect(rank, presence.incarnation(), member == null ? Map.of() : member.address());
            place(new Peer(rank, Standing.JOINED, presence.incarnation(), null));
        }
    }

    /** The fabric's own knowledge, else the membership's: there, or gone by the majority's view, or as before. */
    private Presence presence(int rank, @Nullable Member member, Peer known) {
        Presence seen = attachment.presence(rank);
        if (seen.state() != Attachment.State.UNKNOWN) {
            return seen;
        }
        if (member != null) {
            return new Presence(Attachment.State.PRESENT, member.incarnation());
        }
        boolean gone = known.standing() == Standing.JOINED && membership.inMajority();
        return new Presence(
                gone || known.standing() != Standing.JOINED ? Attachment.State.GONE : Attachment.State.PRESENT,
                known.incarnation());
    }

    private Peer peer(int rank) {
        lock.lock();
        try {
            return peers[rank];
        } finally {
            lock.unlock();
        }
    }

    private void place(Peer peer) {
        lock.lock();
        try {
            Peer before = peers[peer.rank()];
            if (!before.equals(peer)) {
                peers[peer.rank()] = peer;
                changed.signalAll();
                report(peer);
            }
        } finally {
            lock.unlock();
        }
    }

    private void report(Peer peer) {
        if (peer.refusal() != null) {
            LOG.warn("a rank's segment cannot be used: world={} rank={} reason={}", world.name(), peer.rank(),
                    peer.refusal());
        } else if (peer.standing() == Standing.LOST) {
            LOG.warn("a rank has left or died: world={} rank={} incarnation={}", world.name(), peer.rank(),
                    peer.incarnation());
        } else {
            LOG.info("a rank has joined: world={} rank={} incarnation={}", world.name(), peer.rank(),
                    peer.incarnation());
        }
    }

    /** The ranks as they stand now. */
    public List<Peer> snapshot() {
        lock.lock();
        try {
            return List.of(peers);
        } finally {
            lock.unlock();
        }
    }

    /** The ranks whose segments cannot be used now. */
    public List<Integer> missing() {
        return snapshot().stream().filter(peer -> peer.standing() != Standing.JOINED).map(Peer::rank).toList();
    }

    /** The ranks that had joined and are gone. */
    public int[] lostRanks() {
        return snapshot().stream().filter(peer -> peer.standing() == Standing.LOST).mapToInt(Peer::rank).toArray();
    }

    /**
     * Returns when every rank has joined.
     *
     * @throws MissingRanksException with the missing ranks when the time is over
     */
    public void awaitAll(Duration timeout) throws InterruptedException {
        lock.lock();
        try {
            long leftNanos = timeout.toNanos();
            while (Arrays.stream(peers).anyMatch(peer -> peer.standing() != Standing.JOINED)) {
                if (leftNanos <= 0) {
                    throw new MissingRanksException(world.name(), world.size(), missing(), timeout);
                }
                leftNanos = changed.awaitNanos(leftNanos);
            }
        } finally {
            lock.unlock();
        }
    }

    /** @see Liveness#isFenced */
    @Override
    public boolean isFenced(int rank, int incarnation, int segment) {
        Presence seen = attachment.presence(rank);
        return switch (seen.state()) {
            case PRESENT -> seen.incarnation() > incarnation;
            case GONE -> true;
            case ABSENT, UNKNOWN -> {
                Peer known = peer(rank);
                yield known.incarnation() > incarnation
                        || known.standing() == Standing.LOST && known.incarnation() == incarnation;
            }
        };
    }

    @Override
    public void close() {
        watch.shutdownNow();
        try {
            // The attachment must not be closed under a look that is under way.
            if (!watch.awaitTermination(10, TimeUnit.SECONDS)) {
                LOG.warn("the watch over the ranks does not end: world={}", world.name());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
