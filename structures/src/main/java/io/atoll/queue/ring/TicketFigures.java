package io.atoll.queue.ring;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.directory.Figures;
import io.atoll.world.directory.NamedStructure;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * How many elements are in a queue of tickets, and how many there have been.
 *
 * @param tail where in the host's block the next ticket to draw is
 * @param head where the next to pop is; both only grow
 */
public record TicketFigures(long tail, long head) implements Figures {

    /** Of a circular queue. */
    public static final TicketFigures CIRCULAR = new TicketFigures(CircularBlock.TAIL, CircularBlock.HEAD);

    @Override
    public Map<String, Double> read(Endpoint endpoint, int rank, NamedStructure block) {
        OptionalLong capacity = block.number("capacity");
        if (capacity.isEmpty() || block.number("host").isEmpty()) {
            return Map.of();
        }
        Batch batch = endpoint.batch(rank);
        batch.read(rank, block.offset() + head, 0, Layouts.WORD);
        batch.read(rank, block.offset() + tail, Layouts.WORD, Layouts.WORD);
        batch.complete();
        return figures(batch.word(0), batch.word(Layouts.WORD), capacity.getAsLong());
    }

    private static Map<String, Double> figures(long popped, long pushed, long capacity) {
        // Of different moments: a tail may be older than the head, or have gone on for more than the queue holds.
        double elements = Math.clamp(pushed - popped, 0, capacity);
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("elements", elements);
        figures.put("fill", elements / capacity);
        figures.put("pushed", (double) pushed);
        figures.put("popped", (double) popped);
        return figures;
    }
}
