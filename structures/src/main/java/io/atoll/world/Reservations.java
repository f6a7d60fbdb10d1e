package io.atoll.world;

import io.atoll.background.BackgroundThread;
import io.atoll.fabric.Backoff;
import io.atoll.fabric.Endpoint;
import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.failure.StructureName;
import io.atoll.memory.GlobalPointer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Words that a rank has reserved for itself while it is in the middle of an operation. This class says how others wait
 * for them, and what the others do when that rank is dead. It also says what the rank itself does when it cannot go on.
 *
 * <p>A connection that breaks leaves its user in doubt whether the word was reserved, and then whether it was undone.
 * So the undoing is tried until its answer arrives. Meanwhile no other thread of the process may reserve the word: it
 * would write there the value that the undoing looks for. {@link #hold} keeps the two apart.
 */
public final class Reservations {

    /**
     * After every round of this many looks, a waiter asks whether the holder lives. That costs a system call or more.
     */
    public static final int LOOKS_BEFORE_ASKING = 32;

    private final Endpoint endpoint;
    private final Liveness liveness;
    private final Duration timeout;
    private final Waits waits;
    private final StepObserver stepObserver;
    private final Map<String, LongAdder> repairs; // by structure
    private final LongAdder allRepairs;
    private final Queue<Undoing> undoings;
    private final AtomicIntegerArray returns; // how often each owner has come back
    private final AtomicInteger attempts;

    /** What an attempt to repair returns if no living rank stood in its way. */
    public static final int NOBODY = -1;

    /** What {@link #tryHold} returns if another thread is in the way. */
    public static final int NOT_HELD = Holds.NOT_TAKEN;

    private final Holds holds;
    private final AtomicInteger heldUndoings; // undoings in holds

    // Words that stay reserved while their thread does something else.
    private final Map<GlobalPointer, Keeper> kept;

    /**
     * A thread that keeps a word, or is about to. It is made before the word is reserved, and keeps it once: an undoing
     * that is tried again does not take for its own what another thread keeps by then.
     */
    public static final class Keeper {

        private final GlobalPointer word;
        private final Thread thread = Thread.currentThread();
        // What was held when the word was reserved, and is held again.
        private volatile boolean isHeld;
        private volatile int held;

        public Keeper(GlobalPointer word) {
            this.word = word;
        }

        public GlobalPointer word() {
            return word;
        }
    }

    /**
     * Restores a word that this process has reserved, or may have reserved. May be called again after it has failed.
     */
    public interface Undo {

        /** Returns true if the word was reserved. */
        boolean undo(int owner, long offset, long reserved);
    }

    /** What is known of a word that was undone. */
    public enum Undone {
        /** It was reserved, and is not any more. */
        NOW,
        /** It was not reserved, or not any more: what its holder had begun is done. */
        BEFORE,
        /** It is undone later. */
        LATER
    }

    /** @param timeout the longest wait for a rank that lives */
    public Reservations(Endpoint endpoint, Liveness liveness, Duration timeout, Waits waits) {
        this(endpoint, liveness, timeout, waits, StepObserver.UNOBSERVED);
    }

    /** @param stepObserver runs every repair */
    public Reservations(Endpoint endpoint, Liveness liveness, Duration timeout, Waits waits,
            StepObserver stepObserver) {
        this.stepObserver = stepObserver;
        this.endpoint = endpoint;
        this.liveness = liveness;
        this.timeout = timeout;
        this.waits = waits;
        this.repairs = new ConcurrentHashMap<>();
        this.allRepairs = new LongAdder();
        this.undoings = new ConcurrentLinkedQueue<>();
        this.returns = new AtomicIntegerArray(endpoint.size());
        this.attempts = new AtomicInteger();
        this.holds = new Holds(endpoint.size());
        this.heldUndoings = new AtomicInteger();
        this.kept = new ConcurrentHashMap<>();
        Aftermath.prepare();
    }

    private Reservations(Reservations shared, Endpoint endpoint) {
        this.stepObserver = shared.stepObserver;
        this.endpoint = endpoint;
        this.liveness = shared.liveness;
        this.timeout = shared.timeout;
        this.waits = shared.waits;
        this.repairs = shared.repairs;
        this.allRepairs = shared.allRepairs;
        this.undoings = shared.undoings;
        this.returns = shared.returns;
        this.attempts = shared.attempts;
        this.holds = shared.holds;
        this.heldUndoings = shared.heldUndoings;
        this.kept = shared.kept;
    }

    /**
     * Returns the reservations of this process, for a participant that reaches ranks by that endpoint. Threads keep
     * each other from words whichever of the two they use.
     */
    public Reservations by(Endpoint renewed) {
        return new Reservations(this, renewed);
    }

    /**
     * Returns when the word has changed. Cost: R for each look.
     *
     * @param owner whose segment the word lies in
     * @param reserved the word as its holder has left it
     * @param repair changes the word when its holder is dead and fenced; several threads may call it at once
     * @param waitReason what the holder is in the middle of, for messages
     * @throws FabricTimeoutException if the holder lives and does not go on
     */
    public void awaitSettled(int owner, long offset, long reserved, int holder, int incarnation, Runnable repair,
            WaitReason waitReason) {
        awaitSettled(owner, offset, reserved, holder,
                () -> isRepaired(owner, holder, incarnation, repair, waitReason) ? NOBODY : holder, waitReason);
    }

    /**
     * As {@link #awaitSettled(int, long, long, int, int, Runnable, WaitReason)}, without waiting. Returns true if the
     * holder is dead and fenced, and the word is repaired.
     */
    public boolean isRepaired(int owner, int holder, int incarnation, Runnable repair, WaitReason waitReason) {
        boolean dead = liveness.isFenced(holder, incarnation, owner);
        if (dead) {
            repair(repair, waitReason);
        }
        return dead;
    }

    /**
     * As above, for words that do not name their holder.
     *
     * @param suspect the rank to name as long as no other is known
     * @param repair returns a rank that may hold the word, if a living one does. Otherwise it sees to it that the word
     * is {@linkplain #repair repaired}, and returns {@link #NOBODY}
     */
    public void awaitSettled(int owner, long offset, long reserved, int suspect, IntSupplier repair,
            WaitReason waitReason) {
        awaitSettled(() -> endpoint.readWord(owner, offset) != reserved, owner, offset, suspect, repair, waitReason);
    }

    /**
     * As above, for a check that takes more than a look at a word.
     *
     * @param isSettled one look; true when the wait is over
     */
    public void awaitSettled(BooleanSupplier isSettled, int owner, long offset, int suspect, IntSupplier repair,
            WaitReason waitReason) {
        Backoff backoff = new Backoff(endpoint.clock(), timeout);
        try (Waits.Waiting waiting = waits.begin(waitReason.toString(), suspect)) {
            while (!isSettled.getAsBoolean()) {
                boolean inTime = backoff.pause();
                if (inTime && backoff.attempts() % LOOKS_BEFORE_ASKING != 0) {
                    continue;
                }
                int holder = repair.getAsInt();
                if (holder != NOBODY && !inTime) {
                    throw new FabricTimeoutException(
                            "a rank is in the middle of an operation and does not go on, look at its threads",
                            "doing=[" + waitReason + "] holder=" + holder, timeout, "read", owner, offset)
                            .in(structureOf(waitReason, owner, offset));
                }
                waiting.isFor(holder == NOBODY ? suspect : holder);
            }
        }
    }

    private @Nullable StructureName structureOf(WaitReason waitReason, int owner, long offset) {
        StructureName named = endpoint.structures().named(waitReason.structure());
        return named != null ? named : endpoint.structures().find(owner, offset);
    }

    /** Returns how long an operation waits for a rank that lives and does not go on. */
    public Duration timeout() {
        return timeout;
    }

    /** Changes what a dead and fenced rank has left. Several threads may do so at once. */
    public void repair(Runnable repair, WaitReason waitReason) {
        stepObserver.run(StepObserver.Step.REPAIR, waitReason.toString(), () -> {
            repair.run();
            repairs.computeIfAbsent(waitReason.structure(), _ -> new LongAdder()).increment();
            allRepairs.increment();
            return true;
        });
    }

    /**
     * Returns how often this process has repaired what a dead rank had left in the middle of an operation. Repairs that
     * others did at the same time are included.
     */
    public long repairs() {
        return allRepairs.sum();
    }

    /** As {@link #repairs()}, in the structure of that name. */
    public long repairs(String structure) {
        LongAdder counted = repairs.get(structure);
        return counted == null ? 0 : counted.sum();
    }

    /**
     * A caller calls this before it reserves a word by an exchange that other threads of this process may repeat.
     * {@link #release} or {@link #undo(int, int, Runnable)} must follow. No verb. The thread waits for another one that
     * holds the word.
     *
     * @return what to release, or to undo; {@link #NOT_HELD} if a thread {@linkplain #keep keeps} the word
     * @throws RankUnreachableException if it is in doubt what an earlier operation has left there
     * @throws FabricTimeoutException if another thread of this process does not go on
     */
    public int hold(int owner, long offset) {
        return unlessKept(holdEvenIfKept(owner, offset), owner, offset);
    }

    private int holdEvenIfKept(int owner, long offset) {
        if (endpoint.executesAtOnce(owner)) {
            return Holds.NONE;
        }
        return take(owner, offset, Holds.word(offset));
    }

    /** @param offset to name if that fails */
    private int take(int owner, long offset, int word) {
        int hold = holds.take(owner, word);
        return hold == NOT_HELD ? awaitHold(owner, offset, word) : hold;
    }

    /** Asks once the word is held: a thread that keeps it says so before it releases the hold. */
    private int unlessKept(int hold, int owner, long offset) {
        boolean isFree = false;
        try {
            isFree = hold == Holds.NONE || !isKept(owner, offset);
            return isFree ? hold : NOT_HELD;
        } finally {
            if (!isFree) { // or there was no memory to ask
                release(hold);
            }
        }
    }

    /**
     * As {@link #hold}, for callers that hold several words. Returns {@link #NOT_HELD} instead of waiting, or if it is
     * in doubt what was left there.
     */
    public int tryHold(int owner, long offset) {
        if (endpoint.executesAtOnce(owner)) {
            return Holds.NONE;
        }
        int hold = holds.take(owner, Holds.word(offset));
        return hold == NOT_HELD ? NOT_HELD : unlessKept(hold, owner, offset);
    }

    /**
     * Returns true if other threads are kept out by what {@link #hold} has returned. They are not if verbs to the owner
     * are executed at once, which may begin at any moment.
     */
    public static boolean keepsOut(int hold) {
        return hold > Holds.NONE;
    }

    /**
     * Returns at least so many words that belong to the thread that has the hold. They are for an undoing that has to
     * know more than a word of the segment. A caller asks for them before it reserves anything: later there may be no
     * memory. If there is none now, the hold is released.
     *
     * @param hold one that other threads are {@linkplain #keepsOut kept out} by
     */
    public long[] words(int hold, int count) {
        Undoing undoing = holds.undoing(hold);
        if (undoing.words.length < count) {
            boolean isMade = false;
            try {
                undoing.words = new long[count];
                isMade = true;
            } finally {
                if (!isMade) {
                    release(hold);
                }
            }
        }
        return undoing.words;
    }

    private int awaitHold(int owner, long offset, int word) {
        Backoff backoff = new Backoff(endpoint.clock(), timeout);
        boolean inTime = true;
        int hold = NOT_HELD;
        while (hold == NOT_HELD) {
            Undoing doubt = holds.inTheWay(owner, word);
            if (doubt != null && isStillInDoubt(doubt)) {
                throw new RankUnreachableException(
                        "what an operation has left there cannot be undone yet, wait until the rank is back",
                        "compareAndExchange", owner, offset).in(endpoint.structures().find(owner, offset));
            }
            if (!inTime) {
                throw new FabricTimeoutException(
                        "another thread of this process does not go on, look at its threads", "", timeout,
                        "compareAndExchange", owner, offset)
                        .in(endpoint.structures().find(owner, offset));
            }
            inTime = backoff.pause();
            hold = holds.take(owner, word);
        }
        return hold;
    }

    /**
     * Releases the hold of a word that certainly is reserved. The word stays reserved while this thread does something
     * else, which may need the same hold for another word. {@link #resume} or {@link #withdraw} must follow. If there
     * is no memory for it, nothing is kept, and the hold is not released.
     *
     * @param hold of this word, or of another one that all hold who reserve this one in the same way. As long as they
     * have it, it does not change whether the word is kept
     */
    public void keep(int hold, Keeper keeper) {
        keeper.isHeld = hold != Holds.NONE;
        keeper.held = keeper.isHeld ? holds.word(hold) : 0;
        boolean isKept = false;
        try {
            kept.put(keeper.word, keeper);
            release(hold);
            isKept = true;
        } finally {
            if (!isKept) {
                kept.remove(keeper.word, keeper);
            }
        }
    }

    /** Returns true if a thread of this process does something else while it keeps the word. */
    public boolean isKept(int owner, long offset) {
        return keeper(owner, offset) != null;
    }

    /** Returns true if this thread keeps the word. */
    public boolean isKeptByThisThread(int owner, long offset) {
        Keeper keeper = keeper(owner, offset);
        return keeper != null && keeper.thread == Thread.currentThread();
    }

    private @Nullable Keeper keeper(int owner, long offset) {
        return kept.isEmpty() ? null : kept.get(new GlobalPointer(owner, offset));
    }

    /**
     * Takes the hold again that was released when the word was kept. If that fails, the word is still kept.
     *
     * @return as {@link #hold}
     * @throws IllegalStateException if the word is not kept
     */
    public int resume(Keeper keeper) {
        if (!isKeptBy(keeper)) {
            throw new IllegalStateException("no thread keeps the word for this keeper: word=" + keeper.word);
        }
        int hold = holdAgain(keeper);
        kept.remove(keeper.word);
        return hold;
    }

    /**
     * Undoes the reservation of a word that was kept, as {@link #undo(int, int, long, long, Undo)} does it. Does
     * nothing if the keeper does not keep it any more, or never did. To put that off allocates nothing either, as long
     * as there is a spare hold.
     */
    public void withdraw(Keeper keeper, long reserved, Undo action) {
        try {
            giveBack(keeper, reserved, action);
        } catch (FabricException | VirtualMachineError | LinkageError notYet) {
            int owner = keeper.word.rank();
            int spare = holds.takeSpare();
            if (spare == Holds.NONE) {
                undo(Holds.NONE, owner, () -> giveBack(keeper, reserved, action));
            } else {
                undo(held(holds.undoing(spare).of(keeper, reserved, action)), owner);
            }
        }
    }

    /** An attempt that an error has struck may have given it back. */
    private void giveBack(Keeper keeper, long reserved, Undo action) {
        if (isKeptBy(keeper)) {
            forget(holdAgain(keeper), keeper, reserved, action);
        }
    }

    private boolean isKeptBy(Keeper keeper) {
        return kept.get(keeper.word) == keeper;
    }

    private int holdAgain(Keeper keeper) {
        return keeper.isHeld ? take(keeper.word.rank(), keeper.word.offset(), keeper.held) : Holds.NONE;
    }

    /** As {@link #undo(int, int, long, long, Undo)}, for a word that may be kept. */
    public void forget(int hold, Keeper keeper, long reserved, Undo action) {
        kept.remove(keeper.word, keeper);
        undo(hold, keeper.word.rank(), keeper.word.offset(), reserved, action);
    }

    /** The word is not reserved by this thread any more, or never was. */
    public void release(int hold) {
        if (hold != Holds.NONE) {
            holds.release(hold);
        }
    }

    /**
     * Undoes what this process has reserved, or may have reserved, and cannot finish: at once, or, if the owner of the
     * segment cannot be reached, as soon as it can. No other process can undo it, because this one lives.
     *
     * @param hold is released when it is undone
     * @param owner whose segment it lies in
     * @param action may be called again after it has failed
     */
    public void undo(int hold, int owner, Runnable action) {
        int taken = hold == Holds.NONE ? holds.takeSpare() : hold;
        undo(taken == Holds.NONE ? queued(owner, action) : held(holds.undoing(taken).of(owner, action)), owner);
    }

    private Undoing queued(int owner, Runnable action) {
        Undoing undoing = new Undoing(Holds.NONE).of(owner, action);
        undoings.add(undoing);
        return undoing;
    }

    /** Puts the undoing into its hold, where other threads find it. Allocates nothing. */
    private Undoing held(Undoing undoing) {
        heldUndoings.incrementAndGet();
        holds.put(undoing);
        return undoing;
    }

    private void undo(Undoing undoing, int owner) {
        try {
            // This attempt may only learn which writes were lost with the connection that broke: then the next one goes
            // through.
            isStillInDoubt(undoing);
            int returned;
            do {
                // An attempt that was under way when another thread reported the owner's return may have failed just
                // before.
                returned = returns.get(owner);
            } while (isStillInDoubt(undoing) && returns.get(owner) != returned);
        } catch (VirtualMachineError | LinkageError notNow) {
            Aftermath.warn("what it had reserved is given back later", notNow);
        }
    }

    /**
     * As {@link #undo(int, int, Runnable)}, for one word. Allocates nothing, because memory may be what was missing: it
     * is neither given up nor forgotten, however often memory is missing. An undoing without a hold takes a spare one;
     * only if all {@value Holds#SPARE} wait for something, it allocates.
     */
    public Undone undo(int hold, int owner, long offset, long reserved, Undo action) {
        boolean wasReserved;
        try {
            wasReserved = action.undo(owner, offset, reserved);
        } catch (FabricException | VirtualMachineError | LinkageError inDoubt) {
            undo(later(hold, owner, offset, reserved, action), owner);
            return Undone.LATER;
        } catch (Throwable unexpected) {
            later(hold, owner, offset, reserved, action);
            throw unexpected;
        }
        release(hold);
        return wasReserved ? Undone.NOW : Undone.BEFORE;
    }

    private Undoing later(int hold, int owner, long offset, long reserved, Undo action) {
        int taken = hold == Holds.NONE ? holds.takeSpare() : hold;
        return taken == Holds.NONE
                ? queued(owner, () -> action.undo(owner, offset, reserved))
                : held(holds.undoing(taken).of(owner, offset, reserved, action));
    }

    /** As {@link #undo(int, int, long, long, Undo)}, for a word that was reserved without a hold. */
    public Undone undo(int owner, long offset, long reserved, Undo action) {
        return undo(Holds.NONE, owner, offset, reserved, action);
    }

    /**
     * As {@link #undo(int, int, Runnable)}, for reservations that {@linkplain #nextAttempt each attempt} of this
     * process makes differently.
     */
    public void undo(int owner, Runnable action) {
        undo(Holds.NONE, owner, action);
    }

    /**
     * Returns a number that no other attempt of this process has had, in any structure. A reservation with it needs no
     * hold: undoing one undoes no other. The number is even, and reserved buckets are odd words. So a {@link Lease}
     * that is undone late never is a bucket that has come to lie in its place.
     */
    public int nextAttempt() {
        return attempts.addAndGet(2);
    }

    /** Undoes what could not be undone before. For a caller that learns that the owner is back. */
    public void retry(int owner) {
        returns.incrementAndGet(owner);
        int returned;
        do {
            returned = returns.get(owner);
            attemptAll(undoing -> undoing.owner == owner);
        } while (returns.get(owner) != returned);
    }

    /**
     * As {@link #retry}, for all owners. A caller calls this from time to time, since a connection may have broken
     * although no rank went away. No verb if there is nothing to undo. If one of them fails in a way that is not
     * expected, all others are tried first, and then this throws.
     */
    public void retryAll() {
        attemptAll(_ -> true);
    }

    /** Returns how many reservations of this process wait to be undone while no thread is undoing them. */
    public int inDoubt() {
        int waiting = 0;
        for (Undoing undoing : waiting()) {
            waiting += undoing.isBeingDone.get() ? 0 : 1;
        }
        return waiting;
    }

    /** Returns the undoings that are queued or lie in holds. */
    private List<Undoing> waiting() {
        List<Undoing> waiting = new ArrayList<>(undoings);
        for (int hold = 0; heldUndoings.get() > 0 && hold < holds.count(); hold++) {
            Undoing held = holds.put(hold);
            if (held != null) {
                waiting.add(held);
            }
        }
        return waiting;
    }

    /**
     * Tries each owner's undoings until one finds no answer: the others would find none, too, and each might take long.
     * An undoing that fails otherwise keeps no other from being tried: it may fail each time.
     */
    private void attemptAll(Predicate<Undoing> wanted) {
        BitSet unreachable = new BitSet();
        BackgroundThread.each(waiting(), undoing -> {
            if (wanted.test(undoing) && !unreachable.get(undoing.owner) && isStillInDoubt(undoing)) {
                unreachable.set(undoing.owner);
            }
            return true;
        });
    }

    /**
     * Attempts the undoing. Returns true if this attempt has failed; false if it is done, or while another thread
     * attempts it.
     */
    private boolean isStillInDoubt(Undoing undoing) {
        if (!undoing.isBeingDone.compareAndSet(false, true)) {
            return false;
        }
        try {
            // The hold may have been released, and taken again: then there is nothing to undo, or something else.
            if (!undoing.isDone && (undoing.hold == Holds.NONE || undoing.isPut)) {
                runOrForget(undoing);
                undoing.isDone = true;
                end(undoing);
            }
            return false;
        } catch (FabricException notYet) {
            return true; // Its answer is missing: it is tried again.
        } finally {
            undoing.isBeingDone.set(false);
        }
    }

    /** Last, since the hold's next user may come to need the same undoing. */
    private void end(Undoing undoing) {
        if (undoing.hold == Holds.NONE) {
            undoings.remove(undoing);
        } else {
            heldUndoings.decrementAndGet();
            holds.end(undoing);
        }
    }

    /** Reservations in a lost segment need not be undone: they are gone. */
    private void runOrForget(Undoing undoing) {
        try {
            run(undoing);
        } catch (SegmentLostException lost) {
            if (lost.rank() != undoing.owner) {
                throw lost;
            }
        }
    }

    private void run(Undoing undoing) {
        Undo word = undoing.ofWord;
        Keeper keeper = undoing.ofKept;
        if (word == null) {
            Objects.requireNonNull(undoing.action).run();
        } else if (keeper == null) {
            word.undo(undoing.owner, undoing.offset, undoing.reserved);
        } else {
            giveBack(keeper, undoing.reserved, word);
        }
    }
}
