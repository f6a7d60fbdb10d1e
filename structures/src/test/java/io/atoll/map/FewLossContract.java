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
import java.util.List;
import java.util.function.LongToIntFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Owners look for few entries that are put together, and a batch tells that one of the owners cannot be reached. */
abstract class FewLossContract {

    private static final int RANKS = 3;
    private static final int NEAR = 1;
    static final int AWAY = 2;

    /** A map that a rank has opened, and the owners of its keys. */
    record Opened(MapClient client, LongToIntFunction owners) {}

    /** Opens the map of the same name at each rank. */
    interface Opening {

        Opened open(Participant self, EpochManager epochs);
    }

    final LosingFabric fabric;
    private final MapClient map;
    private final MapClient others;
    private final List<Long> keys;
    private final long near;

    FewLossContract(Opening opening) {
        var simulation = new Simulation(1,
                SimOptions.ranks(RANKS).segmentBytes(4 << 20).guarantees(SimOptions.TCP).unmapped());
        this.fabric = new LosingFabric(simulation.fabric(0), AWAY);
        Opened opened = open(opening, fabric);
        this.map = opened.client();
        this.others = open(opening, simulation.fabric(NEAR)).client();
        LongToIntFunction owners = opened.owners();
        this.keys = LongStream.range(0, 100).filter(key -> owners.applyAsInt(key) != 0).limit(12).boxed().toList();
        this.near = keys.stream().filter(key -> owners.applyAsInt(key) == NEAR).findFirst().orElseThrow();
    }

    private static Opened open(Opening opening, Fabric fabric) {
        Participant self = Participants.amongTheLiving(fabric);
        return opening.open(self, new EpochManager(() -> self, EpochSettings.DEFAULT));
    }

    private void putAll(long value) {
        map.performAll(keys.stream().map(key -> new MapOperation(MapOperation.Kind.STORE, key, value)).toList());
    }

    private List<Long> getAll() {
        return map.performAll(keys.stream().map(MapOperation::find).toList());
    }

    final long get() {
        return map.perform(MapOperation.find(near));
    }

    /** If they are not put at all, keys are new then. If they are put twice, owners look for the next ones. */
    final void putOnes(int times) {
        for (int time = 0; time < times; time++) {
            putAll(1);
        }
    }

    final RankUnreachableException lossOfPuttingTwos() {
        getAll(); // finds the blocks
        fabric.loses = true;
        return catchThrowableOfType(RankUnreachableException.class, () -> putAll(2));
    }

    /** Another rank puts when it is stored, and the caller is not told yet. */
    final void assertStoredOnce() {
        fabric.meanwhile = () -> others.perform(MapOperation.put(near, 9));
        assertThat(lossOfPuttingTwos().rank()).isEqualTo(AWAY);
        assertThat(get()).isEqualTo(9);
    }

    @Test
    void whatAnOwnerHasStoredIsNotStoredAgainWhenAnotherOneIsLost() {
        putOnes(2);
        assertStoredOnce();
    }

    @Test
    void anOwnerWhoseAnswersAreLostWithTheOtherOneIsLostToo() {
        putOnes(2);
        fabric.answers = false;
        assertThat(lossOfPuttingTwos().getSuppressed()).singleElement()
                .isInstanceOfSatisfying(RankUnreachableException.class,
                        failure -> assertThat(failure.rank()).isEqualTo(NEAR));
        assertThat(get()).isEqualTo(2);
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 2})
    void allIsStoredWhenTheOwnerIsBack(int times) {
        putOnes(times);
        lossOfPuttingTwos();
        putAll(3);
        assertThat(getAll()).containsOnly(3L);
    }
}
