package io.atoll.map;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** Maps of objects whose blocks are replaced while ranks use them. */
@Tag("simulation")
class MapGrowthSimulationTest {

    private static final int SEEDS = 60;

    static final List<Kind> KINDS = List.of(Kind.values());

    private static final SharedEpochs EPOCHS = GrowingWorld.sharedEpochs();

    static Stream<Arguments> everywhere() {
        return mapsOn(MapSimulation.EVERY_FABRIC);
    }

    static Stream<Arguments> whereAnswersGetLost() {
        return mapsOn(MapSimulation.REMOTE_FABRICS);
    }

    private static Stream<Arguments> mapsOn(List<Guarantees> fabrics) {
        return Stream.of(GrowingMap.values()).flatMap(map -> fabrics.stream().map(fabric -> Arguments.of(map, fabric)));
    }

    private static Function<SimRank, MapClient> of(GrowingMap map) {
        return rank -> open(map, MapWorld.participant(rank));
    }

    private static MapClient open(GrowingMap map, Participant self) {
        return map.open(self, EPOCHS.of(self));
    }

    static SimOptions pausing(Guarantees guarantees) {
        return GrowingWorld.options(guarantees).pauses(0.02);
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void everyOperationTakesEffectAtOnce(GrowingMap map, Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.trial(pausing(guarantees), KINDS, GrowingWorld.KEYS, GrowingWorld.OPERATIONS,
                of(map)));
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void deathsAtAnyStepLeaveNothingHalfDone(GrowingMap map, Guarantees guarantees) {
        SimOptions dying = pausing(guarantees).longestPause(Duration.ofMillis(50)).kills(0.003, 0, 1, 2).zombies();
        Seeds.each(SEEDS, MapWorld.trial(dying, KINDS, GrowingWorld.KEYS, GrowingWorld.OPERATIONS, of(map)));
    }

    @ParameterizedTest
    @MethodSource("whereAnswersGetLost")
    void aConnectionThatBreaksAtAnyStepLeavesNothingReserved(GrowingMap map, Guarantees guarantees) {
        SimOptions breaking = pausing(guarantees).breaks(0.005, 8);
        Seeds.each(SEEDS, MapWorld.breakingTrial(breaking, 2, KINDS, GrowingWorld.KEYS, GrowingWorld.OPERATIONS / 2,
                self -> open(map, self)));
    }
}
