package io.atoll.heap;

/**
 * Makes a run of free pieces that have the wrong length: joins neighbours, and splits off what is too much. It is used
 * when no free run fits and no fresh slab is left.
 *
 * <p>Several words change, one after the other. After each step, every piece of the chain has a state that tells what
 * it is:
 * <ol>
 * <li>the first piece becomes PENDING, and so this rank's;
 * <li>each neighbour becomes JOINED, then the first becomes longer by it. Until then the neighbour is a run of its own,
 * and is taken back as such if this rank dies. From then on its word lies inside the run, where only a walk that began
 * before may come across it;
 * <li>the rest, inside the run still, becomes JOINED, then the first becomes shorter, then the rest becomes FREE.
 * </ol>
 * A word inside a run is never FREE. A walk from the beginning meets such a word only if a living rank joined the
 * pieces during the walk. So no rank reserves a part of a run, or takes one back.
 */
final class Coalescing {

    private final SlabTable table;
    private final HeapArea area;
    private final int rank;
    private final int incarnation;

    Coalescing(SlabTable table, int incarnation) {
        this.table = table;
        this.area = table.area();
        this.rank = table.endpoint().rank();
        this.incarnation = incarnation;
    }

    /** Makes a run, pending in this rank's name, not zeroed. Returns its first slab, or {@link Runs#NOT_FOUND}. */
    int claim(int target, int slabs) {
        int first = 0; // the first of the free pieces that follow each other up to here
        for (SlabTable.Walk walk = table.walk(target, 0); walk.slab() < area.slabs(); walk.next()) {
            boolean free = walk.atEnd() || SlabWord.state(walk.word()) == SlabWord.FREE;
            int next = walk.atEnd() ? area.slabs() : walk.slab() + SlabWord.length(walk.word());
            if (free && next - first >= slabs && join(target, first, slabs)) {
                return first;
            }
            if (walk.atEnd()) {
                break;
            }
            first = free && next - first < slabs ? first : next;
        }
        return Runs.NOT_FOUND;
    }

    /** Returns false if another rank was faster. */
    private boolean join(int target, int first, int slabs) {
        int length = take(target, first, SlabWord.PENDING, slabs);
        if (length == 0) {
            return false;
        }
        while (length < slabs) {
            int more = take(target, first + length, SlabWord.JOINED, slabs - length);
            if (more == 0) {
                release(target, first, pending(length));
                return false;
            }
            table.replace(target, first, pending(length), pending(length + more));
            length += more;
        }
        if (length > slabs) {
            splitOff(target, first, slabs, length - slabs);
        }
        return true;
    }

    /**
     * Takes the free run, or the missing number of fresh slabs, into this rank's name. Returns the length, 0 if there
     * is neither.
     */
    private int take(int target, int slab, int state, int missing) {
        long word = slab < area.slabs() ? table.word(target, slab) : SlabWord.NONE;
        boolean fresh = word == SlabWord.NONE;
        if (fresh ? missing > area.slabs() - slab : SlabWord.state(word) != SlabWord.FREE) {
            return 0;
        }
        int length = fresh ? missing : SlabWord.length(word);
        long taken = state == SlabWord.PENDING ? pending(length) : joined(length);
        return table.compareAndExchange(target, slab, word, taken) == word ? length : 0;
    }

    private void splitOff(int target, int first, int kept, int rest) {
        int slab = first + kept;
        table.replace(target, slab, table.word(target, slab), joined(rest));
        table.replace(target, first, pending(kept + rest), pending(kept));
        release(target, slab, joined(rest));
    }

    private void release(int target, int slab, long own) {
        table.replace(target, slab, own, SlabWord.free(SlabWord.length(own)));
        table.hints().announce(target, SearchHints.RUNS, slab);
    }

    private long pending(int length) {
        return SlabWord.pending(length, rank, incarnation);
    }

    private long joined(int length) {
        return SlabWord.joined(length, rank, incarnation);
    }
}
