package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.Layouts;
import org.junit.jupiter.api.Test;

/** A member tells the others what it has left, and tells it again to members that have been started again. */
class DeparturesTest {

    private static final int MEMBERS = 3;
    private static final long[] TABLES = {4096, 8192, 12288};
    private static final int[] PRESENT = {1, 1, 1};

    private final Simulation simulation = new Simulation(1, SimOptions.ranks(MEMBERS));
    private final Endpoint[] endpoints = new Endpoint[MEMBERS];

    DeparturesTest() {
        for (int rank = 0; rank < MEMBERS; rank++) {
            endpoints[rank] = new Endpoint(simulation.fabric(rank));
        }
    }

    private Departures begin(int rank) {
        return new Departures(endpoints[rank], new int[]{0, 1, 2}, TABLES, rank);
    }

    private long told(int member, int by) {
        return endpoints[member].readWord(member, TABLES[member] + by * Layouts.WORD);
    }

    @Test
    void whoLeavesTellsAll() {
        Departures departing = begin(1);
        Departures other = begin(2);
        departing.leave(PRESENT);
        departing.leave(PRESENT);
        for (int member = 0; member < MEMBERS; member++) {
            assertThat(told(member, 1)).isEqualTo(1L << 32 | 2);
        }
        assertThat(other.counts(PRESENT)).containsExactly(0, 2, 0);
        assertThat(departing.counts(PRESENT)).containsExactly(0, 2, 0);
    }

    /** All see its new incarnation, so the earlier count adds nothing. What it leaves later is a larger word. */
    @Test
    void whatAnEarlierLifeHasLeftMeansNothing() {
        Departures other = begin(2);
        begin(0).leave(PRESENT);
        int[] later = {2, 1, 1};
        Departures again = begin(0);
        assertThat(again.counts(later)).containsExactly(0, 0, 0);
        assertThat(other.counts(later)).containsExactly(0, 0, 0);
        again.leave(later);
        assertThat(told(2, 0)).isEqualTo(2L << 32 | 1);
        assertThat(other.counts(later)).containsExactly(1, 0, 0);
    }

    @Test
    void whoIsStartedAgainIsToldAgain() {
        Departures departing = begin(1);
        departing.leave(PRESENT);
        endpoints[2].writeWord(2, TABLES[2] + Layouts.WORD, 0);
        endpoints[2].flush(2);
        departing.tell(PRESENT);
        assertThat(told(2, 1)).as("it has been told").isZero();
        departing.tell(new int[]{1, 1, 2});
        assertThat(begin(2).counts(PRESENT)).containsExactly(0, 1, 0);
    }

    @Test
    void whoHasNeverLeftTellsNothing() {
        endpoints[1].writeWord(1, TABLES[1], 9);
        endpoints[1].flush(1);
        begin(0).tell(PRESENT);
        assertThat(told(1, 0)).as("as it was").isEqualTo(9);
    }

    @Test
    void oneThatCannotBeReachedKeepsNobodyElseFromBeingTold() {
        var simulated = new Simulation(1, SimOptions.ranks(MEMBERS).killAt(0, 1));
        long[] words = new long[1];
        simulated.onDeath(_ -> {}).run(rank -> {
            if (rank.rank() == 0) {
                rank.endpoint().writeWord(0, TABLES[0], 0);
            } else if (rank.rank() == 1) {
                while (!simulated.isDead(0, 1)) {
                    rank.fabric().clock().pause(8);
                }
                new Departures(rank.endpoint(), new int[]{0, 1, 2}, TABLES, 1).leave(PRESENT);
                words[0] = rank.endpoint().readWord(2, TABLES[2] + Layouts.WORD);
            }
        });
        assertThat(words[0]).isEqualTo(1L << 32 | 1);
    }
}
