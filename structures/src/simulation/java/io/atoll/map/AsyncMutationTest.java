package io.atoll.map;

import static io.atoll.fabric.sim.SimOptions.TCP;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Patch;
import io.atoll.codec.Codec;
import io.atoll.codec.Codecs;
import io.atoll.fabric.sim.Seeds;
import io.atoll.map.MapOperation.Kind;
import io.atoll.world.Handle;
import io.atoll.world.Participant;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Mistakes in what asynchronous operations do where the owner searches must not go unnoticed: the seeds of the
 * simulations find each of them.
 */
@Tag("simulation")
class AsyncMutationTest {

    private static final int TIMES = 3;
    private static final int THREADS = 3;

    // --- longs ---

    private static final class Longs implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS, AsyncClient.together(MapWorld.pausing(TCP),
                    MapOperation.OF_LONG_MAPS, MapWorld.KEYS, TIMES, Longs::open));
        }

        private static MapClient open(Participant self) {
            LongTable table = new LongTable("map", self, MapWorld.fixedBlocks(), null);
            return AsyncClient.of(new LongLongMap("map", new Handle<>(() -> table)), self);
        }
    }

    @Test
    void aLongThatWasNotFoundAndIsTakenForAbsentIsFound() {
        new Patch(LongOperation.class).replace("            return looked(batch);\n", "            return Step.DONE;\n")
                .run(Longs.class);
    }

    @Test
    void aLongThatIsTakenForInsertedIsFound() {
        new Patch(ReservingOperation.class).replace("hold != Reservations.NOT_HELD && batch.succeeded(atomic)",
                "hold != Reservations.NOT_HELD").run(Longs.class);
    }

    @Test
    void aLongThatIsInsertedBeforeTheSearchIsFound() {
        String search = "        searched = edit.addSearch(table.searcher, batch, position, owner, first, "
                + "search.hash(0), key); // (6), (7)\n        batch.unguard();\n";
        String behind = "        return position + LongSearcher.BYTES;\n";
        new Patch(LongOperation.class).replace(search, "").replace(behind, search + behind).run(Longs.class);
    }

    // --- entries ---

    private static MapClient entries(Participant self) {
        Codec<Long> words = Codecs.forType(Long.class);
        io.atoll.map.Entries<Long, Long> entries = DistributedMapSimulation.entries(words, words, self,
                MapWorld.fixedBlocks(), DistributedMapSimulation.RIGHT);
        return AsyncClient.of(new DistributedMap<>("map", new Handle<>(() -> entries)), self);
    }

    private static final class Entries implements Runnable {

        @Override
        public void run() {
            Mutation.assertIsFound(MapSimulation.SEEDS, AsyncClient.together(MapWorld.pausing(TCP),
                    List.of(Kind.FIND, Kind.PUT, Kind.GET_AND_PUT, Kind.INSERT, Kind.REMOVE), MapWorld.KEYS, TIMES,
                    AsyncMutationTest::entries));
        }
    }

    @Test
    void anEntryThatIsTakenForAbsentIsFound() {
        new Patch(EntryOperation.class).replace("wasAbsent = attempt == Attempt.INSERTED;", "wasAbsent = true;")
                .run(Entries.class);
    }

    @Test
    void aValueThatIsNotLookedAtIsFound() {
        new Patch(EntryOperation.class).replace("        table.searcher.decide(batch, change, attempt);\n", "")
                .run(Entries.class);
    }

    // --- undoing ---

    /** Threads of a rank change keys of several homes, and connections break, so that rounds are undone. */
    private static final class Undoing implements Runnable {

        @Override
        public void run() {
            int seed = Seeds.untilFailure(MapSimulation.SEEDS, MapWorld.breakingTrial(
                    MapWorld.options(TCP).breaks(0.02, 8), THREADS,
                    List.of(Kind.FIND, Kind.PUT, Kind.GET_AND_PUT, Kind.REMOVE), MapWorld.APART, 10,
                    AsyncMutationTest::entries));
            assertThat(seed).isPositive();
        }
    }

    @Test
    void anEntryThatStaysReservedWhereTheOwnerHasFoundItIsFound() {
        new Patch(EntryOperation.class).replace("if (isHomeHeld) {", "if (held < 0) {").run(Undoing.class);
    }

    @Test
    void anUndoingOfWhatAnotherThreadHasReservedIsFound() {
        new Patch(EntryOperation.class).replace("isHeldFromOthers(home)",
                "isHeld(8L * table.participant().reservations().nextAttempt())").run(Undoing.class);
    }
}
