package io.atoll.heap;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.memory.WorldIdentity;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import java.util.stream.IntStream;

/** Two ranks of one process over shared memory, each with a heap of {@link #SLABS} slabs of 4 KiB in its segment. */
final class TwoRanks implements AutoCloseable {

    static final int SLABS = 64;
    static final long SLAB_BYTES = 4096;

    private static final long BASE = 8192;

    final HeapArea area = new HeapArea(BASE, BASE + (SLABS + 1) * SLAB_BYTES);

    private final List<Attachment> attachments;

    TwoRanks(Path folder) {
        WorldIdentity world = new WorldIdentity("heap", 2);
        SharedMemory memory = new SharedMemory(folder, false);
        attachments = IntStream.range(0, 2)
                .mapToObj(rank -> memory.attach(world, OptionalInt.of(rank), BASE + (SLABS + 1) * SLAB_BYTES))
                .toList();
        attachments.get(0).connect(1, 1, Map.of());
        attachments.get(1).connect(0, 1, Map.of());
    }

    Endpoint endpoint(int rank) {
        return new Endpoint(attachments.get(rank).fabric());
    }

    Heap heap(int rank) {
        return heap(rank, 1);
    }

    Heap heap(int rank, int incarnation) {
        return new Heap(endpoint(rank), area, incarnation);
    }

    @Override
    public void close() {
        attachments.forEach(Attachment::close);
    }
}
