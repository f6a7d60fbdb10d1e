package io.atoll.heap;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * Claims objects of several sizes in one segment together, for this process's slab caches. A round is three batches at
 * most:
 * <ol>
 * <li>a look at the hints, the table, and what is free in slabs that this process holds and has emptied;
 * <li>the claims of groups in those slabs, of slabs that have room, and of new slabs. A slab with nothing free is given
 * up;
 * <li>the claims of groups in slabs that had room.
 * </ol>
 * Several fresh slabs come into being as one run, which the rank that claims it divides:
 * <pre>
 *         0      |    0    |    0          never were in use
 *    PENDING, 3  |    0    |    0          one run: if the rank dies, it is taken back
 *    PENDING, 3  |  HELD   |  HELD         one run still, since no walk from the beginning meets a word inside
 *    HELD, 1     |  HELD   |  HELD         three slabs: if the rank dies, each is taken back
 * </pre>
 * Objects are claimed for the caches, and are handed out after that. So a failure loses none: they are free, or in a
 * cache, or are taken back when this incarnation has ended.
 */
final class BulkClaim {

    /** Other ranks may be faster, and slabs may have little room. What is missing then is allocated one by one. */
    private static final int MOST_ROUNDS = 4;

    private static final int MOST_EMPTIED = 16;

    // The parts of the buffer: the hints, a window of the table, marks of objects that are handed out, zeros, the rest.
    private static final long PART_BYTES = SlabTable.WINDOW * Layouts.WORD;
    private static final long TABLE = HeapArea.HINTS * Layouts.WORD;
    private static final long MARKS = TABLE + PART_BYTES;
    private static final long ZEROS = MARKS + PART_BYTES;
    private static final long REST = ZEROS + PART_BYTES;

    private static final long GROUP_BYTES = SizeClass.GROUP * Layouts.WORD;
    private static final int NONE = -1;

    private final SmallObjects objects;
    private final SlabTable table;
    private final Endpoint endpoint;
    private final HeapArea area;
    private final Runs runs;
    private final int target;
    private final List<Demand> demands;

    /** Objects of one size class that are wanted. */
    static final class Demand {

        private final SlabCache cache;
        private final SizeClass sizeClass;
        private final int[] places;
        private final long[] objects;
        private int wanted;
        private int taken;
        private int claimed; // by the present round
        private int slabs; // that the present round still has to find
        private long hint;
        private int passed; // no slab before this one has room that is not adopted; NONE if no slab has

        /** @param most so many objects at most */
        Demand(SlabCache cache, int most) {
            this.cache = cache;
            this.sizeClass = cache.sizeClass();
            this.places = new int[most];
            this.objects = new long[most];
        }

        /** Wants one more object, for this place. */
        void add(int place) {
            places[wanted++] = place;
        }

        /** Puts the objects that were handed out into their places. */
        void deliver(long[] offsets) {
            for (int index = 0; index < taken; index++) {
                offsets[places[index]] = objects[index];
            }
        }

        private boolean take() {
            try {
                cache.takeCached(objects, taken, wanted);
            } finally { // what was handed out before a failure is delivered, too
                while (taken < wanted && objects[taken] != 0) {
                    taken++;
                }
            }
            return taken == wanted;
        }

        private int missing() {
            return Math.max(wanted - taken - claimed, 0);
        }
    }

    /** A slab that is this thread's alone, or is about to be. */
    private static final class Slab {

        private final Demand demand;
        private final ClaimedSlab slab;
        private long free; // position of its words that say what is free; 0 if they are not read
        private int exchange = NONE;

        Slab(Demand demand, ClaimedSlab slab) {
            this.demand = demand;
            this.slab = slab;
        }

        ObjectSlab words() {
            return slab.slab();
        }
    }

    /** A run that is claimed and divided into slabs. */
    private static final class NewSlabs {

        private final int first;
        private final long before; // the first word
        private final List<Slab> slabs = new ArrayList<>();
        private int claim = NONE;
        private int division = NONE; // of the first word, the last exchange

        NewSlabs(int first, long before) {
            this.first = first;
            this.before = before;
        }
    }

    private record Claim(ClaimedSlab slab, int group, long objects, long position) {}

    // The present round.
    private final List<Slab> own = new ArrayList<>();
    private final List<Slab> withRoom = new ArrayList<>();
    private final List<Slab> givenUp = new ArrayList<>();
    private final List<NewSlabs> made = new ArrayList<>();
    private final List<Claim> claims = new ArrayList<>();
    private final List<Integer> reusable = new ArrayList<>(); // free runs of one slab
    private long freeHint;
    private int passed; // no run before this one is free and not reused; NONE if no run is
    private int atomics; // that the batch still has room for
    private long position; // in the buffer, of what comes next

