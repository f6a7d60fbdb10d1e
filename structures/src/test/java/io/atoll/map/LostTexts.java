package io.atoll.map;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.world.Participant;
import io.atoll.world.Participants;

/** A map of texts at a rank whose connection to the last rank breaks when a test says so. */
abstract class LostTexts {

    final LosingFabric fabric;
    final Participant self;
    final EpochManager epochs;
    final DistributedMap<String, String> map;

    LostTexts(int ranks) {
        var simulation = new Simulation(1,
                SimOptions.ranks(ranks).segmentBytes(4 << 20).guarantees(SimOptions.TCP).unmapped());
        this.fabric = new LosingFabric(simulation.fabric(0), ranks - 1);
        this.self = Participants.amongTheLiving(fabric);
        this.epochs = new EpochManager(() -> self, EpochSettings.DEFAULT);
        this.map = DistributedMap.builder("map", String.class, String.class, () -> self, epochs)
                .capacity(1_000)
                .open();
    }
}
