package io.atoll.fabric.sim;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.util.BitSet;

/** The words of a rank's segment. They outlive the rank. */
final class SimSegment {

    private final long[] words;
    private final BitSet inAtomics = new BitSet();
    private final Changes changes;

    SimSegment(long bytes, Changes changes) {
        this.changes = changes;
        words = new long[Math.toIntExact(bytes / Long.BYTES)];
    }

    long size() {
        return (long) words.length * Long.BYTES;
    }

    long get(long offset) {
        return words[(int) (offset >>> 3)];
    }

    void set(long offset, long value) {
        int index = (int) (offset >>> 3);
        changes.add(this, offset, words[index]);
        words[index] = value;
    }

    /** Returns the words themselves. Accesses to them take no steps: for phases in which only the caller uses them. */
    MemorySegment view(long offset, long bytes) {
        return MemorySegment.ofArray(words).asSlice(offset, bytes);
    }

    void copyTo(long offset, MemorySegment target, long position, long bytes) {
        for (long at = 0; at < bytes; at += Long.BYTES) {
            target.set(JAVA_LONG, position + at, get(offset + at));
        }
    }

    void copyFrom(long offset, MemorySegment source, long position, long bytes) {
        for (long at = 0; at < bytes; at += Long.BYTES) {
            set(offset + at, source.get(JAVA_LONG, position + at));
        }
    }

    /** Returns true if the fabric is between the read and the write of an atomic on that word. */
    boolean isInAtomic(long offset) {
        return inAtomics.get((int) (offset >>> 3));
    }

    void beginAtomic(long offset) {
        inAtomics.set((int) (offset >>> 3));
    }

    void endAtomic(long offset) {
        inAtomics.clear((int) (offset >>> 3));
    }

    void check(long offset, long bytes) {
        if (((offset | bytes) & (Long.BYTES - 1)) != 0) {
            throw new IllegalArgumentException("whole words only: offset=" + offset + " bytes=" + bytes);
        }
        if (offset < 0 || bytes < 0 || offset > size() - bytes) {
            throw new IndexOutOfBoundsException(
                    "outside of the segment: offset=" + offset + " bytes=" + bytes + " size=" + size());
        }
    }
}
