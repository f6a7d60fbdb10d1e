package io.atoll.epoch;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * Counts for observers what a {@link LocalEpochManager} has done, and what it has in limbo. No part of the protocol.
 */
final class LocalFigures {

    private final AtomicLongArray objects = new AtomicLongArray(EpochBlock.LISTS);
    private final AtomicLongArray bytes = new AtomicLongArray(EpochBlock.LISTS);
    final LongAdder retired = new LongAdder();
    final LongAdder freed = new LongAdder();
    final LongAdder lost = new LongAdder();
    final LongAdder advances = new LongAdder();
    final LongAdder failedElections = new LongAdder();

    /** Counts a bag before another thread can take it off its list. */
    void comes(LocalBag bag) {
        count(bag, 1);
    }

    void goes(LocalBag bag) {
        count(bag, -1);
    }

    private void count(LocalBag bag, int sign) {
        int list = EpochBlock.list(bag.epoch());
        objects.getAndAdd(list, (long) sign * bag.objects());
        bytes.getAndAdd(list, sign * bag.bytes());
    }

    /** Returns the lists that are not empty. */
    List<EpochSnapshot.Limbo> limbo(long epoch) {
        List<EpochSnapshot.Limbo> limbo = new ArrayList<>();
        for (long sealed = epoch; sealed > epoch - EpochBlock.LISTS && sealed >= 0; sealed--) {
            int list = EpochBlock.list(sealed);
            if (objects.get(list) > 0) {
                limbo.add(new EpochSnapshot.Limbo(sealed, objects.get(list), bytes.get(list), List.of()));
            }
        }
        return List.copyOf(limbo);
    }
}
