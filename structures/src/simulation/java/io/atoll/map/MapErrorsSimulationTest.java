package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Participant;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An {@link Error} strikes at any access to memory of an operation on a map of objects. The operation has taken effect
 * or not. Nothing stays reserved, pinned, or half moved, although no rank died.
 */
@Tag("simulation")
class MapErrorsSimulationTest {

    static final int SEEDS = 40;
    private static final List<Kind> KINDS = List.of(Kind.values());

    private final SharedEpochs growing = GrowingWorld.sharedEpochs();
    private final SharedEpochs fixed = new SharedEpochs(MapWorld::epochs);

    static Stream<Arguments> everywhere() {
        return Arrays.stream(GrowingMap.values())
                .flatMap(map -> MapSimulation.EVERY_FABRIC.stream()
                        .flatMap(fabric -> Stream.of(false, true).map(grows -> Arguments.of(map, fabric, grows))));
    }

    private MapClient open(GrowingMap map, Participant self, boolean grows) {
        EpochManager manager = epochs(self, grows);
        return grows
                ? map.open(self, manager)
                : map.open(self, manager, MapWorld.fixedBlocks(manager), DistributedMapSimulation.RIGHT);
    }

    private EpochManager epochs(Participant self, boolean grows) {
        return grows ? growing.of(self) : fixed.of(self);
    }

    private static SimOptions options(Guarantees guarantees, boolean grows) {
        return grows ? GrowingWorld.options(guarantees) : MapWorld.options(guarantees);
    }

    private static List<Long> keys(boolean grows) {
        return grows ? GrowingWorld.KEYS : MapWorld.KEYS;
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void anErrorAtAnyAccessLeavesTheOldValueOrTheNew(GrowingMap map, Guarantees guarantees, boolean grows) {
        for (int user = 0; user < 2; user++) {
            for (boolean isAfter : new boolean[]{false, true}) {
                if (!isAfter || !guarantees.coherentWithCpu()) {
                    MapWorld.strikeAtEachAccess(options(guarantees, grows), user, KINDS, keys(grows), isAfter,
                            self -> open(map, self, grows),
                            (self, _, what) -> assertThat(epochs(self, grows).snapshot().ranks())
                                    .as(what)
                                    .noneMatch(rank -> rank.tokens().stream().anyMatch(token -> token.pinned())));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void errorsAtAnyAccessesOfSeveralThreadsLeaveNothingHalfDone(GrowingMap map, Guarantees guarantees,
            boolean grows) {
        Seeds.each(SEEDS, severalThreads(map, guarantees, grows));
    }

    /** Returns a trial in which errors strike operations of several threads. */
    Seeds.Trial severalThreads(GrowingMap map, Guarantees guarantees, boolean grows) {
        SimOptions options = options(guarantees, grows).pauses(0.02).maximumSteps(1_000_000);
        return MapWorld.erringTrial(options, 2, KINDS, keys(grows), 6, self -> open(map, self, grows));
    }
}
