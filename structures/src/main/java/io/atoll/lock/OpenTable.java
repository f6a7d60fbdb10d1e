package io.atoll.lock;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Clock;
import io.atoll.failure.Beforehand;
import io.atoll.lock.observation.Counter;
import io.atoll.lock.observation.LockView;
import io.atoll.lock.queue.OwnLocks;
import io.atoll.lock.queue.QueueLock;
import io.atoll.lock.request.Claim;
import io.atoll.lock.request.Descriptors;
import io.atoll.lock.request.Keeper;
import io.atoll.lock.request.Locking;
import io.atoll.lock.request.Patience;
import io.atoll.lock.request.Request;
import io.atoll.lock.words.CountLine;
import io.atoll.lock.words.Descriptor;
import io.atoll.lock.words.LockLine;
import io.atoll.lock.words.TableLayout;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.StackRoom;
import io.atoll.world.Participant;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** What this process knows of a table of locks once the world is whole. */
final class OpenTable implements AutoCloseable {

    private final Participant self;
    private final KeyHash hashing;
    private final TableLayout layout;
    private final long[] blocks;
    private final int rank;
    private final long first; // of its own lines, by the number of the line
    private final int ranks;
    private final long reciprocal; // of the ranks
    private final LocalMemory own;
    private final @Nullable OwnLocks owns;
    private final Locking locking;
    private final Keeper keeper;
    private final @Nullable Counter counter;
    private final ConcurrentMap<Long, ThreadLock.Hold> holds = new ConcurrentHashMap<>();

    static {
        // What the first acquisition uses, for which there may be no memory.
        Beforehand.initialize(Patience.class, Acquisition.class, Descriptor.class, LockLine.class, CountLine.class);
    }

    /** @param protocol makes what locks are acquired by */
    OpenTable(Participant self, TableLayout layout, long[] blocks, BiFunction<Descriptors, Keeper, Locking> protocol) {
        this.self = self;
        this.hashing = new KeyHash(self.seed());
        this.layout = layout;
        this.blocks = blocks;
        this.rank = self.rank();
        this.first = blocks[rank] / LockLine.SIZE;
        this.ranks = layout.ranks();
        this.reciprocal = TableLayout.reciprocal(ranks);
        this.keeper = Keeper.threaded("atoll-locks-" + self.rank(), self.endpoint().clock());
        keeper.thread().ifPresent(self.background()::add);
        long[] requests = Arrays.stream(blocks).map(block -> block + layout.requests()).toArray();
        this.locking = protocol.apply(new Descriptors(self, requests, layout.descriptors()), keeper);
        this.owns = locking instanceof QueueLock queues ? queues.owns() : null;
        this.own = self.endpoint().fabric().local();
        long block = blocks[self.rank()];
        for (long line = 0; line < layout.lineBytes(); line += LockLine.SIZE) {
            locking.restart(block + line);
        }
        self.whenTicking(locking::sweep);
        this.counter = layout.counted()
                ? new Counter(block + layout.counts(), self.endpoint().clock())
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
                : locking.acquire(index, owner, blocks[owner] + row * LockLine.SIZE, patience);
        if (claim == null) {
            return null;
        }
        try {
            if (claim instanceof Request request && counter != null) {
                counter.count(own, request);
            }
            return new Acquisition(locking, claim);
        } catch (Error broken) {
            claim.mine.abandoned = claim; // there may be no memory to release it now
            throw broken;
        }
    }

    boolean forceUnlock(long index) {
        int owner = layout.owner(index);
        Claim claim = locking.held(index, owner, blocks[owner] + layout.line(index));
        return claim != null && locking.revoke(claim);
    }

    LockView view() {
        return new LockView(self.endpoint(), layout, blocks);
    }

    Clock clock() {
        return self.endpoint().clock();
    }

    /** What has been begun and is not finished by then stays: this rank leaves its world. */
    @Override
    public void close() {
        keeper.close();
    }
}
