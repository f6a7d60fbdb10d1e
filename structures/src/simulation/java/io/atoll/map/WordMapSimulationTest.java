package io.atoll.map;

import io.atoll.codec.Codecs;
import org.junit.jupiter.api.Tag;

/** Longs, which are looked for in mapped memory without being encoded first. */
@Tag("simulation")
class WordMapSimulationTest extends DistributedMapSimulation {

    WordMapSimulationTest() {
        super(Codecs.forType(Long.class), Codecs.forType(Long.class));
    }
}
