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
import java.util.HashSet;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/** A thread that uses a structure at random, by two handles of it, and writes down what it does. It goes on whatever fails. */
public abstract class Workload implements Runnable {

    private static final int BURST = 16;
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long GENERATION_NANOS = TimeUnit.SECONDS.toNanos(1);
    private static final int KEYS_OF_A_GENERATION = 24;
    private static final long FRESH = 1L << 40; // keys from here on are used by one thread alone

    protected final Scene scene;
    protected final Structure structure;
    protected final SplittableRandom random;
    private final int thread;
    private final Set<String> reported = new HashSet<>();
    /** What an operation wants to be written down beside its result. */
    protected long extra;
    private long values;
    private volatile long since; // when the operation was called that is under way, or 0
    private volatile String doing = "";
    private @Nullable Thread runner;

    protected Workload(Scene scene, Structure structure, int thread) {
        this.scene = scene;
        this.structure = structure;
        this.thread = thread;
        this.random = new SplittableRandom(scene.setting.seed() * 1_000_003 + scene.setting.process() * 101L + thread);
    }

    /** Opens the structure twice. */
    protected abstract void open() throws Exception;

    /** A few operations. */
    protected abstract void step() throws Exception;

    /** Whether the last step shows that the structure works; true by default. */
    protected boolean hasSucceeded() {
        return true;
    }

    /** Whether it may fail like that though everything works; false by default. */
    protected boolean isPartOfIt(Throwable failure) {
        return false;
    }

    /** Empties the structure when all rest; nothing by default. */
    public void drain() throws Exception {}

    public String name() {
        return structure + "-" + thread;
    }

    /** Starts its thread. */
    public void start() {
        runner = Thread.ofPlatform().name("chaos-" + name()).daemon().start(this);
    }

    /** All rest: who waits for others' calls need not wait for long. Nothing by default. */
    public void hurry() {}

    /** Interrupts its thread, whatever that does. */
    public final void interrupt() {
        if (runner != null) {
            runner.interrupt();
        }
    }

    /** Whether its thread has ended, within the time. */
    public boolean hasEnded(long millis) throws InterruptedException {
        if (runner != null) {
            runner.join(millis);
            return !runner.isAlive();
        }
        return true;
    }

    /** What it has been doing since when, by {@link System#nanoTime}; or nothing. */
    public String underWay() {
        long began = since;
        return began == 0 ? "" : began + " " + name() + "/" + doing;
    }

    @Override
    public void run() {
        boolean opened = false;
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
                scene.failed(name(), interruption);
            } catch (Throwable failure) {
                if (!isPartOfIt(failure)) {
                    scene.failed(name(), failure);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
            if (round % BURST == 0) {
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    protected interface Operation {
        long run() throws Exception;
    }

    /** Does it, and writes it down. What it throws is passed on. */
    protected long record(Verb verb, long key, long argument, long second, Operation operation) throws Exception {
        extra = 0;
        long slot = scene.recorder.begin(thread, structure, verb, key, argument, second);
        doing = verb + " key=" + key;
        since = System.nanoTime();
        try {
            long result = operation.run();
            scene.recorder.end(slot, Outcome.DONE, result, extra);
            return result;
        } catch (Throwable failure) {
            boolean hadNoEffect = failure instanceof SegmentFullException || failure instanceof TableFullException
                    || failure instanceof Injected;
            scene.recorder.end(slot, hadNoEffect ? Outcome.REFUSED : Outcome.UNKNOWN, 0, 0);
            judge(verb, failure);
            throw failure;
        } finally {
            since = 0;
        }
    }

    /** A fact that needs no history to be judged. */
    protected void note(Verb verb, long key, long argument, long result) {
        long slot = scene.recorder.begin(thread, structure, verb, key, argument, 0);
        scene.recorder.end(slot, Outcome.DONE, result, 0);
    }

    private void judge(Verb verb, Throwable failure) {
        boolean expected = switch (failure) {
            case FencedException fenced -> false;
            case ConfigurationMismatchException mismatch -> false;
            case CodecException codec -> false;
            case AtollException atoll -> true;
            case InterruptedException interruption -> true;
            case Injected injected -> true;
            case IOException io -> scene.setting.errors() && verb == Verb.OPEN;
            case IllegalStateException ended -> scene.isLeaving() || ended.getCause() instanceof InterruptedException;
            case VirtualMachineError error -> scene.setting.errors();
            default -> false;
        };
        String what = structure + " " + verb + " fails unexpectedly";
        if (!expected && reported.add(what + failure.getClass())) {
            Scene.report(what, failure);
        }
    }

    /** Thrown by functions of this harness. */
    public static final class Injected extends RuntimeException {
        private static final long serialVersionUID = 1L;
    }

    /** Reports what must not be, once of a kind. */
    protected void find(String what) {
        if (reported.add(what)) {
            Scene.report(structure + " " + what, new IllegalStateException("seen by " + name()));
        }
    }

    // --- what is used ---

    /** A value that nobody else stores, of 48 bits. */
    protected long value() {
        return (scene.setting.process() + 1L) << 40 | (long) thread << 32 | ++values;
    }

    /** A key: most of those that all use in this second, some of an earlier one, some that nobody else uses. */
    protected long key() {
        long generation = (System.nanoTime() - scene.setting.begin()) / GENERATION_NANOS;
        int dice = random.nextInt(20);
        if (dice == 0) {
            return FRESH + value();
        }
        long of = dice == 1 && generation > 0 ? random.nextLong(generation) : generation;
        return of * KEYS_OF_A_GENERATION + random.nextInt(KEYS_OF_A_GENERATION);
    }

    /** One of two. */
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
