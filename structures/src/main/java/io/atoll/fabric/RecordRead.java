package io.atoll.fabric;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.lang.foreign.MemorySegment;

/** Reads records, each between two loads of its first word: see {@link Batch#readRecords}. */
public final class RecordRead {

    private RecordRead() {}

    /** Returns true if records can be read like this. */
    public static boolean isPossible(long stride, int count) {
        return stride >= Layouts.WORD && stride % Layouts.WORD == 0 && stride < Batch.RECORDS_BYTES && count >= 1
                && count <= Batch.RECORDS && count * arriving(stride) <= Batch.RECORDS_BYTES;
    }

    /** Returns the bytes of a record as it arrives: behind it stands its first word once more. */
    public static long arriving(long stride) {
        return stride + Layouts.WORD;
    }

    /** Loads records, which lie in the memory from {@code offset} on. They arrive from {@code position} on. */
    public static void load(LocalMemory records, long offset, long stride, long count, MemorySegment target,
            long position) {
        for (long record = 0; record < count; record++) {
            load(records, offset + record * stride, stride, target, position + record * arriving(stride));
        }
    }

    private static void load(LocalMemory records, long offset, long stride, MemorySegment target, long position) {
        target.set(JAVA_LONG, position, records.getAcquire(offset)); // before any access that follows
        records.load(offset + Layouts.WORD, target, position + Layouts.WORD, stride - Layouts.WORD); // the same
        target.set(JAVA_LONG, position + stride, records.getAcquire(offset));
    }
}
