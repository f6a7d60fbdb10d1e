package io.atoll.filter;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.function.LongUnaryOperator;

/**
 * Operations on all words of a filter, rank by rank, as many at a time as a batch holds. Other threads may use the
 * filter meanwhile. Each word is read or changed at a moment of its own, and an element lies in one word.
 */
final class WholeFilter {

    private static final int WINDOW = (int) (Batch.THREAD_BUFFER_BYTES / Layouts.WORD);

    private final FilterBlocks blocks;
    private final Endpoint endpoint;

    public WholeFilter(FilterBlocks blocks) {
        this.blocks = blocks;
        this.endpoint = blocks.endpoint();
    }

    private interface Window {

        /** @param first the first word, within the rank's part */
        void visit(int rank, long first, int words);
    }

    private void forEachWindow(Window window) {
        for (int rank = 0; rank < blocks.ranks(); rank++) {
            for (long first = 0; first < blocks.words(); first += WINDOW) {
                window.visit(rank, first, (int) Math.min(WINDOW, blocks.words() - first));
            }
        }
    }

    private static void read(FilterBlocks from, int rank, long first, int words, long[] target) {
        from.endpoint()
                .read(rank, from.wordOffset(rank, first), MemorySegment.ofArray(target), 0, words * Layouts.WORD);
    }

    public Occupancy occupancy() {
        long[] window = new long[WINDOW];
        long[] wordsBySetBits = new long[Long.SIZE + 1];
        forEachWindow((rank, first, words) -> {
            read(blocks, rank, first, words, window);
            for (int word = 0; word < words; word++) {
                wordsBySetBits[Long.bitCount(window[word])]++;
            }
        });
        return Occupancy.of(wordsBySetBits, blocks.patternBits());
    }

    /** Adds every element of the other filter, which has as many words and the same patterns. */
    public void union(FilterBlocks other) {
        long[] added = new long[WINDOW];
        long[] present = new long[WINDOW];
        forEachWindow((rank, first, words) -> {
            read(other, rank, first, words, added);
            read(blocks, rank, first, words, present);
            setBits(rank, first, words, added, present);
        });
    }

    private void setBits(int rank, long first, int words, long[] added, long[] present) {
        boolean near = endpoint.executesAtOnce(rank);
        var changes = new WordChanges(endpoint);
        for (int word = 0; word < words; word++) {
            long offset = blocks.wordOffset(rank, first + word);
            long bits = added[word];
            if (!near) {
                add(changes, rank, offset, there -> there | bits, present[word]);
            } else if ((bits & ~present[word]) != 0) {
                endpoint.getAndBitwiseOr(rank, offset, bits);
            }
        }
        changes.complete(_ -> {});
    }

    private static void add(WordChanges changes, int rank, long offset, LongUnaryOperator change, long found) {
        changes.add(0, rank, offset, change, found);
        if (changes.isFull()) {
            changes.complete(_ -> {});
        }
    }

    /** Clears all words. Returns when the zeros have arrived. */
    public void clear() {
        if (endpoint.guarantees().coherentWithCpu()) {
            writeZeros();
        } else {
            exchangeForZeros();
        }
    }

    private void writeZeros() {
        MemorySegment zeros = MemorySegment.ofArray(new long[WINDOW]);
        forEachWindow((rank, first, words) -> endpoint.write(rank, blocks.wordOffset(rank, first), zeros, 0,
                words * Layouts.WORD));
        for (int rank = 0; rank < blocks.ranks(); rank++) {
            endpoint.flush(rank);
        }
    }

    /**
     * Where an atomic first reads and then writes, a plain write in between is lost: an add would undo the clear that
     * came before it.
     */
    private void exchangeForZeros() {
        long[] present = new long[WINDOW];
        var changes = new WordChanges(endpoint);
        forEachWindow((rank, first, words) -> {
            read(blocks, rank, first, words, present);
            for (int word = 0; word < words; word++) {
                add(changes, rank, blocks.wordOffset(rank, first + word), _ -> 0, present[word]);
            }
            changes.complete(_ -> {});
        });
    }
}
