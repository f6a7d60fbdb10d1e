package io.atoll.chaos.workload;

import io.atoll.chaos.history.Entry;
import io.atoll.chaos.history.Structure;
import io.atoll.chaos.history.Verb;
import io.atoll.lock.Acquisition;
import io.atoll.lock.Acquisitions;
import io.atoll.lock.LockAlgorithm;
import io.atoll.lock.LockTable;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;
import org.jspecify.annotations.Nullable;

/** A few locks of a {@link LockTable}, each held for an instant. */
final class LockWorkload extends Workload {

    private static final int LOCKS = 6;
    private static final Duration PATIENCE = Duration.ofMillis(2500);
    private static final long LONGEST_HOLD_NANOS = TimeUnit.MICROSECONDS.toNanos(300);
    // The time of one hold in 16, so that most processes that are killed hold a lock.
    private static final long LONG_HOLD_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private List<LockTable> tables = List.of();

    /** @param structure named like the algorithm */
    LockWorkload(Scene scene, Structure structure, int thread) {
        super(scene, structure, thread);
    }

    @Override
    protected void open() {
        tables = List.of(table(), table());
    }

    private LockTable table() {
        return scene.world.lockTable("locks-" + structure)
                .locks(LOCKS)
                .algorithm(LockAlgorithm.valueOf(structure.name()))
                .open();
    }

    @Override
    protected void step() throws Exception {
        if (random.nextInt(16) == 0) {
            several(tables.get(handle()));
        } else {
            one(tables.get(handle()));
        }
    }

    @Override
    protected Lateness.Subject subject(long index) {
        return new Lateness.Subject(name(), index);
    }

    @Override
    protected boolean shows(Verb verb, long result) {
        return verb == Verb.ACQUIRE && result != Entry.ABSENT;
    }

    private void several(LockTable table) throws Exception {
        long[] indices = random.longs(0, LOCKS).distinct().limit(2).sorted().toArray();
        List<Acquisition> held = new ArrayList<>();
        var acquired = new Acquisitions[1];
        try {
            recordAll(LongStream.of(indices).mapToObj(index -> new Part(Verb.ACQUIRE, index, 1, 0)).toList(),
                    part -> bit(held.get(part).recovered()), () -> {
                        acquired[0] = table.lockAllAt(indices);
                        held.addAll(acquired[0].held());
                        return held.stream().mapToLong(Acquisition::fencingToken).toArray();
                    });
            for (Acquisition each : held) {
                release(each);
            }
        } finally {
            if (acquired[0] != null) {
                // There may have been no memory for the record.
                acquired[0].close();
            }
        }
    }

    private void release(Acquisition held) throws Exception {
        record(Verb.RELEASE, held.index(), held.fencingToken(), 0, () -> {
            held.close();
            return 0;
        });
    }

    private void one(LockTable table) throws Exception {
        long index = random.nextInt(LOCKS);
        var acquired = new Acquisition[1];
        int way = random.nextInt(5);
        boolean waits = way > 0;
        try {
            record(Verb.ACQUIRE, index, bit(waits), 0, () -> {
                acquired[0] = acquire(table, index, way);
                extra = bit(acquired[0] != null && acquired[0].recovered());
                return acquired[0] == null ? Entry.ABSENT : acquired[0].fencingToken();
            });
            Acquisition held = acquired[0];
            if (held != null) {
                LockSupport.parkNanos(
                        random.nextInt(16) == 0 ? LONG_HOLD_NANOS : random.nextLong(LONGEST_HOLD_NANOS));
                release(held);
            } else if (waits && !scene.isGone(table.owner(index))) {
                // Other threads hold a lock for an instant only.
                scene.failed(name(), List.of(subject(index)),
                        new TimeoutException("lock " + index + " is not granted, owner=" + table.owner(index)));
            }
        } finally {
            if (acquired[0] != null) {
                // There may have been no memory for the record.
                acquired[0].close();
            }
        }
    }

    private static @Nullable Acquisition acquire(LockTable table, long index, int way) throws InterruptedException {
        return switch (way) {
            case 0 -> table.tryLockAt(index);
            case 1 -> table.lockAt(index);
            case 2 -> table.lockUninterruptiblyAt(index);
            default -> table.tryLockAt(index, PATIENCE);
        };
    }
}
