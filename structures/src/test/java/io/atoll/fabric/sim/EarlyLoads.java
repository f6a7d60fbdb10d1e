package io.atoll.fabric.sim;

import java.util.HashMap;
import java.util.Map;
import java.util.SplittableRandom;

/**
 * Loads of one thread that take effect before their place in the program. Any load may, back to the last one that was
 * an acquire. So two plain loads take effect in any order, and only a fence keeps a load from going past those before
 * it.
 */
final class EarlyLoads {

    private static final double EARLY = 0.3;

    private final SimThread thread;
    private final SplittableRandom random;
    private final Changes changes;
    // For each word, the moment of the last load: no later load of the word takes effect earlier.
    private final Map<Word, Long> seen = new HashMap<>();
    private long acquired; // no load takes effect before that moment

    private record Word(SimSegment segment, long offset) {}

    EarlyLoads(SimThread thread, SplittableRandom random, Changes changes) {
        this.thread = thread;
        this.random = random;
        this.changes = changes;
    }

    /** Lets no later load take effect before now. */
    void acquire() {
        acquired = changes.now();
        seen.clear();
    }

    long load(SimSegment segment, long offset, boolean acquires) {
        Word word = new Word(segment, offset);
        long earliest = Math.max(acquired, seen.getOrDefault(word, 0L));
        long moment = changes.now();
        long value = segment.get(offset);
        if (random.nextDouble() < EARLY) {
            long change = changes.lastOf(segment, offset, moment, earliest);
            // A thread sees its own stores, however early it loads.
            while (change >= 0 && !changes.isBy(thread, change) && random.nextBoolean()) {
                moment = change;
                value = changes.before(change);
                change = changes.lastOf(segment, offset, moment, earliest);
            }
        }
        seen.put(word, moment);
        if (acquires) {
            acquired = Math.max(acquired, moment);
        }
        return value;
    }
}
