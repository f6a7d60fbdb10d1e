package io.atoll.view;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Fabric;
import io.atoll.fabric.InterposedFabric;
import io.atoll.fabric.InterposedFabric.Interposed;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.SegmentHeader;
import io.atoll.view.Electors.Exchange;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What a call costs: one verb for each rank that is asked, and so one round trip. */
class FabricHeadersTest {

    private final List<String> verbs = new CopyOnWriteArrayList<>();
    private final Fabric fabric = InterposedFabric.around(new Simulation(1, SimOptions.ranks(2)).fabric(0),
            new Interposed() {

                @Override
                public void before(String verb) {
                    verbs.add(verb);
                }

                @Override
                public void after(String verb) {
                    // Counts only what is begun.
                }
            });
    private final FabricHeaders headers = new FabricHeaders(() -> fabric, "headers");

    @AfterEach
    void end() {
        headers.close();
    }

    @Test
    void wordsOfARankAreReadByOneVerb() {
        Map<Integer, long[]> read = headers.read(List.of(1), SegmentHeader.foundedWord(), 4);
        assertThat(read.get(1)).containsExactly(0, 0, 0, 0);
        assertThat(verbs).containsExactly("read");
    }

    @Test
    void aWordIsExchangedByOneVerb() {
        Map<Integer, Long> found = headers.exchange(Map.of(1, new Exchange(0, 7)), SegmentHeader.viewWords(64));
        assertThat(found).isEqualTo(Map.of(1, 0L));
        assertThat(verbs).containsExactly("compareAndExchange");
    }
}
