package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.fabric.Endpoint;
import io.atoll.queue.FastQueue;
import io.atoll.world.NamedStructure;
import io.atoll.world.StructureStats;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Shows how many messages wait in the queues of a {@link HashMapBuffer}, and how full one of them is. Its block begins
 * with the rank's queue. Messages of the other ranks are estimated as if as many waited there. Cost: R.
 *
 * @param words how a queue stores the words of messages
 */
record BufferFigures(Codec<Long> words) implements StructureStats {

    @Override
    public Map<String, Double> read(Endpoint endpoint, int rank, NamedStructure block) {
        BufferSizes sizes = BufferSizes.of(block);
        OptionalLong queueBytes = block.number("queueBytes");
        if (sizes == null || queueBytes.isEmpty()) {
            return Map.of();
        }
        long capacity = (queueBytes.getAsLong() - FastQueue.bytes(words, 0)) / words.bytes();
        long wordsInMessage = capacity / sizes.messages(endpoint.size());
        Map<String, Double> queue = FastQueue.FIGURES.read(endpoint, rank, new NamedStructure(block.name(),
                "fast-queue capacity=" + capacity + " host=" + rank, block.offset(), block.bytes(), block.births()));
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("elements", queue.get("elements") / wordsInMessage * endpoint.size());
        figures.put("fill", queue.get("fill"));
        return figures;
    }
}
