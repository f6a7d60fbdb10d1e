package io.atoll.map;

import io.atoll.codec.KeyHash;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Asynchronous operations pass the tests of the synchronous ones, and those of several that are under way together. */
@Tag("simulation")
class AsyncLongLongMapSimulationTest extends MapSimulation {

    private static final int TIMES = 3;

    @Override
    protected List<Kind> kinds() {
        return MapOperation.OF_LONG_MAPS;
    }

    @Override
    protected MapClient open(Participant participant, Runnable between) {
        var reader = new LongReader(participant.endpoint(), MapWorld.fixedBlocks(),
                new KeyHash(participant.seed()));
        var writer = new LongWriter("map", participant, reader) {
            @Override
            void publish(int owner, long bucket, long key, long value) {
                between.run();
                super.publish(owner, bucket, key, value);
            }

            @Override
            void write(Batch batch, long position, int owner, long bucket, long key, long value) {
                between.run();
                super.write(batch, position, owner, bucket, key, value);
            }
        };
        return client(new LongTable(writer, LongMover::new, null));
    }

    private static MapClient client(LongTable table) {
        return AsyncClient.of(map(table), table.writer.participant);
    }

    private static LongLongMap map(LongTable table) {
        return new LongLongMap("map", new Handle<>(() -> table));
    }

    private static MapClient growing(Participant participant) {
        return AsyncClient.ofOneThread(map(
                new LongTable("map", participant, GrowingWorld.blocks(participant, LongBucket.SIZE), null)));
    }

    private static Seeds.Trial together(SimOptions options, List<Long> keys, int times,
            Function<Participant, MapClient> open) {
        return AsyncClient.together(options, MapOperation.OF_LONG_MAPS, keys, times, open);
    }

    private static MapClient fixed(Participant participant) {
        return client(new LongTable("map", participant, MapWorld.fixedBlocks(), null));
    }

    /** Every fabric, and one whose owners decide if a guarded verb is executed. */
    static final List<Guarantees> FABRICS = Stream.concat(EVERY_FABRIC.stream(), Stream.of(CostWorld.GUARDING))
            .toList();

    @ParameterizedTest
    @FieldSource("FABRICS")
    void eachOfSeveralThatAreUnderWayTakesEffectAtOnce(Guarantees guarantees) {
        Seeds.each(SEEDS, together(MapWorld.pausing(guarantees), MapWorld.KEYS, TIMES,
                AsyncLongLongMapSimulationTest::fixed));
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void deathsWithSeveralUnderWayLeaveNothingHalfDone(Guarantees guarantees) {
        Seeds.each(SEEDS, together(MapWorld.dying(guarantees), MapWorld.KEYS, TIMES,
                AsyncLongLongMapSimulationTest::fixed));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void eachTakesEffectAtOnceWhileBlocksAreReplaced(Guarantees guarantees) {
        Seeds.each(SEEDS / 5, together(LongGrowthSimulationTest.pausing(guarantees), GrowingWorld.KEYS,
                GrowingWorld.OPERATIONS / AsyncClient.TOGETHER, AsyncLongLongMapSimulationTest::growing));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void deathsWhileBlocksAreReplacedLeaveNothingHalfDone(Guarantees guarantees) {
        SimOptions dying = LongGrowthSimulationTest.pausing(guarantees)
                .longestPause(Duration.ofMillis(50))
                .kills(0.003, 0, 1, 2)
                .zombies();
        Seeds.each(SEEDS / 5, together(dying, GrowingWorld.KEYS, GrowingWorld.OPERATIONS / AsyncClient.TOGETHER,
                AsyncLongLongMapSimulationTest::growing));
    }
}
