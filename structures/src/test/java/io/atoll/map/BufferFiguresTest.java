package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.entry;

import io.atoll.TwoRanks;
import io.atoll.world.NamedStructure;
import java.util.List;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** What monitoring shows of a map's buffer. */
@Timeout(60)
class BufferFiguresTest extends TwoRanks {

    private static final int MESSAGES = 3;
    private static final int MESSAGE_SIZE = 2;
    private static final int QUEUE_SIZE = 100;

    BufferFiguresTest() {
        super(4 << 20);
    }

    @Test
    void messagesThatWaitInAQueueAreSeenUntilAllFlush() throws Exception {
        List<DistributedMap<Long, Long>> maps = worlds.stream()
                .map(world -> world.map("orders", Long.class, Long.class).open())
                .toList();
        List<HashMapBuffer<Long, Long>> buffers = maps.stream()
                .map(map -> map.buffer(QUEUE_SIZE, MESSAGE_SIZE))
                .toList();
        LongStream.iterate(0, key -> key + 1)
                .filter(key -> maps.get(0).owner(key) == 1)
                .limit(MESSAGES * MESSAGE_SIZE + 1) // the last one is staged
                .forEach(key -> buffers.get(0).putIfAbsent(key, -key));

        double capacity = QUEUE_SIZE / MESSAGE_SIZE + worlds.size();
        assertThat(figures(0)).containsOnly(entry("elements", 0.0), entry("fill", 0.0));
        assertThat(figures(1)).containsOnly(entry("elements", 1.0 * MESSAGES * worlds.size()),
                entry("fill", MESSAGES / capacity));

        Worlds.atOnce(RANKS, rank -> () -> {
            buffers.get(rank).flush();
            return null;
        });
        assertThat(figures(1)).containsOnly(entry("elements", 0.0), entry("fill", 0.0));
    }

    /** Returns what the rank sees of its own part. */
    private Map<String, Double> figures(int rank) {
        NamedStructure buffer = worlds.get(rank)
                .inspection()
                .structures(rank)
                .orElseThrow()
                .stream()
                .filter(structure -> structure.name().equals("orders.buffer"))
                .findFirst()
                .orElseThrow();
        return worlds.get(rank).inspection().estimate(rank, buffer);
    }
}
