package io.atoll.epoch;

import io.atoll.fabric.Endpoint;
import io.atoll.failure.FabricException;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import java.util.Arrays;
import java.util.function.LongPredicate;
import java.util.function.LongSupplier;

/**
 * Retired objects for which there was no room in a bag. Each one leads to the next one of the same owner. It does so by
 * the {@linkplain io.atoll.heap.Heap#link word} at its end, which is not its user's. So retiring needs no memory,
 * however many objects wait, and however long.
 * <pre>
 *   this rank's block, for each owner     the owner's segment
 *   +----------+                     +--------+---+      +--------+---+
 *   | filling  | ------------------> | object | --+----> | object | 0 |      any thread pushes, nobody pops
 *   +----------+                     +--------+---+      +--------+---+
 *   | sealed   | ----> ...           is freed two epochs after it was sealed, group by group
 *   +----------+
 * </pre>
 * When the sealed chain is empty, the elected thread of this rank moves the whole filling chain there. Then it notes
 * the epoch. A chain stays within one owner's segment. If that segment is lost, the chain only leads to objects that
 * are lost, too.
 *
 * <p>Every step leaves words from which the next incarnation can go on ({@link #recover}). A death loses the object
 * that was being pushed, and a group that was being freed.
 */
final class RetiredChains {

    /** Objects that are freed together, and lost together if this rank dies meanwhile. */
    private static final int GROUP = 64;

    /**
     * After this many epochs everything that is chained now can be freed. A chain whose epoch could not be read is
     * sealed in the next epoch, and is old two epochs later. The chain that was filled meanwhile is sealed then, and is
     * old two epochs later.
     */
    static final int LONGEST = 1 + 2 + 2;

    /** Stands for an epoch while the chain is being moved, or while its epoch could not be read yet. */
    private static final long UNSEALED = -1;

    private final LocalMemory memory;
    private volatile Participant self; // reaches the owners; replaced when one has lost its segment
    private final long block;
    private final int tokens;
    private final int owners;
    private final ScatterList scatter;

    /**
     * @param block this rank's {@link EpochBlock}
     * @param tokens of the block
     */
    RetiredChains(Participant self, long block, int tokens, ScatterList scatter) {
        this.self = self;
        this.memory = self.endpoint().fabric().local();
        this.block = block;
        this.tokens = tokens;
        this.owners = self.size();
        this.scatter = scatter;
    }

    /** From now on owners are reached by that participant. */
    void reachBy(Participant renewed) {
        self = renewed;
    }

    // --- for any thread ---

    /** Pushes an object. The caller {@linkplain #count counts} it. */
    void push(int owner, long offset) {
        // Read before the head: a link to a lost object is then written by a participant that cannot reach the owner.
        Participant by = self;
        Endpoint endpoint = by.endpoint();
        long link = by.heap().link(owner, offset);
        long head = memory.getAcquire(word(owner, EpochBlock.CHAIN_FILLING));
        while (true) {
            endpoint.writeWord(owner, link, head);
            // (1) The link has arrived before any thread can find the object by it.
            endpoint.flush(owner);
            long witness = memory.compareAndExchange(word(owner, EpochBlock.CHAIN_FILLING), head, offset);
            if (witness == head) {
                return;
            }
            head = witness;
        }
    }

    boolean isEmpty() {
        for (int owner = 0; owner < owners; owner++) {
            if (isWaiting(owner)) {
                return false;
            }
        }
        return true;
    }

    private boolean isWaiting(int owner) {
        return memory.getAcquire(word(owner, EpochBlock.CHAIN_FILLING)) != 0
                || memory.getAcquire(word(owner, EpochBlock.CHAIN_SEALED)) != 0;
    }

    // --- for the elected thread of this rank ---

