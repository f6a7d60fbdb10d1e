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
 * What all workloads of a process share: the world, what they write down, and what is expected of them at the moment.
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
    private final Map<String, Integer> kinds = new TreeMap<>(); // of all failures; guarded by failures
    private final Map<String, Integer> successes = new TreeMap<>(); // guarded by failures

    public Scene(World world, Setting setting, Recorder recorder) {
        this.world = world;
        this.setting = setting;
        this.recorder = recorder;
    }

    /** Nobody begins another operation. */
    public void rest() {
        resting = true;
    }

    boolean isResting() {
        return resting || !recorder.hasRoom();
    }

    /** No more faults: what they have done to others may last a little longer. */
    public void calm() {
        calm = true;
    }

    /** Whether there are faults. */
    public boolean isDisturbed() {
        return !calm && !resting;
    }

    /** The world is closed under the threads that use it: they fail as its Javadoc says. */
    public void leave() {
        leaving = true;
        resting = true;
    }

    boolean isLeaving() {
        return leaving;
    }

    /** From now on operations may fail since this process takes part no more. */
    public void beginToWithdraw() {
        withdrawing = true;
    }

    /** From now on all operations must fail so. */
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
     * From now on every failure counts: no fault is injected any more, and those that were have had their time.
     *
     * @param forGood the ranks that never come back: operations may fail for want of them
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

    /** It works again, if it was late. */
    void works(Lateness.Subject subject) {
        if (watched) {
            late.works(subject);
        }
    }

    /** A key of that workload that was late, and has not worked since. */
    OptionalLong late(String workload) {
        return watched ? late.any(workload) : OptionalLong.empty();
    }

    /** @param subjects what it may be that does not work */
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

    /** A thread learns at its next flush of writes that were lost, however long ago that was. */
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

    /** What has failed at all, and how often, for those who read the logs. */
    public void print() {
        synchronized (failures) {
            kinds.forEach((kind, count) -> IO.println("rank " + setting.rank() + ": " + count + " x " + kind));
        }
    }

    /** What has failed since everything should work. */
    public Map<String, Integer> failures() {
        synchronized (failures) {
            return new TreeMap<>(failures);
        }
    }

    /** What was late since then, and has not worked again. */
    public Map<String, String> late() {
        return late.texts();
    }

    /** How often each workload has succeeded since then. */
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
