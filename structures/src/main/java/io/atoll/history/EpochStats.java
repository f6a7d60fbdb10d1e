package io.atoll.history;

import io.atoll.epoch.Announcement;
import io.atoll.epoch.EpochBlock;
import io.atoll.memory.LocalMemory;
import java.util.concurrent.TimeUnit;

/**
 * The figures of this rank's part of the world's epochs. Reading them loads the own memory, and takes no verb and no
 * allocation.
 */
final class EpochStats {

    private final long block;
    private final int tokens;
    private final long[] announcements; // of each token, at the last look
    private final long[] sinceNanos; // when that announcement was seen first

    /** @param block the offset of the block in the own segment */
    EpochStats(long block, int tokens) {
        this.block = block;
        this.tokens = tokens;
        this.announcements = new long[tokens];
        this.sinceNanos = new long[tokens];
    }

    private long word(LocalMemory own, long offset) {
        return own.getAcquire(block + offset);
    }

    /** Returns the number of objects that no process will free, since a process has died over them. */
    long lost(LocalMemory own) {
        return word(own, EpochBlock.LOST);
    }

    /** @param nowNanos as {@link System#nanoTime} */
    void read(LocalMemory own, long nowNanos, long[] values) {
        long retired = word(own, EpochBlock.RETIRED);
        long freed = word(own, EpochBlock.FREED);
        values[Series.RETIRED_OBJECTS.ordinal()] = retired;
        values[Series.FREED_OBJECTS.ordinal()] = freed;
        values[Series.LIMBO_OBJECTS.ordinal()] = Math.max(0, retired - freed - lost(own));
        values[Series.LIMBO_BYTES.ordinal()] = Math.max(0,
                word(own, EpochBlock.RETIRED_BYTES) - word(own, EpochBlock.FREED_BYTES));
        values[Series.EPOCH.ordinal()] = word(own, EpochBlock.CACHED_EPOCH);
        values[Series.OLDEST_PIN_MILLIS.ordinal()] = TimeUnit.NANOSECONDS.toMillis(oldestPinNanos(own, nowNanos));
    }

    private long oldestPinNanos(LocalMemory own, long nowNanos) {
        int used = Math.clamp(word(own, EpochBlock.TOKENS), 0, tokens);
        long oldest = 0;
        for (int token = 0; token < used; token++) {
            long announcement = word(own, EpochBlock.token(token) + EpochBlock.ANNOUNCEMENT);
            if (announcement != announcements[token]) {
                announcements[token] = announcement;
                sinceNanos[token] = nowNanos;
            }
            if (Announcement.isPinned(announcement)) {
                oldest = Math.max(oldest, nowNanos - sinceNanos[token]);
            }
        }
        return oldest;
    }
}
