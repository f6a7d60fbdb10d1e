package io.atoll.fabric.sim;

import java.util.SplittableRandom;
import java.util.function.LongUnaryOperator;

/**
 * An atomic of the fabric. If it is coherent with the CPU, it is one step. Otherwise it is two steps, a read and a
 * write. Meanwhile no other atomic of the fabric touches the word. If the CPU or a plain write of the fabric writes the
 * word in between, that write is lost (ALock, table 1).
 */
final class Atomic extends Posted {

    private final String verb;
    private final LongUnaryOperator update;
    private final boolean coherent;
    private boolean begun;
    private long found;

    Atomic(String verb, int target, SimSegment segment, long offset, LongUnaryOperator update, boolean coherent) {
        super(target, segment, offset);
        this.verb = verb;
        this.update = update;
        this.coherent = coherent;
    }

    static LongUnaryOperator exchange(long expected, long value) {
        return found -> found == expected ? value : found;
    }

    static LongUnaryOperator add(long delta) {
        return found -> found + delta;
    }

    static LongUnaryOperator or(long bits) {
        return found -> found | bits;
    }

    long found() {
        return found;
    }

    @Override
    boolean advance(SplittableRandom random) {
        if (!begun) {
            begun = true;
            found = segment.get(offset);
            if (!coherent) {
                segment.beginAtomic(offset);
                return false;
            }
        } else {
            segment.endAtomic(offset);
        }
        long updated = update.applyAsLong(found);
        if (updated != found) {
            segment.set(offset, updated);
        }
        return true;
    }

    @Override
    Object lastStep() {
        return new Step(verb, target, offset, found, coherent ? "" : isDone() ? ", writes" : ", reads");
    }

    private record Step(String verb, int target, long offset, long found, String part) {
        @Override
        public String toString() {
            return verb + " " + target + "+" + offset + part + ": found " + found;
        }
    }

    @Override
    boolean isBlocked() {
        return !begun && segment.isInAtomic(offset);
    }

    @Override
    boolean hasBegun() {
        return begun;
    }

    @Override
    boolean isIndivisible() {
        return begun;
    }

    @Override
    Atomic forLater() {
        return new Atomic(verb, target, segment, offset, update, coherent);
    }

    @Override
    public String toString() {
        return verb + " " + target + "+" + offset;
    }
}
