package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.ForwardingFabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** Few entries are put together when verbs to one of their owners begin to be executed at once. */
class FewEntriesNearTest {

    private static final int FAR = 1;
    private static final int NEARING = 2;

    /** Verbs to an owner are executed at once from the next batch on. */
    private static final class NearingFabric extends ForwardingFabric {

        private boolean nears;
        private boolean isNear;

        private NearingFabric(Fabric wrapped) {
            super(wrapped);
        }

        @Override
        public boolean executesAtOnce(int target) {
            return target == NEARING && isNear || super.executesAtOnce(target);
        }

        @Override
        public Batch batch() {
            isNear = nears;
            return wrapped().batch();
        }

        @Override
        public Batch newBatch(long bufferBytes) {
            return wrapped().newBatch(bufferBytes);
        }
    }

    private final NearingFabric fabric = new NearingFabric(new Simulation(1,
            SimOptions.ranks(3).segmentBytes(4 << 20).guarantees(SimOptions.TCP).unmapped()).fabric(0));
    private final Participant self = Participants.amongTheLiving(fabric);
    private final EpochManager epochs = new EpochManager(() -> self, EpochSettings.DEFAULT);
    private final DistributedMap<Long, Long> map = DistributedMap
            .builder("map", Long.class, Long.class, () -> self, epochs)
            .capacity(1_000)
            .open();

    private Map<Long, Long> entries(long value) {
        Map<Long, Long> entries = new LinkedHashMap<>();
        for (int owner : new int[]{FAR, NEARING}) {
            LongStream.range(0, 100)
                    .filter(key -> map.owner(key) == owner)
                    .limit(6)
                    .forEach(key -> entries.put(key, value));
        }
        return entries;
    }

    @Test
    void allIsStored() {
        map.putAll(entries(1));
        map.putAll(entries(2)); // so owners look for the next ones
        fabric.nears = true;
        map.putAll(entries(3));
        assertThat(map.getAll(entries(3).keySet())).isEqualTo(entries(3));
    }
}
