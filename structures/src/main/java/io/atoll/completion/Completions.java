package io.atoll.completion;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.SharedPins;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.failure.Aftermath;
import io.atoll.memory.StackRoom;
import io.atoll.memory.StackSafeLock;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Asynchronous operations that are under way, of any structures. One thread keeps many of them under way, without a
 * thread for each:
 * <pre>{@code
 * try (Completions completions = new Completions(64)) {
 *     AsyncLongLongMap hits = map.async(completions);
 *     for (long key : keys) {
 *         hits.addAndGet(key, 1).thenAccept(sum -> ...);
 *     }
 *     completions.join();
 * }
 * }</pre>
 *
 * <p>A thread that polls takes all operations further. A thread polls when it submits an operation, or waits for a
 * stage by {@code join} or {@code get}. It also polls when it calls {@link #poll} or {@link #join}. If no thread polls
 * for {@value #STAND_IN_AFTER_MICROS} us, a virtual thread stands in, until nothing is under way. So each stage
 * completes, whoever waits for it and however. A rank that is away delays only the operations that go to it. Operations
 * that were submitted since the last poll share a batch for each rank:
 * <pre>
 *   submit  submit  submit      waiting: operations whose next round is not sent yet
 *              |
 *             poll ---------->  rounds: one batch for each rank and poll; none waits for another
 *              |                   |
 *   complete the stages  <------  answers
 * </pre>
 *
 * <p><b>Bound.</b> At most so many operations are under way as the caller has chosen. A thread that submits one more
 * polls until there is room. A callback does not wait: what callbacks submit comes on top.
 *
 * <p><b>Order.</b> Each operation takes effect at one moment between its submission and its completion, as an operation
 * of another thread would. Operations that are under way together take effect in any order, even on one key.
 *
 * <p><b>Callbacks</b> run in a thread that polls. They hold no lock, and may submit operations. They do not nest: while
 * a thread runs one, it does not poll, and a virtual thread polls in its place. So a callback may wait for a stage.
 * That stage may even depend on callbacks that the same thread would have run next. The wait takes up to {@value
 * #STAND_IN_AFTER_MICROS} us longer than elsewhere, and delays nothing else. A callback that waits for what depends on
 * itself waits for ever. So may one that waits for another callback of the same stage, since these run one after the
 * other.
 *
 * <p><b>Failures</b> are those of the synchronous operation, and complete the stage exceptionally. An operation whose
 * owner is lost may have taken effect or not. If the world is closed, what is under way fails.
 *
 * <p>Any thread may call all methods, and all threads of an application may share one. They take turns: a thread that
 * keeps many operations under way is faster with completions of its own.
 */
public final class Completions implements AutoCloseable {

    private static final int STAND_IN_AFTER_MICROS = 200;
    private static final int SHARE = 4; // a batch is sent when one fourth of the bound has gathered

    private final int most;
    private final int enough; // operations that have gathered, for a batch to be sent
    private final Executor executor; // runs what may wait
    private final boolean hasStandIns;

    // An operation passes between these, and between these and rounds, without an allocation.
    private final Submissions<Submission<?>> waiting = new Submissions<>(); // for their next round
    private final Submissions<Operation<?>> mayWait = new Submissions<>();
    private final Submissions<Operation<?>> unstarted = new Submissions<>(); // of these, for which there was no thread
    private final Submissions<Submission<?>> done = new Submissions<>(); // whose stages are to be completed
    private final AtomicInteger underWay = new AtomicInteger();
    private final AtomicInteger untold = new AtomicInteger(); // under way, or with callbacks that have not returned
    private final AtomicInteger unsent = new AtomicInteger(); // submitted since the last look
    private final Set<Thread> completing = ConcurrentHashMap.newKeySet(); // threads that run callbacks

    // One thread looks at a time. It holds the lock for no wait, so the others only try to get it.
    private final StackSafeLock looking = new StackSafeLock();
    private final ArrayList<Round> rounds = new ArrayList<>(); // in the order in which they began
    private final List<Combiner<?>> combiners = new ArrayList<>(); // those for which requests have gathered
    private final Map<EpochManager, SharedPins> pins = new IdentityHashMap<>();

    private final AtomicBoolean isStandInThere = new AtomicBoolean();
    private volatile long looks;
    private volatile Clock clock = Clock.SYSTEM;
    private volatile boolean closed;

    /** @param most how many operations are under way at most; 64 hide most of a network's round trip */
    public Completions(int most) {
        this(most, task -> Thread.ofVirtual().name("operation").start(task), true);
    }

    /**
     * @param executor runs what may wait
     * @param hasStandIns true if a stand-in polls where no other thread does
     */
    Completions(int most, Executor executor, boolean hasStandIns) {
        if (most < 1) {
            throw new IllegalArgumentException("at least one operation is under way: most=" + most);
        }
        this.most = most;
        this.enough = Math.max(1, most / SHARE);
        this.executor = executor;
        this.hasStandIns = hasStandIns;
    }

    /** Returns how many operations are under way at most. */
    public int most() {
        return most;
    }

    /** Returns how many operations are under way. */
    public int underWay() {
        return underWay.get();
    }

    // --- for structures ---

    /** Submits an operation, which begins soon. */
    public <T> CompletionStage<T> submit(Operation<T> operation) {
        return submitAny(operation);
    }

    /** Submits a request, which is soon carried out together with others. */
    public <T> CompletionStage<T> submit(Request<T> request) {
        return submitAny(request);
    }

    private <T> CompletionStage<T> submitAny(Submission<T> submission) {
        StackRoom.require();
        refuseIfClosed();
        Completion<T> completion = new Completion<>(this);
        submission.completedBy(completion);
        clock = submission.endpoint().clock();
        boolean isCallback = isCallback();
        begin(isCallback);
        waitForRound(submission);
        int waitingNow = unsent.incrementAndGet();
        if (!isCallback && (waitingNow >= enough || waitingNow == underWay.get())) {
            pollOrLeaveIt();
        }
        return completion;
    }

    /** Polls, for a caller that has a stage to return, or an operation's end to tell. */
    private void pollOrLeaveIt() {
        try {
            poll();
        } catch (VirtualMachineError | LinkageError failure) {
            Aftermath.warn("asynchronous operations are taken further by the next look", failure);
        }
    }

    /** Puts what counts as under way among those that wait, or ends it: nothing else would end it. */
    private void waitForRound(Submission<?> submission) {
        untold.incrementAndGet();
        boolean isWaiting = false;
        try {
            refuseIfClosed(); // again: what is closed waits for what is under way, not for what is about to begin
            ensureStandIn(); // before it is among those that wait: there may be no thread to take it further
            waiting.add(submission);
            isWaiting = true;
        } finally {
            if (!isWaiting) {
                untold.decrementAndGet();
                underWay.decrementAndGet();
            }
        }
    }

    /** Returns a stage for an operation that costs no round trip: it is done before this returns. */
    public <T> CompletionStage<T> submitted(Supplier<? extends @Nullable T> operation) {
        refuseIfClosed();
        Completion<T> completion = new Completion<>(this);
        try {
            completion.complete(operation.get());
        } catch (Throwable failure) {
            completion.completeExceptionally(failure);
        }
        return completion;
    }

    /** Submits an operation that a virtual thread does, since it waits for several round trips one after the other. */
    public <T> CompletionStage<T> submitAlone(Endpoint endpoint, Supplier<? extends @Nullable T> operation) {
        return submit(new AloneOperation<T>(endpoint, operation));
    }

    private void refuseIfClosed() {
        if (closed) {
            throw new IllegalStateException("the completions are closed, open others");
        }
    }

    private void begin(boolean isCallback) {
        if (isCallback) {
            underWay.incrementAndGet();
            return;
        }
        for (int attempt = 0; !beginsWithinBound();) {
            attempt = goOn(attempt, this::hasRoom);
        }
    }

    private boolean hasRoom() {
        return underWay.get() < most;
    }

    private boolean beginsWithinBound() {
        int before = underWay.get();
        return before < most && underWay.compareAndSet(before, before + 1);
    }

    // --- polling ---

    /**
     * Takes the answers that have come, completes their stages, and sends what waits. Does not wait. Returns true if it
     * has completed a stage. A callback that calls it does nothing: another thread polls.
     */
    public boolean poll() {
        StackRoom.require();
        if (isCallback()) {
            return false;
        }
        look();
        return tells();
    }

    private boolean isCallback() {
        return completing.contains(Thread.currentThread());
    }

    /**
     * Returns true if the calling thread takes operations further while it waits. A callback does not. What it waits
     * for may be done by another callback, which must not have this one's frames below its own.
     */
    boolean isTakenFurtherHere() {
        return underWay.get() > 0 && !isCallback();
    }

    /** Completes the stages of what is done, and sends what their callbacks submit. Returns true if there was one. */
    private boolean tells() {
        boolean any = completeAll();
        if (any && unsent.get() > 0) {
            look();
            completeAll();
        }
        return any;
    }

    /**
     * Waits until nothing is under way, and all callbacks have returned. A callback that calls it waits for no
     * callback. Failures of operations are told by their stages alone.
     */
    public void join() {
        if (isCallback()) {
            for (int attempt = 0; underWay.get() > 0; attempt++) {
                clock.pause(attempt);
            }
            return;
        }
        for (int attempt = 0; !isIdle();) {
            attempt = goOn(attempt, this::isIdle);
        }
    }

    private boolean isIdle() {
        return underWay.get() == 0 && untold.get() == 0;
    }

    /** Looks, and pauses if that has completed no stage. Returns false if this thread looks no more. */
    boolean looks(int attempt) {
        if (!isTakenFurtherHere()) {
            return false;
        }
        if (!poll()) {
            clock.pause(attempt);
        }
        return true;
    }

    /**
     * Looks, and waits for answers if that has completed no stage. Returns the next attempt, 0 after progress.
     *
     * @param isOver tells if the caller has nothing more to wait for, since another thread has completed it
     */
    int goOn(int attempt, BooleanSupplier isOver) {
        StackRoom.require();
        look();
        Round awaited = roundToAwait(isOver);
        if (awaited != null) {
            awaited.await();
            look();
        }
        if (tells() || awaited != null) {
            return 0;
        }
        clock.pause(attempt); // another thread waits for the answers, or does what may wait, or several ranks answer
        return attempt + 1;
    }

    /** Returns true if a round is under way, or waits to be sent. For a thread that alone looks. */
    boolean hasRounds() {
        boolean any = !waiting.isEmpty();
        for (int index = 0; index < rounds.size(); index++) { // no iterator, for which there may be no memory
            any |= !rounds.get(index).isIdle();
        }
        return any;
    }

    /** Takes each operation as far as it goes, unless another thread does so. */
    private void look() {
        if (!looking.tryLock()) {
            return;
        }
        boolean hasRounds;
        try {
            looks = looks + 1;
            takeAnswers();
            sendWaiting();
            hasRounds = hasRounds();
        } finally {
            looking.unlock();
        }
        letAllWait();
        letUnstartedWait(hasRounds);
    }

    /**
     * Returns a round for whose answers the caller then waits, or null. Returns null unless all that is under way goes
     * to one rank: a rank that is away must not keep the caller from the answers of others. The caller is asked last if
     * it still waits: another thread may just have completed what went to other ranks.
     */
    private @Nullable Round roundToAwait(BooleanSupplier isOver) {
        if (!looking.tryLock()) {
            return null;
        }
        try {
            return done.isEmpty() && goesToOneRank() && !isOver.getAsBoolean() ? firstToAwait() : null;
        } finally {
            looking.unlock();
        }
    }

    private boolean goesToOneRank() {
        int submissions = 0;
        Round first = null;
        for (Round round : rounds) {
            if (round.isPosted()) {
                first = first == null ? round : first;
                if (!round.hasOwnerOf(first)) {
                    return false;
                }
                submissions += round.submissions();
            }
        }
        return submissions >= untold.get(); // also of what others are just completing
    }

    private void takeAnswers() {
        for (int index = 0; index < rounds.size();) {
            Round round = rounds.get(index);
            if (round.hasArrived() && !round.hand(this::next)) {
                rounds.remove(index);
                round.close();
            } else {
                index++;
            }
        }
    }

    /** Lets an operation go on as its last step says. No error keeps it from its next place: it allocates nothing. */
    private void next(Operation<?> operation) {
        // No switch: the first one would load a class that holds its table, for which there may be no memory.
        Operation.Step step = operation.step();
        if (step == Operation.Step.AGAIN) {
            operation.handAnswered(done);
            waiting.add(operation);
        } else if (step == Operation.Step.DONE) {
            unpin(operation);
            operation.hand(done, mayWait);
        } else if (step == Operation.Step.ALONE) {
            unpin(operation); // it may need room that this pin keeps from being freed
            operation.handAnswered(done);
            operation.goAlone(mayWait);
        } else {
            mayWait.add(operation); // AFTERWARDS
        }
    }

    private void unpin(Operation<?> operation) {
        if (operation.isPinned()) {
            try {
                operation.unpin();
            } catch (Throwable notUnpinned) {
                Aftermath.warn("an epoch may wait for asynchronous operations that have ended", notUnpinned);
            }
        }
    }

    private @Nullable SharedPins pinsOf(@Nullable EpochManager epochs) {
        return epochs == null ? null : pins.computeIfAbsent(epochs, SharedPins::new);
    }

    private void sendWaiting() {
        unsent.set(0);
        addWaiting();
        combine();
        for (int index = 0; index < rounds.size(); index++) {
            if (rounds.get(index).isFilling()) {
                rounds.get(index).post();
            }
        }
    }

    private void addWaiting() {
        for (Submission<?> submission = waiting.poll(); submission != null; submission = waiting.poll()) {
            if (submission instanceof Request<?> request) { // no switch: see next
                gather(request);
            } else {
                add((Operation<?>) submission);
            }
        }
    }

    private void add(Operation<?> operation) {
        // What has ended waits only to be unpinned. Its outcome stays as it is.
        Round round = operation.step() == Operation.Step.AGAIN ? roundFor(operation) : null;
        if (round == null) {
            next(operation);
        } else {
            round.add(operation);
        }
    }

    private void gather(Request<?> request) {
        try {
            Combiner<?> combiner = request.combiner();
            if (!combiners.contains(combiner)) {
                combiners.add(combiner);
            }
            combiner.gather(request);
        } catch (Throwable failure) {
            request.refuse(failure);
            done.add(request);
        }
    }

    /** Lets operations begin that carry out what has gathered. */
    private void combine() {
        for (Iterator<Combiner<?>> each = combiners.iterator(); each.hasNext();) {
            Combiner<?> combiner = each.next();
            while (combiner.isDue()) {
                add(combiner.next()); // so that the combiner knows if it goes on without rounds
            }
            if (combiner.isEmpty()) {
                each.remove();
            }
        }
    }

    /** Returns the round that the operation's verbs are added to, or null if it needs none, or has failed. */
    private @Nullable Round roundFor(Operation<?> operation) {
        try {
            return operation.begins(pinsOf(operation.epochs())) ? roundOf(operation) : null;
        } catch (Throwable failure) {
            operation.fail(failure);
            return null;
        }
    }

    private Round roundOf(Operation<?> operation) {
        Fabric fabric = operation.endpoint().fabric();
        for (int index = 0; index < rounds.size(); index++) {
            if (rounds.get(index).takes(operation, fabric)) {
                return rounds.get(index);
            }
        }
        rounds.ensureCapacity(rounds.size() + 1); // before it is made: its buffer must not be lost
        Round round = idleOf(fabric);
        rounds.add(round);
        round.beginWith(operation);
        return round;
    }

    /** Removes a round that nobody uses, or makes one. Those of a fabric that was replaced are dropped. */
    private Round idleOf(Fabric fabric) {
        for (int index = rounds.size() - 1; index >= 0; index--) {
            if (rounds.get(index).isIdle()) {
                Round round = rounds.remove(index);
                if (round.isOf(fabric)) {
                    return round;
                }
                round.close();
            }
        }
        return new Round(fabric);
    }

    private @Nullable Round firstToAwait() {
        for (Round round : rounds) {
            if (round.isPosted() && !round.isAwaited()) {
                round.beginToAwait();
                return round;
            }
        }
        return null;
    }

    private void letAllWait() {
        for (Operation<?> operation = mayWait.poll(); operation != null; operation = mayWait.poll()) {
            letWait(operation);
        }
    }

    /**
     * Lets a virtual thread do what may wait. If there is none, this thread does it, except for a whole operation: that
     * may wait for what others have reserved, and this may be the only thread that takes those further.
     */
    private void letWait(Operation<?> operation) {
        if (!isStarted(operation)) {
            if (operation.step() == Operation.Step.ALONE) {
                unstarted.add(operation);
            } else {
                finish(operation);
            }
        }
    }

    private boolean isStarted(Operation<?> operation) {
        try {
            executor.execute(() -> finish(operation));
            return true;
        } catch (Throwable notStarted) {
            return false;
        }
    }

    /**
     * Attempts to start threads once more. As long as there is none, this thread does one operation, unless others may
     * have reserved what that waits for.
     */
    private void letUnstartedWait(boolean hasRounds) {
        Operation<?> operation = unstarted.poll();
        if (operation != null && !isStarted(operation)) {
            if (hasRounds) {
                unstarted.add(operation);
            } else {
                finish(operation);
            }
        }
    }

    private void finish(Operation<?> operation) {
        operation.goOn();
        if (operation.isPinned()) {
            waiting.add(operation); // a look unpins it
        } else {
            operation.hand(done, mayWait);
            letAllWait(); // the thread that has the lock now may not look
        }
        pollOrLeaveIt();
    }

    /** Completes the stages of all operations that are done. Returns true if there was one. */
    private boolean completeAll() {
        if (done.isEmpty()) {
            return false;
        }
        boolean any = false;
        completing.add(Thread.currentThread());
        try {
            for (Submission<?> submission = done.poll(); submission != null; submission = done.poll()) {
                any = true;
                complete(submission);
            }
        } finally {
            completing.remove(Thread.currentThread());
        }
        return any;
    }

    /** Completes a stage, and runs its callbacks. If there was no memory to tell its failure, it stays. */
    private void complete(Submission<?> submission) {
        underWay.decrementAndGet();
        try {
            submission.complete();
        } finally {
            if (submission.isComplete()) {
                untold.decrementAndGet();
            } else {
                underWay.incrementAndGet();
                done.add(submission);
            }
        }
    }

    // --- the stand-in: a virtual thread that polls where no other thread does ---

    /** Starts a stand-in, unless there is one. */
    private void ensureStandIn() {
        if (hasStandIns && !isStandInThere.get() && isStandInThere.compareAndSet(false, true)) {
            startStandIn(false);
        }
    }

    /**
     * @param isAtOnce true if it follows another stand-in, and so does not give other threads time to poll first
     */
    private void startStandIn(boolean isAtOnce) {
        boolean isStarted = false;
        try {
            Thread.ofVirtual().name("completions").start(() -> standInUntilIdle(isAtOnce));
            isStarted = true;
        } finally {
            if (!isStarted) {
                isStandInThere.set(false);
            }
        }
    }

    private void standInUntilIdle(boolean isAtOnce) {
        boolean waits = !isAtOnce;
        do {
            while (underWay.get() > 0) {
                long seen = looks;
                if (waits) {
                    LockSupport.parkNanos(STAND_IN_AFTER_MICROS * 1_000L);
                }
                waits = true;
                if (looksAlone(seen)) {
                    // Callbacks may block. They may wait by other ways than a stage of these, such as allOf.
                    boolean isFollowed = startsSuccessor();
                    tellOrLeaveIt();
                    if (isFollowed) {
                        return;
                    }
                }
            }
            isStandInThere.set(false);
            // What was submitted meanwhile has seen a stand-in. This thread goes on: there may be no memory for
            // another.
        } while (underWay.get() > 0 && isStandInThere.compareAndSet(false, true));
        if (underWay.get() == 0 && looking.tryLock()) {
            try {
                unpinIdle();
            } finally {
                looking.unlock();
            }
        }
    }

    /** Returns false if this thread has to go on, since there is no memory for another. */
    private boolean startsSuccessor() {
        try {
            startStandIn(true);
            return true;
        } catch (VirtualMachineError | LinkageError failure) {
            Aftermath.warn("callbacks that block keep other operations waiting", failure);
            return !isStandInThere.compareAndSet(false, true);
        }
    }

    private void tellOrLeaveIt() {
        try {
            tells();
        } catch (Throwable failure) {
            Aftermath.warn("asynchronous operations are taken further by the next look", failure);
        }
    }

    /**
     * Looks until another thread does so, too, or nothing is under way. Returns true as soon as there are stages to be
     * completed. It waits for no round: the rank may be away, and what is submitted meanwhile may go to others.
     */
    private boolean looksAlone(long before) {
        long seen = before;
        for (int attempt = 0; looks == seen && underWay.get() > 0; attempt++) {
            try {
                look();
            } catch (Throwable failure) {
                Aftermath.warn("asynchronous operations are taken further by the next look", failure);
            }
            if (!done.isEmpty()) {
                return true;
            }
            seen = looks;
            clock.pause(attempt);
        }
        return false;
    }

    /** Gives tokens back that no operation needs: others may wait for them. */
    private void unpinIdle() {
        pins.values().forEach(SharedPins::close);
        pins.values().removeIf(SharedPins::isEmpty);
    }

    // --- the end ---

    /** Waits until nothing is under way, and gives all buffers back. Later submissions are refused. */
    @Override
    public void close() {
        closed = true;
        join();
        looking.lock();
        try {
            rounds.forEach(Round::close);
            rounds.clear();
            unpinIdle();
        } finally {
            looking.unlock();
        }
    }

    @Override
    public String toString() {
        return "Completions[" + underWay() + " of " + most + " under way]";
    }
}