    BulkClaim(SmallObjects objects, SlabTable table, Runs runs, int target, List<Demand> demands) {
        this.objects = objects;
        this.table = table;
        this.endpoint = table.endpoint();
        this.area = table.area();
        this.runs = runs;
        this.target = target;
        this.demands = demands;
    }

    /** Hands out what is wanted, as far as there is room. Uses the thread's batch. */
    void run() {
        boolean isMore = true;
        for (int round = 0; !takeAll() && isMore && round < MOST_ROUNDS; round++) {
            isMore = claim(round == 0);
        }
    }

    private boolean takeAll() {
        boolean isAll = true;
        for (Demand demand : demands) {
            isAll &= demand.take();
        }
        return isAll;
    }

    /**
     * Returns false if nothing is left that can be claimed. If a verb fails, it is unknown which of them took effect.
     * Then the slabs of the round are not used any more, and are taken back with all that this incarnation holds.
     */
    private boolean claim(boolean isFirst) {
        try (Batch batch = endpoint.batch(target)) {
            try {
                takeEmptied();
                SlabTable.Walk walk = look(batch);
                begin(REST);
                findInEmptied(batch);
                findSlabs(walk, isFirst);
                boolean isMore = !claims.isEmpty() || !withRoom.isEmpty() || !made.isEmpty();
                claim(batch, isFirst);
                return isMore;
            } catch (VirtualMachineError | LinkageError error) {
                settle(batch);
                throw error;
            }
        } finally {
            forget();
        }
    }

    private void begin(long behind) {
        position = behind;
        atomics = Batch.ATOMICS;
    }

    private void forget() {
        own.clear();
        withRoom.clear();
        givenUp.clear();
        made.clear();
        claims.clear();
        reusable.clear();
    }

    private boolean fits(long bytes) {
        return position + bytes <= Batch.THREAD_BUFFER_BYTES;
    }

    private long place(long bytes) {
        long at = position;
        position += bytes;
        return at;
    }

    // --- the look ---

    private void takeEmptied() {
        for (Demand demand : demands) {
            demand.claimed = 0;
            boolean isWanted = demand.taken < demand.wanted;
            while (isWanted && own.size() < MOST_EMPTIED) {
                ClaimedSlab emptied = demand.cache.takeEmptied();
                if (emptied == null) {
                    break;
                }
                own.add(new Slab(demand, emptied));
            }
        }
    }

    /** Returns a walk over the table that passes every slab to which a hint points. */
    private SlabTable.Walk look(Batch batch) {
        begin(REST);
        int start = Math.min(objects.start(target), area.slabs() - 1);
        long[] words = new long[Math.min(SlabTable.WINDOW, area.slabs() - start)];
        batch.read(target, area.hintOffset(0), 0, TABLE);
        batch.read(target, area.wordOffset(start), TABLE, words.length * Layouts.WORD);
        for (Slab emptied : own) {
            if (fits(emptied.words().freeBytes())) {
                emptied.free = place(emptied.words().freeBytes());
                emptied.words().addReadOfFree(batch, emptied.free);
            }
        }
        batch.complete();
        Arrays.setAll(words, index -> batch.word(TABLE + index * Layouts.WORD));
        freeHint = batch.word(SearchHints.RUNS * Layouts.WORD);
        int from = SearchHints.slab(freeHint);
        for (Demand demand : demands) {
            demand.hint = batch.word(SearchHints.objectsOf(demand.sizeClass.index()) * Layouts.WORD);
            from = Math.min(from, SearchHints.slab(demand.hint));
        }
        objects.startFrom(target, from);
        return from >= start && from < start + words.length
                ? table.walk(target, start, words)
                : table.walk(target, from);
    }

    // --- what is to be claimed ---

    private void findInEmptied(Batch batch) {
        for (Slab emptied : own) {
            if (emptied.free != 0) {
                long[] free = emptied.words().free(batch, emptied.free);
                if (emptied.slab.takeInterrupted(free)) {
                    continue;
                }
                if (!find(emptied, free) && atomics > 0 && fits(emptied.words().freeBytes())) {
                    atomics--;
                    emptied.free = place(emptied.words().freeBytes());
                    givenUp.add(emptied);
                }
            }
        }
        own.removeAll(givenUp);
    }

