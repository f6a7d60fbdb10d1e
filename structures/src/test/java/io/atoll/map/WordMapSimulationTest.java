package io.atoll.map;

import io.atoll.codec.Codecs;

/** Longs, which are looked for in mapped memory without being encoded first. */
class WordMapSimulationTest extends DistributedMapSimulation {

    WordMapSimulationTest() {
        super(Codecs.forType(Long.class), Codecs.forType(Long.class));
    }
}
