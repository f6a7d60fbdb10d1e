package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.map.MapOperation.Kind;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Keys and values lie beside the buckets, freed ones are overwritten, and some keys have the same hash. The tests run
 * every interleaving that the seeds find.
 */
@Tag("simulation")
class PayloadMapSimulationTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;
    static final List<Guarantees> REMOTE_FABRICS = MapSimulation.REMOTE_FABRICS;

    /** Operations have more steps here than on other maps. */
    private static final int SEEDS = MapSimulation.SEEDS / 4;

    private static final List<Kind> KINDS = List.of(Kind.values());

    private final PayloadWorld world = new PayloadWorld();

    private static final PayloadWorld.Opener FEW_HASHES = new PayloadWorld.Opener() {
        @Override
        public PayloadEntries<Long, Long> entries(BucketTable table, Payloads payloads) {
            return new PayloadEntries<>(table, payloads, PayloadWorld.CODEC, PayloadWorld.CODEC, key -> 0) {
                @Override
                long wordOf(byte[] key) {
                    return super.wordOf(key) % 2;
                }
            };
        }
    };

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void everyOperationTakesEffectAtOnce(Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.trial(MapWorld.pausing(guarantees), KINDS, MapWorld.KEYS,
                rank -> world.open(MapWorld.participant(rank), FEW_HASHES)));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void deathsAtAnyStepLeaveNothingHalfDone(Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.trial(MapWorld.dying(guarantees), KINDS, MapWorld.KEYS,
                rank -> world.open(MapWorld.participant(rank), PayloadWorld.RIGHT)));
    }

    @ParameterizedTest
    @FieldSource("REMOTE_FABRICS")
    void aConnectionThatBreaksAtAnyStepLeavesNothingReserved(Guarantees guarantees) {
        Seeds.each(SEEDS, MapWorld.breakingTrial(MapWorld.breaking(guarantees), 2, KINDS,
                self -> world.open(self, PayloadWorld.RIGHT)));
    }

    @ParameterizedTest
    @FieldSource("REMOTE_FABRICS")
    void whoTakesAMissingAnswerForAFailureIsFound(Guarantees guarantees) {
        assertThat(Seeds.untilFailure(MapSimulation.SEEDS, MapWorld.breakingTrial(
                MapWorld.breaking(guarantees).claimsToExecuteAtOnce(), 2, KINDS,
                self -> world.open(self, PayloadWorld.RIGHT)))).isPositive();
    }
}
