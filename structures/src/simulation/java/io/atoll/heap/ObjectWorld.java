package io.atoll.heap;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.SegmentFullException;
import io.atoll.heap.Ledger.Entry;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

/**
 * A simulated world. Its ranks put new objects into slots of each other's segments, and free the objects that they
 * replace. It fails if an object is handed out that another rank may have. It fails if more is lost than a death may
 * lose. It also fails if in the end an object that is not in use cannot be handed out.
 */
final class ObjectWorld {

    static final int RANKS = 3;
    static final long SLAB_BYTES = 256;

    private static final int OPERATIONS = 20;
    private static final int PER_SLAB = 3;
    private static final int SLOTS = 8;
    private static final long BASE = 64 + SLOTS * 8;

    static HeapArea area(int slabs) {
        return new HeapArea(BASE, BASE + 576 + slabs * SLAB_BYTES, SLAB_BYTES);
    }

    private final Simulation simulation;
    private final HeapArea area;
    private final int threads;
    private final int together; // a thread allocates as many objects at once, at most
    private final UnaryOperator<Fabric> mutation;
    private final List<Ledger> ledgers;
    private final Map<SimRank, Heap> heaps = new HashMap<>();

    ObjectWorld(long seed, SimOptions options, HeapArea area, int threads, UnaryOperator<Fabric> mutation) {
        this(seed, options, area, threads, 1, mutation);
    }

    ObjectWorld(long seed, SimOptions options, HeapArea area, int threads, int together,
            UnaryOperator<Fabric> mutation) {
        this.simulation = new Simulation(seed, options);
        this.area = area;
        this.threads = threads;
        this.together = together;
        this.mutation = mutation;
        this.ledgers = IntStream.range(0, RANKS).mapToObj(target -> new Ledger(simulation, target)).toList();
    }

    void run() {
        simulation.onDeath(this::work).run(this::work);
        if (heaps.size() == RANKS && deadForGood() == 0) {
            IntStream.range(0, RANKS).forEach(this::checkAnnounced);
        }
        Heap survivor = heaps.get(simulation.rank(0));
        long lost = 0;
        for (int target = 0; target < RANKS; target++) {
            lost += check(survivor, target);
        }
        assertThat(lost).isLessThanOrEqualTo((heaps.size() - RANKS + deadForGood()) * lostByADeath() * threads);
    }

    /** Those that a thread was about to put into slots, and the one that it had taken out. */
    private int lostByADeath() {
        return together + 1;
    }

    private int deadForGood() {
        return (int) IntStream.range(0, RANKS)
                .filter(rank -> simulation.isDead(rank, simulation.incarnation(rank)))
                .count();
    }

    private void work(SimRank rank) {
        rank.endpoint().replaceFabric(mutation);
        var heap = new Heap(rank.endpoint(), area, rank.incarnation());
        heaps.put(rank, heap);
        rank.inParallel(threads, thread -> {
            for (int i = 0; i < OPERATIONS / threads; i++) {
                int target = rank.random().nextInt(RANKS);
                switch (rank.random().nextInt(8)) {
                    case 0, 1, 2, 3 -> {
                        if (together == 1) {
                            put(rank, heap, target);
                        } else {
                            putSeveral(rank, heap, target);
                        }
                    }
                    case 4, 5 -> replace(rank, heap, target, slot(rank), 0);
                    case 6 -> run(rank, heap, target);
                    default -> takeBack(rank, heap, target);
                }
            }
        });
    }

    private static int slot(SimRank rank) {
        return rank.random().nextInt(SLOTS);
    }

    private static long slotOffset(int slot) {
        return 64 + slot * 8L;
    }

    private void put(SimRank rank, Heap heap, int target) {
        long object;
        try {
            object = heap.allocate(target, 56);
        } catch (SegmentFullException expected) {
            return;
        }
        put(rank, heap, target, ledgers.get(target).taken(rank, object, 64));
    }

    private void putSeveral(SimRank rank, Heap heap, int target) {
        long[] bytes = new long[1 + rank.random().nextInt(together)];
        Arrays.fill(bytes, 56);
        long[] objects = new long[bytes.length];
        try {
            heap.allocate(target, bytes, objects);
        } catch (SegmentFullException expected) {
            // Those that there was room for are there.
        }
        List<Entry> entries = Arrays.stream(objects)
                .filter(object -> object != 0)
                .mapToObj(object -> ledgers.get(target).taken(rank, object, 64))
                .toList();
        entries.forEach(entry -> put(rank, heap, target, entry));
    }

    private void put(SimRank rank, Heap heap, int target, Entry entry) {
        long object = entry.offset;
        int slot = slot(rank);
        rank.endpoint().writeWord(target, object, object);
        rank.endpoint().writeWord(target, object + 56, slot);
        entry.publishing();
        if (replace(rank, heap, target, slot, object)) {
            entry.published();
        } else {
            free(rank, heap, target, entry);
        }
    }

