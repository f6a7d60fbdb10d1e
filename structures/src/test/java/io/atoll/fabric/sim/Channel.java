package io.atoll.fabric.sim;

import io.atoll.failure.RankUnreachableException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The verbs that a thread has sent to a rank and that have not arrived. They arrive in order, each step of them at any
 * time.
 */
final class Channel implements Agent, Awaitable {

    private static final int NO_RANK = -1;

    private final Scheduler scheduler;
    private final SimThread owner;
    private final String name;
    private final int target;
    private final List<Posted> queue = new ArrayList<>();
    private long stalledUntilNanos;
    private @Nullable RuntimeException loss;
    private @Nullable RuntimeException broken;

    /** Makes a channel to a rank, by a connection that can break. */
    Channel(Scheduler scheduler, SimThread owner, String name, int target) {
        this.scheduler = scheduler;
        this.owner = owner;
        this.name = name;
        this.target = target;
    }

    /** Makes a channel to this rank's own memory. */
    Channel(Scheduler scheduler, SimThread owner, String name) {
        this(scheduler, owner, name, NO_RANK);
    }

    void post(Posted verb) {
        if (queue.isEmpty()) {
            scheduler.add(this);
        }
        queue.add(verb);
    }

    int length() {
        return queue.size();
    }

    /** Returns the verb that was posted last; null if none is under way. */
    @Nullable Posted last() {
        return queue.isEmpty() ? null : queue.getLast();
    }

    /** Returns the last write under way that covers the word; null if there is none. */
    @Nullable Transfer lastWriteOf(SimSegment segment, long offset) {
        for (int i = queue.size() - 1; i >= 0; i--) {
            if (queue.get(i) instanceof Transfer write && write.isWrite() && write.covers(segment, offset)) {
                return write;
            }
        }
        return null;
    }

    /** Returns true if everything has arrived. */
    @Override
    public boolean isDone() {
        return queue.isEmpty();
    }

    @Override
    public long readyNanos() {
        return queue.isEmpty() || queue.getFirst().isBlocked() ? NEVER : stalledUntilNanos;
    }

    @Override
    public @Nullable SimThread step() {
        if (target != NO_RANK && scheduler.fate().breaks()) {
            sever();
            return owner.resumed();
        }
        int index = queue.size() == 1 ? 0 : scheduler.fate().random().nextInt(queue.size());
        while (!mayGoFirst(index)) {
            index--;
        }
        Posted verb = queue.get(index);
        verb.step(scheduler.fate().random());
        scheduler.trace().add(scheduler.steps(), owner, verb.lastStep());
        if (!verb.isDone()) {
            return null;
        }
        queue.remove(index);
        removeIfEmpty();
        return owner.resumed();
    }

    private boolean mayGoFirst(int index) {
        return mayOvertake(queue.get(index), index);
    }

    boolean mayAllBeOvertakenBy(Posted verb) {
        return mayOvertake(verb, queue.size());
    }

    private boolean mayOvertake(Posted verb, int count) {
        for (int i = 0; i < count; i++) {
            if (!queue.get(i).mayBeOvertakenBy(verb)) {
                return false;
            }
        }
        return true;
    }

    private void removeIfEmpty() {
        if (queue.isEmpty()) {
            scheduler.remove(this);
        }
    }

    /** Lets everything arrive at once. */
    void drain() {
        queue.forEach(verb -> verb.runToEnd(scheduler.fate().random()));
        clear();
    }

    /** Throws, once, the failure that has kept earlier verbs from arriving, to the thread that posted them. */
    void throwLoss() {
        throwBreak();
        throwOthersLoss();
    }

    /** As {@link #throwLoss}, to another thread that flushes. The next verb of this thread throws it nevertheless. */
    void throwOthersLoss() {
        RuntimeException thrown = loss;
        loss = null;
        if (thrown != null) {
            throw thrown;
        }
    }

    /** Throws, once, if writes were lost with a connection that was replaced, or with the rank. */
    void throwBreak() {
        RuntimeException thrown = broken;
        broken = null;
        if (thrown != null) {
            throw thrown;
        }
    }

    /** Lets nothing more arrive, except the rest of an atomic that the other side has begun. */
    void cut(RuntimeException cause) {
        for (Posted verb : queue) {
            if (verb.isIndivisible()) {
                verb.runToEnd(scheduler.fate().random());
            } else {
                verb.fail(cause);
                loss = cause;
                broken = isUnawaited(verb) ? cause : broken;
            }
        }
        clear();
    }

    /**
     * Breaks the connection, so that nothing is answered: some of the verbs under way arrive, in order. If the network
     * is cut, some of these are late.
     */
    private void sever() {
        scheduler.trace().add(scheduler.steps(), owner, "loses its connection to rank " + target);
        var cause = new RankUnreachableException("the connection broke", "post", target, 0);
        int arriving = scheduler.fate().random().nextInt(queue.size() + 1);
        boolean isCut = owner.rank().simulation().options().cuts;
        int atOnce = isCut ? scheduler.fate().random().nextInt(arriving + 1) : arriving;
        var late = new LateArrivals(scheduler, owner);
        for (Posted verb : queue) {
            if (verb.isBlocked()) {
                atOnce = 0;
                arriving = isCut ? arriving : 0;
            }
            if (arriving > 0 && atOnce <= 0 && !verb.hasBegun()) {
                late.add(verb.forLater());
            } else if (arriving > 0 || verb.isIndivisible()) {
                verb.runToEnd(scheduler.fate().random());
            }
            arriving--;
            atOnce--;
            verb.fail(cause);
            if (isUnawaited(verb)) {
                broken = cause;
                // Another object: a thread that hears of both may add one to the other.
                loss = new RankUnreachableException("the connection broke", "flush", target, 0);
            }
        }
        clear();
        if (isCut) {
            owner.rank().isCutFrom(target, late);
        }
    }

    /** Returns true for a write. A thread that waits for another verb hears of its failure by that verb. */
    private static boolean isUnawaited(Posted verb) {
        return verb instanceof Transfer write && write.isWrite();
    }

    /** Forgets the break: the thread has been told that the rank is not there, which tells of the lost writes, too. */
    void forgetBreak() {
        broken = null;
    }

    private void clear() {
        queue.clear();
        scheduler.remove(this);
    }

    @Override
    public SimThread thread() {
        return owner;
    }

    @Override
    public void stall(long untilNanos) {
        stalledUntilNanos = untilNanos;
    }

    @Override
    public String toString() {
        return name + queue;
    }
}