    /**
     * Finds as many groups of the slab as are needed and the batch has room for. Returns false if nothing of it is
     * free.
     */
    private boolean find(Slab slab, long[] free) {
        boolean isAny = false;
        for (int group = 0; group < free.length; group++) {
            isAny |= free[group] != 0;
            if (free[group] != 0 && slab.demand.missing() > 0 && atomics > 0 && fits(GROUP_BYTES)) {
                atomics--;
                claims.add(new Claim(slab.slab, group, free[group], place(GROUP_BYTES)));
                slab.demand.claimed += Long.bitCount(free[group]);
            }
        }
        return isAny;
    }

    /**
     * Finds slabs that have room, and new ones. The table does not say how much room a slab has. So a later round
     * adopts none as long as it can make some.
     */
    private void findSlabs(SlabTable.Walk walk, boolean isFirst) {
        int wanted = 0;
        for (Demand demand : demands) {
            demand.slabs = Math.ceilDiv(demand.missing(), demand.sizeClass.objects());
            demand.passed = NONE;
            wanted += demand.slabs;
        }
        passed = NONE;
        int left = wanted;
        for (; left > 0 && !walk.atEnd(); walk.next()) {
            left -= isAdopted(walk) ? 1 : 0;
            if (SlabWord.state(walk.word()) == SlabWord.FREE) {
                findFree(walk, wanted);
            }
        }
        int fresh = walk.atEnd() ? area.slabs() - walk.slab() : 0;
        if (!isFirst && (fresh > 0 || !reusable.isEmpty())) {
            withRoom.forEach(each -> each.demand.slabs++);
            withRoom.clear();
        }
        if (wanted > 0) {
            make(walk.slab(), fresh);
            passAll(walk.slab());
        }
    }

    /** Returns true if the walk is at a slab that has room, and it is to be adopted. */
    private boolean isAdopted(SlabTable.Walk walk) {
        for (Demand demand : demands) {
            if (walk.word() == SlabWord.room(demand.sizeClass.index())) {
                Slab slab = new Slab(demand, objects.adopted(target, walk.slab(), demand.sizeClass));
                if (demand.slabs > 0 && atomics > 0 && fits(slab.words().freeBytes())) {
                    atomics--;
                    slab.free = place(slab.words().freeBytes());
                    demand.slabs--;
                    withRoom.add(slab);
                    return true;
                }
                demand.passed = demand.passed == NONE ? walk.slab() : demand.passed;
            }
        }
        return false;
    }

    private void findFree(SlabTable.Walk walk, int wanted) {
        if (walk.word() == SlabWord.free(1) && reusable.size() < wanted) {
            reusable.add(walk.slab());
        } else if (passed == NONE) {
            passed = walk.slab();
        }
    }

    /** Makes slabs of free runs, then of fresh ones. */
    private void make(int firstFresh, int fresh) {
        NewSlabs ofFresh = new NewSlabs(firstFresh, SlabWord.NONE);
        for (Demand demand : demands) {
            while (demand.slabs > 0 && atomics > 2 && (!reusable.isEmpty() || ofFresh.slabs.size() < fresh)) {
                if (!reusable.isEmpty()) {
                    int slab = reusable.removeFirst();
                    NewSlabs ofOne = new NewSlabs(slab, SlabWord.free(1));
                    ofOne.slabs.add(new Slab(demand, objects.made(target, slab, demand.sizeClass)));
                    made.add(ofOne);
                    atomics -= 2;
                } else {
                    int slab = firstFresh + ofFresh.slabs.size();
                    atomics -= ofFresh.slabs.isEmpty() ? 2 : 1;
                    ofFresh.slabs.add(new Slab(demand, objects.made(target, slab, demand.sizeClass)));
                }
                demand.slabs--;
            }
        }
        if (!ofFresh.slabs.isEmpty()) {
            made.add(ofFresh);
        }
    }

    /** Notes how far the hints may advance. */
    private void passAll(int end) {
        if (!reusable.isEmpty()) {
            passed = passed == NONE ? reusable.getFirst() : Math.min(passed, reusable.getFirst());
        }
        passed = passed == NONE ? end : passed;
        for (Demand demand : demands) {
            demand.passed = demand.passed == NONE ? end : demand.passed;
        }
    }

    // --- the claims ---

