package io.atoll.chaos.workload;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Outcome;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.failure.AtollException;
import io.atoll.failure.CodecException;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.FencedException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.TableFullException;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;

/**
 * A thread that uses a structure at random, by two handles of it, and records its operations. It goes on whatever
 * fails.
 */
public abstract class Workload implements Runnable {

    private static final int BURST = 16;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long LONGEST_PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(300);
    // A pause is this many times as long as a burst.
    private static final int PAUSES = 4;
    private static final long GENERATION_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int KEYS_OF_A_GENERATION = 24;
    // Only one thread uses each key from here on.
    private static final long FRESH = 1L << 40;

    protected final Scene scene;
    protected final Structure structure;
    protected final SplittableRandom random;
    private final int thread;
    private final Set<String> reported = ConcurrentHashMap.newKeySet();
    /** A value that an operation wants to be recorded beside its result. */
    protected long extra;
    private long values;
    // When the present operation was called, or 0.
    private volatile long since;
    private volatile String doing = "";
    // The subjects of the last operation.
    private List<Lateness.Subject> subjects = List.of();
    private @Nullable Thread runner;

    protected Workload(Scene scene, Structure structure, int thread) {
        this.scene = scene;
        this.structure = structure;
        this.thread = thread;
        this.random = new SplittableRandom(scene.setting.seed() * 1_000_003 + scene.setting.process() * 101L + thread);
    }

    /** Opens the structure twice. */
    protected abstract void open() throws Exception;

    /** Does a few operations. */
    protected abstract void step() throws Exception;

    /** Returns true if the last step shows that the structure works. By default it always does. */
    protected boolean hasSucceeded() {
        return true;
    }

    /** Returns true if such a failure is possible although everything works. By default none is. */
    protected boolean isPartOfIt(Throwable failure) {
        return false;
    }

    /** Empties the structure when all threads rest. By default does nothing. */
    public void drain() throws Exception {}

    public String name() {
        return structure + "-" + thread;
    }

    /** Returns the name of the structure that it uses. */
    public String structure() {
        return structure.name();
    }

    /** Starts the thread. */
    public void start() {
        runner = Thread.ofPlatform().name("chaos-" + name()).daemon().start(this);
    }

    /** All threads rest, so a wait for the calls of others need not be long. By default does nothing. */
    public void hurry() {}

    /** Interrupts the thread, whatever that does. */
    public final void interrupt() {
        if (runner != null) {
            runner.interrupt();
        }
    }

    /** Returns true if the thread has ended within the time. */
    public boolean hasEnded(long millis) throws InterruptedException {
        if (runner != null) {
            runner.join(millis);
            return !runner.isAlive();
        }
        return true;
    }

    /** Returns the present operation and its begin, by {@link System#nanoTime}; empty if there is none. */
    public String underWay() {
        long began = since;
        return began == 0 ? "" : began + " " + name() + "/" + doing;
    }

