package io.atoll.lock;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Clock;
import io.atoll.failure.Beforehand;
import io.atoll.failure.FabricException;
import io.atoll.failure.FencedException;
import io.atoll.failure.SegmentLostException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.StackRoom;
import io.atoll.world.Liveness.LaterSegment;
import io.atoll.world.Participant;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A table of locks that this process has opened, once the world is whole.
 *
 * <p>Parts that ranks have lost are made anew, or found, as soon as this process knows of the loss. The background
 * thread does that, or a thread that wants such a lock before. Locks in all other parts are used meanwhile.
 */
final class OpenLockTable implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OpenLockTable.class);

    private final Participant self;
    private final LockBlocks blocks;
    private final KeyHash hashing;
    private final TableLayout layout;
    private final int rank;
    private final long first; // number of the first own line
    private final int ranks;
    private final long reciprocal; // for a division by the number of ranks
    private final LocalMemory own;
    private final @Nullable LocalFastPath local; // null if the owner goes the same way as all others
    private final Descriptors descriptors;
    private final LockProtocol protocol;
    private final BackgroundTasks background;
    private final Demands demands;
    private final AtomicBoolean meeting = new AtomicBoolean(); // true while a task to meet demands is handed over
    private final @Nullable Counter counter;
    private final ConcurrentMap<Long, ThreadLock.Owner> owners = new ConcurrentHashMap<>();
    private final AtomicBoolean renewing = new AtomicBoolean(); // true while a task to renew parts is handed over

    static {
        // The first acquisition uses these classes, and there may be no memory for them then.
        Beforehand.initialize(WaitLimit.class, Acquisition.class, Descriptor.class, LockLine.class, CountLine.class);
    }

    /** @param making makes the {@link LockProtocol} of the table */
    OpenLockTable(Participant self, LockBlocks blocks, Parts parts,
            BiFunction<Descriptors, BackgroundTasks, LockProtocol> making) {
        this.self = self;
        this.blocks = blocks;
        this.hashing = new KeyHash(self.seed());
        this.layout = blocks.layout();
        this.rank = self.rank();
        this.first = parts.lines(rank) / LockLine.SIZE;
        this.ranks = layout.ranks();
        this.reciprocal = TableLayout.reciprocal(ranks);
        this.background = BackgroundTasks.threaded("atoll-locks-" + self.rank(), self.endpoint().clock());
        background.thread().ifPresent(self.background()::add);
        this.descriptors = new Descriptors(self, parts, layout.descriptors());
        this.protocol = making.apply(descriptors, background);
        this.local = protocol.localFastPath();
        this.own = self.endpoint().fabric().local();
        self.onTick(descriptors.pool()::sweep);
        if (local != null) {
            for (long line = 0; line < layout.lineBytes(); line += LockLine.SIZE) {
                local.restart(parts.lines(rank) + line);
            }
            self.onTick(local::sweep);
        }
        self.onTick(this::renewLater);
        self.onTick(descriptors::show);
        this.demands = new Demands(descriptors, this::find);
        self.onTick(this::meetLater);
        this.counter = layout.counted()
                ? new Counter(parts.lines(rank) + layout.counts(), self.endpoint().clock())
                : null;
    }

    TableLayout layout() {
        return layout;
    }

    Participant self() {
        return self;
    }

    KeyHash hashing() {
        return hashing;
    }

    /** Returns the owners of thread locks, by index of the lock. */
    ConcurrentMap<Long, ThreadLock.Owner> owners() {
        return owners;
    }

    @Nullable Acquisition acquire(long index, WaitLimit limit) {
        StackRoom.require();
        long row = TableLayout.row(index, reciprocal);
        int owner = (int) (index - row * ranks);
        LocalMemory own = this.own;
        Hold hold = owner == rank && local != null
                ? local.acquire(own, index, first + row, limit)
                : acquire(index, owner, row * LockLine.SIZE, limit);
        if (hold == null) {
            return null;
        }
        try {
            if (counter != null) {
                hold.count(counter);
            }
            return new Acquisition(hold);
        } catch (Error broken) {
            hold.mine.abandoned = hold; // there may be no memory to release it now
            throw broken;
        }
    }

    private @Nullable Hold acquire(long index, int owner, long line, WaitLimit limit) {
        int born = descriptors.parts().born(owner);
        try {
            return protocol.acquire(index, owner, line, limit);
        } catch (SegmentLostException lost) {
            renew();
            if (descriptors.parts().born(owner) == born) {
                throw lost;
            }
            return protocol.acquire(index, owner, line, limit);
        }
    }

    boolean forceUnlock(long index) {
        Hold hold = find(index);
        return hold != null && hold.revoke(self.reservations().timeout());
    }

    /** Returns the hold by which a thread of this process has the lock; null if none has it. */
    private @Nullable Hold find(long index) {
        Parts parts = descriptors.parts();
        int owner = layout.owner(index);
        return descriptors.find(Descriptor.lock(parts.born(owner), index), (descriptor, phase) -> local == null
                ? null
                : local.restore(own, index, parts.lines(owner) + layout.line(index), descriptor, phase));
    }

    /** Has the background thread end the holds whose end other ranks demand: the caller may not wait. */
    private void meetLater() {
        if (demands.areAny()) {
            var task = new Meeting(); // made before it is noted: there may be no memory
            if (meeting.compareAndSet(false, true)) {
                background.add(task);
            }
        }
    }

    /** Looks once at all demands. The next tick looks again. */
    private final class Meeting extends BackgroundTasks.Task {

        @Override
        public boolean step() {
            demands.meet();
            meeting.set(false); // not in a finally: after a failure the background thread tries this task again
            return true;
        }

        @Override
        public String toString() {
            return "Meeting[" + blocks.name() + "]";
        }
    }

    LockView view() {
        Parts parts = descriptors.parts();
        return new LockView(parts.endpoint(), layout, local != null, LongStream.range(0, ranks)
                .map(any -> parts.contains((int) any) ? parts.lines((int) any) : 0)
                .toArray());
    }

    Clock clock() {
        return descriptors.clock();
    }

    // --- parts that are lost ---

    /**
     * Has the background thread renew parts if there is anything to be done: the caller may not wait. Called at each
     * tick, until nothing is left to do.
     */
    private void renewLater() {
        if (self.latest() == descriptors.reached() && !descriptors.lost().owes()) {
            return;
        }
        var task = new Renewing(); // made before it is noted: there may be no memory
        if (renewing.compareAndSet(false, true)) {
            background.add(task);
        }
    }

    /** Finds the parts that are missing, and leaves those that were lost, as far as possible now. */
    private final class Renewing extends BackgroundTasks.Task {

        @Override
        public boolean step() {
            try {
                renew();
                descriptors.lost().releaseHolds();
                descriptors.lost().leave();
            } catch (FencedException over) {
                throw over;
            } catch (FabricException notYet) {
                LOG.debug("what is lost cannot be left yet: table={}", blocks.name(), notYet);
            } finally {
                renewing.set(false);
            }
            return true;
        }

        @Override
        public String toString() {
            return "Renewing[" + blocks.name() + "]";
        }
    }

    /** Reaches the present segments of all ranks, as far as this process knows of them. */
    private synchronized void renew() {
        Participant latest = self.latest();
        Parts now = descriptors.parts();
        if (latest != descriptors.reached()) {
            now = now.without(latest.lostSince(descriptors.reached()), latest.endpoint());
            descriptors.reach(latest, now);
        }
        for (int any = 0; any < ranks; any++) {
            if (!now.contains(any)) {
                now = replace(now, latest, any);
                descriptors.reach(latest, now);
            }
        }
        blocks.name(latest.endpoint(), now);
    }

    private Parts replace(Parts parts, Participant latest, int lost) {
        try {
            Parts more = blocks.replace(parts, latest, lost);
            return latest.liveness().laterSegment(lost, more.born(lost)) == LaterSegment.NONE ? more : parts;
        } catch (FabricException notYet) {
            LOG.debug("its part cannot be made anew yet: table={} rank={}", blocks.name(), lost, notYet);
            return parts;
        }
    }

    /** Stops the background thread. Unfinished work stays as it is: this rank leaves its world. */
    @Override
    public void close() {
        background.close();
    }
}
