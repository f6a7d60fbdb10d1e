package io.atoll.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Ledger.Entry;
import io.atoll.heap.Ledger.State;
import java.util.List;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * A simulated world. Its ranks reserve, commit and free runs in each other's segments, and take back what dead ranks
 * had reserved. It fails if two ranks have the same slab at a time, or if a new run is not zero. It also fails if in
 * the end anything is in use that no rank has.
 */
final class RunWorld {

    static final int RANKS = 3;
    static final long SLAB_BYTES = 256;

    private static final int OPERATIONS = 25;
    private static final long BASE = 64;

    static HeapArea area(int slabs) {
        return new HeapArea(BASE, BASE + 576 + slabs * SLAB_BYTES, SLAB_BYTES);
    }

    private final Simulation simulation;
    private final HeapArea area;
    private final UnaryOperator<Fabric> mutation;
    private final List<Ledger> ledgers;

    RunWorld(long seed, SimOptions options, HeapArea area, UnaryOperator<Fabric> mutation) {
        this.simulation = new Simulation(seed, options);
        this.area = area;
        this.mutation = mutation;
        this.ledgers = IntStream.range(0, RANKS).mapToObj(target -> new Ledger(simulation, target)).toList();
    }

    void run() {
        simulation.onDeath(this::work).run(this::work);
        var survivor = new Heap(simulation.endpoint(0), area, 1);
        for (int target = 0; target < RANKS; target++) {
            check(survivor, target);
        }
    }

    private void work(SimRank rank) {
        rank.endpoint().replaceFabric(mutation);
        var heap = new Heap(rank.endpoint(), area, rank.incarnation());
        for (int i = 0; i < OPERATIONS; i++) {
            int target = rank.random().nextInt(RANKS);
            switch (rank.random().nextInt(6)) {
                case 0, 1, 2 -> reserve(rank, heap, target);
                case 3, 4 -> free(rank, heap, target);
                default -> takeBack(rank, heap, target);
            }
        }
    }

    private void reserve(SimRank rank, Heap heap, int target) {
        long bytes = SLAB_BYTES * (1 + rank.random().nextInt(4));
        long run;
        try {
            run = heap.reserve(target, bytes);
        } catch (SegmentFullException expected) {
            return;
        }
        Ledger ledger = ledgers.get(target);
        Entry entry = ledger.taken(rank, run, bytes);
        checkZero(rank.endpoint(), target, entry);
        if (rank.random().nextInt(4) == 0) {
            free(rank, heap, target, entry);
        } else {
            entry.publishing();
            heap.commit(target, run);
            entry.published();
        }
    }

    private static void checkZero(Endpoint endpoint, int target, Entry entry) {
        for (long offset : new long[]{entry.offset, entry.offset + entry.bytes - 8}) {
            assertThat(endpoint.readWord(target, offset)).as("%d+%d", target, offset).isZero();
            endpoint.writeWord(target, offset, -1);
        }
    }

    private void free(SimRank rank, Heap heap, int target) {
        List<Entry> committed = ledgers.get(target).published();
        if (!committed.isEmpty()) {
            free(rank, heap, target, committed.get(rank.random().nextInt(committed.size())));
        }
    }

    private void free(SimRank rank, Heap heap, int target, Entry entry) {
        entry.givenBackBy(rank);
        heap.free(target, entry.offset);
        ledgers.get(target).gone(entry);
    }

    private void takeBack(SimRank rank, Heap heap, int target) {
        for (int other = 0; other < RANKS; other++) {
            for (int incarnation = simulation.incarnation(other); incarnation >= 1; incarnation--) {
                boolean self = other == rank.rank() && incarnation == rank.incarnation();
                if (!self && simulation.isFenced(other, incarnation, target)) {
                    heap.reclaimPending(target, other, incarnation);
                }
            }
        }
    }

    /** Checks that everything in the table is in the ledger, and everything in the ledger is in the table. */
    private void check(Heap survivor, int target) {
        for (int dead = 1; dead < RANKS; dead++) {
            if (simulation.isDead(dead, simulation.incarnation(dead))) {
                survivor.reclaimPending(target, dead, simulation.incarnation(dead));
            } else {
                survivor.reclaimPending(target, dead, simulation.incarnation(dead) - 1);
            }
        }
        HeapUsage usage = survivor.usage(target);
        assertThat(usage.pendingBytes()).as("reserved by nobody").isZero();
        Ledger ledger = ledgers.get(target);
        int published = ledger.published().size();
        SlabTable table = new SlabTable(simulation.endpoint(0), area);
        for (SlabTable.Walk walk = table.walk(target, 0); !walk.atEnd(); walk.next()) {
            if (SlabWord.state(walk.word()) == SlabWord.OWNED) {
                Entry entry = ledger.at(area.slabOffset(walk.slab()));
                assertThat(entry).matches(ledger::mayBeInUse, "may be in use");
                assertThat(SlabWord.length(walk.word()) * SLAB_BYTES).isGreaterThanOrEqualTo(entry.bytes);
                published -= entry.state() == State.PUBLISHED ? 1 : 0;
            }
        }
        assertThat(published).as("published and not in the table").isZero();
        checkInside(table, target);
    }

    private void checkInside(SlabTable table, int target) {
        int head = 0;
        for (int slab = 0; slab < area.slabs(); slab++) {
            long word = table.word(target, slab);
            if (slab == head) {
                head += Math.max(SlabWord.length(word), 1);
            } else {
                assertThat(SlabWord.state(word)).as("inside a run: %d", slab).isIn(0, SlabWord.JOINED);
            }
        }
    }
}