    /**
     * Frees the sealed chains that are old, then seals others in their place. Chains of absent owners wait.
     *
     * @param isOld true if objects that were sealed in that epoch can be freed
     * @param epochNow reads the epoch of the world
     * @return how many objects were freed
     */
    long free(LongPredicate isOld, LongSupplier epochNow) {
        long freed = 0;
        for (int owner = 0; owner < owners; owner++) {
            if (isWaiting(owner)) {
                try {
                    freed += free(owner, isOld, epochNow);
                } catch (FabricException gone) {
                    // Only words have changed from which the next attempt goes on.
                }
            }
        }
        return freed;
    }

    private long free(int owner, LongPredicate isOld, LongSupplier epochNow) {
        if (memory.get(word(owner, EpochBlock.CHAIN_SEALED)) != 0
                && memory.get(word(owner, EpochBlock.CHAIN_EPOCH)) == UNSEALED) {
            finishMove(owner);
            seal(owner, epochNow);
        }
        long freed = 0;
        while (memory.get(word(owner, EpochBlock.CHAIN_SEALED)) != 0
                && isOld.test(memory.get(word(owner, EpochBlock.CHAIN_EPOCH)))) {
            long first = memory.get(word(owner, EpochBlock.CHAIN_SEALED));
            freed += freeGroup(owner, first);
            if (scatter.keepsAny()) {
                return freed;
            }
        }
        if (memory.get(word(owner, EpochBlock.CHAIN_SEALED)) == 0) {
            move(owner);
            seal(owner, epochNow);
        }
        return freed;
    }

    /** Seals a chain that is known to be complete. Its objects were unlinked before the epoch is read. */
    private void seal(int owner, LongSupplier epochNow) {
        if (memory.get(word(owner, EpochBlock.CHAIN_SEALED)) != 0) {
            memory.fullFence();
            memory.setVolatile(word(owner, EpochBlock.CHAIN_EPOCH), epochNow.getAsLong());
        }
    }

    /**
     * Moves a chain. Both words lead to it before one is cleared: a death in between loses nothing, see
     * {@link #finishMove}.
     */
    private void move(int owner) {
        memory.setVolatile(word(owner, EpochBlock.CHAIN_EPOCH), UNSEALED);
        long head = memory.getAcquire(word(owner, EpochBlock.CHAIN_FILLING));
        while (head != 0) {
            memory.setVolatile(word(owner, EpochBlock.CHAIN_SEALED), head);
            long witness = memory.compareAndExchange(word(owner, EpochBlock.CHAIN_FILLING), head, 0);
            head = witness == head ? 0 : witness;
        }
    }

    /**
     * Finishes a move that was cut short. If the filling chain still contains the sealed one, nothing has been moved.
     */
    private void finishMove(int owner) {
        long sealed = memory.get(word(owner, EpochBlock.CHAIN_SEALED));
        for (long at = memory.getAcquire(word(owner, EpochBlock.CHAIN_FILLING)); at != 0; at = next(owner, at)) {
            if (at == sealed) {
                memory.setVolatile(word(owner, EpochBlock.CHAIN_SEALED), 0);
                return;
            }
        }
    }

    private long freeGroup(int owner, long first) {
        long[] group = new long[GROUP];
        int objects = 0;
        long next = first;
        while (next != 0 && objects < GROUP) {
            group[objects++] = next;
            next = next(owner, next);
        }
        long bytes = share(owner, objects);
        scatter.clear();
        Arrays.stream(group, 0, objects).forEach(offset -> scatter.add(owner, offset, 0));
        memory.setVolatile(word(owner, EpochBlock.CHAIN_FREEING), first);
        memory.setVolatile(word(owner, EpochBlock.CHAIN_FREEING_OBJECTS), objects);
        // (2) before any of them is freed: objects that a dead rank was about to free must not be freed again.
        memory.setVolatile(word(owner, EpochBlock.CHAIN_SEALED), next);
        int freed = free(owner, objects, bytes);
        if (scatter.keepsAny()) {
            memory.setVolatile(word(owner, EpochBlock.CHAIN_SEALED), first);
        } else {
            count(owner, -objects, -bytes);
            add(block + EpochBlock.FREED, freed);
            add(block + EpochBlock.FREED_BYTES, freed == 0 ? 0 : bytes);
            add(block + EpochBlock.LOST, objects - freed);
        }
        memory.setVolatile(word(owner, EpochBlock.CHAIN_FREEING_OBJECTS), 0);
        return freed;
    }

