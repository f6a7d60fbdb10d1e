package io.atoll.lock;

import io.atoll.fabric.Clock;
import io.atoll.lock.observation.Counter;
import io.atoll.lock.observation.LockRequest;
import io.atoll.lock.observation.LockView;
import io.atoll.lock.request.Claim;
import io.atoll.lock.request.Descriptors;
import io.atoll.lock.request.Keeper;
import io.atoll.lock.request.Locking;
import io.atoll.lock.request.Patience;
import io.atoll.lock.words.LockLine;
import io.atoll.lock.words.TableLayout;
import io.atoll.lock.words.Tail;
import io.atoll.world.Participant;
import java.util.Arrays;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/**
 * What this process knows of a table of locks once the world is whole.
 *
 * @param holds of locks that threads hold, by index
 */
record OpenTable(Participant self, TableLayout layout, long[] blocks, Locking locking, Keeper keeper,
        @Nullable Counter counter, ConcurrentMap<Long, ThreadLock.Hold> holds) implements AutoCloseable {

    /** @param protocol makes what locks are acquired by */
    static OpenTable of(Participant self, TableLayout layout, long[] blocks,
            BiFunction<Descriptors, Keeper, Locking> protocol) {
        long[] requests = Arrays.stream(blocks).map(block -> block + layout.requests()).toArray();
        var keeper = new Keeper("atoll-locks-" + self.rank(), self.endpoint().clock(), true);
        Locking locking = protocol.apply(new Descriptors(self, requests, layout.descriptors()), keeper);
        long block = blocks[self.rank()];
        for (long line = 0; line < layout.lineBytes(); line += LockLine.SIZE) {
            locking.restart(block + line);
        }
        Counter counter = layout.counted()
                ? new Counter(self.endpoint().fabric().local(), block + layout.counts(), self.endpoint().clock())
                : null;
        return new OpenTable(self, layout, blocks, locking, keeper, counter, new ConcurrentHashMap<>());
    }

    @Nullable Acquisition acquire(long index, Patience patience) {
        int owner = layout.owner(index);
        Claim claim = locking.acquire(index, owner, line(owner, index), patience);
        if (claim == null) {
            return null;
        }
        if (counter != null) {
            counter.count(claim);
        }
        return new Acquisition(locking, claim);
    }

    private long line(int owner, long index) {
        return blocks[owner] + layout.line(index);
    }

    boolean forceUnlock(long index) {
        int owner = layout.owner(index);
        Claim claim = locking.held(index, owner, line(owner, index));
        return claim != null && locking.revoke(claim);
    }

    /** Who holds the lock, at whatever rank. Cost: 2R, and if somebody has it or wants it, as {@link LockView#holder}. */
    Optional<LockRequest> holder(long index) {
        int owner = layout.owner(index);
        long line = line(owner, index);
        boolean free = self.endpoint().readWord(owner, line + LockLine.LOCAL_TAIL) == Tail.FREE
                && self.endpoint().readWord(owner, line + LockLine.REMOTE_TAIL) == Tail.FREE;
        return free ? Optional.empty() : view().holder(index);
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
