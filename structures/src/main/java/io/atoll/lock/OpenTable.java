package io.atoll.lock;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Clock;
import io.atoll.failure.Beforehand;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import io.atoll.failure.SegmentLostException;
import io.atoll.lock.observation.Counter;
import io.atoll.lock.observation.LockView;
import io.atoll.lock.queue.OwnLocks;
import io.atoll.lock.queue.QueueLock;
import io.atoll.lock.request.Claim;
import io.atoll.lock.request.Descriptors;
import io.atoll.lock.request.Keeper;
import io.atoll.lock.request.Locking;
import io.atoll.lock.request.Parts;
import io.atoll.lock.request.Patience;
import io.atoll.lock.request.Request;
import io.atoll.lock.words.CountLine;
import io.atoll.lock.words.Descriptor;
import io.atoll.lock.words.LockLine;
import io.atoll.lock.words.TableLayout;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.StackRoom;
import io.atoll.world.Participant;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiFunction;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What this process knows of a table of locks once the world is whole.
 *
 * <p>Parts that ranks have lost are made anew, or found, as soon as this process knows of it: by the keeper, and before by a thread that wants such a lock. All that goes on in the parts that are left goes on
 * meanwhile.
 */
final class OpenTable implements AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(OpenTable.class);

    private final Participant self;
    private final LockBlocks blocks;
    private final KeyHash hashing;
    private final TableLayout layout;
    private final int rank;
    private final int born; // of its own part
    private final long first; // of its own lines, by the number of the line
    private final int ranks;
    private final long reciprocal; // of the ranks
    private final LocalMemory own;
    private final @Nullable OwnLocks owns;
    private final Descriptors descriptors;
    private final Locking locking;
    private final Keeper keeper;
    private final @Nullable Counter counter;
    private final ConcurrentMap<Long, ThreadLock.Hold> holds = new ConcurrentHashMap<>();
    private final AtomicBoolean renewing = new AtomicBoolean(); // the keeper does

    static {
        // What the first acquisition uses, for which there may be no memory.
        Beforehand.initialize(Patience.class, Acquisition.class, Descriptor.class, LockLine.class, CountLine.class);
    }

    /** @param protocol makes what locks are acquired by */
    OpenTable(Participant self, LockBlocks blocks, Parts parts, BiFunction<Descriptors, Keeper, Locking> protocol) {
        this.self = self;
        this.blocks = blocks;
        this.hashing = new KeyHash(self.seed());
        this.layout = blocks.layout();
        this.rank = self.rank();
        this.born = parts.born(rank);
        this.first = parts.lines(rank) / LockLine.SIZE;
        this.ranks = layout.ranks();
        this.reciprocal = TableLayout.reciprocal(ranks);
        this.keeper = Keeper.threaded("atoll-locks-" + self.rank(), self.endpoint().clock());
        keeper.thread().ifPresent(self.background()::add);
        this.descriptors = new Descriptors(self, parts, layout.descriptors());
        this.locking = protocol.apply(descriptors, keeper);
        this.owns = locking instanceof QueueLock queues ? queues.owns() : null;
        this.own = self.endpoint().fabric().local();
        for (long line = 0; line < layout.lineBytes(); line += LockLine.SIZE) {
            locking.restart(line);
        }
        self.whenTicking(locking::sweep);
        self.whenTicking(this::renewLater);
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

    /** Of locks that threads hold, by index. */
    ConcurrentMap<Long, ThreadLock.Hold> holds() {
        return holds;
    }

    @Nullable Acquisition acquire(long index, Patience patience) {
        StackRoom.require();
        long row = TableLayout.row(index, reciprocal);
        int owner = (int) (index - row * ranks);
        LocalMemory own = this.own;
        Claim claim = owner == rank && owns != null
                ? owns.acquire(own, index, first + row, counter, patience)
                : acquire(index, owner, row * LockLine.SIZE, patience);
        if (claim == null) {
            return null;
        }
        try {
            if (claim instanceof Request request && counter != null) {
                counter.count(own, request);
            }
            return new Acquisition(locking, claim, owner == rank ? born : ((Request) claim).born());
        } catch (Error broken) {
            claim.mine.abandoned = claim; // there may be no memory to release it now
            throw broken;
        }
    }

    private @Nullable Claim acquire(long index, int owner, long line, Patience patience) {
        try {
            return locking.acquire(index, owner, line, patience);
        } catch (RankUnreachableException away) {
            if (descriptors.parts().contains(owner) && !(away instanceof SegmentLostException) || !renew()) {
                throw away;
            }
            return locking.acquire(index, owner, line, patience);
        }
    }

    boolean forceUnlock(long index) {
        Claim claim = locking.held(index, layout.owner(index), layout.line(index));
        return claim != null && locking.revoke(claim);
    }

    LockView view() {
        Parts parts = descriptors.parts();
        return new LockView(parts.endpoint(), layout, LongStream.range(0, ranks)
                .map(any -> parts.contains((int) any) ? parts.lines((int) any) : 0)
                .toArray());
    }

    Clock clock() {
        return descriptors.clock();
    }

    // --- parts that are lost ---

    /** Has the keeper do what is to be done, if that is anything: this may not wait. */
    private void renewLater() {
        if (self.latest() != descriptors.reached() && renewing.compareAndSet(false, true)) {
            keeper.add(new Renewing());
        }
    }

    /** Until this process has all parts, and has nothing more to do with those that were lost. */
    private final class Renewing extends Keeper.Task {

        @Override
        public boolean step() {
            renew();
            locking.leaveLost();
            boolean done = descriptors.leaveLost();
            if (done) {
                renewing.set(false); // what is lost from now on is another's, at the next tick
            }
            return done;
        }

        @Override
        public String toString() {
            return "Renewing[" + blocks.name() + "]";
        }
    }

    /** Returns whether this process reaches other parts now than before. */
    private synchronized boolean renew() {
        Participant latest = self.latest();
        Parts before = descriptors.parts();
        Parts now = before;
        if (latest != descriptors.reached()) {
            now = before.without(latest.lostSince(descriptors.reached()), latest.endpoint());
            descriptors.reach(latest, now);
        }
        for (int any = 0; any < ranks; any++) {
            if (!now.contains(any)) {
                now = replace(now, latest, any);
                descriptors.reach(latest, now);
            }
        }
        return IntStream.range(0, ranks).anyMatch(any -> descriptors.parts().born(any) != before.born(any));
    }

    private Parts replace(Parts parts, Participant latest, int lost) {
        try {
            return blocks.replace(parts, latest, lost);
        } catch (FabricException notYet) {
            LOG.debug("its part cannot be made anew yet: table={} rank={}", blocks.name(), lost, notYet);
            return parts;
        }
    }

    /** What has been begun and is not finished by then stays: this rank leaves its world. */
    @Override
    public void close() {
        keeper.close();
    }
}
