package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/**
 * Functions take their time: they look for another key, so that all others go on while a bucket is kept for them. Ranks
 * die meanwhile, connections break, and errors strike, at any step.
 */
@Tag("simulation")
class ComputingSimulationTest {

    static final List<Guarantees> FABRICS = List.of(SimOptions.TCP, SimOptions.NETWORK_CARD, SimOptions.SHARED_MEMORY);
    static final List<Guarantees> REMOTE_FABRICS = MapSimulation.REMOTE_FABRICS;
    static final List<Kind> KINDS = List.of(Kind.FIND, Kind.PUT, Kind.GET_AND_PUT, Kind.REMOVE, Kind.INCREMENT,
            Kind.COMPUTE, Kind.COMPUTE_IF_ABSENT);

    private static final Codec<Long> WORDS = Codecs.forType(Long.class);

    /** Opens a map whose functions look for another key. */
    static MapClient open(Participant self) {
        var map = new DistributedMap<>("map", new Handle<>(() -> DistributedMapSimulation.entries(WORDS, WORDS, self,
                MapWorld.fixedBlocks(), DistributedMapSimulation.RIGHT)));
        MapClient client = MapClient.of(map);
        return new MapClient() {

            @Override
            public long perform(MapOperation operation) {
                long key = operation.key();
                return switch (operation.kind()) {
                    case INCREMENT -> Objects.requireNonNull(map.merge(key, operation.argument(), (present, given) -> {
                        lookForAnother(key);
                        return present + given;
                    }));
                    case COMPUTE -> orNone(map.compute(key, (_, present) -> computed(operation, orNone(present))));
                    case COMPUTE_IF_ABSENT ->
                        orNone(map.computeIfAbsent(key, _ -> computed(operation, MapOperation.NONE)));
                    default -> client.perform(operation);
                };
            }

            private Long computed(MapOperation operation, long present) {
                lookForAnother(operation.key());
                long computed = operation.computed(present);
                return computed == MapOperation.NONE ? null : computed;
            }

            private void lookForAnother(long key) {
                map.get(MapWorld.KEYS.get(key == MapWorld.KEYS.get(0) ? 1 : 0));
            }

            @Override
            public void forEach(LongLongMap.Visitor visitor) {
                client.forEach(visitor);
            }
        };
    }

    private static long orNone(Long value) {
        return Objects.requireNonNullElse(value, MapOperation.NONE);
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void everyOperationTakesEffectAtOnce(Guarantees guarantees) {
        Seeds.each(MapSimulation.SEEDS, MapWorld.trial(MapWorld.pausing(guarantees), KINDS, MapWorld.KEYS,
                rank -> open(MapWorld.participant(rank))));
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void deathsAtAnyStepLeaveNothingHalfDone(Guarantees guarantees) {
        Seeds.each(MapSimulation.SEEDS, MapWorld.trial(MapWorld.dying(guarantees), KINDS, MapWorld.KEYS,
                rank -> open(MapWorld.participant(rank))));
    }

    /** A bucket that a thread keeps for its function is not taken for one that another thread has to undo. */
    @ParameterizedTest
    @FieldSource("REMOTE_FABRICS")
    void aConnectionThatBreaksAtAnyStepLeavesNothingReserved(Guarantees guarantees) {
        Seeds.each(MapSimulation.SEEDS, breaking(guarantees, KINDS));
    }

    /** Returns a trial in which threads of a rank change few keys, and batches fail. */
    static Seeds.Trial breaking(Guarantees guarantees, List<Kind> kinds) {
        return MapWorld.breakingTrial(MapWorld.options(guarantees).breaks(0.02, 8), 3, kinds,
                MapWorld.KEYS.subList(0, 2), 8, ComputingSimulationTest::open);
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void errorsAtAnyAccessesOfSeveralThreadsLeaveNothingReserved(Guarantees guarantees) {
        Seeds.each(MapSimulation.SEEDS / 4, MapWorld.erringTrial(
                MapWorld.pausing(guarantees).maximumSteps(1_000_000), 2, KINDS, MapWorld.KEYS, 6,
                ComputingSimulationTest::open));
    }

    @Test
    void anErrorAtAnyAccessLeavesTheOldValueOrTheNew() {
        for (boolean isAfter : new boolean[]{false, true}) {
            MapWorld.strikeAtEachAccess(MapWorld.options(SimOptions.TCP), 1, KINDS, MapWorld.KEYS, isAfter,
                    ComputingSimulationTest::open, (_, _, _) -> {});
        }
    }
}
