package io.atoll.queue;

import io.atoll.fabric.Batch;
import io.atoll.fabric.Endpoint;
import io.atoll.memory.Layouts;
import io.atoll.world.NamedStructure;
import io.atoll.world.StructureStats;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;

/**
 * Reads how many elements are in a queue of tickets, how many there have been, and where it has moved. The headers of
 * both kinds of rings are alike in what is read here. Cost: R; and 2 R for each ring from the first, or the oldest that
 * is known, to the last.
 *
 * @param ring where in the host's block its first ring is
 * @param oldest where the pointer to the oldest ring is, negative if there is none
 */
record QueueStats(long ring, long oldest) implements StructureStats {

    private static final long HEADER_BYTES = RingBlock.HEAD + Layouts.WORD;

    @Override
    public Map<String, Double> read(Endpoint endpoint, int rank, NamedStructure block) {
        OptionalLong capacity = block.number("capacity");
        if (capacity.isEmpty() || block.number("host").isEmpty()) {
            return Map.of();
        }
        long known = oldest < 0 ? 0 : endpoint.readWord(rank, block.offset() + oldest);
        RingReference place = known == RingReference.NONE
                ? new RingReference(rank, 0, block.offset() + ring)
                : RingReference.fromWord(known);
        Batch header = known == RingReference.NONE ? header(endpoint, place) : presentHeader(endpoint, place);
        long popped = header.word(RingBlock.HEAD);
        while (RingBlock.isMarked(header.word(RingBlock.TAIL))) {
            place = RingReference.fromWord(header.word(RingBlock.NEXT));
            header = presentHeader(endpoint, place);
            popped = RingBlock.isMarked(popped) ? header.word(RingBlock.HEAD) : popped;
        }
        long moves = header.word(RingBlock.MOVES);
        long present = moves == 0 ? capacity.getAsLong() : header.word(RingBlock.CAPACITY);
        Map<String, Double> figures = figures(popped, header.word(RingBlock.TAIL), present);
        if (moves > 0) {
            figures.put("moves", (double) moves);
            figures.put("host", (double) place.host());
            figures.put("capacity", (double) present);
        }
        return figures;
    }

    private static Batch presentHeader(Endpoint endpoint, RingReference place) {
        place.requirePresent(endpoint);
        return header(endpoint, place);
    }

    private static Batch header(Endpoint endpoint, RingReference place) {
        Batch batch = endpoint.batch(place.host());
        batch.read(place.host(), place.header(), 0, HEADER_BYTES);
        batch.complete();
        return batch;
    }

    private static Map<String, Double> figures(long popped, long pushed, long capacity) {
        // The two words were read at different moments: a tail may be older than the head, or have gone on.
        double elements = Math.max(pushed - popped, 0);
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("elements", elements);
        figures.put("fill", elements / capacity);
        figures.put("pushed", (double) pushed);
        figures.put("popped", (double) popped);
        return figures;
    }
}