    @Override
    public void run() {
        boolean opened = false;
        // The begin of the burst.
        long began = System.nanoTime();
        for (int round = 0; !scene.isResting(); round++) {
            Thread.interrupted();
            try {
                if (opened) {
                    step();
                    if (hasSucceeded()) {
                        scene.succeeded(name());
                    }
                } else {
                    record(Verb.OPEN, 0, 0, 0, () -> {
                        open();
                        return 0;
                    });
                    opened = true;
                }
            } catch (InterruptedException interruption) {
                scene.failed(name(), subjects, interruption);
            } catch (Throwable failure) {
                if (!isPartOfIt(failure)) {
                    scene.failed(name(), subjects, failure);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            if (round % BURST == 0) {
                LockSupport.parkNanos(pauseAfter(System.nanoTime() - began));
                began = System.nanoTime();
            }
        }
    }

    /** Returns a pause that keeps the number of busy threads on a slow machine no larger than on a fast one. */
    private static long pauseAfter(long burstNanos) {
        return Math.clamp(PAUSES * burstNanos, PAUSE_NANOS, LONGEST_PAUSE_NANOS);
    }

    protected interface Operation {
        long run() throws Exception;
    }

    /** Does the operation and records it. Passes on what it throws. */
    protected long record(Verb verb, long key, long argument, long second, Operation operation) throws Exception {
        extra = 0;
        begin(verb + " key=" + key);
        subjects = List.of(subject(key));
        try {
            long result = recordAmongOthers(structure, verb, key, argument, second, () -> extra, operation);
            noteIfWorks(subjects.getFirst(), verb, result);
            return result;
        } finally {
            since = 0;
        }
    }

    /** Returns the subject of an operation on that key. By default this is the whole structure. */
    protected Lateness.Subject subject(long key) {
        return new Lateness.Subject(name(), 0);
    }

    /** Returns true if a result shows that the subject of the operation works. By default it always does. */
    protected boolean shows(Verb verb, long result) {
        return true;
    }

    private void noteIfWorks(Lateness.Subject subject, Verb verb, long result) {
        if (shows(verb, result)) {
            scene.works(subject);
        }
    }

    private void begin(String what) {
        doing = what;
        since = System.nanoTime();
    }

    /**
     * Like {@link #record}, for one of many threads, or in the middle of another operation. That operation says what is
     * under way.
     *
     * @param more is recorded beside the result
     */
    protected final long recordAmongOthers(Structure used, Verb verb, long key, long argument, long second,
            LongSupplier more, Operation operation) throws Exception {
        long slot = scene.recorder.begin(thread, used, verb, key, argument, second);
        boolean withdrawn = scene.hasWithdrawn();
        try {
            long result = operation.run();
            scene.recorder.end(slot, Outcome.DONE, result, more.getAsLong());
            refuseIf(withdrawn, used, verb);
            return result;
        } catch (Throwable failure) {
            scene.recorder.end(slot, hadNoEffect(failure) ? Outcome.REFUSED : Outcome.UNKNOWN, 0, 0);
            judge(used, verb, failure);
            throw failure;
        }
    }

    private static boolean hadNoEffect(Throwable failure) {
        return failure instanceof SegmentFullException || failure instanceof TableFullException
                || failure instanceof Injected;
    }

    /**
     * Reports an operation that succeeds though its process has withdrawn. Searches that no checker judges may need no
     * other process. Releases are allowed, since the lock is not held any more.
     */
    private void refuseIf(boolean withdrawn, Structure used, Verb verb) {
        String what = used + " " + verb + " succeeds though its process has withdrawn";
        if (withdrawn && verb != Verb.OPEN && verb != Verb.RELEASE && reported.add(what)) {
            Scene.report(what, new IllegalStateException("seen by " + name()));
        }
    }

    /** One of the operations of a call. Each takes effect at a moment of its own. */
    protected record Part(Verb verb, long key, long argument, long second) {}

    protected interface Operations {
        /** Returns the results of all operations, or of the first ones if it did not do all. */
        long[] run() throws Exception;
    }

    /** Like {@link #record}, for a call that does several operations. If it fails, it may have done some of them. */
    protected long[] recordAll(List<Part> parts, Operations operations) throws Exception {
        return recordAll(parts, _ -> 0, operations);
    }

    /** @param more is recorded beside the result of that part */
    protected long[] recordAll(List<Part> parts, IntToLongFunction more, Operations operations) throws Exception {
        Verb verb = parts.getFirst().verb;
        long[] slots = new long[parts.size()];
        for (int index = 0; index < slots.length; index++) {
            Part part = parts.get(index);
            slots[index] = scene.recorder.begin(thread, structure, part.verb, part.key, part.argument, part.second);
        }
        boolean withdrawn = scene.hasWithdrawn();
        begin(verb + " of " + slots.length + " from key=" + parts.getFirst().key);
        subjects = parts.stream().map(part -> subject(part.key)).toList();
        try {
            long[] results = operations.run();
            for (int index = 0; index < slots.length; index++) {
                boolean done = index < results.length;
                scene.recorder.end(slots[index], done ? Outcome.DONE : Outcome.REFUSED, done ? results[index] : 0,
                        done ? more.applyAsLong(index) : 0);
            }
            refuseIf(withdrawn, structure, verb);
            for (int index = 0; index < results.length; index++) {
                noteIfWorks(subjects.get(index), verb, results[index]);
            }
            return results;
        } catch (Throwable failure) {
            for (long slot : slots) {
                scene.recorder.end(slot, Outcome.UNKNOWN, 0, 0);
            }
            judge(structure, verb, failure);
            throw failure;
        } finally {
            since = 0;
        }
    }

    /**
     * An operation that may happen in the middle of another. Its outcome is in doubt unless the other one ends well.
     */
    protected final class Beginning {

        private final Verb verb;
        private long slot = -1;

        protected Beginning(Verb verb) {
            this.verb = verb;
        }

        void begin(long key, long argument, long second) {
            slot = scene.recorder.begin(thread, structure, verb, key, argument, second);
        }

        boolean hasBegun() {
            return slot >= 0;
        }

        void end(long result) {
            close(Outcome.DONE, result);
        }

        void endInDoubt() {
            close(Outcome.UNKNOWN, 0);
        }

        private void close(Outcome outcome, long result) {
            if (hasBegun()) {
                scene.recorder.end(slot, outcome, result, 0);
                slot = -1;
            }
        }
    }

    /** Records what was seen in the middle of an operation that began at the given time. */
    protected void noteSince(long called, Verb verb, long key, long result) {
        long slot = scene.recorder.begin(thread, structure, verb, key, 0, 0, called);
        scene.recorder.end(slot, Outcome.DONE, result, 0);
    }

    /** Records a fact that needs no history to be judged. */
    protected void note(Verb verb, long key, long argument, long result) {
        long slot = scene.recorder.begin(thread, structure, verb, key, argument, 0);
        scene.recorder.end(slot, Outcome.DONE, result, 0);
    }

    private void judge(Structure used, Verb verb, Throwable failure) {
        boolean expected = switch (failure) {
            case FencedException fenced -> scene.isWithdrawing();
            case ConfigurationMismatchException mismatch -> false;
            case CodecException codec -> false;
            case AtollException atoll -> true;
            case InterruptedException interruption -> true;
            case Injected injected -> true;
            case IOException io -> scene.setting.errors() && verb == Verb.OPEN;
            case IllegalStateException ended ->
                scene.isLeaving() || ended.getCause() instanceof InterruptedException
                        || scene.isWithdrawing() && used == Structure.WINDOW; // whose views are the JDK's
            case VirtualMachineError error -> scene.setting.errors();
            default -> false;
        };
        String what = used + " " + verb + " fails unexpectedly";
        if (!expected && reported.add(what + failure.getClass())) {
            Scene.report(what, failure);
        }
    }

    /** Thrown by functions of these tests. */
    public static final class Injected extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Reports a fault, once of each kind. */
    protected void find(String what) {
        if (reported.add(what)) {
            Scene.report(structure + " " + what, new IllegalStateException("seen by " + name()));
        }
    }

    // --- values, keys and handles ---

    /** Returns a value of 48 bits that no other operation stores. */
    protected long value() {
        return (scene.setting.process() + 1L) << 40 | (long) thread << 32 | ++values;
    }

    private long generation() {
        return (System.nanoTime() - scene.setting.begin()) / GENERATION_NANOS;
    }

    /** Returns true if all threads use the key in this second. */
    protected boolean isCurrent(long key) {
        return key / KEYS_OF_A_GENERATION == generation();
    }

    /** Returns some of the keys that all threads use in this second, none twice. */
    protected List<Long> currentKeys(int count) {
        long first = generation() * KEYS_OF_A_GENERATION;
        return random.longs(first, first + KEYS_OF_A_GENERATION).limit(count).distinct().boxed().toList();
    }

    /**
     * Returns a key. Most are keys that all threads use in this second. Some are from an earlier second, and some are
     * used by this thread only.
     */
    protected long key() {
        long generation = generation();
        int dice = random.nextInt(20);
        if (dice == 0) {
            return FRESH + value();
        }
        long of = dice == 1 && generation > 0 ? random.nextLong(generation) : generation;
        return of * KEYS_OF_A_GENERATION + random.nextInt(KEYS_OF_A_GENERATION);
    }

    /** Returns one of two numbers. */
    protected int handle() {
        return random.nextInt(2);
    }

    protected static long orAbsent(@Nullable Long value) {
        return value == null ? Entry.ABSENT : value;
    }

    protected static long bit(boolean fact) {
        return fact ? 1 : 0;
    }
}
