package io.atoll.world;

import io.atoll.memory.Layouts;
import io.atoll.memory.SegmentHeader;

/**
 * Where the parts of a segment lie, the same in every segment of a world.
 * <pre>
 *       0          barrier       directory      history     heap                       size
 *       +----------+-------------+--------------+-----------+--------------//----------+
 *       |  header  |   barrier   |  directory   |  a word   |  blocks and objects      |
 *       +----------+-------------+--------------+-----------+--------------//----------+
 * </pre>
 * The word of the history has a cache line of its own, and only the owner writes it. It is the offset of the block in
 * which the owner keeps its history, or 0.
 */
record SegmentLayout(long barrier, long directory, long history, long heap, long size) {

    /** The smallest heap: with less, a segment would hold nothing but its own administration. */
    private static final long MINIMUM_HEAP_BYTES = 64 << 10;

    /** @param maxSize ranks that may ever be in the world */
    static SegmentLayout of(int maxSize, long segmentBytes) {
        long barrier = SegmentHeader.size(maxSize);
        long directory = barrier + Barrier.areaBytes(maxSize);
        long history = Layouts.roundUp(directory + Directory.AREA_BYTES, Layouts.CACHE_LINE);
        long heap = history + Layouts.CACHE_LINE;
        long minimum = heap + MINIMUM_HEAP_BYTES;
        if (segmentBytes < minimum) {
            throw new IllegalArgumentException(
                    "a segment of this world needs more: segmentBytes=" + segmentBytes + " minimumBytes=" + minimum);
        }
        return new SegmentLayout(barrier, directory, history, heap, segmentBytes);
    }
}
