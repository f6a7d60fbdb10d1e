package io.atoll.filter;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.NamedStructure;
import io.atoll.world.StructureStats;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Tells how full a filter is. It looks only at the words at the beginning of one rank's part, as many as a batch holds.
 * This is enough because elements are spread evenly.
 */
final class FilterStats implements StructureStats {

    @Override
    public Map<String, Double> read(Endpoint endpoint, int rank, NamedStructure block) {
        return FilterBlocks.size(block).map(size -> figures(endpoint, rank, block, size)).orElse(Map.of());
    }

    private static Map<String, Double> figures(Endpoint endpoint, int rank, NamedStructure block, FilterSize size) {
        long bytes = Math.min(block.bytes(), Batch.THREAD_BUFFER_BYTES);
        long[] wordsBySetBits = new long[Long.SIZE + 1];
        try (Batch batch = endpoint.batch(rank)) {
            batch.read(rank, block.offset(), 0, bytes);
            batch.complete();
            for (long position = 0; position < bytes; position += Layouts.WORD) {
                wordsBySetBits[Long.bitCount(batch.word(position))]++;
            }
        }
        Occupancy sample = Occupancy.of(wordsBySetBits, size.patternBits());
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("elements", (double) Math.round(sample.elements() * block.bytes() / bytes * endpoint.size()));
        figures.put("fill", sample.fill());
        figures.put("false positive rate", sample.falsePositiveRate());
        return figures;
    }
}
