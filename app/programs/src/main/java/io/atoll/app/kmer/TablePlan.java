package io.atoll.app.kmer;

import com.sun.management.OperatingSystemMXBean;
import io.atoll.app.command.CommandException;
import io.atoll.filter.FilterSize;
import io.atoll.map.LongLongMap;
import java.io.IOException;
import java.io.Serializable;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The sizes of a job's structures.
 *
 * @param keys of the map, over all ranks
 * @param filterElements of the filter before it, or 0 for no filter
 * @param segmentBytes of each rank
 */
record TablePlan(int ranks, long keys, long filterElements, long segmentBytes) implements Serializable {

    static final double FALSE_POSITIVE_RATE = 0.01;

    /** The part of a segment that other data takes, together with the loss where memory is handed out in slabs. */
    private static final long ADMINISTRATION_BYTES = 1 << 20;
    private static final int ADMINISTRATION_PART = 100;

    private static final long MEGABYTE = 1 << 20;

    /** Plans a map with room for the given number of k-mers. */
    static TablePlan ofMap(int ranks, long distinct) {
        long keys = Math.max(1, distinct);
        return new TablePlan(ranks, keys, 0, withAdministration(LongLongMap.bytesPerRank(ranks, keys)));
    }

    /**
     * Plans a filter with room for the given number of k-mers, and a map. The map has room for the k-mers that occur
     * more than once. It also has room for those that the filter lets through by mistake.
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

    /** Returns a plan of the same structures in segments of another size. */
    TablePlan withSegment(long bytes) {
        return new TablePlan(ranks, keys, filterElements, bytes);
    }

    /**
     * Checks that the segments of all ranks will fit, before any of them is made.
     *
     * @param folder where they will lie; a rank that is alone has its segment to itself
     * @throws CommandException if they will not fit
     */
    void requireRoom(Path folder) {
        long available = ranks == 1 ? machineBytes() : usableBytes(folder);
        if (segmentBytes > available / ranks) {
            throw new CommandException("there is not enough memory for " + Math.max(keys, filterElements)
                    + " different k-mers, use --bloom, a smaller --distinct or a larger --shared-memory: "
                    + "neededMegabytes="
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
            throw new CommandException("cannot use the folder of --shared-memory: " + failure, failure);
        }
    }
}
