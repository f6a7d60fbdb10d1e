package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.sim.Simulation.Program;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Ranks agree on words: several propose one at once, pause, die in the middle, and ask again when they are back. */
@Tag("simulation")
class AgreementTest {

    private static final int RANKS = 3;
    private static final String WORD = "a word";

    private static SimOptions options(Guarantees guarantees) {
        return SimOptions.ranks(RANKS).segmentBytes(192 << 10).guarantees(guarantees).pauses(0.02);
    }

    private static Participant participant(SimRank rank) {
        return Participants.of(rank);
    }

    private static void agree(long seed, SimOptions options) {
        var simulation = new Simulation(seed, options);
        Set<Long> agreed = new HashSet<>();
        Program program = rank -> {
            long proposal = rank.random().nextLong();
            long word = participant(rank).directory().agree(WORD, () -> proposal);
            synchronized (agreed) {
                agreed.add(word);
            }
        };
        simulation.onDeath(program).run(program);
        Directory directory = participant(simulation.rank(1)).directory();
        agreed.add(directory.agree(WORD, () -> 0));
        assertThat(agreed).as("words, seed %d", seed).hasSize(1);
        for (int rank = 0; rank < RANKS; rank++) {
            assertThat(directory.agreedAt(rank, WORD)).hasValue(agreed.iterator().next());
            assertThat(directory.structures(rank)).isEmpty();
        }
    }

    @Test
    void allHaveTheWordOfTheFirst() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(100, seed -> agree(seed, options(guarantees)));
        }
    }

    @Test
    void whoeverDiesMeanwhileAllHaveTheSameWord() {
        for (Guarantees guarantees : SimOptions.EVERY_FABRIC) {
            Seeds.each(100, seed -> agree(seed, options(guarantees).kills(0.01, 0, 1, 2)));
        }
    }
}
