package io.atoll.map;

import io.atoll.fabric.Batch;

/**
 * Looks for several keys in rounds, each of which is one round trip to all their owners. The first round reads where
 * the search for each key begins, the next ones read on for the keys that are undecided. A round is begun here, and
 * taken once its batch is complete:
 * <pre>{@code
 * while (rounds.fill(batch)) {
 *     batch.complete();
 *     rounds.take(batch);
 * }
 * }</pre>
 */
final class FindRounds {

    private final BulkSearch search;
    private final long position;
    private final SeveralKeys.Finder finder;
    private final int[] undecided;
    private int count;
    private int read; // keys for which the present round reads

    /**
     * @param undecided the keys, whose searches begin now
     * @param position in the buffer from which on a round may use it
     */
    FindRounds(BulkSearch search, Blocks blocks, int[] undecided, long position, SeveralKeys.Finder finder) {
        this.search = search;
        this.position = position;
        this.finder = finder;
        this.undecided = undecided;
        this.count = undecided.length;
        for (int key : undecided) {
            search.begin(key, blocks.first(search.owner(key)));
        }
    }

    /** Runs all rounds. */
    void run(Batch batch) {
        while (fill(batch)) {
            batch.complete();
            take(batch);
        }
    }

    /** Adds the reads of the next round. Returns false if no key is left; then it adds nothing. */
    boolean fill(Batch batch) {
        read = count == 0 ? 0 : search.read(batch, undecided, count, position);
        return count > 0;
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
        long found = search.advance(batch, key);
        if (found == BucketReader.BEHIND) {
            return false;
        }
        finder.found(key, batch, found);
        return true;
    }
}