    private void claim(Batch batch, boolean isFirst) {
        place(batch);
        boolean areTogether = endpoint.guarantees().guardsAtOwner();
        for (NewSlabs run : made) {
            run.claim = batch.compareAndExchange(target, area.wordOffset(run.first), run.before,
                    objects.pending(run.slabs.size()));
            if (areTogether) {
                divide(batch, run);
            }
        }
        batch.unguard();
        claims.forEach(each -> each.slab.addClaim(batch, each.group, each.objects, each.position));
        for (Slab each : givenUp) {
            each.exchange = each.words().addRelease(batch, each.slab.word(), MARKS, PART_BYTES, each.free);
        }
        for (Slab each : withRoom) {
            each.exchange = each.words().addAdoption(batch, each.slab.word());
            each.words().addReadOfFree(batch, each.free);
        }
        // The hints were read before the table, unless reads overtake each other.
        if (isFirst && endpoint.readsInOrder(target)) {
            advanceHints(batch);
        }
        if (!areTogether) {
            // Behind all claims: the first guard waits for them.
            made.forEach(run -> divide(batch, run));
            batch.unguard();
        }
        batch.complete();
        finish(batch);
    }

    private void place(Batch batch) {
        MemorySegment buffer = batch.buffer();
        if (!givenUp.isEmpty()) {
            for (long at = MARKS; at < ZEROS; at += Layouts.WORD) {
                batch.setWord(at, SizeClass.HANDED_OUT);
            }
        }
        buffer.asSlice(ZEROS, PART_BYTES).fill((byte) 0);
    }

    /** Adds what makes slabs of a run if it is claimed. */
    private void divide(Batch batch, NewSlabs run) {
        batch.guard(run.claim);
        if (run.before != SlabWord.NONE) {
            run.slabs.getFirst().words().addZeros(batch, ZEROS, PART_BYTES);
        }
        for (int index = 1; index < run.slabs.size(); index++) {
            batch.compareAndExchange(target, area.wordOffset(run.first + index), SlabWord.NONE,
                    run.slabs.get(index).slab.word());
        }
        // Last: until then, the others are the inside of a run.
        run.division = batch.compareAndExchange(target, area.wordOffset(run.first),
                objects.pending(run.slabs.size()), run.slabs.getFirst().slab.word());
    }

    private void advanceHints(Batch batch) {
        advanceHint(batch, SearchHints.RUNS, freeHint, passed);
        for (Demand demand : demands) {
            advanceHint(batch, SearchHints.objectsOf(demand.sizeClass.index()), demand.hint, demand.passed);
        }
    }

    private void advanceHint(Batch batch, int kind, long seen, int slab) {
        if (slab > SearchHints.slab(seen) && atomics > 0) {
            atomics--;
            table.hints().addAdvance(batch, target, kind, seen, slab);
        }
    }

    /** Takes what the batch has claimed, and claims the objects of slabs that had room. */
    private void finish(Batch batch) {
        own.forEach(each -> each.slab.takeClaimed());
        claims.clear();
        takeMade(batch);
        begin(REST);
        for (Slab each : withRoom) {
            if (batch.succeeded(each.exchange)) {
                own.add(each);
                find(each, each.words().free(batch, each.free));
            }
        }
        withRoom.clear();
        for (Slab each : givenUp) {
            if (!batch.succeeded(each.exchange)) {
                throw table.takenBack(target, each.words().slab(), each.slab.word());
            }
            each.words().makeRoomIfAny(each.words().free(batch, each.free));
        }
        givenUp.clear();
        if (!claims.isEmpty()) {
            claims.forEach(each -> each.slab.addClaim(batch, each.group, each.objects, each.position));
            batch.complete();
            own.forEach(each -> each.slab.takeClaimed());
        }
        keep();
    }

    private void takeMade(Batch batch) {
        for (NewSlabs run : made) {
            if (batch.succeeded(run.claim)) {
                if (!batch.succeeded(run.division)) {
                    throw table.takenBack(target, run.first, objects.pending(run.slabs.size()));
                }
                own.addAll(run.slabs);
            }
        }
        made.clear();
    }

    private void keep() {
        own.forEach(each -> each.demand.cache.add(each.slab));
        own.clear();
    }

    /**
     * Keeps what an error leaves: slabs that this process had, and those that it has for certain. A run that is claimed
     * and not divided is given back. What was about to be given up, or is not answered, stays in the name of this
     * incarnation.
     */
    private void settle(Batch batch) {
        for (Slab each : withRoom) {
            if (hasSucceeded(batch, each.exchange)) {
                own.add(each);
            }
        }
        made.removeIf(run -> !hasSucceeded(batch, run.claim));
        endpoint.batch(target); // empties the batch: no verb is under way any more that claims or divides
        for (NewSlabs run : made) {
            if (!runs.giveBack(target, run.first, run.slabs.size())) { // it is divided
                own.addAll(run.slabs);
            }
        }
        keep();
    }

    private static boolean hasSucceeded(Batch batch, int exchange) {
        return exchange != NONE && batch.succeeded(exchange);
    }
}
