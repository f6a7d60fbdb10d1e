package io.atoll;

import io.atoll.background.BackgroundThread;
import io.atoll.background.BackgroundThreads;
import io.atoll.fabric.Attachment;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.StackSafeLock;
import io.atoll.world.Membership;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The lives of this rank in this process, one after the other. When a view has removed a life, another one follows. It
 * begins as a restarted process does.
 * <pre>
 *                        a view has removed it
 *      present life ----------------------------> withdrawn: no store of it reaches a segment any more
 *           ^                                         | (1) closed; what was opened by it cannot be opened anew by it
 *           | (3) present, then forgotten             v
 *      next life, a member of a view <----------- next life: (2) its segment's file mapped anew, one incarnation higher
 * </pre>
 * <ol>
 * <li>Before the rank is taken again: its lock, its port and its place among the members are free.
 * <li>After all mappings of the former life were closed: a thread that still uses one fails, and stores nothing.
 * <li>Handles forget what they have found by the former life after the next life is present. So everything found from
 * then on is found by the next life. A caller that asks between (1) and (3) gets the former life, whose verbs fail.
 * </ol>
 *
 * <p>A life that is refused for another reason is the last one: another process has the rank, or its files are gone.
 */
final class Lives implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(Lives.class);

    /**
     * Reasons that do not pass: a process that was refused for one of them does not join again. All other reasons may
     * pass in a while.
     */
    private static final Set<Reason> LASTING = EnumSet.of(Reason.RANK_TAKEN, Reason.RANK_UNKNOWN, Reason.RANK_LOST,
            Reason.INCARNATIONS_SPENT, Reason.OTHER_WORLD, Reason.OTHER_SIZE, Reason.OTHER_LAYOUT_VERSION,
            Reason.OTHER_SECRET, Reason.OTHER_USER, Reason.UNSECURED);

    private static final long NO_MEMBER = 0;

    private static final Duration LOOK_INTERVAL = Duration.ofMillis(50);
    private static final Duration FIRST_REST = Duration.ofMillis(100);
    private static final Duration LONGEST_REST = Duration.ofSeconds(10);

    private final LifeSettings settings;
    private final BackgroundThreads background;
    private final BackgroundThread thread;
    private final Runnable whenOver;
    private final int rank;
    private final List<Runnable> viewers = new CopyOnWriteArrayList<>();
    // Held by a thread that demands the end of a hold: each rank has one mailbox for such demands.
    private final Lock forcing = new StackSafeLock();
    private volatile Life present; // replaced under the monitor
    // The membership by which the next life joins; null if there is none.
    private volatile @Nullable Membership again;
    // Set while this process is out of its world; written by the background thread.
    private volatile @Nullable Out out;
    private volatile @Nullable JoinRefusedException lasting; // written by the background thread
    private volatile long rejoins; // written under the monitor
    private volatile @Nullable Membership joining; // written by the background thread
    // The life that has entered and is not yet present; guarded by the monitor.
    private @Nullable Life next;
    private long restNanos = FIRST_REST.toNanos(); // used by the background thread only
    // When a view first had the next life; used by the background thread only.
    private long memberNanos = NO_MEMBER;
    private boolean closed; // guarded by the monitor

    /** The lock of threads that demand the end of a hold from another rank: one thread holds it at a time. */
    Lock forcing() {
        return forcing;
    }

    /** When this process left its world, why, and what it waits for. */
    private record Out(JoinRefusedException removal, long sinceNanos, String waitsFor) {

        private static final String CLOSING = "its former life to be closed";

        private Out waitingFor(String what) {
            return new Out(removal, sinceNanos, what);
        }

        private Duration since() {
            return Duration.ofNanos(System.nanoTime() - sinceNanos);
        }
    }

    /**
     * @param whenOver is called when a life is over and another one follows. It gives back what else was made by the
     * life
     */
    Lives(LifeSettings settings, Attachment attachment, Membership membership, BackgroundThreads background,
            Runnable whenOver) throws InterruptedException {
        this.settings = settings;
        this.background = background;
        this.whenOver = whenOver;
        this.present = Life.introduce(settings, attachment, membership, background, null);
        this.rank = attachment.fabric().rank();
        this.again = settings.rejoins() ? membership.again().orElse(null) : null;
        this.thread = background.add(
                new BackgroundThread("atoll-lives-" + settings.world().name() + "-" + rank, this::step));
    }

    /** Begins the first life. */
    void enter() {
        present.enter(thread::wake, this::tellViewers);
    }

    /** @see World#whenViewChanges */
    void whenViewChanges(Runnable listener) {
        viewers.add(listener);
    }

    private void tellViewers() {
        viewers.forEach(Runnable::run);
    }

    /** Returns the life that has joined last. It may be over. */
    Life present() {
        return present;
    }

    /** Returns how often another life has joined after the first. */
    long rejoins() {
        return rejoins;
    }

    /** Returns why this process takes part no more, for good. */
    Optional<JoinRefusedException> refusal() {
        JoinRefusedException known = lasting;
        return known != null ? Optional.of(known) : present.peers().refusal().filter(found -> !isPassing(found));
    }

    /** Returns the state of joining again, while this process is out of its world. */
    Optional<World.Rejoining> rejoining() {
        Out known = out;
        if (lasting != null) {
            return Optional.empty();
        }
        // First: while the next life is being presented, beans may still use the one before.
        if (known != null) {
            return Optional.of(new World.Rejoining(known.removal(), known.since(), known.waitsFor()));
        }
        return present.peers()
                .refusal()
                .filter(this::isPassing)
                .map(removal -> new World.Rejoining(removal, Duration.ZERO, Out.CLOSING));
    }

    private boolean isPassing(JoinRefusedException refused) {
        return refused.reason() == Reason.REMOVED && again != null;
    }

    private long step() {
        Life entered = next();
        if (entered != null) {
            return goOn(entered);
        }
        if (out == null) {
            Optional<JoinRefusedException> removal = present.peers().refusal().filter(this::isPassing);
            if (removal.isEmpty() || isClosed()) {
                return BackgroundThread.UNTIL_WOKEN;
            }
            out = new Out(removal.get(), System.nanoTime(), Out.CLOSING);
            BackgroundThread.all(() -> release(present), whenOver);
        }
        return isClosed() || lasting != null ? BackgroundThread.UNTIL_WOKEN : begin();
    }

    private synchronized @Nullable Life next() {
        return closed ? null : next;
    }

    private synchronized boolean isClosed() {
        return closed;
    }

    /** Step (1). */
    private static void release(Life life) {
        try {
            life.release();
        } catch (RuntimeException failure) {
            // This life reaches no segment any more. Its remains are in the way of the next life, which says so.
            LOG.warn("what a life of this rank was made of cannot be given back: incarnation={}", life.incarnation(),
                    failure);
        }
    }

    /** Step (2). */
    private long begin() {
        try {
            Life life = attach();
            memberNanos = NO_MEMBER;
            try {
                life.enter(thread::wake, this::tellViewers);
            } catch (RuntimeException | Error failure) {
                release(life);
                throw failure;
            }
            if (place(life)) {
                waitFor("a view of the world that has it");
            }
            return LOOK_INTERVAL.toNanos();
        } catch (JoinRefusedException refused) {
            return LASTING.contains(refused.reason()) ? endForGood(refused) : rest(refused);
        } catch (InterruptedException | RuntimeException notNow) {
            return rest(notNow);
        }
    }

    private Life attach() throws InterruptedException {
        Membership membership = again;
        if (membership == null) {
            throw new IllegalStateException("this kind of membership is joined once: rank=" + rank);
        }
        Attachment attachment = settings.fabric()
                .attach(settings.world(), OptionalInt.of(rank), settings.segmentBytes());
        joining = membership;
        try {
            // Before anything else can fail: a membership is joined once.
            again = membership.again().orElse(null);
            if (isClosed()) {
                // As close() does.
                membership.close();
            }
            return Life.introduce(settings, attachment, membership, background, present);
        } catch (RuntimeException | Error | InterruptedException refused) {
            BackgroundThread.all(membership::close, attachment::release);
            throw refused;
        } finally {
            joining = null;
        }
    }

    /** Returns true if this process still wants the life; otherwise closes the life. */
    private boolean place(Life life) {
        synchronized (this) {
            if (!closed) {
                next = life;
                return true;
            }
        }
        release(life);
        return false;
    }

    private long goOn(Life life) {
        Optional<JoinRefusedException> refused = life.peers().refusal();
        if (refused.isPresent()) {
            take();
            release(life);
            return isPassing(refused.get()) ? rest(refused.get()) : endForGood(refused.get());
        }
        if (!life.isMember()) {
            waitFor("a view of the world that has it, electors that do not answer: " + life.missingElectors()
                    + ", ranks that it cannot reach: " + life.peers().missing());
            return LOOK_INTERVAL.toNanos();
        }
        if (!life.missingMembers().isEmpty() && isInTime()) {
            waitFor("ranks that it cannot reach: " + life.missingMembers());
            return LOOK_INTERVAL.toNanos();
        }
        present(life);
        return BackgroundThread.UNTIL_WOKEN;
    }

    /** Returns true while members may still come. A member never comes if a network is cut between two ranks alone. */
    private boolean isInTime() {
        if (memberNanos == NO_MEMBER) {
            memberNanos = System.nanoTime() | 1; // never equal to NO_MEMBER
        }
        return System.nanoTime() - memberNanos < settings.joinTimeout().toNanos();
    }

    private Out known() {
        Out known = out;
        if (known == null) {
            throw new IllegalStateException("this process takes part: rank=" + rank);
        }
        return known;
    }

    private void waitFor(String what) {
        out = known().waitingFor(what);
    }

    private synchronized void take() {
        next = null;
    }

    /** Step (3). */
    private void present(Life life) {
        Life former = present;
        synchronized (this) {
            if (closed) {
                return; // the closing thread has it
            }
            next = null;
            present = life;
            rejoins++;
        }
        former.forgetOpened();
        Duration outFor = known().since();
        out = null;
        tellViewers();
        restNanos = FIRST_REST.toNanos();
        LOG.info("has joined its world again: world={} rank={} incarnation={} afterMillis={}",
                settings.world().name(), rank, life.incarnation(), outFor.toMillis());
    }

    private long rest(Exception notNow) {
        if (isClosed()) {
            return BackgroundThread.UNTIL_WOKEN;
        }
        waitFor("another attempt, since the last one has failed: " + notNow);
        LOG.debug("cannot join again now, will try once more: world={} rank={}", settings.world().name(), rank, notNow);
        long rest = restNanos;
        restNanos = Math.min(2 * rest, LONGEST_REST.toNanos());
        return rest;
    }

    private long endForGood(JoinRefusedException refused) {
        LOG.error("this process cannot join again, start it anew: world={} rank={} reason={}",
                settings.world().name(), rank, refused.getMessage());
        lasting = refused;
        present.participant().fence(refused);
        return BackgroundThread.UNTIL_WOKEN;
    }

    @Override
    public void close() {
        Life entered;
        synchronized (this) {
            closed = true;
            entered = next;
            next = null;
        }
        Membership begun = joining;
        if (begun != null) {
            begun.close(); // ends an attempt that is under way
        }
        BackgroundThread.all(thread::close, () -> {
            if (entered != null) {
                entered.close();
            }
        }, present::close);
    }
}
