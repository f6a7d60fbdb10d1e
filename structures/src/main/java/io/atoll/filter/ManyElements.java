package io.atoll.filter;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;

/**
 * Operations on many elements. The words of all elements are read in one round trip, whatever ranks they belong to. The
 * words that change are changed in another one. Each element is added, or looked for, at a moment of its own. Where
 * verbs are executed at once, there is no round trip to share, and elements are taken one by one.
 */
final class ManyElements {

    private final FilterBlocks blocks;
    private final Endpoint endpoint;
    private final long[] hashes;
    private final int[] far = new int[WordChanges.MOST]; // the indices of the elements that are read together
    private int count;

    public ManyElements(FilterBlocks blocks, long[] hashes) {
        this.blocks = blocks;
        this.endpoint = blocks.endpoint();
        this.hashes = hashes;
    }

    /** Returns for each what {@link FilterBlocks#mightContain} returns. */
    public boolean[] mightContain() {
        boolean[] there = new boolean[hashes.length];
        for (int next = 0; next < hashes.length;) {
            next = gather(next);
            Batch batch = read();
            for (int place = 0; place < count; place++) {
                long pattern = blocks.pattern(hashes[far[place]]);
                there[far[place]] = (batch.word(place * Layouts.WORD) & pattern) == pattern;
            }
        }
        for (int index = 0; index < hashes.length; index++) {
            there[index] |= isNear(index) && blocks.mightContain(hashes[index]);
        }
        return there;
    }

    /** Returns for each what {@link FilterBlocks#add} returns, as if they were added one after the other. */
    public boolean[] add() {
        boolean[] isNew = new boolean[hashes.length];
        WordChanges changes = new WordChanges(endpoint);
        for (int next = 0; next < hashes.length;) {
            next = gather(next);
            Batch batch = read();
            for (int place = 0; place < count; place++) {
                long hash = hashes[far[place]];
                int rank = blocks.rank(hash);
                long pattern = blocks.pattern(hash);
                changes.add(far[place], rank, blocks.offset(hash, rank), word -> word | pattern,
                        batch.word(place * Layouts.WORD));
            }
            changes.complete(index -> isNew[index] = true);
        }
        for (int index = 0; index < hashes.length; index++) {
            isNew[index] |= isNear(index) && blocks.add(hashes[index]);
        }
        return isNew;
    }

    private boolean isNear(int index) {
        return endpoint.executesAtOnce(blocks.rank(hashes[index]));
    }

    /** Collects as many elements as are read together. Returns the index of the first that is left. */
    private int gather(int first) {
        count = 0;
        int next = first;
        for (; next < hashes.length && count < far.length; next++) {
            if (!isNear(next)) {
                far[count++] = next;
            }
        }
        return next;
    }

    private Batch read() {
        Batch batch = endpoint.batch();
        for (int place = 0; place < count; place++) {
            long hash = hashes[far[place]];
            int rank = blocks.rank(hash);
            batch.read(rank, blocks.offset(hash, rank), place * Layouts.WORD, Layouts.WORD);
        }
        batch.complete();
        return batch;
    }
}
