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
 * Frees objects anywhere in the world once no thread can be using them any more. It follows Dewan and Jenkins, section
 * II-C, after Fraser 2004. <b>An object is never freed while a token is pinned that was pinned before the object was
 * unlinked.</b>
 * <pre>{@code
 * EpochManager epochs = world.epochs();
 * try (Token token = epochs.register(); Pin pin = token.pin()) {
 *     ... find nodes, unlink one of them ...
 *     token.retire(node);
 * }
 * epochs.tryReclaim();
 * }</pre>
 *
 * <p>Each rank has its own part, and works on it alone. The part has a table of tokens, the bags that they fill, and
 * the objects that wait to be freed. All of it lies in the rank's segment. The epoch of the world is one word at rank
 * 0, which each rank caches.
 *
 * <p>It deviates from the paper, which frees one epoch too early, in two ways. An object belongs to the epoch of the
 * <em>world</em> after the object was unlinked, not to the token's epoch. And each rank frees the objects that it has
 * retired itself, when it tries to reclaim.
 *
 * <p><b>Progress.</b> Lock-free as a whole:
 * <ul>
 * <li>Pinning and unpinning take a fixed number of steps.
 * <li>Retiring repeats a step only if another thread of this rank has put a bag into limbo meanwhile.
 * <li>The first thread to reclaim does the work; all others return at once.
 * <li>A rank that stands still, pinned or as the advancer, keeps objects from being freed, and nothing else.
 * <li>If a thread has ended while it was pinned, its rank finds it when it next reclaims.
 * <li>If a connection breaks with changes under way, they may still arrive. Until the connection is replaced, or one of
 * the two ranks is shut out, pins of the rank last longer than their operations: {@link KeptPins}.
 * <li>A dead rank stops nothing: its tokens do not count, and another rank takes over its election. Its next
 * incarnation frees the objects that it had retired. One exception: advancers wait for a rank whose segment they cannot
 * read, if the fabric cannot prove that it is gone.
 * </ul>
 *
 * <p>A lost segment takes with it the retired objects that lay in it, wherever they are noted. Everything else that
 * other ranks have retired is kept, even where the epoch itself is lost: epochs are then counted anew. When a rank
 * comes back without its segment, living ranks find its new part when they next try to reclaim. Objects that they had
 * retired there before count as lost, and a few that they retire at that moment.
 *
 * <p>A death loses the objects that were being freed at that moment: at most {@value LimboLists#GROUP} bags of
 * {@value Bag#CAPACITY} objects, counted as {@link EpochSnapshot.Rank#lost()}. It also loses what the dying thread had
 * unlinked and not yet retired.
 */
public final class EpochManager implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(EpochManager.class);

    /** How long {@link #clear} waits for threads that are pinned although they should not be. */
    private static final Duration PATIENCE = Duration.ofSeconds(1);

    // The watch notices a pin at most a quarter of the limit after the pin has begun.
    private static final int LOOKS_IN_A_LIMIT = 4;
    private static final Duration SHORTEST_REST = Duration.ofMillis(100);

    private final Supplier<Participant> participant;
    private final EpochSettings settings;
    private final Function<Participant, RankEpochs> opener;
    private final StackSafeLock opening = new StackSafeLock();
    // made before it is needed: later there may be no memory for it
    private final LongSupplier reclaiming = this::tryReclaim;
    private final EpochReader reader = new EpochReader();
    // Weak: a thread-local lives as long as its thread, and must not keep a world that this process has left.
    private final ThreadLocal<@Nullable WeakReference<WorldToken>> ofThisThread = new ThreadLocal<>();
    private volatile @Nullable RankEpochs opened; // set under the lock
    private volatile @Nullable FullSegments relief; // set under the lock
    private @Nullable BackgroundThread timer; // guarded by the lock
    private @Nullable BackgroundThread pinWatch; // guarded by the lock
    private @Nullable BackgroundThread server; // serves peers that ask this rank to free; guarded by the lock
    private @Nullable BackgroundThread settler; // ends pins that are kept; guarded by the lock
    private boolean watchesPins; // guarded by the lock
    private volatile boolean closed; // set under the lock

    /**
     * @param participant this process's part in the world. It is asked for at the first use, because the supplier waits
     * for missing ranks
     */
    public EpochManager(Supplier<Participant> participant, EpochSettings settings) {
        this(participant, settings, self -> RankEpochs.open(self, settings));
    }

    EpochManager(Supplier<Participant> participant, EpochSettings settings,
            Function<Participant, RankEpochs> opener) {
        this.participant = participant;
        this.settings = settings;
        this.opener = opener;
    }

    public EpochSettings settings() {
        return settings;
    }

    private RankEpochs opened() {
        RankEpochs known = opened;
        return known != null ? known : open();
    }

    private RankEpochs open() {
        opening.lock();
        try {
            if (closed) {
                throw new IllegalStateException("this process has left its world: settings=" + settings);
            }
            RankEpochs known = opened;
            if (known == null) {
                known = begin(opener.apply(participant.get()));
            }
            return known;
        } finally {
            opening.unlock();
        }
    }

    private RankEpochs begin(RankEpochs rankEpochs) {
        var fullSegments = new FullSegments(rankEpochs, () -> snapshot(rankEpochs));
        relief = fullSegments;
        rankEpochs.self().heap().relieveBy(fullSegments);
        opened = rankEpochs;
        startServing(rankEpochs, fullSegments);
        startSettling(rankEpochs);
        startTimer(rankEpochs);
        startPinWatch(rankEpochs);
        return rankEpochs;
    }

    /**
     * Opens the parts of this manager at every rank, if they are not open yet. A structure that will pin calls this
     * when it is opened itself, while all ranks are present. From then on its operations need only the ranks that they
     * go to.
     *
     * @throws io.atoll.failure.RankUnreachableException if a rank is not there
     */
    public void prepare() {
        opened();
    }

    /**
     * Starts the thread that frees objects for other ranks. A tick must not wait, and freeing may: so the tick only
     * wakes this thread. The thread is started when it is first woken.
     */
    private void startServing(RankEpochs rankEpochs, FullSegments fullSegments) {
        BackgroundThread serving = rankEpochs.self()
                .background()
                .add(new BackgroundThread("atoll-relief-" + rankEpochs.self().rank(), () -> {
                    goOnInTime(rankEpochs);
                    if (fullSegments.isAsked()) {
                        fullSegments.serve();
                    }
                    return BackgroundThread.UNTIL_WOKEN;
                }));
        server = serving;
        rankEpochs.self().onTick(() -> {
            if (fullSegments.isAsked() || rankEpochs.isBehind()) {
                serving.wake();
            }
        });
    }

    /** Starts the thread that ends {@linkplain KeptPins kept pins}. It waits for connections, which a tick must not. */
    private void startSettling(RankEpochs rankEpochs) {
        BackgroundThread settling = rankEpochs.self()
                .background()
                .add(new BackgroundThread("atoll-kept-pins-" + rankEpochs.self().rank(), () -> {
                    settleInTime(rankEpochs);
                    return BackgroundThread.UNTIL_WOKEN;
                }));
        settler = settling;
        rankEpochs.self().onTick(() -> {
            if (rankEpochs.keptPins().areAny()) {
                settling.wake();
            }
        });
    }

    private static void settleInTime(RankEpochs rankEpochs) {
        try {
            rankEpochs.keptPins().settle();
        } catch (FabricException failure) {
            LOG.debug("cannot end pins that are kept, will try again: {}", rankEpochs, failure);
        }
    }

    private static void goOnInTime(RankEpochs rankEpochs) {
        try {
            rankEpochs.goOn();
        } catch (FabricException failure) {
            LOG.debug("cannot go on without a segment that was lost, will try again: {}", rankEpochs, failure);
        }
    }

    private void startTimer(RankEpochs rankEpochs) {
        if (settings.reclaimInterval().isPositive()) {
            timer = rankEpochs.self()
                    .background()
                    .add(new BackgroundThread("atoll-epochs-" + rankEpochs.self().rank(),
                            BackgroundThread.afterEvery(settings.reclaimInterval(), () -> reclaimInTime(rankEpochs))));
            timer.wake();
        }
    }

    /**
     * Starts a thread that looks at pinned tokens regularly, from the first use of this manager on. The ages in a
     * {@link #snapshot} and in failures are then too short by at most a quarter of {@link EpochSettings#pinLimit()}.
     * Cost: that of {@value #LOOKS_IN_A_LIMIT} snapshots in each such limit; a pin costs nothing more.
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

    private void startPinWatch(RankEpochs rankEpochs) {
        if (watchesPins && pinWatch == null) {
            pinWatch = rankEpochs.self()
                    .background()
                    .add(new BackgroundThread("atoll-pins-" + rankEpochs.self().rank(),
                            BackgroundThread.afterEvery(restBetweenLooks(), () -> lookAtPins(rankEpochs))));
            pinWatch.wake();
        }
    }

    private Duration restBetweenLooks() {
        Duration rest = settings.pinLimit().dividedBy(LOOKS_IN_A_LIMIT);
        return rest.compareTo(SHORTEST_REST) < 0 ? SHORTEST_REST : rest;
    }

    private void lookAtPins(RankEpochs rankEpochs) {
        try {
            snapshot(rankEpochs);
        } catch (FabricException failure) {
            LOG.debug("cannot look at what is pinned, will try again: {}", rankEpochs, failure);
        }
    }

    /** Tries to reclaim. If a rank is missing that is no failure of this one: its peers report the missing rank. */
    private static void reclaimInTime(RankEpochs rankEpochs) {
        try {
            rankEpochs.tryReclaim();
        } catch (FabricException failure) {
            LOG.debug("cannot reclaim, will try again: {}", rankEpochs, failure);
        }
    }

    /**
     * Returns a token that belongs to the calling thread until the thread unregisters it. At most
     * {@link EpochSettings#tokens()} threads of this rank can have one: further threads wait, and are served in turn.
     *
     * @throws IllegalStateException if no thread gives a token back within the operation timeout
     */
    public Token register() {
        return opened().register();
    }

    /**
     * As {@link #register}, for a token that is passed from thread to thread by {@link Token#take}. No thread's end
     * ends it.
     *
     * @param name by which snapshots and failures report the token when it is in the way
     */
    Token registerToPassOn(String name) {
        return opened().register(name, WorldToken::passOn);
    }

    /**
     * Returns the calling thread's token, and registers it at the first call. For threads that do not want to keep a
     * token themselves. The caller must not unregister it: after the thread has ended, the token is unregistered as
     * soon as another thread needs its place.
     */
    public Token token() {
        WorldToken token = ofThisThread();
        return token != null ? token : registerThisThread();
    }

    /**
     * Returns a pinned token of the calling thread for one operation of a structure. The operation ends with
     * {@link Token#unpin}, or with {@link Token#close}. If the thread has a token by {@link #token()}, it is that one.
     * Otherwise the thread borrows one for the operation. So any number of threads can use structures. A thread that
     * keeps its own token pinned around many operations makes each of them cheaper.
     *
     * <p>No verb. Waits while all tokens that can be lent are lent to other threads of this rank.
     *
     * @throws FabricTimeoutException if none of those threads ends its operation
     * @throws IllegalStateException if threads have registered all tokens, none can be lent, and no thread gives one
     * back within the operation timeout
     */
    public Token pin() {
        StackRoom.require();
        return pinWithRoom();
    }

    /**
     * As {@link #pin}, for an operation that has asked for {@link StackRoom} already. Also for one that only finds
     * something, and must not pay for asking. An error always leaves the thread unpinned. Where the stack is full, a
     * token may stay lent to the thread.
     */
    public Token pinWithRoom() {
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
     * Returns the token under which the calling thread is pinned: its own by {@link #token()}, or the one that
     * {@link #pin} has lent it. No verb.
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
        // A token from before this process joined its world again cannot be pinned any more.
        return token != null && token.rankEpochs() == opened ? token : null;
    }

    private Token registerThisThread() {
        WorldToken token = opened().register();
        token.keepForThread();
        ofThisThread.set(new WeakReference<>(token));
        return token;
    }

    /** @throws IllegalArgumentException if the token belongs to another manager */
    public void refuseForeign(Token token) {
        if (!knows(token)) {
            throw new IllegalArgumentException("a token of another epoch manager, or from before this process has"
                    + " joined its world again, register one here: token=" + token);
        }
    }

    /** Returns true if this process has left its world, or is about to. */
    boolean isClosed() {
        return closed;
    }

    /** Returns true if the token is of this manager, and of this process's present life. */
    boolean knows(Token token) {
        return token instanceof WorldToken ofSome && ofSome.rankEpochs() == opened;
    }

    /**
     * Retires runs of one rank by {@link io.atoll.heap.Heap#retire}; this manager frees them later, as it frees
     * objects. Unlike an object, a retired run is lost by no death. The caller must be pinned. Cost: R.
     *
     * @param retirement retires the runs; it is called with the epoch to retire them in
     */
    public void retireRuns(int owner, LongConsumer retirement) {
        RankEpochs rankEpochs = opened();
        long next = rankEpochs.epoch().read() + 1;
        retirement.accept(next);
        rankEpochs.retiredRuns().add(owner, next);
    }

    /**
     * Advances the epoch of the world, if no token is pinned in an earlier epoch. Then frees the objects that this
     * rank's threads have retired two epochs ago or earlier. Returns at once if another thread or another rank is
     * already reclaiming. Objects in a token's bag that is not full yet are left alone: see {@link Token#tryReclaim()}.
     *
     * <p>Cost: R + 2 A, and R for each rank, in one batch. If the epoch advances, A more, and W for each rank, not
     * waited for. Freeing costs what the heap takes; the objects of one owner are freed together. If another rank is
     * already advancing: R + A.
     *
     * @return how many objects this call has freed
     */
    public long tryReclaim() {
        return opened().tryReclaim();
    }

    /**
     * Puts the bags of the calling thread into limbo, and those of tokens that no thread has borrowed now. Their
     * objects can be freed from the epoch after the next one on. Then does the same as {@link #tryReclaim()}. For
     * callers that retire under {@link #pin} and have no token of their own to ask.
     *
     * @return how many objects this call has freed
     */
    public long sealAndTryReclaim() {
        RankEpochs rankEpochs = opened();
        rankEpochs.sealIdle();
        return rankEpochs.tryReclaim();
    }

    /**
     * As {@link #tryReclaim()}, for an operation that does not depend on it and may already have taken effect. Throws
     * nothing if a rank that the epoch needs is away, or if memory is used up. Objects that the calling thread's
     * operation has retired can be freed from the epoch after the next one on.
     *
     * @param token of the operation, which may be pinned; null to leave its retired objects alone
     */
    public void reclaimByTheWay(@Nullable Token token) {
        if (token instanceof WorldToken retiring) {
            retiring.reclaimByTheWay();
        } else {
            OpportunisticReclaim.run(reclaiming);
        }
    }

    /**
     * Frees everything that threads of this rank have retired. No thread in the world may be pinned. No thread of this
     * rank may use a token meanwhile, because the bags of all its tokens are emptied, too. For the end of a program,
     * after a barrier: to free what all ranks have retired, each rank calls it.
     *
     * @return how many objects this call has freed; objects of absent ranks stay
     * @throws IllegalStateException if a thread is pinned and still is a second later; names the rank and the thread
     * @throws FabricTimeoutException if another rank is elected to advance the epoch, and does not advance it
     */
    public long clear() {
        RankEpochs rankEpochs = opened();
        long sealed = rankEpochs.sealAll();
        rankEpochs.retiredRuns().lookEverywhere();
        long freed = 0;
        var backoff = new Backoff(rankEpochs.self().endpoint().clock(), rankEpochs.self().reservations().timeout());
        var patience = new Backoff(rankEpochs.self().endpoint().clock(), PATIENCE);
        while (!rankEpochs.isIdle()) {
            RankEpochs.Reclaimed reclaimed = rankEpochs.tryToReclaim();
            Attempt attempt = reclaimed.attempt();
            freed += reclaimed.freed();
            // Other ranks that clear at the same time are pinned for a moment while they seal their bags.
            if (attempt.outcome() == Outcome.BLOCKED && !patience.pause()) {
                throw new IllegalStateException("everything is freed only while nobody is pinned: "
                        + attempt.blocker().map(Blocker::toString).orElse(""));
            }
            if (attempt.epoch() >= sealed + RankEpochs.LONGEST) {
                break;
            }
            if (attempt.outcome() == Outcome.LOST_ELECTION && !backoff.pause()) {
                throw new FabricTimeoutException(
                        "another rank is advancing the epoch and does not go on, look at its threads", "",
                        rankEpochs.self().reservations().timeout(), "clear", 0, FabricException.WHOLE_SEGMENT)
                        .in(rankEpochs.structure());
            }
        }
        return freed;
    }

    /**
     * Tries for a moment to free something that this rank has retired. For a caller that finds a segment full and can
     * go on without the objects that it is pinned for. Cost: that of a few calls of {@link #tryReclaim()}.
     *
     * @return true if anything was freed
     */
    public boolean relieve() {
        FullSegments known = relief;
        return known != null && known.relieveOfOwn();
    }

    /**
     * As {@link #relieve()}. If that does not help, asks the other ranks that hold retired objects of that rank's
     * segment to free them. For a caller that is not pinned any more: if it is pinned all the same, no rank is asked.
     *
     * @param rank whose segment is full
     * @return true if anything was freed
     */
    public boolean relieve(int rank) {
        FullSegments known = relief;
        return known != null && known.relieveUnpinned(rank);
    }

    /**
     * Asks the other ranks that hold retired objects of that rank's segment to free them. For a caller that is pinned
     * and can go on without the objects that it is pinned for: meanwhile its pin is {@linkplain Token#renew renewed}.
     *
     * @param rank whose segment is full
     * @return true if anything was freed
     */
    public boolean relieve(int rank, Token token) {
        FullSegments known = relief;
        return known != null && token.renew() && known.relieveByPeers(rank, token::renew);
    }

    /**
     * Returns the state of reclamation at all ranks that can be read, or could be read before. Disturbs no rank. Cost:
     * R for the epoch, and R for each rank.
     */
    public EpochSnapshot snapshot() {
        return snapshot(opened());
    }

    /**
     * As {@link #snapshot()}, but leaves out some ranks and shows them as they were last seen.
     *
     * @param isRead is asked for each rank right before the rank is read; false leaves it out
     * @return empty if the rank that has the epoch is left out
     */
    public Optional<EpochSnapshot> snapshot(IntPredicate isRead) {
        EpochParts epochParts = opened().epochParts();
        return reader.read(epochParts.self().endpoint(), epochParts.blocks(), settings.tokens(), isRead);
    }

    private EpochSnapshot snapshot(RankEpochs rankEpochs) {
        EpochParts epochParts = rankEpochs.epochParts();
        return reader.read(epochParts.self().endpoint(), epochParts.blocks(), settings.tokens());
    }

    /** Returns true if this manager has been used. Before its first use, a snapshot would wait for missing ranks. */
    public boolean isOpen() {
        return opened != null;
    }

    /**
     * Ends the background threads of this manager. When this process has left its world, its tokens do not count any
     * more.
     */
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
     * Forgets everything that this manager has opened, because this process must not use it any more. The next use
     * opens it again, by the participant of that time. Tokens that the manager gave out before are useless from now on.
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
        Stream.of(timer, server, settler, pinWatch).filter(Objects::nonNull).forEach(BackgroundThread::close);
        timer = null;
        server = null;
        settler = null;
        pinWatch = null;
    }

    @Override
    public String toString() {
        return "EpochManager[" + settings + "]";
    }
}
