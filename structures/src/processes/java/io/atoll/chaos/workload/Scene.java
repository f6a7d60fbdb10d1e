package io.atoll.chaos.workload;

import io.atoll.World;
import io.atoll.chaos.history.Recorder;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.MissingRanksException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentFullException;
import io.atoll.failure.TableFullException;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeoutException;

/**
 * The state that all workloads of a process share: the world, the recorder, and what is expected of operations at the
 * moment.
 */
public final class Scene {

    final World world;
    public final Setting setting;
    final Recorder recorder;
    private volatile boolean calm;
    private volatile boolean resting;
    private volatile boolean leaving;
    private volatile boolean withdrawing;
    private volatile boolean withdrawn;
    private volatile boolean watched;
    private volatile Set<Integer> gone = Set.of();
    private final Map<String, Integer> failures = new TreeMap<>(); // guarded by itself
    private final Lateness late = new Lateness();
    // The kinds of all failures; guarded by failures.
    private final Map<String, Integer> kinds = new TreeMap<>();
    private final Map<String, Integer> successes = new TreeMap<>(); // guarded by failures

    public Scene(World world, Setting setting, Recorder recorder) {
        this.world = world;
        this.setting = setting;
        this.recorder = recorder;
    }

    /** From now on no operation begins. */
    public void rest() {
        resting = true;
    }

    boolean isResting() {
        return resting || !recorder.hasRoom();
    }

    /** There are no more faults. Their effects on other threads may last a little longer. */
    public void calm() {
        calm = true;
    }

    /** Returns true if there are faults. */
    public boolean isDisturbed() {
        return !calm && !resting;
    }

    /** Closes the world while threads use it. They fail as its Javadoc says. */
    public void leave() {
        leaving = true;
        resting = true;
    }

    boolean isLeaving() {
        return leaving;
    }

    /** From now on operations may fail because this process no longer takes part. */
    public void beginToWithdraw() {
        withdrawing = true;
    }

    /** From now on all operations must fail because this process no longer takes part. */
    public void withdraw() {
        withdrawn = true;
    }

    boolean isWithdrawing() {
        return withdrawing;
    }

    boolean hasWithdrawn() {
        return withdrawn;
    }

    /**
     * From now on every failure counts. No fault is injected any more, and the past ones had their time.
     *
     * @param forGood the ranks that never come back; operations may fail for want of them
     */
    public void watch(Set<Integer> forGood) {
        gone = forGood;
        watched = true;
    }

    boolean isGone(int rank) {
        return gone.contains(rank);
    }

    void succeeded(String workload) {
        if (watched) {
            synchronized (failures) {
                successes.merge(workload, 1, Integer::sum);
            }
        }
    }

    /** Notes that a subject works again, if it was late. */
    void works(Lateness.Subject subject) {
        if (watched) {
            late.works(subject);
        }
    }

    /** Returns a key of that workload that was late and has not worked since. */
    OptionalLong late(String workload) {
        return watched ? late.any(workload) : OptionalLong.empty();
    }

    /** @param subjects the candidates for what does not work */
    void failed(String workload, List<Lateness.Subject> subjects, Throwable failure) {
        String kind = workload + ": " + failure.toString().replaceAll("\\d+", "#");
        synchronized (failures) {
            kinds.merge(kind, 1, Integer::sum);
        }
        if (watched && !isExcused(failure)) {
            if (failure instanceof TimeoutException || failure instanceof FabricTimeoutException
                    || tellsOfBefore(failure)) {
                late.add(subjects, failure);
            } else {
                synchronized (failures) {
                    failures.merge(workload + ": " + failure, 1, Integer::sum);
                }
            }
        }
    }

    /** A thread learns of lost writes at its next flush, however long ago they were. */
    private static boolean tellsOfBefore(Throwable failure) {
        return failure instanceof RankUnreachableException
                && String.valueOf(failure.getMessage()).startsWith("earlier write");
    }

    private boolean isExcused(Throwable failure) {
        return switch (failure) {
            case InterruptedException interruption -> true;
            case IllegalStateException interrupted when interrupted.getCause() instanceof InterruptedException -> true;
            case SegmentFullException full -> true;
            case TableFullException full -> true;
            case RankUnreachableException unreachable -> gone.contains(unreachable.rank());
            case MissingRanksException missing -> gone.containsAll(missing.missingRanks());
            default -> false;
        };
    }

    /** Prints all failures and their numbers, for readers of the logs. */
    public void print() {
        synchronized (failures) {
            kinds.forEach((kind, count) -> IO.println("rank " + setting.rank() + ": " + count + " x " + kind));
        }
    }

    /** Returns the failures since everything should work. */
    public Map<String, Integer> failures() {
        synchronized (failures) {
            return new TreeMap<>(failures);
        }
    }

    /** Returns what was late since then and has not worked again. */
    public Map<String, String> late() {
        return late.texts();
    }

    /** Returns how often each workload has succeeded since then. */
    public Map<String, Integer> successes() {
        synchronized (failures) {
            return new TreeMap<>(successes);
        }
    }

    static void report(String finding, Throwable failure) {
        StringBuilder text = new StringBuilder("finding: " + finding + ": " + failure);
        for (StackTraceElement frame : failure.getStackTrace()) {
            if (text.length() < 3000) {
                text.append(" | ").append(frame);
            }
        }
        if (failure.getCause() != null) {
            text.append(" | caused by ").append(failure.getCause());
        }
        IO.println(text.toString().replace('\n', ' '));
    }
}
