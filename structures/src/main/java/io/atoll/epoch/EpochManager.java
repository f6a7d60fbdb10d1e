package io.atoll.epoch;

import io.atoll.background.BackgroundThread;
import io.atoll.epoch.GlobalEpoch.Attempt;
import io.atoll.epoch.GlobalEpoch.Blocker;
import io.atoll.epoch.GlobalEpoch.Outcome;
import io.atoll.fabric.Backoff;
import io.atoll.failure.FabricException;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.heap.Relief;
import io.atoll.memory.StackRoom;
import io.atoll.memory.StackSafeLock;
import io.atoll.world.Participant;
import java.lang.ref.WeakReference;
import java.time.Duration;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.IntPredicate;
import java.util.function.LongConsumer;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Frees objects, anywhere in the world, when nobody can be using them any more (Dewan and Jenkins, section II-C, after Fraser 2004): <b>an object is never freed while
 * a token is pinned that was pinned before the object was unlinked.</b>
 * <pre>{@code
 * EpochManager epochs = world.epochs();
 * try (Token token = epochs.register(); Pin pin = token.pin()) {
 *     ... find nodes, unlink one of them ...
 *     token.retire(node);
 * }
 * epochs.tryReclaim();
 * }</pre>
 *
 * <p>Each rank has its own part, and works on it alone: a table of tokens, the bags that they fill, and what waits to be freed, all in its segment. The epoch of the
 * world is one word at rank 0, which each rank caches.
 *
 * <p>Deviations from the paper, which frees one epoch too early: an object belongs to the epoch that the <em>world</em> is in after it was unlinked, not to the token's; and
 * each rank frees what it has retired itself, when it tries to reclaim.
 *
 * <p><b>Progress.</b> Lock-free as a whole: pinning and unpinning take a fixed number of steps; retiring repeats a step only if another thread of this rank has put a
 * bag into limbo meanwhile; reclaiming is left to who was first, all others return at once. A rank that stands still, pinned or as the advancer, keeps objects from
 * being freed, and nothing else. A thread that has ended while it was pinned is found when its rank reclaims next. One that has died does neither: its tokens do not count, its election is taken over, and what it had retired is freed by its next
 * incarnation. (Where a fabric cannot prove by itself that a rank is gone, and its segment cannot be read, it is waited for.)
 *
 * <p>A segment that is lost takes with it what was retired of it, wherever that waits; what others had retired is kept, also where the epoch itself is lost: epochs
 * are counted anew then. Who lives when a rank comes back without its segment finds its new part when it next tries to reclaim. What was retired there before, and a
 * little that was retired at that moment, counts as lost.
 *
 * <p>A death loses what was being freed at that moment, {@value LimboLists#GROUP} bags of {@value Bag#CAPACITY} objects at most, and what the dying thread had unlinked
 * and not yet retired. Counted as {@link EpochSnapshot.Rank#lost()}.
 */
public final class EpochManager implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EpochManager.class);

    /** How long {@link #clear} waits for those who are pinned and should not be. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    // A pin is seen at most a quarter of the limit after it has begun.
    private static final int LOOKS_IN_A_LIMIT = 4;
    private static final Duration SHORTEST_REST = Duration.ofMillis(100);

    private final Supplier<Participant> participant;
    private final EpochSettings settings;
    private final Function<Participant, Reclamation> opener;
    private final StackSafeLock opening = new StackSafeLock();
    private final LongSupplier reclaiming = this::tryReclaim; // made before it is needed, when there may be no memory
    private final EpochReader reader = new EpochReader();
    // Weak: what a thread keeps for as long as it lives must not keep a world that was left.
    private final ThreadLocal<@Nullable WeakReference<WorldToken>> ofThisThread = new ThreadLocal<>();
    private volatile @Nullable Reclamation opened; // set under the lock
    private volatile @Nullable FullSegments relief; // likewise
    private @Nullable BackgroundThread timer; // guarded by the lock
    private @Nullable BackgroundThread pinWatch; // likewise
    private @Nullable BackgroundThread server; // likewise; of peers that ask this rank to free
    private boolean watchesPins; // likewise
    private boolean closed; // guarded by the lock

    /** @param participant this process's part in the world, asked for at the first use: that waits for ranks that are missing */
    public EpochManager(Supplier<Participant> participant, EpochSettings settings) {
        this(participant, settings, self -> Reclamation.open(self, settings));
    }

    EpochManager(Supplier<Participant> participant, EpochSettings settings,
            Function<Participant, Reclamation> opener) {
        this.participant = participant;
        this.settings = settings;
        this.opener = opener;
    }

    public EpochSettings settings() {
        return settings;
    }

    private Reclamation opened() {
        Reclamation known = opened;
        return known != null ? known : open();
    }

    private Reclamation open() {
        opening.lock();
        try {
            if (closed) {
                throw new IllegalStateException("this process has left its world: settings=" + settings);
            }
            Reclamation known = opened;
            if (known == null) {
                known = begin(opener.apply(participant.get()));
            }
            return known;
        } finally {
            opening.unlock();
        }
    }

    private Reclamation begin(Reclamation reclamation) {
        var fullSegments = new FullSegments(reclamation, () -> snapshot(reclamation));
        relief = fullSegments;
        reclamation.self().heap().relieveBy(fullSegments);
        opened = reclamation;
        startServing(reclamation, fullSegments);
        startTimer(reclamation);
        startPinWatch(reclamation);
        return reclamation;
    }

    /**
     * Opens what it needs at every rank, unless that has been done. A structure that is going to pin calls this when it is opened itself, and all ranks are there:
     * its operations need only the ranks that they go to from then on.
     *
     * @throws io.atoll.failure.RankUnreachableException when a rank is not there
     */
    public void prepare() {
        opened();
    }

    /** A tick must wait for nobody, and who frees does: so it only wakes a thread, which is there once it was needed. */
    private void startServing(Reclamation reclamation, FullSegments fullSegments) {
        BackgroundThread serving = reclamation.self()
                .background()
                .add(new BackgroundThread("atoll-relief-" + reclamation.self().rank(), () -> {
                    goOnInTime(reclamation);
                    if (fullSegments.isAsked()) {
                        fullSegments.serve();
                    }
                    return BackgroundThread.UNTIL_WOKEN;
                }));
        server = serving;
        reclamation.self().whenTicking(() -> {
            if (fullSegments.isAsked() || reclamation.isBehind()) {
                serving.wake();
            }
        });
    }

    private static void goOnInTime(Reclamation reclamation) {
        try {
            reclamation.goOn();
        } catch (FabricException failure) {
            LOG.debug("cannot go on without a segment that was lost, will try again: {}", reclamation, failure);
        }
    }

    private void startTimer(Reclamation reclamation) {
        if (settings.reclaimInterval().isPositive()) {
            timer = reclamation.self()
                    .background()
                    .add(new BackgroundThread("atoll-epochs-" + reclamation.self().rank(),
                            BackgroundThread.afterEvery(settings.reclaimInterval(), () -> reclaimInTime(reclamation))));
            timer.wake();
        }
    }

    /**
     * Lets a thread of its own look at what is pinned, from the first use of this manager on. So the ages of a {@link
     * #snapshot} and of failures are too short by a quarter of {@link
     * EpochSettings#pinLimit()} at most. Cost: {@value #LOOKS_IN_A_LIMIT} times in that limit what a snapshot costs; a
     * pin costs nothing more.
     */
    public EpochManager watchPins() {
        opening.lock();
        try {
            watchesPins = true;
            if (opened != null) {
                startPinWatch(opened);
            }
            return this;
        } finally {
            opening.unlock();
        }
    }

    private void startPinWatch(Reclamation reclamation) {
        if (watchesPins && pinWatch == null) {
            pinWatch = reclamation.self()
                    .background()
                    .add(new BackgroundThread("atoll-pins-" + reclamation.self().rank(),
                            BackgroundThread.afterEvery(restBetweenLooks(), () -> lookAtPins(reclamation))));
            pinWatch.wake();
        }
    }

    private Duration restBetweenLooks() {
        Duration rest = settings.pinLimit().dividedBy(LOOKS_IN_A_LIMIT);
        return rest.compareTo(SHORTEST_REST) < 0 ? SHORTEST_REST : rest;
    }

    private void lookAtPins(Reclamation reclamation) {
        try {
            snapshot(reclamation);
        } catch (FabricException failure) {
            LOG.debug("cannot look at what is pinned, will try again: {}", reclamation, failure);
        }
    }

    /** A rank that is missing is no trouble of this one's: its peers tell it. */
    private static void reclaimInTime(Reclamation reclamation) {
        try {
            reclamation.tryReclaim();
        } catch (FabricException failure) {
            LOG.debug("cannot reclaim, will try again: {}", reclamation, failure);
        }
    }

    /**
     * Returns a token of the calling thread's own, until the thread unregisters it. Waits while as many threads of this rank as {@link EpochSettings#tokens()} have one, and serves
     * those that wait in turn.
     *
     * @throws IllegalStateException when no thread gives one back for as long as the operation timeout
     */
    public Token register() {
        return opened().register();
    }

    /**
     * The calling thread's token, registered at its first use: for those who do not want to keep one. Must not be unregistered; it is, after the thread has ended, as
     * soon as another one needs its place.
     */
    public Token token() {
        WorldToken token = ofThisThread();
        return token != null ? token : registerThisThread();
    }

    /**
     * A token of the calling thread, pinned, for one operation of a structure, which ends it by {@link Token#unpin}: its own if it has one by {@link #token()}, else one
     * that is lent for as long. So any number of threads can use structures; whoever pins its own token around many operations makes each of them cheaper.
     *
     * <p>No verb. Waits if as many threads of this rank are in the middle of operations as there are tokens to lend.
     *
     * @throws FabricTimeoutException when none of those goes on
     * @throws IllegalStateException when threads have registered all tokens, none is left to lend, and no thread gives one back for as long as the operation timeout
     */
    public Token begin() {
        StackRoom.require();
        return beginWithRoom();
    }

    /**
     * As {@link #begin}, for an operation that has asked for {@link StackRoom}, or that must not pay for it since it
     * only finds something. An error leaves the thread unpinned in any case; where the stack is full a token may stay
     * lent to the thread.
     */
    public Token beginWithRoom() {
        WorldToken known = ofThisThread();
        WorldToken token = known != null ? known : opened().lent().borrow();
        try {
            token.pinWithRoom();
        } catch (Throwable unpinned) {
            token.giveBack();
            throw unpinned;
        }
        return token;
    }

    /**
     * Returns the token under which the calling thread is pinned: its own by {@link #token()}, or the one that {@link #begin} has lent it. No verb.
     *
     * @throws IllegalStateException if the calling thread is pinned under neither
     */
    public Token pinned() {
        WorldToken own = ofThisThread();
        WorldToken token = own != null && own.isPinned() ? own : opened().lent().borrowed();
        if (token == null) {
            throw new IllegalStateException(
                    "the calling thread is not pinned: thread=" + Thread.currentThread().getName());
        }
        return token;
    }

    private @Nullable WorldToken ofThisThread() {
        WeakReference<WorldToken> known = ofThisThread.get();
        WorldToken token = known == null ? null : known.get();
        // One of a former life of this process cannot be pinned any more.
        return token != null && token.reclamation() == opened ? token : null;
    }

    private Token registerThisThread() {
        WorldToken token = opened().register();
        ofThisThread.set(new WeakReference<>(token));
        return token;
    }

    /** @throws IllegalArgumentException if the token is another manager's */
    public void refuseForeign(Token token) {
        if (!(token instanceof WorldToken ofSome) || ofSome.reclamation() != opened()) {
            throw new IllegalArgumentException("a token of another epoch manager, or from before this process has"
                    + " joined its world again, register one here: token=" + token);
        }
    }

    /**
     * Lets runs of one rank be retired by {@link io.atoll.heap.Heap#retire}, which this manager frees later as it does objects. Unlike an object a run that was retired is lost by no death.
     * The caller is pinned. Cost: R.
     *
     * @param retirement is told the epoch
     */
    public void retireRuns(int owner, LongConsumer retirement) {
        Reclamation reclamation = opened();
        long next = reclamation.epoch().read() + 1;
        retirement.accept(next);
        reclamation.retiredRuns().add(owner, next);
    }

    /**
     * Advances the epoch of the world, if no token is pinned in an earlier one, and frees what this rank's threads have retired two epochs ago or earlier. Returns at
     * once if another thread, or another rank, is at it. What a token has retired since its bag was last full is left alone: see {@link Token#tryReclaim()}.
     *
     * <p>Cost: R + 2 A; R for each rank, in one batch; A, and W for each rank that is not waited for, if the epoch advances; and what the heap takes to free objects, those of
     * one owner together. R + A if another rank is at it.
     *
     * @return how many objects this call has freed
     */
    public long tryReclaim() {
        return opened().tryReclaim();
    }

    /**
     * Lets what the calling thread has retired be freed from the epoch after the next one on, and what was retired under tokens that are lent to no thread now; then as {@link
     * #tryReclaim()}. For callers that retire under {@link #begin}, and so have no token to ask.
     *
     * @return how many objects this call has freed
     */
    public long sealAndTryReclaim() {
        Reclamation reclamation = opened();
        reclamation.sealIdle();
        return reclamation.tryReclaim();
    }

    /**
     * As {@link #tryReclaim()}, by the way of an operation that does not need it, and may have taken effect: nothing
     * is thrown if a rank is away that the epoch needs, or memory is used up. What the
     * calling thread's operation has retired can be freed from the epoch after the next one on.
     *
     * @param token of the operation, which may be pinned; null to leave alone what it has retired
     */
    public void reclaimByTheWay(@Nullable Token token) {
        if (token instanceof WorldToken retiring) {
            retiring.reclaimByTheWay();
        } else {
            Unasked.run(reclaiming);
        }
    }

    /**
     * Frees everything that threads of this rank have retired. Nobody in the world may be pinned, and no thread of this rank may use a token meanwhile: the bags of all its
     * tokens are emptied, too. For the end of a program, after a barrier; to free what all ranks retired, each of them calls it.
     *
     * @return how many objects this call has freed; those of ranks that are not there stay
     * @throws IllegalStateException if somebody is pinned, and still is a second later; with rank and thread
     * @throws FabricTimeoutException if another rank is elected to advance the epoch, and does not
     */
    public long clear() {
        Reclamation reclamation = opened();
        long sealed = reclamation.sealAll();
        reclamation.retiredRuns().lookEverywhere();
        long freed = 0;
        var backoff = new Backoff(reclamation.self().endpoint().clock(), reclamation.self().reservations().timeout());
        var patience = new Backoff(reclamation.self().endpoint().clock(), PATIENCE);
        while (!reclamation.isIdle()) {
            Reclamation.Reclaimed reclaimed = reclamation.tryToReclaim();
            Attempt attempt = reclaimed.attempt();
            freed += reclaimed.freed();
            // Others who clear are pinned for a moment while they seal.
            if (attempt.outcome() == Outcome.BLOCKED && !patience.pause()) {
                throw new IllegalStateException("everything is freed only while nobody is pinned: "
                        + attempt.blocker().map(Blocker::toString).orElse(""));
            }
            if (attempt.epoch() >= sealed + Reclamation.LONGEST) {
                break;
            }
            if (attempt.outcome() == Outcome.LOST_ELECTION && !backoff.pause()) {
                throw new FabricTimeoutException(
                        "another rank is advancing the epoch and does not go on, look at its threads", "",
                        reclamation.self().reservations().timeout(), "clear", 0, FabricException.WHOLE_SEGMENT)
                        .in(reclamation.structure());
            }
        }
        return freed;
    }

    /**
     * Tries for a moment to free something that this rank has retired: for whoever finds a segment full and can do without what it is pinned for. Cost: as {@link
     * #tryReclaim()}, some times.
     *
     * @return whether anything was freed
     */
    public boolean relieve() {
        FullSegments known = relief;
        return known != null && known.relieveOfOwn();
    }

    /**
     * As {@link #relieve()}, and if that does not help, asks the other ranks that hold something of that rank's segment
     * to free it: for a caller that has let go of its pin. A caller that is pinned nevertheless asks nobody.
     *
     * @param rank whose segment is full
     * @return whether anything was freed
     */
    public boolean relieve(int rank) {
        FullSegments known = relief;
        return known != null && known.relieveUnpinned(rank);
    }

    /**
     * Asks the other ranks that hold something of that rank's segment to free it, for a caller that is pinned and can do
     * without what it is pinned for: its pin is {@linkplain Token#renew renewed} meanwhile.
     *
     * @param rank whose segment is full
     * @return whether anything was freed
     */
    public boolean relieve(int rank, Token token) {
        FullSegments known = relief;
        return known != null && token.renew() && known.relieveByPeers(rank, token::renew);
    }

    /** How things stand, at all ranks that can be read, or could before. Disturbs nobody. Cost: R for the epoch, and R for each rank. */
    public EpochSnapshot snapshot() {
        return snapshot(opened());
    }

    /**
     * As {@link #snapshot()}, but leaves out ranks: these are shown as they were seen last.
     *
     * @param isRead is asked for a rank right before it is read
     * @return empty if the rank that has the epoch is left out
     */
    public Optional<EpochSnapshot> snapshot(IntPredicate isRead) {
        Parts parts = opened().parts();
        return reader.read(parts.self().endpoint(), parts.blocks(), settings.tokens(), isRead);
    }

    private EpochSnapshot snapshot(Reclamation reclamation) {
        Parts parts = reclamation.parts();
        return reader.read(parts.self().endpoint(), parts.blocks(), settings.tokens());
    }

    /** Whether it has been used: a snapshot would wait for missing ranks before. */
    public boolean isOpen() {
        return opened != null;
    }

    /** Ends what it does by itself. Tokens of this process do not count any more when it has left. */
    @Override
    public void close() {
        opening.lock();
        try {
            closed = true;
            end();
        } finally {
            opening.unlock();
        }
    }

    /**
     * Forgets what it has opened, since this process must not use it any more: the next use opens it by the participant
     * of that time. Tokens that it has given out before are of no use any more.
     */
    public void beginAnew() {
        opening.lock();
        try {
            end();
        } finally {
            relief = null;
            opened = null;
            opening.unlock();
        }
    }

    private void end() {
        if (opened != null) {
            opened.self().heap().relieveBy(Relief.NONE);
        }
        Stream.of(timer, server, pinWatch).filter(Objects::nonNull).forEach(BackgroundThread::close);
        timer = null;
        server = null;
        pinWatch = null;
    }

    @Override
    public String toString() {
        return "EpochManager[" + settings + "]";
    }
}
