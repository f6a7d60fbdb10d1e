package io.atoll.map.block;

import io.atoll.fabric.Endpoint;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How full a rank's present block is, for those who look on without being pinned: what they read counts only if the block still was the present one afterwards.
 *
 * @param living about how many keys have a value
 * @param claimed about how many buckets have a key
 */
public record BlockFigures(long buckets, long living, long claimed) {

    /** Empty if there is no block yet, or it was replaced meanwhile. Cost: 3 R. */
    public static Optional<BlockFigures> read(Endpoint endpoint, int rank, long header) {
        long block = endpoint.readWord(rank, header + BlockHead.CURRENT);
        if (block == Block.NONE) {
            return Optional.empty();
        }
        long counts = endpoint.readWord(rank, BlockHead.of(block) + BlockHead.COUNTS);
        return endpoint.readWord(rank, header + BlockHead.CURRENT) == block
                ? Optional.of(new BlockFigures(Block.buckets(block), Math.max(0, BlockHead.living(block, counts)),
                        BlockHead.claimed(block, counts)))
                : Optional.empty();
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