    /** Puts the object, or nothing, into the slot, and frees the object that was there. */
    private boolean replace(SimRank rank, Heap heap, int target, int slot, long object) {
        Endpoint endpoint = rank.endpoint();
        long before = endpoint.readWord(target, slotOffset(slot));
        if (endpoint.compareAndExchange(target, slotOffset(slot), before, object) != before) {
            return false;
        }
        if (before != 0) {
            // Published by the rank that put it there, even if that rank has not been told yet.
            Entry entry = ledgers.get(target).at(before);
            checkContents(endpoint, target, before, slot);
            free(rank, heap, target, entry);
        }
        return true;
    }

    private static void checkContents(Endpoint endpoint, int target, long object, int slot) {
        assertThat(endpoint.readWord(target, object)).as("contents of %d+%d", target, object).isEqualTo(object);
        assertThat(endpoint.readWord(target, object + 56)).as("slot of %d+%d", target, object).isEqualTo(slot);
    }

    private void free(SimRank rank, Heap heap, int target, Entry entry) {
        entry.givenBackBy(rank);
        heap.free(target, entry.offset);
        ledgers.get(target).gone(entry);
    }

    /** Reserves a run now and then, so that slabs change their purpose. */
    private void run(SimRank rank, Heap heap, int target) {
        try {
            Entry entry = ledgers.get(target).taken(rank, heap.reserve(target, SLAB_BYTES), SLAB_BYTES);
            for (long at = 0; at < SLAB_BYTES; at += 32) {
                rank.endpoint().writeWord(target, entry.offset + at, -1);
            }
            free(rank, heap, target, entry);
        } catch (SegmentFullException expected) {
            // All slabs are in use.
        }
    }

    private void takeBack(SimRank rank, Heap heap, int target) {
        for (int other = 0; other < RANKS; other++) {
            for (int incarnation = 1; incarnation <= simulation.incarnation(other); incarnation++) {
                boolean self = other == rank.rank() && incarnation == rank.incarnation();
                if (!self && simulation.isFenced(other, incarnation, target)) {
                    heap.reclaimPending(target, other, incarnation);
                    heap.reclaimStock(target, other, incarnation);
                }
            }
        }
    }

    /** While no rank has died, all free room is found without a search of the whole table. */
    private void checkAnnounced(int target) {
        var table = new SlabTable(simulation.endpoint(0), area);
        int runs = SearchHints.slab(table.hints().look(target, SearchHints.RUNS));
        int objects = SearchHints.slab(table.hints().look(target, SearchHints.objectsOf(0)));
        for (SlabTable.Walk walk = table.walk(target, 0); !walk.atEnd(); walk.next()) {
            switch (SlabWord.state(walk.word())) {
                case SlabWord.FREE -> assertThat(walk.slab()).isGreaterThanOrEqualTo(runs);
                case SlabWord.ROOM -> assertThat(walk.slab()).isGreaterThanOrEqualTo(objects);
                case SlabWord.FULL -> {
                    ObjectSlab slab = ObjectSlab.of(table, target, walk.slab(), walk.word());
                    assertThat(slab.free()).as("free in a slab that is full").containsOnly(0);
                }
                default -> assertThat(SlabWord.state(walk.word())).isEqualTo(SlabWord.HELD);
            }
        }
    }

    /** Returns how many objects are in use that no slot leads to. */
    private long check(Heap survivor, int target) {
        takeBack(simulation.rank(0), survivor, target);
        Set<Long> linked = new HashSet<>();
        for (int slot = 0; slot < SLOTS; slot++) {
            long object = simulation.endpoint(0).readWord(target, slotOffset(slot));
            if (object != 0) {
                assertThat(linked.add(object)).as("in one slot only").isTrue();
                checkContents(simulation.endpoint(0), target, object, slot);
            }
        }
        HeapUsage usage = survivor.usage(target);
        assertThat(usage.pendingBytes()).isZero();
        assertThat(usage.ownedBytes()).isZero();
        long lost = usage.objects() - linked.size();
        assertThat(lost).isNotNegative();
        checkCapacity(survivor, target, linked, lost);
        return lost;
    }

    /**
     * Frees every object that is in a slot, after every rank has given back its cache. Then all other objects can be
     * handed out.
     */
    private void checkCapacity(Heap survivor, int target, Set<Long> linked, long lost) {
        for (int rank = 0; rank < RANKS; rank++) {
            Heap heap = heaps.get(simulation.rank(rank));
            if (heap != null && !simulation.isDead(rank, simulation.incarnation(rank))) {
                heap.releaseStock(target);
            }
        }
        survivor.free(target, linked.stream().mapToLong(Long::longValue).toArray());
        Set<Long> objects = new HashSet<>();
        try {
            while (true) {
                assertThat(objects.add(survivor.allocate(target, 56))).as("handed out once").isTrue();
            }
        } catch (SegmentFullException full) {
            assertThat(objects).hasSize((int) (area.slabs() * PER_SLAB - lost));
        }
    }
}
