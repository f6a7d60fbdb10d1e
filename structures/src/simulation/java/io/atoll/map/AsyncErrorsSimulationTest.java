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
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An {@link Error} strikes at any access to memory of an asynchronous operation. The operation has taken effect or not,
 * and nothing stays reserved.
 */
@Tag("simulation")
class AsyncErrorsSimulationTest {

    private static final int SEEDS = 40;
    private static final int THREADS = 2;
    private static final int OPERATIONS = 6;
    private static final Codec<Long> WORDS = Codecs.forType(Long.class);

    private enum Kept {
        LONGS(MapOperation.OF_LONG_MAPS, self -> {
            LongTable table = new LongTable("map", self, MapWorld.fixedBlocks(), null);
            return AsyncClient.ofOneThread(new LongLongMap("map", new Handle<>(() -> table)));
        }), ENTRIES(Stream.of(Kind.values())
                .filter(kind -> kind != Kind.COMPUTE && kind != Kind.COMPUTE_IF_ABSENT)
                .toList(), self -> {
                    Entries<Long, Long> entries = DistributedMapSimulation.entries(WORDS, WORDS, self,
                            MapWorld.fixedBlocks(), DistributedMapSimulation.RIGHT);
                    return AsyncClient.ofOneThread(new DistributedMap<>("map", new Handle<>(() -> entries)));
                });

        private final List<Kind> kinds;
        private final Function<Participant, MapClient> open;

        Kept(List<Kind> kinds, Function<Participant, MapClient> open) {
            this.kinds = kinds;
            this.open = open;
        }
    }

    static Stream<Arguments> everywhere() {
        return Stream.of(Kept.values())
                .flatMap(kept -> MapSimulation.EVERY_FABRIC.stream().map(fabric -> Arguments.of(kept, fabric)));
    }

    /** Each error may leave a bucket that no key uses any more. So the map is new for each kind. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void anErrorAtAnyAccessLeavesTheOldValueOrTheNew(Kept kept, Guarantees guarantees) {
        for (Kind kind : kept.kinds) {
            for (boolean isAfter : new boolean[]{false, true}) {
                if (!isAfter || !guarantees.coherentWithCpu()) {
                    MapWorld.strikeAtEachAccess(MapWorld.options(guarantees), 1, List.of(kind), MapWorld.KEYS, isAfter,
                            kept.open, (self, client, what) -> {});
                }
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void errorsAtAnyAccessesOfSeveralThreadsLeaveNothingHalfDone(Kept kept, Guarantees guarantees) {
        SimOptions options = MapWorld.options(guarantees).pauses(0.02).maximumSteps(1_000_000);
        Seeds.each(SEEDS, MapWorld.erringTrial(options, THREADS, kept.kinds, MapWorld.KEYS, OPERATIONS,
                self -> oneByOne(kept.open.apply(self))));
    }

    /**
     * Returns a client that has one operation under way. A simulated thread does itself what virtual threads would do.
     * So it could wait in one operation for what it has yet to undo for another.
     */
    private static MapClient oneByOne(MapClient client) {
        return new MapClient() {

            @Override
            public long perform(MapOperation operation) {
                return client.perform(operation);
            }

            @Override
            public void forEach(LongLongMap.Visitor visitor) {
                client.forEach(visitor);
            }
        };
    }
}
