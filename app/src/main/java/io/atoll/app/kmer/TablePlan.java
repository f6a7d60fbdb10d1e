package io.atoll.app.kmer;

import com.sun.management.OperatingSystemMXBean;
import io.atoll.app.job.JobException;
import io.atoll.filter.FilterSize;
import io.atoll.map.LongLongMap;
import java.io.IOException;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * How large the structures of a job are made.
 *
 * @param keys of the map, over all ranks
 * @param filterElements of the filter before it, or 0 for no filter
 * @param segmentBytes of each rank
 */
record TablePlan(int ranks, long keys, long filterElements, long segmentBytes) implements Serializable {

    static final double FALSE_POSITIVE_RATE = 0.01;

    /** What a segment holds besides the structures, and what is lost where memory is handed out in slabs. */
    private static final long ADMINISTRATION_BYTES = 1 << 20;
    private static final int ADMINISTRATION_PART = 100;

    private static final long MEGABYTE = 1 << 20;

    /** Of a map that has room for so many k-mers. */
    static TablePlan ofMap(int ranks, long distinct) {
        long keys = Math.max(1, distinct);
        return new TablePlan(ranks, keys, 0, withAdministration(LongLongMap.bytesPerRank(ranks, keys)));
    }

    /**
     * Of a filter that has room for so many k-mers, and a map for those of them that occur more than once, and those that the
     * filter lets through by mistake.
     */
    static TablePlan ofFilterAndMap(int ranks, long distinct, long repeated) {
        long elements = Math.max(1, distinct);
        long mistakes = (long) (2 * FALSE_POSITIVE_RATE * elements) + 100;
        long keys = Math.min(elements, repeated + mistakes);
        long filterBytes = FilterSize.of(elements, FALSE_POSITIVE_RATE).bytesPerRank(ranks);
        return new TablePlan(ranks, keys, elements,
                withAdministration(filterBytes + LongLongMap.bytesPerRank(ranks, keys)));
    }

    private static long withAdministration(long bytes) {
        return bytes + bytes / ADMINISTRATION_PART + ADMINISTRATION_BYTES;
    }

    boolean filtered() {
        return filterElements > 0;
    }

    /** The same structures in segments of another size. */
    TablePlan withSegment(long bytes) {
        return new TablePlan(ranks, keys, filterElements, bytes);
    }

    /**
     * Looks whether the segments of all ranks will fit, before any is made.
     *
     * @param folder where they will lie; a rank that is alone has its segment to itself
     * @throws JobException if they will not
     */
    void requireRoom(Path folder) {
        long available = ranks == 1 ? machineBytes() : usableBytes(folder);
        if (segmentBytes > available / ranks) {
            throw new JobException("too little memory for " + Math.max(keys, filterElements)
                    + " different k-mers; try --bloom, a smaller --distinct or a larger --shared-memory: neededMegabytes="
                    + Math.ceilDiv(segmentBytes, MEGABYTE) * ranks + " availableMegabytes=" + available / MEGABYTE
                    + " sharedMemory=" + folder);
        }
    }

    private static long machineBytes() {
        return ManagementFactory.getPlatformMXBean(OperatingSystemMXBean.class).getTotalMemorySize();
    }

    private static long usableBytes(Path folder) {
        try {
            return Files.getFileStore(folder).getUsableSpace();
        } catch (IOException failure) {
            throw new JobException("--shared-memory cannot be used: " + failure, failure);
        }
    }
}
