package io.atoll.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The cache of a process when a rank comes back with another segment. */
class HeapLossTest {

    private static final int LOST = 1;
    private static final int OTHER = 2;
    private static final long OBJECT_BYTES = 56;
    private static final int OBJECTS = 120; // more than a slab has

    private final HeapArea area = new HeapArea(4096, 256 << 10);
    private final Simulation before = world();
    private final Simulation since = world(); // its segments are those that are reached after the loss
    private final Heap former = new Heap(new Endpoint(before.fabric(0)), area, 1);

    private static Simulation world() {
        return new Simulation(1, SimOptions.ranks(3).segmentBytes(256 << 10));
    }

    private Heap renewed() {
        return former.by(new Endpoint(since.fabric(0)), LOST);
    }

    @Test
    void nothingIsHandedOutOfWhatWasCachedInTheLostSegment() {
        former.allocate(LOST, OBJECT_BYTES);
        Heap renewed = renewed();
        Heap neighbour = new Heap(new Endpoint(since.fabric(OTHER)), area, 1);
        List<Long> objects = new ArrayList<>();
        for (int object = 0; object < OBJECTS; object++) {
            objects.add(renewed.allocate(LOST, OBJECT_BYTES));
            objects.add(neighbour.allocate(LOST, OBJECT_BYTES));
        }
        assertThat(objects).doesNotHaveDuplicates();
        assertThat(neighbour.usage(LOST).objects()).isEqualTo(objects.size());
    }

    @Test
    void whatIsCachedElsewhereIsOneCache() {
        List<Long> objects = new ArrayList<>();
        objects.add(former.allocate(OTHER, OBJECT_BYTES));
        Heap renewed = renewed();
        for (int object = 0; object < OBJECTS; object++) {
            objects.add(renewed.allocate(OTHER, OBJECT_BYTES));
            objects.add(former.allocate(OTHER, OBJECT_BYTES));
        }
        assertThat(objects).doesNotHaveDuplicates();
    }
}
