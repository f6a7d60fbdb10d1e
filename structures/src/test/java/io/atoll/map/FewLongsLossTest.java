package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Owners look for few longs that are put together, and a batch tells that one of the owners cannot be reached. */
class FewLongsLossTest {

    private static final int RANKS = 3;
    private static final int NEAR = 1;
    private static final int AWAY = 2;

    private final Simulation simulation = new Simulation(1,
            SimOptions.ranks(RANKS).segmentBytes(4 << 20).guarantees(SimOptions.TCP).unmapped());
    private final LosingFabric fabric = new LosingFabric(simulation.fabric(0), AWAY);
    private final LongLongMap map = open(fabric);
    private final LongLongMap others = open(simulation.fabric(NEAR));
    private final long[] keys = LongStream.range(0, 100).filter(key -> map.owner(key) != 0).limit(12).toArray();
    private final long near = LongStream.of(keys).filter(key -> map.owner(key) == NEAR).findFirst().orElseThrow();

    private static LongLongMap open(Fabric fabric) {
        Participant self = Participants.amongTheLiving(fabric);
        EpochManager epochs = new EpochManager(() -> self, EpochSettings.DEFAULT);
        return LongLongMap.builder("longs", () -> self, epochs).capacity(1_000).open();
    }

    private void putAll(long value) {
        map.putAll(keys, LongStream.of(keys).map(_ -> value).toArray());
    }

    /** If they are not put at all, keys are new then. If they are put twice, no new keys are expected. */
    private void putOnes(int times) {
        for (int time = 0; time < times; time++) {
            putAll(1);
        }
    }

    private RankUnreachableException lossOfPuttingTwos() {
        map.getAll(keys, 0); // finds the blocks
        fabric.loses = true;
        return catchThrowableOfType(RankUnreachableException.class, () -> putAll(2));
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void whatAnOwnerHasStoredIsNotStoredAgainWhenAnotherOneIsLost(int times) {
        putOnes(times);
        fabric.meanwhile = () -> others.put(near, 9); // when it is stored, and the caller is not told yet
        assertThat(lossOfPuttingTwos().rank()).isEqualTo(AWAY);
        assertThat(map.getOrDefault(near, 0)).isEqualTo(9);
    }

    @Test
    void anOwnerWhoseAnswersAreLostWithTheOtherOneIsLostToo() {
        putOnes(2);
        fabric.answers = false;
        assertThat(lossOfPuttingTwos().getSuppressed()).singleElement()
                .isInstanceOfSatisfying(RankUnreachableException.class,
                        failure -> assertThat(failure.rank()).isEqualTo(NEAR));
        assertThat(map.getOrDefault(near, 0)).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void allIsStoredWhenTheOwnerIsBack(int times) {
        putOnes(times);
        lossOfPuttingTwos();
        putAll(3);
        assertThat(map.getAll(keys, 0)).containsOnly(3);
    }
}
