package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.epoch.EpochManager;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.world.Participant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An {@link Error} strikes at any access to memory of an operation on a map of longs. The operation has taken effect or
 * not. Nothing stays reserved, pinned, or half moved, although no rank died.
 */
@Tag("simulation")
class LongErrorsSimulationTest {

    private static final int SEEDS = 60;

    private final SharedEpochs growing = GrowingWorld.sharedEpochs();
    private final SharedEpochs fixed = new SharedEpochs(MapWorld::epochs);

    static Stream<Arguments> everywhere() {
        return Stream.concat(SimOptions.EVERY_FABRIC.stream(), Stream.of(SimOptions.GUARDING))
                .flatMap(fabric -> Stream.of(false, true).map(grows -> Arguments.of(fabric, grows)));
    }

    private MapClient open(Participant self, boolean grows) {
        EpochManager manager = epochs(self, grows);
        Blocks blocks = grows ? GrowingWorld.blocks(self, manager, LongBucket.SIZE) : MapWorld.fixedBlocks();
        return MapClient.of(new LongTable("map", self, blocks, null));
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

    /**
     * If there is only one block, each error may leave a bucket that no key uses any more. So the map is new for each
     * kind.
     */
    @ParameterizedTest
    @MethodSource("everywhere")
    void anErrorAtAnyAccessLeavesTheOldValueOrTheNew(Guarantees guarantees, boolean grows) {
        for (MapOperation.Kind kind : MapOperation.OF_LONG_MAPS) {
            for (boolean isAfter : new boolean[]{false, true}) {
                if (!isAfter || !guarantees.coherentWithCpu()) {
                    MapWorld.strikeAtEachAccess(options(guarantees, grows), 1, List.of(kind), keys(grows), isAfter,
                            self -> open(self, grows),
                            (self, _, what) -> assertThat(epochs(self, grows).snapshot().ranks())
                                    .as(what)
                                    .noneMatch(rank -> rank.tokens().stream().anyMatch(token -> token.pinned())));
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void errorsAtAnyAccessesOfSeveralThreadsLeaveNothingHalfDone(Guarantees guarantees, boolean grows) {
        SimOptions options = options(guarantees, grows).pauses(0.02).maximumSteps(1_000_000);
        Seeds.each(SEEDS, MapWorld.erringTrial(options, 2, MapOperation.OF_LONG_MAPS, keys(grows), 6,
                self -> open(self, grows)));
    }
}
