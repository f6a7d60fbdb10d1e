package io.atoll.collective.exchange;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.collective.team.Team;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.Layouts;
import org.junit.jupiter.api.Test;

/** What a member tells of what it has given up, in this life and in earlier ones. */
class GivenUpTest {

    private static final int MEMBERS = 3;
    private static final long[] TABLES = {4096, 8192, 12288};

    private final Simulation simulation = new Simulation(1, SimOptions.ranks(MEMBERS));
    private final Endpoint[] endpoints = new Endpoint[MEMBERS];

    GivenUpTest() {
        for (int rank = 0; rank < MEMBERS; rank++) {
            endpoints[rank] = new Endpoint(simulation.fabric(rank));
        }
    }

    private GivenUp begin(int rank) {
        return new GivenUp(endpoints[rank], Team.all(MEMBERS), TABLES);
    }

    private long told(int member, int by) {
        return endpoints[member].readWord(member, TABLES[member] + by * Layouts.WORD);
    }

    @Test
    void whoGivesUpTellsAll() {
        GivenUp departing = begin(1);
        GivenUp other = begin(2);
        departing.leave();
        departing.leave();
        for (int member = 0; member < MEMBERS; member++) {
            assertThat(told(member, 1)).isEqualTo(2);
        }
        assertThat(other.counts()).containsExactly(0, 2, 0);
        assertThat(departing.counts()).containsExactly(0, 2, 0);
    }

    /** It has died before all knew; its own table was the first to be written. */
    @Test
    void whatAnEarlierLifeHasGivenUpIsToldBeforeThisOneTakesPart() {
        endpoints[0].writeWord(0, TABLES[0], 3);
        endpoints[0].flush(0);
        GivenUp again = begin(0);
        assertThat(again.counts()).containsExactly(3, 0, 0);
        again.tell();
        assertThat(told(1, 0)).isEqualTo(3);
        assertThat(told(2, 0)).isEqualTo(3);
        again.leave();
        assertThat(told(1, 0)).as("it goes on counting where it was").isEqualTo(4);
        assertThat(begin(2).counts()).containsExactly(4, 0, 0);
    }

    @Test
    void whoHasNeverGivenUpTellsNothing() {
        endpoints[1].writeWord(1, TABLES[1], 9);
        endpoints[1].flush(1);
        begin(0).tell();
        assertThat(told(1, 0)).as("as it was").isEqualTo(9);
    }
}
