package io.atoll.map;

import static io.atoll.fabric.sim.SimOptions.TCP;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Patch;
import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.fabric.sim.Seeds;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.map.MapOperation.Kind;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Few entries are put together where their owners look for them. Mistakes in what {@link PutRounds} makes of the
 * answers, and of what is reserved, must not go unnoticed.
 */
@Tag("simulation")
class FewEntriesSimulationTest {

    private static final int SEEDS = 200;
    private static final List<Kind> KINDS = List.of(Kind.FIND, Kind.GET_AND_PUT, Kind.STORE, Kind.REMOVE);
    private static final Codec<Long> WORDS = Codecs.forType(Long.class);

    private static Seeds.Trial breaking() {
        return MapWorld.breakingTrial(MapWorld.breaking(TCP), 3, KINDS, MapWorld.APART, 10,
                self -> DistributedMapSimulation.client(WORDS, WORDS, self, MapWorld.fixedBlocks(),
                        DistributedMapSimulation.RIGHT));
    }

    /** Several owners have keys, and connections break. */
    @Test
    void noEntryIsStoredTwiceOrForgotten() {
        Seeds.each(SEEDS, MapWorld.breakingTrial(MapWorld.breaking(TCP), 2, KINDS,
                LongStream.range(0, 6).boxed().toList(), 8,
                self -> DistributedMapSimulation.client(WORDS, WORDS, self, MapWorld.blocksOfAllRanks(),
                        DistributedMapSimulation.RIGHT)));
    }

    private static final class Breaking implements Runnable {

        @Override
        public void run() {
            assertThatThrownBy(() -> Seeds.each(MapSimulation.SEEDS, breaking())).isInstanceOf(AssertionError.class)
                    .hasRootCauseInstanceOf(FabricTimeoutException.class);
        }
    }

    private static final class Pausing implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS, pausing());
        }
    }

    private static Seeds.Trial pausing() {
        return MapWorld.trial(MapWorld.pausing(TCP), KINDS, MapWorld.KEYS,
                rank -> DistributedMapSimulation.client(WORDS, WORDS, MapWorld.participant(rank),
                        MapWorld.fixedBlocks(), DistributedMapSimulation.RIGHT));
    }

    private static void assertIsFound(Class<? extends Runnable> program, Class<?> patched, String text,
            String instead) {
        new Patch(patched).replace(text, instead).run(program);
    }

    // --- several entries, of which owners look for those alone that the caller's first look has left ---

    /** The first look leaves all entries. The rounds that owners take part in also exchange buckets that were found. */
    private static Patch afterALook() {
        return new Patch(PutRounds.class).replace("to - from <= owners.mostKeys();", "false;")
                .replace("2 * there > foundCount", "there >= 0")
                .replace("Math.min(soughtCount, batch.mostAtomics())",
                        "replacement == null ? 0 : Math.min(soughtCount, batch.mostAtomics())");
    }

    private static final class Right implements Runnable {

        @Override
        public void run() {
            new FewEntriesSimulationTest().noEntryIsStoredTwiceOrForgotten();
            Seeds.each(SEEDS, pausing());
        }
    }

    @Test
    void noEntryThatAFirstLookHasLeftIsStoredTwiceOrForgotten() {
        afterALook().run(Right.class);
    }

    @Test
    void anEntryThatAFirstLookHasLeftAndIsTakenForReplacedIsFound() {
        afterALook().replace(">= 0 && batch.succeeded(replacements[key]);",
                ">= 0 && batch.answered(replacements[key]);").run(Pausing.class);
    }

    /** The index is that of an earlier batch. */
    @Test
    void aResultOfAnotherRoundIsFound() {
        afterALook()
                .replace("            replacements[key] = NOT_ADDED; // this batch's result is no other one's\n", "")
                .run(Pausing.class);
    }

    /** An owner has stored it in a round that was cut short by another one. */
    @Test
    void anEntryThatIsStoredAndLookedForAgainIsFound() {
        assertThatThrownBy(() -> afterALook()
                .replace("if (!stored[key] && !lost.has(search.owner(key))) {\n                keys[",
                        "if (!lost.has(search.owner(key))) {\n                keys[")
                .run(Right.class))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("not linearizable");
    }

    /** It stays reserved where the owner has found it, and others wait for it in vain. */
    @Test
    void aBucketThatALaterRoundUndoesOnlyAtHomeIsFound() {
        afterALook().replace("        if (isSearchedFor) {\n", "        if (false) {\n").run(Breaking.class);
    }

    // --- mistakes ---

    @Test
    void anEntryThatIsTakenForReplacedIsFound() {
        assertIsFound(Pausing.class, PutRounds.class, ">= 0 && batch.succeeded(replacements[key]);",
                ">= 0 && batch.answered(replacements[key]);");
    }

    @Test
    void anEntryThatIsWrittenThoughItWasNotFoundIsFound() {
        assertIsFound(Pausing.class, BucketSearcher.class, "batch.guard(reserved);\n", "");
    }

    /** It stays reserved where the owner has found it, and others wait for it in vain. */
    @Test
    void aBucketThatIsUndoneOnlyAtHomeIsFound() {
        assertIsFound(Breaking.class, PutRounds.class, "        if (isSearchedFor) {\n", "        if (false) {\n");
    }
}
