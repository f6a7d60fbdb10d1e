package io.atoll.lock;

import io.atoll.fabric.Clock;
import io.atoll.lock.observation.Counter;
import io.atoll.lock.observation.LockView;
import io.atoll.lock.request.Descriptors;
import io.atoll.lock.request.Keeper;
import io.atoll.lock.request.Locking;
import io.atoll.lock.request.Patience;
import io.atoll.lock.request.Request;
import io.atoll.lock.words.LockLine;
import io.atoll.lock.words.TableLayout;
import io.atoll.world.Participant;
import java.util.Arrays;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.BiFunction;
import org.jspecify.annotations.Nullable;

/** What this process knows of a table of locks once the world is whole. */
record OpenTable(Participant self, TableLayout layout, long[] blocks, Locking locking, Keeper keeper,
        @Nullable Counter counter, AtomicReferenceArray<@Nullable Acquisition> held,
        ConcurrentMap<Long, ThreadLock.Hold> holds)
        implements
            AutoCloseable {

    /** @param protocol makes what the requests are acquired by */
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
                ? new Counter(self.endpoint().fabric().local(), block + layout.counts())
                : null;
        return new OpenTable(self, layout, blocks, locking, keeper, counter,
                new AtomicReferenceArray<>(layout.descriptors()), new ConcurrentHashMap<>());
    }

    @Nullable Acquisition acquire(long index, Patience patience) {
        int owner = layout.owner(index);
        Request request = locking.request(index, owner, blocks[owner] + layout.line(index));
        if (!locking.acquire(request, patience)) {
            return null;
        }
        if (counter != null) {
            counter.count(request, request.hasWaited() ? request.waitedNanos(clock().nanoTime()) : 0);
        }
        var acquired = new Acquisition(locking, request);
        held.setRelease(request.descriptor(), acquired);
        return acquired;
    }

    boolean forceUnlock(long index) {
        for (int descriptor = 0; descriptor < held.length(); descriptor++) {
            Acquisition acquired = held.getAcquire(descriptor);
            if (acquired != null && acquired.index() == index && acquired.revoke()) {
                return true;
            }
        }
        return false;
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
