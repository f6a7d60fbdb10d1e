package io.atoll.world.hazelcast;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.link.Addresses;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.world.Member;
import io.atoll.world.Membership;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Phaser;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Membership through a Hazelcast cluster of lite members. A lite member holds no data. Only two things are used: that a
 * process is a member, and what it says of itself in the member's attributes.
 *
 * <p>A killed process is noticed at once if its host lives on, else after the heartbeat timeout. If a process was
 * paused for longer than that, the others have given it up. When it runs again, it still sees all of them until the
 * first heartbeat goes wrong, then only itself. Within seconds it joins again as the rank and incarnation that it was.
 * If its rank has been taken, it is {@linkplain #refusal refused}. The others see it leave and come back, and nothing
 * else. What that means for the rank is not decided here.
 *
 * <p>Any thread may call any method.
 */
public final class HazelcastMembership implements Membership {

    private static final Logger LOG = LoggerFactory.getLogger(HazelcastMembership.class);

    /** How long closing waits for an attempt to join, which takes longer if the other process stands still. */
    private static final Duration CLOSE_TIMEOUT = Duration.ofSeconds(5);

    private final HazelcastSettings settings;
    private final Phaser changes = new Phaser(1);
    private final BackgroundThread rejoiner;

    // true once this process is a member, false if closed before
    private final CompletableFuture<Boolean> entered = new CompletableFuture<>();

    private final Object rejoining = new Object(); // held while a member takes the place of another
    private boolean begun; // guarded by this
    private boolean closed; // guarded by this
    private volatile Runnable onChange = () -> {};
    private volatile Runnable check = () -> {}; // checks whether this process must join again
    private volatile @Nullable MemberClaim memberClaim; // null before joining; replaced while rejoining
    private volatile @Nullable LiteMember member; // null before joining and after a refusal
    private volatile @Nullable JoinRefusedException refusal;

    /** @throws IllegalArgumentException if the settings contradict each other */
    public HazelcastMembership(HazelcastSettings settings) {
        this(settings, true);
    }

    /** @param warns true to log a warning if any process can take part */
    private HazelcastMembership(HazelcastSettings settings, boolean warns) {
        if (settings.discovery() instanceof Discovery.SameHost && settings.listensEverywhere()) {
            throw new IllegalArgumentException("processes of one host meet at one address: bindAddress="
                    + settings.bindAddress());
        }
        this.settings = settings;
        if (warns && settings.secret().isNone() && !Addresses.isLoopback(settings.bindAddress())) {
            LOG.warn("whoever reaches this address can take part in the world, give its processes a secret:"
                    + " bindAddress={}", settings.bindAddress());
        }
        this.rejoiner = new BackgroundThread("atoll-membership",
                BackgroundThread.afterEvery(settings.heartbeatInterval(), () -> check.run()));
    }

    /**
     * {@inheritDoc} Takes about a second, more if members that were found do not answer, at most a minute. If another
     * member has the rank, it also waits, at most for the heartbeat timeout and two intervals. That member may be an
     * earlier incarnation, which has ended unnoticed.
     *
     * <p>An interruption or {@link #close} ends it at once. Hazelcast itself cannot be interrupted: it is ended as soon
     * as it has started.
     */
    @Override
    public void join(Member self, Runnable onChange) throws InterruptedException {
        begin(self);
        Seeds seeds = new Seeds(settings, self.world().size());
        MemberClaim first = new MemberClaim(self, UUID.randomUUID().toString());
        memberClaim = first;
        this.onChange = onChange;
        Thread.ofPlatform().name("atoll-joining").daemon().start(() -> enterFirst(seeds, first));
        if (!awaitEntered()) {
            throw new IllegalStateException("the membership was closed while it joined: rank=" + self.rank());
        }
        RejoinPolicy policy = new RejoinPolicy(self.world().size(), seeds::addresses, RejoinPolicy::answers);
        check = () -> rejoinIfDue(policy, seeds);
        rejoiner.start();
        onChange.run();
    }

    /** {@inheritDoc} Takes as long as {@link #join}. */
    @Override
    public void joinAgain(Member self) {
        synchronized (rejoining) {
            LiteMember present = member;
            MemberClaim former = memberClaim;
            if (present != null && former != null) {
                MemberClaim next = new MemberClaim(self, former.process());
                memberClaim = next;
                rejoin(present, new Seeds(settings, self.world().size()), next);
            }
        }
    }

    @Override
    public boolean reachesOtherHosts() {
        return settings.reachesOtherHosts();
    }

    private void enterFirst(Seeds seeds, MemberClaim memberClaim) {
        try {
            LiteMember newcomer = enter(seeds, memberClaim);
            newcomer.onlyOtherSecret().ifPresent(address -> {
                newcomer.close();
                throw new JoinRefusedException(Reason.OTHER_SECRET, "all processes of a world must be told the same"
                        + " secret (atoll.membership.hazelcast.secret): world=" + memberClaim.member().world().name()
                        + " secret=" + settings.secret()
                        + " foundMember=" + address);
            });
            entered.complete(place(newcomer));
        } catch (RuntimeException | Error failure) {
            entered.completeExceptionally(failure);
        }
    }

    private boolean awaitEntered() throws InterruptedException {
        try {
            return entered.get();
        } catch (InterruptedException interrupted) {
            close();
            throw interrupted;
        } catch (ExecutionException failure) {
            if (failure.getCause() instanceof RuntimeException refused) {
                throw refused;
            }
            if (failure.getCause() instanceof Error error) {
                throw error;
            }
            throw new IllegalStateException("cannot join: cause=" + failure.getCause(), failure);
        }
    }

    private synchronized void begin(Member self) {
        if (begun || closed) {
            throw new IllegalStateException("a membership is joined once: rank=" + self.rank());
        }
        begun = true;
    }

    /** Starts a member and leaves it running only if it may take part. */
    private LiteMember enter(Seeds seeds, MemberClaim memberClaim) {
        LiteMember newcomer = LiteMember.start(seeds, memberClaim, this::changed);
        Optional<JoinRefusedException> refused = verdict(newcomer);
        if (refused.isPresent()) {
            newcomer.close();
            throw refused.get();
        }
        return newcomer;
    }

    private Optional<JoinRefusedException> verdict(LiteMember newcomer) {
        Duration patience = settings.heartbeatTimeout().plus(settings.heartbeatInterval().multipliedBy(2));
        long deadline = System.nanoTime() + patience.toNanos();
        while (true) {
            int phase = changes.getPhase();
            Roster roster = newcomer.roster();
            Optional<JoinRefusedException> refused = roster.refusal();
            boolean mayPass = refused.isPresent() && refused.get().reason() == Reason.RANK_TAKEN;
            if (!mayPass || isClosed() || !awaitChange(phase, deadline)) {
                return refused;
            }
        }
    }

    private boolean awaitChange(int phase, long deadline) {
        try {
            changes.awaitAdvanceInterruptibly(phase, deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
            return true;
        } catch (TimeoutException unchanged) {
            return false;
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            return false;
        }
    }

    private void changed() {
        changes.arrive();
        if (member != null) {
            onChange.run();
        }
    }

    private synchronized boolean place(LiteMember newcomer) {
        if (closed) {
            newcomer.close();
            return false;
        }
        member = newcomer;
        return true;
    }

    private void rejoinIfDue(RejoinPolicy policy, Seeds seeds) {
        synchronized (rejoining) {
            LiteMember present = member;
            MemberClaim last = memberClaim;
            if (present != null && last != null) {
                rejoinIfDue(present, policy, seeds, last);
            }
        }
    }

    private void rejoinIfDue(LiteMember present, RejoinPolicy policy, Seeds seeds, MemberClaim memberClaim) {
        try {
            if (!present.isRunning()
                    || policy.isDue(present.roster().members(), present.addresses(), changes.getPhase())) {
                LOG.warn("cut off from the majority, leaves and joins again: world={} rank={}",
                        memberClaim.member().world().name(), memberClaim.member().rank());
                rejoin(present, seeds, memberClaim);
            }
        } catch (RuntimeException failure) {
            if (failure instanceof JoinRefusedException refused && refused.reason() != Reason.MEMBERSHIP_UNAVAILABLE) {
                withdraw(refused);
            } else if (!isClosed()) {
                LOG.warn("cannot join again now, will try once more: world={} rank={}",
                        memberClaim.member().world().name(),
                        memberClaim.member().rank(), failure);
            }
        }
    }

    private void rejoin(LiteMember present, Seeds seeds, MemberClaim next) {
        present.close();
        if (place(enter(seeds, next))) {
            onChange.run();
        }
    }

    private void withdraw(JoinRefusedException refused) {
        LOG.error("this process takes part no more: {}", refused.getMessage());
        refusal = refused;
        member = null;
        rejoiner.stop();
        onChange.run();
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Returns only this process while it joins again, and no process after a refusal. */
    @Override
    public List<Member> members() {
        LiteMember present = member;
        return present == null ? List.of() : present.roster().members();
    }

    @Override
    public Optional<JoinRefusedException> refusal() {
        return Optional.ofNullable(refusal);
    }

    @Override
    public Optional<Membership> again() {
        return Optional.of(new HazelcastMembership(settings, false));
    }

    @Override
    public List<BackgroundThread> background() {
        return List.of(rejoiner);
    }

    /**
     * Leaves; the others notice in about half a second. Takes milliseconds, or up to ten seconds while this process is
     * joining again.
     */
    @Override
    public void close() {
        synchronized (this) {
            closed = true;
        }
        entered.complete(false);
        changes.arrive();
        if (!rejoiner.end(CLOSE_TIMEOUT)) {
            LOG.warn("still joining again, will leave as soon as it has");
        }
        LiteMember present = member;
        if (present != null) {
            present.close();
        }
    }
}
