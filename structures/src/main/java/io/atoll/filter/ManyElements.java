package io.atoll.filter;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;

/**
 * Operations on many elements. The words of all elements are read in one round trip, or changed in one, whatever ranks
 * they belong to. A fabric without a fetch-or reads what it changes in a round trip before. Each element is added, or
 * looked for, at a moment of its own. Where verbs are executed at once, there is no round trip to share, and elements
 * are taken one by one.
 */
final class ManyElements {

    /** The most words that are read together: as many as a small buffer has. */
    private static final int MOST_READ = (int) (Batch.SMALL_BUFFER_BYTES / Layouts.WORD);

    private final FilterBlocks blocks;
    private final Endpoint endpoint;
    private final long[] hashes;
    private final int[] far; // the indices of the elements whose words go together
    private int count;

    public ManyElements(FilterBlocks blocks, long[] hashes) {
        this.blocks = blocks;
        this.endpoint = blocks.endpoint();
        this.hashes = hashes;
        this.far = new int[Math.min(hashes.length, MOST_READ)];
    }

    /** Returns for each what {@link FilterBlocks#mightContain} returns. */
    public boolean[] mightContain() {
        boolean[] there = new boolean[hashes.length];
        for (int next = 0; next < hashes.length;) {
            next = gather(next, MOST_READ);
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
        boolean hasFetchOr = endpoint.guarantees().fetchOr();
        for (int next = 0; next < hashes.length;) {
            next = gather(next, Batch.ATOMICS);
            if (hasFetchOr) {
                setBits(isNew);
            } else {
                readAndExchange(isNew);
            }
        }
        for (int index = 0; index < hashes.length; index++) {
            isNew[index] |= isNear(index) && blocks.add(hashes[index]);
        }
        return isNew;
    }

    /** Verbs to one rank take effect in their order: of two elements that are the same, the first one may be new. */
    private void setBits(boolean[] isNew) {
        Batch batch = endpoint.batch();
        int[] results = new int[count];
        for (int place = 0; place < count; place++) {
            long hash = hashes[far[place]];
            int rank = blocks.rank(hash);
            results[place] = batch.getAndBitwiseOr(rank, blocks.offset(hash, rank), blocks.pattern(hash));
        }
        batch.complete();
        for (int place = 0; place < count; place++) {
            long pattern = blocks.pattern(hashes[far[place]]);
            isNew[far[place]] = (batch.result(results[place]) & pattern) != pattern;
        }
    }

    private void readAndExchange(boolean[] isNew) {
        WordChanges changes = new WordChanges(endpoint);
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

    private boolean isNear(int index) {
        return endpoint.executesAtOnce(blocks.rank(hashes[index]));
    }

    /** Collects at most so many elements that go together. Returns the index of the first that is left. */
    private int gather(int first, int most) {
        count = 0;
        int next = first;
        for (; next < hashes.length && count < most; next++) {
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
