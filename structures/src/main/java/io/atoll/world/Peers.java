package io.atoll.world;

import io.atoll.background.BackgroundThread;
import io.atoll.background.BackgroundThreads;
import io.atoll.background.RunningTime;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.Presence;
import io.atoll.fabric.Attachment.Proof;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.LateVerbs;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.MissingRanksException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.StackSafeLock;
import io.atoll.memory.WorldIdentity;
import io.atoll.view.Views;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The ranks of the world as this process sees them. One thread keeps them up to date. It connects to ranks that have
 * come, and fences those that are gone. It also takes back what they have left in this rank's segment.
 *
 * <p>It first believes what the fabric can see for itself (shared memory: the kernel's locks). Elsewhere a rank is dead
 * only when a {@linkplain Views view} of the world has removed it. If the membership has lost a rank, or the rank does
 * not answer, it is only suspected. An incarnation that was lost is lost for good: what it had under way may have been
 * repaired.
 *
 * <p>That holds for this process, too: when it learns that the others must take it for gone, it {@linkplain #refusal
 * stops} for good. If it takes part again, it does so by other peers, as a later incarnation.
 *
 * <p>A look at a peer in shared memory takes about 15 microseconds. So one of eight ranks spends a thousandth of a core
 * on it.
 */
public final class Peers implements Liveness, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Peers.class);

    private static final String RESTART_REQUIRED = "it was lost in this incarnation: it has not been started again"
            + " since, or without its segment";

    private static final String SILENT = "it does not answer, and nobody has proved that it has ended:"
            + " nothing of it is repaired, and no memory is freed by epochs,"
            + " until it answers, is started again, or is declared dead";

    /** How long a rank may stay silent: it may be starting, or its network may be back soon. */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final Duration LOOK_INTERVAL = Duration.ofMillis(100);

    /** The state of a rank, as this process sees it. */
    public enum PeerStatus {
        /** It has not joined yet. */
        MISSING,
        /** Its segment is in use. */
        JOINED,
        /** It had joined and has left or died. */
        LOST
    }

    /**
     * @param incarnation the last one met, 0 if {@link PeerStatus#MISSING}
     * @param born the incarnation in which the segment was made that it had then, 0 if that is not known
     * @param refusal why its segment cannot be used although it is there, or may be there
     * @param lostNanos of {@link System#nanoTime} when this process found it {@link PeerStatus#LOST}, otherwise 0
     */
    public record Peer(int rank, PeerStatus status, int incarnation, int born, @Nullable String refusal,
            long lostNanos) {

        /** Returns how long ago this process found it lost, or null if it is not lost. */
        public @Nullable Duration lostFor() {
            return status == PeerStatus.LOST ? Duration.ofNanos(System.nanoTime() - lostNanos) : null;
        }

        private boolean isJoined() {
            return status == PeerStatus.JOINED;
        }

        private Peer joined(int joinedIncarnation, int joinedBorn) {
            return new Peer(rank, PeerStatus.JOINED, joinedIncarnation, joinedBorn, null, 0);
        }

        private boolean hasLost(Presence present) {
            return born != 0 && present.born() != 0 && present.born() != born;
        }

        /** @param presentBorn of the segment that is known from now on, 0 if it is not known */
        private Peer of(int presentBorn) {
            return presentBorn == 0 ? this : new Peer(rank, status, incarnation, presentBorn, refusal, lostNanos);
        }

        private Peer lost() {
            return lost(incarnation);
        }

        private Peer lost(int lastIncarnation) {
            return new Peer(rank, PeerStatus.LOST, lastIncarnation, born, null, System.nanoTime());
        }

        private Peer refused(@Nullable String reason) {
            return new Peer(rank, status, incarnation, born, reason, lostNanos);
        }
    }

    private final WorldIdentity world;
    private final Attachment attachment;
    private final Membership membership;
    private final StackSafeLock lock = new StackSafeLock();
    private final Condition changed = lock.newCondition();
    private final @Nullable Views views; // null where the fabric knows everything by itself
    private final BackgroundThread watch;
    private volatile List<Peer> peers; // replaced under the lock
    private volatile long joins; // written under the lock
    private volatile long losses; // written under the lock
    private final RunningTime time = new RunningTime();
    // of the running time; HEARD for a rank that answers; used by the watch alone
    private final long[] silentSinceNanos;
    // the highest incarnation of each rank that is known to have ended; used by the watch alone
    private final int[] buried;
    private volatile @Nullable Participant participant; // null until started
    private Function<Fabric, Endpoint> makesEndpoints = Endpoint::new; // replaced before the start
    private volatile @Nullable JoinRefusedException refusal; // written under the lock
    private Runnable whenRefused = () -> {}; // replaced before the start
    private volatile boolean closed;

    private static final long HEARD = 0;

    /**
     * @param views that say which ranks are dead; null where the fabric knows everything by itself
     * @param background looks after its thread
     * @param former the peers of this process's former life, whose joins and losses are counted on; null in the first
     * life
     */
    public Peers(WorldIdentity world, Attachment attachment, Membership membership, @Nullable Views views,
            BackgroundThreads background, @Nullable Peers former) {
        this.world = world;
        this.views = views;
        this.silentSinceNanos = new long[world.size()];
        this.attachment = attachment;
        this.membership = membership;
        this.peers = IntStream.range(0, world.size())
                .mapToObj(rank -> new Peer(rank, PeerStatus.MISSING, 0, 0, null, 0))
                .map(peer -> peer.rank() == own() ? peer.joined(attachment.incarnation(), 0) : peer)
                .toList();
        this.joins = former == null ? 0 : former.joins;
        this.losses = former == null ? 0 : former.losses;
        this.buried = new int[world.size()];
        this.watch = background.add(new BackgroundThread("atoll-peers-" + world.name(),
                BackgroundThread.every(LOOK_INTERVAL, this::look)));
    }

    private int own() {
        return attachment.fabric().rank();
    }

    /**
     * Begins to look at peers; from now on they are connected as they come.
     *
     * @param self recovers what it had in a segment before that segment's rank counts as joined. It buries the dead,
     * and is fenced when it has become one of them. It is {@linkplain Participant#renew renewed} when a rank comes back
     * without its segment
     * @param endpoints makes the endpoint by which ranks are reached from then on
     * @param refused is called once {@link #refusal} says why this process must not take part any more; must neither
     * wait nor throw
     */
    public void start(Participant self, Function<Fabric, Endpoint> endpoints, Runnable refused) {
        makesEndpoints = endpoints;
        whenRefused = refused;
        participant = self;
        watch.start();
    }

    /**
     * Looks at once, for callers that know that something has changed. Does nothing before the start and after the end.
     */
    public void lookSoon() {
        if (participant != null) {
            watch.wake();
        }
    }

    private void look() {
        Participant self = participant;
        if (self == null || closed || refusal != null) {
            return;
        }
        BackgroundThread.all(self::tick, () -> lookAtPeers(self), () -> lookAfter(self));
    }

    private void lookAtPeers(Participant self) {
        Optional<JoinRefusedException> found = membership.refusal()
                .or(this::displacement)
                .or(this::removal)
                .or(this::laterLife);
        if (found.isPresent()) {
            withdraw(self, found.get());
            return;
        }
        Map<Integer, List<Member>> members = membership.members()
                .stream()
                .collect(Collectors.groupingBy(Member::rank));
        BackgroundThread.each(peers,
                peer -> peer.rank() != own()
                        && look(peer, claim(peer, members.getOrDefault(peer.rank(), List.of())), self));
    }

    private void lookAfter(Participant self) {
        signalIfFounded();
        if (refusal == null) {
            self.reservations().retryAll();
        }
    }

    private void signalIfFounded() {
        lock.lock();
        try {
            if (isFounded()) {
                changed.signalAll();
            }
        } finally {
            lock.unlock();
        }
    }

    private Optional<JoinRefusedException> displacement() {
        return attachment.presence(own()).state() == State.GONE
                ? Optional.of(new JoinRefusedException(Reason.RANK_LOST,
                        "this rank's files were removed, or another process has taken the rank: world=" + world.name()
                                + " rank=" + own() + " incarnation=" + attachment.incarnation()))
                : Optional.empty();
    }

    /**
     * Returns a refusal if a view has removed this rank. Also returns one if a rank that acts by such a view has shut
     * it out.
     */
    private Optional<JoinRefusedException> removal() {
        return views == null
                ? Optional.empty()
                : views.refusal()
                        .or(() -> attachment.isShutOut()
                                ? Optional.of(new JoinRefusedException(Reason.REMOVED, Views.REMOVED + ": world="
                                        + world.name() + " rank=" + own() + " incarnation="
                                        + attachment.incarnation()))
                                : Optional.empty());
    }

    private Optional<JoinRefusedException> laterLife() {
        int later = attachment.laterLife();
        return later == 0
                ? Optional.empty()
                : Optional.of(new JoinRefusedException(Reason.REMOVED,
                        "another rank has met a later life of this one, which has no memory of it: world="
                                + world.name() + " rank=" + own() + " incarnation=" + attachment.incarnation() + " met="
                                + later));
    }

    /**
     * Takes this process out of its world. What it knows of the others stays as it is: they go on, and this process is
     * gone.
     */
    private void withdraw(Participant self, JoinRefusedException found) {
        LOG.error("this process is out of its world, its operations fail: world={} rank={} reason={}", world.name(),
                own(), found.getMessage());
        if (views != null) {
            views.stop();
        }
        self.fence(found);
        // Memory references that structures keep, and threads in the middle of an operation, know nothing of the
        // replaced fabric.
        attachment.withdraw(found);
        lock.lock();
        try {
            refusal = found;
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        whenRefused.run();
    }

    /**
     * What the membership says of a rank.
     *
     * @param isMade true if it says anything
     * @param member the first that has proved itself; null if none has
     * @param born the incarnation in which the member's segment was made, 0 if it is not known
     * @param refusal why the first member has not proved itself, if it has not
     */
    private record Claim(boolean isMade, @Nullable Member member, int born, @Nullable String refusal) {}

    private Claim claim(Peer known, List<Member> members) {
        String refusal = null;
        for (Member member : members) {
            boolean isKnown = known.isJoined() && member.incarnation() == known.incarnation(); // so is its address
            Proof proof = isKnown
                    ? Proof.given(known.born())
                    : attachment.proof(known.rank(), member.incarnation(), member.address());
            if (proof.isGiven()) {
                return new Claim(true, member, proof.born(), null);
            }
            refusal = refusal == null ? proof.refusal() : refusal;
        }
        return new Claim(!members.isEmpty(), null, 0, refusal);
    }

    /** Returns true if the rank is there. */
    private boolean look(Peer known, Claim claim, Participant self) {
        Member member = claim.member();
        try {
            Presence seen = attachment.presence(known.rank());
            Presence heard = heard(seen, known, claim);
            hear(heard, seen, known);
            Presence presence = believed(heard, known);
            boolean present = presence.state() == State.PRESENT;
            boolean silent = presence.state() == State.SILENT;
            boolean sameLife = presence.incarnation() == known.incarnation() && !known.hasLost(presence);
            if (known.isJoined() && !((present || silent) && sameLife)) {
                attachment.fence(known.rank());
                place(known.lost());
            } else if (seen.state() != State.GONE && isGoneUnjoined(presence, known, claim)) {
                attachment.fence(known.rank());
                place(known.lost(met(known.rank())));
            }
            bury(self, known.rank(), presence);
            if (present && !sameLife) {
                if (known.hasLost(presence)) {
                    forget(self, known.rank(), presence.born());
                }
                // Before it is used, and also if it cannot be used.
                place(peer(known.rank()).of(presence.born()));
                attachment.connect(known.rank(), presence.incarnation(), address(member, presence.incarnation()));
                self.latest().recover(known.rank());
                place(known.joined(presence.incarnation(), presence.born()));
            } else {
                Peer peer = peer(known.rank());
                String refusal = refusal(presence.state(), peer);
                place(peer.refused(refusal == null && !peer.isJoined() ? claim.refusal() : refusal));
            }
        } catch (RuntimeException failure) {
            // If a peer's file is broken, the peer's state says so.
            place(peer(known.rank()).refused(String.valueOf(failure.getMessage())));
        }
        return peer(known.rank()).isJoined();
    }

    /** Forgets everything that this process knows of the rank's former segment. */
    private void forget(Participant self, int rank, int born) {
        attachment.renew(rank, born);
        self.renew(makesEndpoints.apply(attachment.fabric()), rank);
        LOG.warn("a rank has come back without its segment, what lay there is lost: world={} rank={} incarnation={}",
                world.name(), rank, born);
    }

    /**
     * Returns true if the rank was met in a life that never joined here, and that life has ended. A former process of
     * this rank has met it, or this process has and could not reach it. That life may have reached this segment, from
     * which no other process would shut it out.
     */
    private boolean isGoneUnjoined(Presence presence, Peer known, Claim claim) {
        return presence.state() == State.GONE && !known.isJoined() && !claim.isMade()
                && met(known.rank()) > known.incarnation() && presence.incarnation() >= met(known.rank());
    }

    /**
     * Returns the member's address, or nothing for another incarnation: the membership may still tell where a former
     * life of the rank was reached.
     */
    private static Map<String, String> address(@Nullable Member member, int incarnation) {
        return member == null || member.incarnation() != incarnation ? Map.of() : member.address();
    }

    private int met(int rank) {
        return SegmentHeader.remembered(attachment.fabric().local(), rank);
    }

    private @Nullable String refusal(State state, Peer peer) {
        return switch (peer.status()) {
            case MISSING -> null;
            case JOINED -> state == State.SILENT ? silence() : null;
            // A rank that shares memory is lost only by its end. What is there is its next life: the process has the
            // rank's lock, and has not written its incarnation yet.
            case LOST -> state == State.PRESENT && !attachment.sharesMemoryWith(peer.rank()) ? RESTART_REQUIRED : null;
        };
    }

    private String silence() {
        return views == null ? SILENT : SILENT + views.status().waiting().map(words -> "; " + words).orElse("");
    }

    /**
     * Buries each ended life once. That includes lives which ended before this process began: a rank that lives now
     * began after them.
     */
    private void bury(Participant self, int rank, Presence presence) {
        int ended = switch (presence.state()) {
            case GONE -> presence.incarnation();
            case PRESENT, SILENT -> presence.incarnation() - 1;
            case ABSENT, UNKNOWN -> 0;
        };
        if (ended > buried[rank] && attachment.isFenced(rank, ended, own())) {
            self.latest().reclaimDead(rank, ended);
            buried[rank] = ended;
        }
    }

    /**
     * Returns what is heard of a rank: the fabric's own knowledge, else the membership's. If the rank had joined, and
     * neither tells of it, it is silent, unless its host has seen its end. But a rank that still answers is there, even
     * if the membership has lost it. The membership of a process that was paused loses all others.
     */
    private Presence heard(Presence seen, Peer known, Claim claim) {
        if (seen.state() != State.UNKNOWN) {
            return seen;
        }
        Member member = claim.member();
        int ended = seen.incarnation(); // 0 for none
        if (member != null && member.incarnation() > ended) {
            return new Presence(State.PRESENT, member.incarnation(), null, claim.born());
        }
        if (ended > 0 && ended >= last(known)) {
            return new Presence(State.GONE, ended);
        }
        if (known.isJoined() && attachment.unheard(known.rank()).compareTo(PATIENCE) < 0) {
            return new Presence(State.PRESENT, known.incarnation());
        }
        return new Presence(known.isJoined() ? State.SILENT : State.ABSENT, known.incarnation());
    }

    /** Returns the last incarnation that this process, or a former one of this rank, has met. */
    private int last(Peer known) {
        return Math.max(known.incarnation(), met(known.rank()));
    }

    /**
     * Tells the views whether the rank is heard. If only the fabric does not hear a rank, it gets some time first. The
     * membership's own wait limit is known already.
     */
    private void hear(Presence heard, Presence seen, Peer known) {
        if (views == null) {
            return;
        }
        int rank = known.rank();
        long nowNanos = Math.max(HEARD + 1, time.nanos());
        if (heard.state() == State.PRESENT) {
            silentSinceNanos[rank] = HEARD;
            views.hear(rank, heard.incarnation(), false);
            return;
        }
        if (silentSinceNanos[rank] == HEARD) {
            silentSinceNanos[rank] = nowNanos;
        }
        boolean isOver = nowNanos - silentSinceNanos[rank] >= PATIENCE.toNanos()
                || known.isJoined() && attachment.unheard(rank).compareTo(PATIENCE) >= 0;
        boolean isCertain = heard.state() == State.GONE || known.isJoined() && seen.state() == State.UNKNOWN;
        views.hear(rank, last(known), last(known) > 0 && (isCertain || isOver));
    }

    /**
     * Where views say which ranks are dead, a removed rank is dead even if it is heard. But a rank that shares memory
     * is shut out by its end alone.
     */
    private Presence believed(Presence heard, Peer known) {
        int incarnation = heard.state() == State.PRESENT ? heard.incarnation() : last(known);
        if (isRemoved(known.rank(), incarnation)) {
            return new Presence(State.GONE, incarnation);
        }
        boolean isLost = heard.state() == State.ABSENT && known.status() == PeerStatus.LOST;
        return isLost ? new Presence(State.GONE, known.incarnation()) : heard;
    }

    private boolean isRemoved(int rank, int incarnation) {
        return views != null && views.hasRemoved(rank, incarnation) && !attachment.sharesMemoryWith(rank);
    }

    private void place(Peer peer) {
        lock.lock();
        try {
            if (!peer(peer.rank()).equals(peer)) {
                List<Peer> next = new ArrayList<>(peers);
                Peer before = next.set(peer.rank(), peer);
                peers = List.copyOf(next);
                count(before, peer);
                changed.signalAll();
                report(before, peer);
            }
        } finally {
            lock.unlock();
        }
    }

    private void count(Peer before, Peer now) {
        if (now.isJoined() && !before.isJoined()) {
            joins++;
        } else if (before.isJoined() && !now.isJoined()) {
            losses++;
        }
    }

    private void report(Peer before, Peer peer) {
        if (peer.refusal() != null) {
            LOG.warn("a rank's segment cannot be used: world={} rank={} reason={}", world.name(), peer.rank(),
                    peer.refusal());
        } else if (peer.isJoined()) {
            LOG.info("a rank has joined: world={} rank={} incarnation={}", world.name(), peer.rank(),
                    peer.incarnation());
        } else if (before.isJoined()) {
            LOG.warn("a rank has left or died: world={} rank={} incarnation={}", world.name(), peer.rank(),
                    peer.incarnation());
        }
    }

    private Peer peer(int rank) {
        return peers.get(rank);
    }

    /** Returns the ranks as they are now. */
    public List<Peer> snapshot() {
        return peers;
    }

    /** Returns how often another rank has joined, again or for the first time, since this process has joined. */
    public long joins() {
        return joins;
    }

    /** Returns how often another rank that had joined has left or died. */
    public long losses() {
        return losses;
    }

    /** Returns the ranks whose segments cannot be used now. */
    public List<Integer> missing() {
        return peers.stream().filter(peer -> !peer.isJoined()).map(Peer::rank).toList();
    }

    /** Returns the present incarnation of each rank, 0 for a rank whose segment cannot be used now. */
    public int[] incarnations() {
        return peers.stream().mapToInt(peer -> peer.isJoined() ? peer.incarnation() : 0).toArray();
    }

    /**
     * Returns when every rank has joined, and the world is founded: a rank that ends after that can be declared dead.
     *
     * @throws MissingRanksException with the missing ranks when the time is over
     * @throws IllegalStateException if this process leaves meanwhile
     * @throws FencedException if this process must not take part any more
     */
    public void awaitAll(Duration timeout) throws InterruptedException {
        lock.lock();
        try {
            long leftNanos = TimeUnit.NANOSECONDS.convert(timeout);
            while (!closed && refusal == null && !(missing().isEmpty() && isFounded())) {
                if (leftNanos <= 0) {
                    throw new MissingRanksException(world.name(), world.size(), missing(), refusals(), timeout);
                }
                leftNanos = changed.awaitNanos(leftNanos);
            }
        } finally {
            lock.unlock();
        }
        JoinRefusedException refused = refusal;
        if (refused != null) {
            throw new FencedException(refused, "join", own(), FabricException.WHOLE_SEGMENT);
        }
        if (closed) {
            throw new IllegalStateException(
                    "this process has left its world: world=" + world.name() + " rank=" + own());
        }
    }

    /**
     * Returns why this process takes part no more, if it has had to stop. Its operations fail with the same reason.
     */
    public Optional<JoinRefusedException> refusal() {
        return Optional.ofNullable(refusal);
    }

    private boolean isFounded() {
        return views == null || views.status().view() != null;
    }

    private SortedMap<Integer, String> refusals() {
        SortedMap<Integer, String> refusals = new TreeMap<>();
        if (views != null && missing().isEmpty()) {
            refusals.put(own(), "the world is not founded yet: each rank must reach each other one at first");
            refusals.putAll(views.failures());
        }
        for (Peer peer : peers) {
            if (peer.refusal() != null) {
                refusals.put(peer.rank(), peer.refusal());
            }
        }
        return refusals;
    }

    /** @see Liveness#isFenced */
    @Override
    public boolean isFenced(int rank, int incarnation, int segment) {
        // A process that is dead itself repairs nothing.
        return refusal == null && hasEnded(rank, incarnation) && isShutOut(rank, incarnation, segment);
    }

    @Override
    public Optional<LateVerbs> lateVerbs() {
        return attachment.lateVerbs();
    }

    @Override
    public LaterSegment laterSegment(int rank, int born) {
        Presence seen = attachment.presence(rank);
        if (seen.born() <= born) {
            return LaterSegment.NONE;
        }
        return seen.state() == State.GONE ? LaterSegment.LEFT_BEHIND : LaterSegment.IN_USE;
    }

    /**
     * Returns what the segment's owner says. An owner that has ended says nothing, and serves its segment to no other
     * rank.
     */
    private boolean isShutOut(int rank, int incarnation, int segment) {
        try {
            return attachment.isFenced(rank, incarnation, segment);
        } catch (RankUnreachableException gone) {
            if (!hasEnded(segment, EVERY_INCARNATION)) {
                throw gone;
            }
            return true;
        }
    }

    private boolean hasEnded(int rank, int incarnation) {
        Presence seen = attachment.presence(rank);
        Peer known = peer(rank);
        return switch (seen.state()) {
            case PRESENT, SILENT -> {
                // A rank that is reached by connections has done nothing before it was met. Each rank admits it first,
                // and before that it uses no structure. It must not keep earlier incarnations from having ended. A rank
                // that shares memory needs no admission.
                int met = last(known);
                int last = met == 0 || attachment.sharesMemoryWith(rank) ? incarnation : Math.min(incarnation, met);
                yield seen.incarnation() > last || isRemoved(rank, Math.min(last, seen.incarnation()));
            }
            case GONE -> true;
            // An incarnation that this process has not met has ended, too, if the segment's owner has shut it out:
            // owners do that only then.
            case ABSENT, UNKNOWN -> known.incarnation() > incarnation || known.status() == PeerStatus.LOST;
        };
    }

    /** Ends the watch and every wait. */
    @Override
    public void close() {
        closed = true;
        lock.lock();
        try {
            changed.signalAll();
        } finally {
            lock.unlock();
        }
        watch.close();
    }
}
