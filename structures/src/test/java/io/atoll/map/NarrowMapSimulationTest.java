package io.atoll.map;

/** Key and value are one word each. The bucket is half a cache line, which arrives whole on a network card. */
class NarrowMapSimulationTest extends DistributedMapSimulation {

    NarrowMapSimulationTest() {
        super(new WideCodec(1), new WideCodec(1));
    }
}
