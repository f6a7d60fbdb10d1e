package io.atoll.map;

import io.atoll.codec.Codec;
import io.atoll.codec.WideCodec;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** Asynchronous operations pass the tests of the synchronous ones, and those of several that are under way together. */
@Tag("simulation")
class AsyncMapSimulationTest extends DistributedMapSimulation {

    /** Every fabric, and one whose owners decide if a guarded verb is executed. */
    static final List<Guarantees> FABRICS = Stream.concat(EVERY_FABRIC.stream(), Stream.of(CostWorld.GUARDING))
            .toList();

    private static final List<Kind> ASYNCHRONOUS = KINDS.stream()
            .filter(kind -> kind != Kind.COMPUTE && kind != Kind.COMPUTE_IF_ABSENT)
            .toList();
    private static final Codec<Long> WORDS = new WideCodec(1);
    private static final int TIMES = 3;

    AsyncMapSimulationTest() {
        super(WORDS, WORDS);
    }

    @Override
    protected List<Kind> kinds() {
        return ASYNCHRONOUS;
    }

    @Override
    protected MapClient open(Participant participant, Runnable between) {
        return client(participant, tables(between));
    }

    private static MapClient client(Participant participant, Tables tables) {
        return AsyncClient.of(map(participant, MapWorld.fixedBlocks(), tables), participant);
    }

    private static DistributedMap<Long, Long> map(Participant participant, Blocks blocks, Tables tables) {
        Entries<Long, Long> entries = entries(WORDS, WORDS, participant, blocks, tables);
        return new DistributedMap<>("map", new Handle<>(() -> entries));
    }

    private static MapClient fixed(Participant participant) {
        return client(participant, RIGHT);
    }

    private static MapClient growing(Participant participant) {
        Blocks blocks = GrowingWorld.blocks(participant, bucket(WORDS, WORDS).size);
        return AsyncClient.ofOneThread(map(participant, blocks, RIGHT));
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void eachOfSeveralThatAreUnderWayTakesEffectAtOnce(Guarantees guarantees) {
        Seeds.each(SEEDS, AsyncClient.together(MapWorld.pausing(guarantees), ASYNCHRONOUS, MapWorld.KEYS, TIMES,
                AsyncMapSimulationTest::fixed));
    }

    @ParameterizedTest
    @FieldSource("FABRICS")
    void deathsWithSeveralUnderWayLeaveNothingHalfDone(Guarantees guarantees) {
        Seeds.each(SEEDS, AsyncClient.together(MapWorld.dying(guarantees), ASYNCHRONOUS, MapWorld.KEYS, TIMES,
                AsyncMapSimulationTest::fixed));
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void eachTakesEffectAtOnceWhileBlocksAreReplaced(Guarantees guarantees) {
        Seeds.each(SEEDS / 5, AsyncClient.together(GrowingWorld.options(guarantees).pauses(0.02), ASYNCHRONOUS,
                GrowingWorld.KEYS, GrowingWorld.OPERATIONS / AsyncClient.TOGETHER, AsyncMapSimulationTest::growing));
    }
}