    /**
     * Frees a group that was gathered and cut off. If that fails, it is unknown which objects are free: all count as
     * lost.
     */
    private int free(int owner, int objects, long bytes) {
        boolean isDone = false;
        try {
            int freed = scatter.free();
            isDone = true;
            return freed;
        } finally {
            if (!isDone) {
                count(owner, -objects, -bytes);
                add(block + EpochBlock.LOST, objects);
                memory.setVolatile(word(owner, EpochBlock.CHAIN_FREEING_OBJECTS), 0);
            }
        }
    }

    /**
     * Returns the bytes of that many objects. A link has no room for an object's size. So some of the objects count
     * with their share of all bytes, and all objects with all bytes.
     */
    private long share(int owner, int objects) {
        long chained = memory.getAcquire(word(owner, EpochBlock.CHAINED_OBJECTS));
        long bytes = memory.getAcquire(word(owner, EpochBlock.CHAINED_BYTES));
        return chained <= objects ? bytes : bytes / chained * objects;
    }

    private long next(int owner, long object) {
        Participant by = self;
        return by.endpoint().readWord(owner, by.heap().link(owner, object));
    }

    // --- after a death ---

    /**
     * Counts as lost what an earlier incarnation of this rank was freeing. The caller calls this before any other use
     * of the chains.
     */
    void recover() {
        for (int owner = 0; owner < owners; owner++) {
            long freeing = memory.get(word(owner, EpochBlock.CHAIN_FREEING_OBJECTS));
            boolean isCutOff = memory.get(word(owner, EpochBlock.CHAIN_SEALED)) != memory
                    .get(word(owner, EpochBlock.CHAIN_FREEING));
            if (freeing != 0 && isCutOff) {
                count(owner, (int) -freeing, -share(owner, (int) freeing));
                add(block + EpochBlock.LOST, freeing);
            }
            memory.setVolatile(word(owner, EpochBlock.CHAIN_FREEING_OBJECTS), 0);
            if (!isWaiting(owner)) {
                forget(owner);
            }
        }
    }

    /** Forgets the owner's chains: their objects were in a segment that is lost. */
    void forget(int owner) {
        add(block + EpochBlock.LOST,
                isWaiting(owner) ? memory.getAcquire(word(owner, EpochBlock.CHAINED_OBJECTS)) : 0);
        for (long field : new long[]{EpochBlock.CHAIN_FILLING, EpochBlock.CHAIN_SEALED, EpochBlock.CHAINED_OBJECTS,
            EpochBlock.CHAINED_BYTES}) {
            memory.setVolatile(word(owner, field), 0);
        }
    }

    /** The epochs of the world have begun anew, and this is the present one. */
    void sealAnew(long epoch) {
        for (int owner = 0; owner < owners; owner++) {
            if (memory.get(word(owner, EpochBlock.CHAIN_EPOCH)) != UNSEALED) {
                memory.setVolatile(word(owner, EpochBlock.CHAIN_EPOCH), epoch);
            }
        }
    }

    // --- words ---

    void count(int owner, int objects, long bytes) {
        add(word(owner, EpochBlock.CHAINED_OBJECTS), objects);
        add(word(owner, EpochBlock.CHAINED_BYTES), bytes);
    }

    private void add(long counter, long delta) {
        if (delta != 0) {
            memory.getAndAdd(counter, delta);
        }
    }

    private long word(int owner, long field) {
        return block + EpochBlock.owner(tokens, owner) + field;
    }
}
