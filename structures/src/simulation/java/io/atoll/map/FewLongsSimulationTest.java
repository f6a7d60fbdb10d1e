package io.atoll.map;

import static io.atoll.fabric.sim.SimOptions.TCP;

import io.atoll.Patch;
import io.atoll.fabric.sim.Seeds;
import io.atoll.map.MapOperation.Kind;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Few longs are put together where their owners look for them. Mistakes in what {@link PutRounds} makes of the answers
 * must not go unnoticed.
 */
@Tag("simulation")
class FewLongsSimulationTest {

    private static final int SEEDS = 200;
    private static final List<Kind> KINDS = List.of(Kind.FIND, Kind.GET_AND_PUT, Kind.STORE, Kind.REMOVE);

    /** Several owners have keys, and connections break. */
    @Test
    void noLongIsStoredTwiceOrForgotten() {
        Seeds.each(SEEDS, MapWorld.breakingTrial(MapWorld.breaking(TCP), 2, KINDS,
                LongStream.range(0, 6).boxed().toList(), 8,
                self -> MapClient.of(new LongTable("map", self, MapWorld.blocksOfAllRanks(), null))));
    }

    private static final class OfOneHome implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS,
                    MapWorld.trial(MapWorld.pausing(TCP), KINDS, MapWorld.KEYS, rank -> MapClient
                            .of(new LongTable("map", MapWorld.participant(rank), MapWorld.fixedBlocks(), null))));
        }
    }

    private static void assertIsFound(String text, String instead) {
        new Patch(PutRounds.class).replace(text, instead).run(OfOneHome.class);
    }

    @Test
    void aLongThatIsTakenForReplacedIsFound() {
        assertIsFound(">= 0 && batch.succeeded(replacements[key]);", ">= 0 && batch.answered(replacements[key]);");
    }

    @Test
    void aHomeThatIsTakenForTheKeysThoughItWasNotFreeIsFound() {
        assertIsFound("if (!hasTaken(witnesses[place], states[key])) {",
                "if (!hasTaken(witnesses[place], states[key]) && searched == 0) {");
    }
}
