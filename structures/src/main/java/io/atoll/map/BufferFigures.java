package io.atoll.map;

import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.NamedStructure;
import io.atoll.world.StructureStats;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Shows how many messages wait in the queues of a {@link HashMapBuffer}, and how full one of them is. Its block begins
 * with the rank's queue. Messages of the other ranks are estimated as if as many waited there. Cost: R.
 *
 * @param queues the figures of a queue of the words of messages
 * @param emptyBytes what a queue takes without its words
 */
record BufferFigures(StructureStats queues, long emptyBytes) implements StructureStats {

    @Override
    public Map<String, Double> read(Endpoint endpoint, int rank, NamedStructure block) {
        BufferSizes sizes = BufferSizes.of(block);
        OptionalLong queueBytes = block.number("queueBytes");
        if (sizes == null || queueBytes.isEmpty()) {
            return Map.of();
        }
        long capacity = (queueBytes.getAsLong() - emptyBytes) / Layouts.WORD;
        long wordsInMessage = capacity / sizes.messages(endpoint.size());
        Map<String, Double> queue = queues.read(endpoint, rank, new NamedStructure(block.name(),
                "fast-queue capacity=" + capacity + " host=" + rank, block.offset(), block.bytes(), block.births()));
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("elements", queue.get("elements") / wordsInMessage * endpoint.size());
        figures.put("fill", queue.get("fill"));
        return figures;
    }
}
