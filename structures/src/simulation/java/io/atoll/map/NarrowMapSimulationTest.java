package io.atoll.map;

import io.atoll.codec.WideCodec;
import org.junit.jupiter.api.Tag;

/** Key and value are one word each. The bucket is half a cache line, which arrives whole on a network card. */
@Tag("simulation")
class NarrowMapSimulationTest extends DistributedMapSimulation {

    NarrowMapSimulationTest() {
        super(new WideCodec(1), new WideCodec(1));
    }
}
