package io.atoll.map.block;

import io.atoll.fabric.Endpoint;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How full a rank's blocks are, for those who look on without being pinned: what they read counts only if the block still was the present one afterwards.
 *
 * @param buckets of the last of them
 * @param living about how many keys have a value
 * @param claimed about how many of these buckets have a key
 */
public record BlockFigures(long buckets, long living, long claimed) {

    /** Empty if there is no block yet, or it was replaced meanwhile. Cost: 4 R, and 2 R for each block that is to take its place. */
    public static Optional<BlockFigures> read(Endpoint endpoint, int rank, long header) {
        long current = endpoint.readWord(rank, header + BlockHead.CURRENT);
        if (current == Block.NONE) {
            return Optional.empty();
        }
        long living = 0;
        long claimed = 0;
        long last = current;
        for (long block = current; block != Block.NONE; block = next(endpoint, rank, block)) {
            long counts = endpoint.readWord(rank, BlockHead.of(block) + BlockHead.COUNTS);
            living += BlockHead.living(block, counts);
            claimed = BlockHead.claimed(block, counts);
            last = block;
            if (endpoint.readWord(rank, header + BlockHead.CURRENT) != current) {
                return Optional.empty();
            }
        }
        return Optional.of(new BlockFigures(Block.buckets(last), Math.max(0, living), claimed));
    }

    private static long next(Endpoint endpoint, int rank, long block) {
        return endpoint.readWord(rank, BlockHead.of(block) + BlockHead.NEXT);
    }

    /** As if all were alike: keys are spread evenly. */
    public Map<String, Double> ofAllRanks(int ranks) {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("entries", (double) living * ranks);
        figures.put("buckets", (double) buckets * ranks);
        figures.put("load", (double) claimed / buckets);
        return figures;
    }
}
