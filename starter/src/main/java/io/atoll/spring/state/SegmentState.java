package io.atoll.spring.state;

import io.atoll.heap.HeapUsage;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;

/**
 * A rank's segment as the answering rank sees it.
 *
 * @param standing the standing of the rank in the world
 * @param incarnation the last incarnation that was met, from 1; 0 if the rank was never met
 * @param refusal why the segment cannot be used although it is present; null if it can be used
 * @param bytes the size of the segment
 * @param usage the use of its heap; absent while the heap cannot be reached
 * @param blocks the blocks of structures, in the order of their offsets. A structure that has grown has several. Empty
 * while the segment cannot be reached
 */
public record SegmentState(int rank, PeerStatus standing, int incarnation, @Nullable String refusal, long bytes,
        @Nullable Usage usage, List<Block> blocks) {

    /**
     * @param totalBytes the size of the heap
     * @param freeBytes the bytes that are free
     * @param pendingBytes the bytes that are reserved for structures in the making
     * @param ownedBytes the bytes in runs, such as structures' blocks
     * @param objectSlabBytes the bytes of slabs that small objects are allocated from
     * @param objectBytes the bytes of allocated small objects
     * @param objects the number of allocated small objects
     * @param retiredBytes the bytes of objects that any rank has retired and none has freed yet, as far as they are
     * known
     */
    public record Usage(long totalBytes, long freeBytes, long pendingBytes, long ownedBytes, long objectSlabBytes,
            long objectBytes, long objects, long retiredBytes) {

        static Usage of(HeapUsage heap, long retiredBytes) {
            return new Usage(heap.totalBytes(), heap.freeBytes(), heap.pendingBytes(), heap.ownedBytes(),
                    heap.objectSlabBytes(), heap.objectBytes(), heap.objects(), retiredBytes);
        }

        /** Returns the bytes of the heap that are in use. */
        public long usedBytes() {
            return totalBytes - freeBytes;
        }
    }

    /**
     * @param structure the name of the structure
     * @param offset where the block begins
     */
    public record Block(String structure, long offset, long bytes) {

        static List<Block> of(Collection<PlacedStructure> structures) {
            return structures.stream()
                    .flatMap(placed -> placed.extents()
                            .stream()
                            .map(extent -> new Block(placed.name(), extent.offset(), extent.bytes())))
                    .sorted(Comparator.comparingLong(Block::offset))
                    .toList();
        }
    }

    static SegmentState of(Peer peer, long bytes, Optional<HeapUsage> heap,
            Optional<SortedMap<String, PlacedStructure>> structures,
            long retiredBytes) {
        return new SegmentState(peer.rank(), peer.status(), peer.incarnation(), peer.refusal(), bytes,
                heap.map(each -> Usage.of(each, retiredBytes)).orElse(null),
                structures.map(placed -> Block.of(placed.values())).orElse(List.of()));
    }
}
