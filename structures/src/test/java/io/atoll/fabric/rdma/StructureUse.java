package io.atoll.fabric.rdma;

import io.atoll.World;

/**
 * The actions of every rank on a structure, at the same time as the others. A structure hosted by one rank is hosted by
 * rank {@value #HOST}.
 */
public enum StructureUse {
    LONG_MAP(MapUses::longMap), GROWTH(MapUses::growth), MAP(MapUses::map), TEXTS(MapUses::texts), //
    BULK(MapUses::bulk), FILTERS(MapUses::filters), FILTERS_IN_BULK(MapUses::filtersInBulk), //
    CIRCULAR_QUEUE(QueueUses::circularQueue), LONG_QUEUE(QueueUses::longQueue), QUEUE_MOVES(QueueUses::moves), //
    FAST_QUEUE(QueueUses::fastQueue), STACK(QueueUses::stack), LINKED_QUEUE(QueueUses::linkedQueue), //
    ARRAY(MemoryUses::array), DISTRIBUTED_ARRAY(MemoryUses::distributedArray), LONG_ARRAY(MemoryUses::longArray), //
    POINTERS(MemoryUses::pointers), ATOMIC_OBJECTS(MemoryUses::atomicObjects), EPOCHS(MemoryUses::epochs), //
    BARRIER(TogetherUses::barrier), ALL_REDUCE(TogetherUses::allReduce), EXCHANGE(TogetherUses::exchange), //
    LOCKS(TogetherUses::locks), DIRECTORY(TogetherUses::directory), BROADCAST(TogetherUses::broadcast);

    static final int KEYS = 60;
    static final int HOST = 1;
    static final long NONE = -1;

    private interface Steps {
        void take(World world) throws InterruptedException;
    }

    record Point(long x, long y, long z) {

        static Point of(long key, long generation) {
            return new Point(key, generation * key, generation);
        }
    }

    private final Steps steps;

    StructureUse(Steps steps) {
        this.steps = steps;
    }

    public void of(World world) throws InterruptedException {
        steps.take(world);
    }
}
