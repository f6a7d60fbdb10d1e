package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Heap;
import io.atoll.heap.HeapUsage;
import java.util.ArrayList;
import java.util.List;

/** Makes heaps of which most is free, but no free piece is large. A used piece lies between any two free ones. */
final class Fragmentation {

    private Fragmentation() {}

    static void fragment(Heap heap, int rank, long freeBytes, long usedBytes) {
        List<Long> pieces = new ArrayList<>();
        assertThatThrownBy(() -> {
            while (true) {
                pieces.add(heap.reserve(rank, freeBytes));
                heap.reserve(rank, usedBytes);
            }
        }).isInstanceOf(SegmentFullException.class);
        pieces.forEach(piece -> heap.free(rank, piece));
        HeapUsage usage = heap.usage(rank);
        assertThat(usage.freeBytes()).isGreaterThan(usage.totalBytes() * 3 / 4);
        assertThatThrownBy(() -> heap.reserve(rank, 2 * freeBytes)).isInstanceOf(SegmentFullException.class);
    }
}
