package io.atoll.spring.state;

import io.atoll.heap.HeapUsage;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.Standing;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A rank's segment as the answering rank sees it.
 *
 * @param standing where the rank stands
 * @param incarnation the last one met, from 1; 0 if the rank was never met
 * @param refusal why the segment cannot be used although it is there, if so
 * @param bytes what the segment holds
 * @param usage what its heap is used for; absent while it cannot be reached
 * @param blocks of structures, of one that has grown several, in the order of their offsets; none while it cannot be reached
 */
public record SegmentState(int rank, Standing standing, int incarnation, @Nullable String refusal, long bytes,
        @Nullable Usage usage, List<Block> blocks) {

    /**
     * @param totalBytes of the heap
     * @param freeBytes of it that nobody has
     * @param pendingBytes of it that are reserved for a structure in the making
     * @param ownedBytes of it that are in runs, as structures' blocks are
     * @param objectSlabBytes of it that small objects are handed out from
     * @param objectBytes of those that are handed out
     * @param objects how many are
     * @param retiredBytes of those objects that any rank has retired, and that are not freed yet, as far as that was told
     */
    public record Usage(long totalBytes, long freeBytes, long pendingBytes, long ownedBytes, long objectSlabBytes,
            long objectBytes, long objects, long retiredBytes) {

        static Usage of(HeapUsage heap, long retiredBytes) {
            return new Usage(heap.totalBytes(), heap.freeBytes(), heap.pendingBytes(), heap.ownedBytes(),
                    heap.objectSlabBytes(), heap.objectBytes(), heap.objects(), retiredBytes);
        }

        /** Of the heap, what somebody has. */
        public long usedBytes() {
            return totalBytes - freeBytes;
        }
    }

    /**
     * @param structure its name
     * @param offset where it begins
     */
    public record Block(String structure, long offset, long bytes) {

        static List<Block> of(Collection<Placed> structures) {
            return structures.stream()
                    .flatMap(placed -> placed.extents()
                            .stream()
                            .map(extent -> new Block(placed.name(), extent.offset(), extent.bytes())))
                    .sorted(Comparator.comparingLong(Block::offset))
                    .toList();
        }
    }

    static SegmentState of(Peer peer, long bytes, Optional<HeapUsage> heap,
            Optional<SortedMap<String, Placed>> structures,
            long retiredBytes) {
        return new SegmentState(peer.rank(), peer.standing(), peer.incarnation(), peer.refusal(), bytes,
                heap.map(each -> Usage.of(each, retiredBytes)).orElse(null),
                structures.map(placed -> Block.of(placed.values())).orElse(List.of()));
    }
}
