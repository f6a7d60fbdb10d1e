package io.atoll.epoch;

import static io.atoll.epoch.EpochBlock.LISTS;

import io.atoll.failure.Aftermath;
import io.atoll.failure.FabricException;
import io.atoll.failure.SegmentLostException;
import io.atoll.heap.Heap;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import io.atoll.world.Participant;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The bags of this rank that wait until no thread can be using their objects. There are three lists in the rank's own
 * segment. The epoch in which a bag was sealed, modulo three, selects its list.
 *
 * <p>Any thread pushes (lock-free). One thread at a time holds this rank's election. It takes old bags off the lists
 * and frees them in groups. It takes all bags below a point at once. Every step leaves a state from which the next
 * incarnation can go on ({@link #recover}). A death loses at most a group of bags, and those are counted.
 *
 * <p>The paper pushes by one exchange and links the node afterwards (listing 2). A thread that dies in between takes
 * everything below with it. A thread that empties the list meanwhile does not see those nodes. So here a bag is linked
 * first, and pushed by compare-and-exchange. No thread pops single bags, so a head that was away and is back does no
 * harm.
 */
class LimboLists {

    private static final Logger LOG = LoggerFactory.getLogger(LimboLists.class);

    /** Bags that are freed together, and lost together if this rank dies meanwhile. */
    public static final int GROUP = 16;

    /**
     * After this many epochs everything is old that is in limbo now. Objects in bags are old after two. Bags that were
     * sealed {@linkplain #sealAnew anew} take longer, by one less than there are lists.
     */
    public static final int LONGEST = Math.max(2 + LISTS - 1, RetiredChains.LONGEST);

    private final LocalMemory memory;
    private final Heap heap;
    private final int rank;
    private final long block;
    private final LimboCounts counts;
    private final ScatterList scatter;
    private final RetiredChains chains;
    private final BagEntries entries = new BagEntries(); // for the elected thread

    /**
     * @param block this rank's {@link EpochBlock}
     * @param tokens of the block
     */
    public LimboLists(Participant self, long block, int tokens, ScatterList scatter) {
        this.memory = self.endpoint().fabric().local();
        this.heap = self.heap();
        this.rank = self.rank();
        this.block = block;
        this.counts = new LimboCounts(memory, block, tokens, self.size());
        this.scatter = scatter;
        this.chains = new RetiredChains(self, block, tokens, scatter);
    }

    // --- for any thread ---

    /**
     * @param epoch of the world, read after everything in the bag was unlinked
     * @param scratch the caller's; holds the bag's entries afterwards
     */
    public final void push(long bag, long epoch, BagEntries scratch) {
        count(bag, epoch, scratch);
        add(EpochBlock.RETIRED, scratch.objects());
        add(EpochBlock.RETIRED_BYTES, scratch.bytes());
        splice(EpochBlock.list(epoch), bag, bag);
    }

    /**
     * Takes an object for which there is no bag. It works however full the segments are. Cost: 2 R + W, and more if
     * other threads chain objects of the same owner.
     *
     * @param pointer of an object that was unlinked, {@link GlobalPointer#toWord()}
     * @param bytes the object's size, 0 if it is not known
     */
    public final void chain(long pointer, long bytes) {
        int owner = GlobalPointer.rankOf(pointer);
        try {
            chains.push(owner, GlobalPointer.offsetOf(pointer));
        } catch (SegmentLostException lost) {
            // The object lay in the lost segment, or lies in the present one, which this process does not know yet.
            add(EpochBlock.RETIRED, 1);
            add(EpochBlock.RETIRED_BYTES, bytes);
            add(EpochBlock.LOST, 1);
            return;
        }
        try {
            chains.count(owner, 1, bytes);
            add(EpochBlock.RETIRED, 1);
            add(EpochBlock.RETIRED_BYTES, bytes);
        } catch (VirtualMachineError | LinkageError uncounted) {
            Aftermath.warn("a retired object is not counted", uncounted);
        }
    }

    /** Counts the bag as one of that epoch. Afterwards the scratch holds its entries. */
    private void count(long bag, long epoch, BagEntries scratch) {
        memory.setRelease(bag + Bag.EPOCH, epoch);
        counts.added(EpochBlock.list(epoch), scratch.of(memory, bag));
    }

    /** Puts linked bags on top of a list. */
    private void splice(int list, long first, long last) {
        long head = memory.getAcquire(head(list));
        while (true) {
            memory.setRelease(last + Bag.NEXT, head);
            // (1) after the bag: a thread that acquires the head, in takeOld (2), sees what is in it.
            long witness = memory.compareAndExchange(head(list), head, first);
            if (witness == head) {
                return;
            }
            head = witness;
        }
    }

    public final boolean isEmpty() {
        for (int list = 0; list < LISTS; list++) {
            if (memory.getAcquire(head(list)) != 0) {
                return false;
            }
        }
        return chains.isEmpty();
    }

    // --- for the elected thread of this rank ---

    /**
     * Frees everything that is old enough in that epoch. Returns how many objects.
     *
     * @param epochNow reads the epoch of the world
     */
    public long free(long epoch, LongSupplier epochNow) {
        long freed = 0;
        for (int list = 0; list < LISTS; list++) {
            long bags = takeOld(list, epoch);
            freed += bags == 0 ? 0 : freeAll(list, bags);
        }
        return freed + chains.free(sealed -> isOld(sealed, epoch), epochNow);
    }

    /**
     * Judges by the bag's own epoch, never by the number of the list alone. The thread that sealed the bag may have
     * stood still between reading the epoch and pushing the bag.
     *
     * <p>Two epochs, not one, lie between. A thread that is pinned in the epoch before the seal's may have found the
     * object before it was unlinked.
     */
    protected boolean isOld(long sealed, long epoch) {
        return sealed <= epoch - 2;
    }

    /**
     * Takes off the lowest bags of a list, as far up as all of them are old. Old bags above a young one wait for the
     * next time. If the first bag is young, this does not look at the rest: so looking at a list often costs nothing.
     */
    private long takeOld(int list, long epoch) {
        long above = 0;
        long first = 0;
        // (2) acquire: pairs with the exchange in splice (1).
        long head = memory.getAcquire(head(list));
        if (head == 0 || !isOld(memory.get(head + Bag.EPOCH), epoch)) {
            return 0;
        }
        for (long bag = head, before = 0; bag != 0; before = bag, bag = next(bag)) {
            boolean old = isOld(memory.get(bag + Bag.EPOCH), epoch);
            above = first == 0 ? before : above;
            first = old ? first == 0 ? bag : first : 0;
        }
        return first == 0 ? 0 : cut(list, above, first);
    }

    /** Notes the cut-off bags before it cuts: they must be found if this rank dies. */
    private long cut(int list, long above, long first) {
        memory.setVolatile(block + EpochBlock.FREEING, first);
        if (above == 0) {
            long head = memory.compareAndExchange(head(list), first, 0);
            if (head != first) {
                memory.setRelease(lastAbove(head, first) + Bag.NEXT, 0);
            }
        } else {
            memory.setRelease(above + Bag.NEXT, 0);
        }
        return first;
    }

    private long lastAbove(long head, long first) {
        long bag = head;
        while (next(bag) != first) {
            bag = next(bag);
        }
        return bag;
    }

    /** How far the freeing of a group has come. */
    private enum Stage {
        /** None of its objects is free. */
        GATHERED,
        /** Some of its objects may be free; it is unknown which. */
        BEING_FREED,
        /** It has ended. The bags are in use again, or are being freed themselves. */
        FREED
    }

    private long freeAll(int list, long bags) {
        long freed = 0;
        long group = bags;
        long end = bags;
        Stage stage = Stage.GATHERED;
        boolean isDone = false;
        try {
            while (group != 0) {
                end = end(group);
                long[] members = bags(group, end);
                long objects = gather(members);
                stage = Stage.BEING_FREED;
                int freedOfGroup = scatter.free();
                stage = Stage.FREED;
                freed += freedOfGroup;
                empty(list, members, end, objects - freedOfGroup);
                group = end;
                stage = Stage.GATHERED;
            }
            isDone = true;
        } finally {
            if (!isDone) {
                giveUp(list, group, end, stage);
            }
        }
        return freed;
    }

    /** Handles bags that were taken off a list when freeing a group ends early. */
    private void giveUp(int list, long group, long end, Stage stage) {
        if (stage == Stage.BEING_FREED) {
            abandon(list, group, end);
        } else {
            putBack(list, stage == Stage.FREED ? end : group);
            memory.setVolatile(block + EpochBlock.FREEING, 0);
        }
    }

    private void putBack(int list, long first) {
        if (first != 0) {
            splice(list, first, last(first));
        }
    }

    /** Returns the bag after a group, 0 if the group is the last. */
    private long end(long group) {
        long end = group;
        for (int bags = 0; bags < GROUP && end != 0; bags++) {
            end = next(end);
        }
        return end;
    }

    /** Returns how many objects are in the bags. */
    private long gather(long[] bags) {
        long objects = 0;
        scatter.clear();
        for (int at = bags.length - 1; at >= 0; at--) {
            // The oldest first: objects that were retired in the order of their addresses are freed in that order.
            scatter.add(entries.of(memory, bags[at]));
            objects += entries.objects();
        }
        return objects;
    }

    /**
     * Empties bags after their objects were freed.
     *
     * @param left how many objects were not freed
     */
    private void empty(int list, long[] bags, long end, long left) {
        long epoch = memory.get(bags[0] + Bag.EPOCH);
        leave(list, bags);
        add(EpochBlock.FREED, scatter.freed());
        add(EpochBlock.FREED_BYTES, scatter.freedBytes());
        // Objects that are kept count as lost until they are back in limbo.
        add(EpochBlock.LOST, left);
        // (3) before a bag is used again: recover (4) reads the bags of the group that this points to.
        memory.setVolatile(block + EpochBlock.FREEING, end);
        int used = scatter.keepsAny() ? keep(bags, epoch) : 0;
        freeBags(Arrays.copyOfRange(bags, used, bags.length));
    }

    /**
     * Puts objects of absent owners back into limbo, packed into the first of the bags. An entry moves to a place that
     * was read already, or stays where it is.
     */
    private int keep(long[] bags, long epoch) {
        int used = 0;
        int kept = 0; // in the bag that is being filled
        for (long bag : bags) {
            long objects = memory.get(bag + Bag.OBJECTS);
            for (int index = 0; index < objects; index++) {
                long entry = bag + Bag.entry(index);
                if (scatter.keeps(memory.get(entry + Bag.POINTER))) {
                    move(entry, bags[used] + Bag.entry(kept++));
                }
                if (kept == Bag.CAPACITY) {
                    linkAgain(bags[used++], kept, epoch);
                    kept = 0;
                }
            }
        }
        if (kept > 0) {
            linkAgain(bags[used++], kept, epoch);
        }
        return used;
    }

    private void move(long from, long to) {
        memory.setRelease(to + Bag.POINTER, memory.get(from + Bag.POINTER));
        memory.setRelease(to + Bag.OBJECT_BYTES, memory.get(from + Bag.OBJECT_BYTES));
    }

    private void linkAgain(long bag, int objects, long epoch) {
        memory.setRelease(bag + Bag.OBJECTS, objects);
        count(bag, epoch, entries);
        splice(EpochBlock.list(epoch), bag, bag);
        add(EpochBlock.LOST, -objects);
    }

    /**
     * Gives up a group whose freeing ended early, so that it is unknown which objects are free. All its objects count
     * as lost; the bags behind it go back into limbo.
     */
    private void abandon(int list, long group, long end) {
        long[] bags = bags(group, end);
        leave(list, bags);
        add(EpochBlock.LOST, objects(bags));
        putBack(list, end);
        memory.setVolatile(block + EpochBlock.FREEING, 0);
        freeBags(bags);
    }

    /**
     * Nothing refers to these bags any more, and their objects are free. If the answer is lost, they must not be freed
     * again.
     */
    private void freeBags(long[] bags) {
        try {
            heap.free(rank, bags);
        } catch (FabricException cut) {
            LOG.warn(
                    "this rank lost the connection to its own segment while bags were freed, some are lost:"
                            + " rank={} bags={}",
                    rank, bags.length, cut);
        } catch (VirtualMachineError | LinkageError cut) {
            Aftermath.warn("some bags of retired objects are lost", cut);
        }
    }

    // --- after the loss of a segment ---

    /** From now on nothing of that owner is freed, until its lost objects are {@linkplain #forget forgotten}. */
    public final void hold(int owner) {
        scatter.hold(owner, true);
        chains.forget(owner);
    }

    /** From now on owners are reached by that participant. Owners that have lost their segments are already held. */
    public final void reachBy(Participant renewed) {
        scatter.reachBy(renewed.heap());
        chains.reachBy(renewed);
    }

    /**
     * Forgets the objects of a held owner in all bags: they were lost.
     *
     * @param filling the bags of tokens; objects that their threads add meanwhile may count as lost, too
     */
    public final void forgetHeld(int owner, long[] filling) {
        for (long bag : filling) {
            forget(owner, bag);
        }
        // After the bags that were being filled: if one of them came into limbo meanwhile, it is looked through here.
        forgetInBags(owner);
    }

    /** From now on retired objects of that owner are freed again. */
    public final void release(int owner) {
        scatter.hold(owner, false);
    }

    // --- after a death ---

    /**
     * Completes what an earlier incarnation of this rank was freeing. The caller calls this before any other use of the
     * lists.
     */
    public final void recover() {
        chains.recover();
        // (4) pairs with (3) and with the note in cut.
        long group = memory.getVolatile(block + EpochBlock.FREEING);
        Set<Long> linked = linked();
        if (group == 0 || linked.contains(group)) {
            memory.setVolatile(block + EpochBlock.FREEING, 0);
            return;
        }
        long end = end(group);
        int list = EpochBlock.list(memory.get(group + Bag.EPOCH));
        if (linked.contains(end)) {
            // The incarnation before this one died after it had put the rest back, and had counted.
            memory.setVolatile(block + EpochBlock.FREEING, 0);
        } else {
            abandon(list, group, end);
        }
    }

    /**
     * That rank's objects in limbo were in a segment that is lost. Each counts as lost when its turn to be freed comes.
     * May be repeated.
     */
    public final void forget(int owner) {
        forgetInBags(owner);
        chains.forget(owner);
    }

    private void forgetInBags(int owner) {
        for (long bag : linked()) {
            forget(owner, bag);
        }
    }

    private void forget(int owner, long bag) {
        for (int index = 0; index < memory.getAcquire(bag + Bag.OBJECTS); index++) {
            long pointer = bag + Bag.entry(index) + Bag.POINTER;
            if (GlobalPointer.rankOf(memory.get(pointer)) == owner) {
                memory.setRelease(pointer, Bag.lost(owner));
            }
        }
    }

    /**
     * The epochs of the world have begun anew, and this is the present one. Bags in limbo wait as if they were sealed
     * now, or a little later. May be repeated.
     */
    public final void sealAnew(long epoch) {
        for (long bag : linked()) {
            int list = EpochBlock.list(memory.get(bag + Bag.EPOCH));
            memory.setRelease(bag + Bag.EPOCH, epoch + Math.floorMod(list - epoch, LISTS));
        }
        chains.sealAnew(epoch);
    }

    /** Counts everything in limbo anew. */
    public final void recount() {
        counts.clear();
        for (long bag : linked()) {
            counts.added(EpochBlock.list(memory.get(bag + Bag.EPOCH)), entries.of(memory, bag));
        }
    }

    /** Returns all bags in limbo, to tell whether a bag of a dead token is among them. */
    public final Set<Long> linked() {
        Set<Long> bags = new HashSet<>();
        for (int list = 0; list < LISTS; list++) {
            for (long bag = memory.getAcquire(head(list)); bag != 0; bag = next(bag)) {
                bags.add(bag);
            }
        }
        return bags;
    }

    // --- chains of bags ---

    private long objects(long[] bags) {
        long objects = 0;
        for (long bag : bags) {
            objects += memory.get(bag + Bag.OBJECTS);
        }
        return objects;
    }

    /** Returns the bags of a group. */
    private long[] bags(long first, long end) {
        long[] bags = new long[GROUP];
        int count = 0;
        for (long bag = first; bag != end; bag = next(bag)) {
            bags[count++] = bag;
        }
        return Arrays.copyOf(bags, count);
    }

    private long last(long first) {
        long last = first;
        for (long bag = first; bag != 0; bag = next(bag)) {
            last = bag;
        }
        return last;
    }

    private long next(long bag) {
        return memory.getAcquire(bag + Bag.NEXT);
    }

    private long head(int list) {
        return block + EpochBlock.LIMBO + list * Layouts.WORD;
    }

    private void leave(int list, long[] bags) {
        for (long bag : bags) {
            counts.removed(list, entries.of(memory, bag));
        }
    }

    private void add(long counter, long delta) {
        if (delta != 0) {
            memory.getAndAdd(block + counter, delta);
        }
    }
}
