package io.atoll.map;

import io.atoll.codec.WideCodec;
import org.junit.jupiter.api.Tag;

/** A bucket of three cache lines, which arrives whole on no fabric; nor does either place of the value. */
@Tag("simulation")
class WideMapSimulationTest extends DistributedMapSimulation {

    WideMapSimulationTest() {
        super(new WideCodec(2), new WideCodec(7));
    }
}
