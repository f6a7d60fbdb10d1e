package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.failure.RankUnreachableException;

/**
 * Looks for several keys in rounds, each of which is one round trip to all their owners. The first round reads where
 * the search for each key begins. The next ones read on for the keys that are undecided. {@link #fill} adds the reads
 * of a round, and {@link #take} takes their answers once the batch is complete:
 * <pre>{@code
 * while (rounds.fill(batch)) {
 *     batch.complete();
 *     rounds.take(batch);
 * }
 * }</pre>
 * If an owner cannot be reached, the rounds go on for the keys of the others: a batch that fails is
 * {@linkplain #recover recovered} from, and not taken.
 */
final class FindRounds {

    /** Keys that are looked for under one pin. A batch has room for a line of each. */
    static final int MOST_KEYS = 512;

    private static final int NO_OWNER = -1;

    private final BulkSearch search;
    private final long position;
    private final SeveralKeys.Finder finder;
    private final LostOwners lost;
    private final int[] undecided;
    private int count;
    private int read; // keys for which the present round reads
    private boolean isCutShort; // true if not all reads of the present round were added

    /**
     * @param undecided the keys, whose searches begin now
     * @param position in the buffer from which on a round may use it
     * @param lost owners that are not asked any more
     */
    FindRounds(BulkSearch search, Blocks blocks, int[] undecided, long position, SeveralKeys.Finder finder,
            LostOwners lost) {
        this.search = search;
        this.position = position;
        this.finder = finder;
        this.lost = lost;
        this.undecided = undecided;
        this.count = undecided.length;
        int known = NO_OWNER;
        long first = Block.NONE;
        for (int key : undecided) {
            int owner = search.owner(key);
            if (owner != known) {
                known = owner;
                first = first(owner, blocks);
            }
            search.begin(key, first);
        }
    }

    /** Returns the block in which searches at this owner begin, or none if the owner is lost. */
    private long first(int owner, Blocks blocks) {
        if (!lost.has(owner)) {
            try {
                return blocks.first(owner);
            } catch (RankUnreachableException failure) {
                lost.add(owner, failure);
            }
        }
        return Block.NONE;
    }

    /** Runs all rounds. */
    void run(Batch batch) {
        while (fill(batch)) {
            completeAndTake(batch);
        }
    }

    private void completeAndTake(Batch batch) {
        try {
            batch.complete();
        } catch (RankUnreachableException failure) {
            recover(failure);
            return;
        }
        take(batch);
    }

    /** Adds the reads of the next round. Returns false if no key is left; then it adds nothing. */
    boolean fill(Batch batch) {
        dropLost();
        read = 0;
        isCutShort = false;
        if (count == 0) {
            return false;
        }
        try {
            read = search.read(batch, undecided, count, position);
        } catch (RankUnreachableException failure) {
            lose(failure);
            isCutShort = true;
        }
        return true;
    }

    /** Takes what the round has read. */
    void take(Batch batch) {
        int left = 0;
        for (int place = 0; place < count; place++) {
            int key = undecided[place];
            if (place >= read || !isDecided(batch, key)) {
                undecided[left++] = key;
            }
        }
        count = left;
    }

    private boolean isDecided(Batch batch, int key) {
        long found;
        try {
            found = search.advance(batch, key);
        } catch (RankUnreachableException failure) {
            lost.add(search.owner(key), failure);
            return true;
        }
        if (found == BucketReader.BEHIND) {
            return false;
        }
        finder.found(key, batch, found);
        return true;
    }

    /**
     * Takes nothing of the round, since its batch has not reached a rank.
     *
     * @throws RankUnreachableException the failure, if the rank is none whose keys can be dropped
     */
    void recover(RankUnreachableException failure) {
        if (!isCutShort || !lost.has(failure.rank())) {
            lose(failure);
        }
    }

    private void lose(RankUnreachableException failure) {
        int left = count;
        int rank = failure.rank();
        if (rank < 0 || !lost.add(rank, failure)) {
            throw failure;
        }
        dropLost();
        if (count == left) {
            throw failure;
        }
    }

    private void dropLost() {
        if (lost.isEmpty()) {
            return;
        }
        int left = 0;
        for (int place = 0; place < count; place++) {
            int key = undecided[place];
            if (!lost.has(search.owner(key))) {
                undecided[left++] = key;
            }
        }
        count = left;
    }
}
