package io.atoll.map;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A rank's blocks, as monitoring reads them. Nothing pins the reader, so the blocks may be freed meanwhile. What it has
 * read counts only if the first block still is the present one afterwards.
 *
 * @param blocks the present block and those that are to take its place
 * @param previous the block that the present one has replaced and that is not retired yet
 * @param living about how many keys have a value
 * @param claimed about how many buckets of the last block have a key
 */
record BlockFigures(List<Found> blocks, Optional<Found> previous, long living, long claimed) {

    /**
     * A block, and where its buckets are.
     *
     * @param pieces as they were while the block was in use
     */
    public record Found(long block, @Nullable Pieces pieces) {

        private static Found read(Endpoint endpoint, int rank, long block) {
            return new Found(block, Pieces.read(endpoint, rank, block));
        }

        private List<Long> runs() {
            return Arrays.stream(Pieces.runs(pieces, block)).boxed().toList();
        }
    }

    /**
     * The block counts one key in n. If it has counted none, the map most likely has fewer than this many times n keys.
     */
    private static final double HARDLY_MISSED = 3;

    /**
     * Reads a rank's blocks. Returns empty if there is no block yet, or if it was replaced meanwhile. Cost: 3 R, and 2
     * R for each block that is to take its place; R more for each block that is in pieces.
     */
    public static Optional<BlockFigures> read(Endpoint endpoint, int rank, long header) {
        long current = current(endpoint, rank, header);
        if (current == Block.NONE) {
            return Optional.empty();
        }
        List<Found> blocks = new ArrayList<>();
        long previous = Block.NONE;
        long living = 0;
        long claimed = 0;
        for (long block = current; block != Block.NONE;) {
            Batch head = head(endpoint, rank, block);
            long next = head.word(BlockHead.NEXT);
            long counts = head.word(BlockHead.COUNTS);
            previous = block == current ? head.word(BlockHead.PREVIOUS) : previous;
            Found found = Found.read(endpoint, rank, block);
            // If the present block has been replaced, what was read may be neither a head nor a table.
            if (current(endpoint, rank, header) != current) {
                return Optional.empty();
            }
            blocks.add(found);
            living += BlockHead.living(block, counts);
            claimed = BlockHead.claimed(block, counts);
            block = next;
        }
        return Optional.of(new BlockFigures(List.copyOf(blocks), previous(endpoint, rank, header, current, previous),
                Math.max(0, living), claimed));
    }

    /** Returns the previous block, or empty if it was taken away while its table was read. */
    private static Optional<Found> previous(Endpoint endpoint, int rank, long header, long current, long previous) {
        if (previous == Block.NONE) {
            return Optional.empty();
        }
        Found found = Found.read(endpoint, rank, previous);
        boolean stays = head(endpoint, rank, current).word(BlockHead.PREVIOUS) == previous
                && current(endpoint, rank, header) == current;
        return stays ? Optional.of(found) : Optional.empty();
    }

    private static long current(Endpoint endpoint, int rank, long header) {
        return endpoint.readWord(rank, header + BlockHead.CURRENT);
    }

    private static Batch head(Endpoint endpoint, int rank, long block) {
        Batch batch = endpoint.batch(rank);
        batch.read(rank, BlockHead.of(block), 0, BlockHead.BYTES);
        batch.complete();
        return batch;
    }

    /** Returns the runs of the heap that hold the blocks. */
    public List<Long> runs() {
        List<Long> runs = new ArrayList<>();
        blocks.forEach(block -> runs.addAll(block.runs()));
        previous.ifPresent(block -> runs.addAll(block.runs()));
        return runs;
    }

    /** Returns figures of all ranks, as if all were like this one: keys are spread evenly. */
    public Map<String, Double> ofAllRanks(int ranks) {
        long last = blocks.getLast().block;
        Map<String, Double> figures = new LinkedHashMap<>();
        if (living > 0) {
            figures.put("entries about", (double) living * ranks);
        } else {
            figures.put("entries below", HARDLY_MISSED * BlockHead.rate(last) * ranks);
        }
        figures.put("buckets", (double) Block.buckets(last) * ranks);
        figures.put("load", (double) claimed / Block.buckets(last));
        return figures;
    }
}
