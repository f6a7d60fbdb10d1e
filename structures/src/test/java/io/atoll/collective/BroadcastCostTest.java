package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.CostPage;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.fabric.trace.Journal;
import io.atoll.fabric.trace.RecordingFabric;
import io.atoll.world.Participant;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Counts what the Javadoc promises, verb by verb, where the own memory is read directly. */
class BroadcastCostTest {

    private static final int RANKS = 9;
    private static final long BYTES = 2 * Window.PIECE_BYTES;
    private static final long SEGMENT_BYTES = 512 << 10;
    private static final long BLOCK = SEGMENT_BYTES / 2;

    private final Simulation simulation = new Simulation(1, SimOptions.ranks(RANKS)
            .segmentBytes(SEGMENT_BYTES)
            .guarantees(SimOptions.SHARED_MEMORY)
            .unmapped());
    private final List<RecordingFabric> fabrics = IntStream.range(0, RANKS)
            .mapToObj(rank -> new RecordingFabric(simulation.fabric(rank)))
            .toList();

    private List<Window> enter(Team team) {
        long[] blocks = new long[team.size()];
        Arrays.fill(blocks, BLOCK);
        List<Window> windows = IntStream.range(0, team.size()).mapToObj(position -> {
            var self = new Participant(new Endpoint(fabrics.get(team.rank(position))), 1, (_, _, _) -> false,
                    Duration.ofSeconds(1), () -> IntStream.generate(() -> 1).limit(RANKS).toArray());
            return new Window(self, team, new BroadcastBlock(team.size(), BYTES), blocks, Window.PIECE_BYTES);
        }).toList();
        windows.forEach(window -> assertThat(window.look()).isTrue());
        return windows;
    }

    private Journal costOf(int rank, Runnable work) {
        return fabrics.get(rank).record(work);
    }

    /** It uses only writes, so it takes the same on every fabric. */
    private static void assertThatThePageSays(String row, Journal journal) throws IOException {
        assertThat(journal.writes()).isEqualTo(journal.entries().size());
        assertThat(CostPage.read()).containsEntry(row, CostPage.counted(_ -> journal.roundTrips()));
    }

    @Test
    void theRootSendsDataDescriptionAndRequestToEachChildInOneBatch() throws IOException {
        for (int ranks = 2; ranks <= RANKS; ranks++) {
            Window root = enter(Team.all(ranks)).getFirst();
            Journal journal = costOf(0, () -> {
                assertThat(root.begin(0, 64, Algorithm.BINOMIAL)).isTrue();
                assertThat(root.sendOn()).isTrue();
            });
            int children = BinomialTree.rounds(ranks);
            assertThat(journal.writes()).isEqualTo(3 * children);
            assertThat(journal.reads() + journal.atomics()).isZero();
            assertThat(journal.roundTrips()).isEqualTo(1);
            assertThatThePageSays("broadcast to p ranks, by a tree, up to 28 KiB", journal);
            assertThat(journal.entries().subList(0, 3).stream().map(Journal.Entry::bytes)).containsExactly(64L, 40L,
                    8L);
        }
    }

    @Test
    void whoPassesOnAddsOneAtTheRootAndAcknowledgesEachPiece() {
        List<Window> windows = enter(Team.all(4));
        windows.get(1).begin(0, BYTES, Algorithm.BINOMIAL);
        windows.get(1).sendOn();
        Journal inner = costOf(3, () -> assertThat(windows.get(3).passOn()).isTrue());
        assertThat(inner.writes()).as("a piece: three to the child, one to acknowledge").isEqualTo(4);
        assertThat(inner.atomics()).isZero();
        assertThat(inner.roundTrips()).isEqualTo(2);
        Journal last = costOf(3, () -> assertThat(windows.get(3).passOn()).isTrue());
        assertThat(last.writes()).isEqualTo(4);
        assertThat(last.atomics()).isEqualTo(1);
        assertThat(last.roundTrips()).isEqualTo(3);
        Journal leaf = costOf(0, () -> assertThat(windows.get(0).passOn()).isTrue());
        assertThat(leaf.writes()).isEqualTo(1);
        assertThat(costOf(0, () -> assertThat(windows.get(0).passOn()).isTrue()).toString())
                .contains("A 1+")
                .endsWith("2 round trips; ranks 1, 3");
    }

    @Test
    void theLinearAlgorithmWritesToEachOnceAndOnceMoreThatItIsThere() throws IOException {
        Window root = enter(Team.all(5)).get(2);
        Journal journal = costOf(2, () -> {
            root.begin(0, 64, Algorithm.LINEAR);
            assertThat(root.sendOn()).isTrue();
            assertThat(root.isComplete(0)).isTrue();
        });
        assertThat(journal.writes()).isEqualTo(2 * 4);
        assertThat(journal.roundTrips()).isEqualTo(1);
        assertThatThePageSays("broadcast to p ranks, linear", journal);
        assertThat(journal.entries().size()).isEqualTo(2 * 4);
    }

    @Test
    void thoseThatDoNotHaveABroadcastYetAreFoundByOneReadOfEach() {
        List<Window> windows = enter(Team.all(4));
        Window root = windows.get(1);
        root.begin(0, 64, Algorithm.BINOMIAL);
        root.sendOn();
        OngoingBroadcast ongoingBroadcast = Objects.requireNonNull(root.ongoingBroadcast());
        assertThat(root.unfinished(ongoingBroadcast)).containsExactly(0, 2, 3);
        windows.get(2).passOn();
        Journal look = costOf(1, () -> assertThat(root.unfinished(ongoingBroadcast)).containsExactly(0, 3));
        assertThat(look.reads()).isEqualTo(3);
        assertThat(look.roundTrips()).isEqualTo(1);
        windows.get(3).passOn();
        windows.get(0).passOn();
        assertThat(root.unfinished(ongoingBroadcast)).isEmpty();
    }

    @Test
    void noVerbGoesToARankThatIsNoMember() {
        Team team = Team.of(7, 2, 5);
        List<Window> windows = enter(team);
        windows.get(1).begin(0, BYTES, Algorithm.BINOMIAL);
        while (!windows.get(1).isComplete(63)) {
            windows.get(1).sendOn();
            windows.forEach(Window::passOn);
        }
        for (RecordingFabric fabric : fabrics) {
            assertThat(fabric.journal().ranks()).isSubsetOf(2, 5, 7);
        }
    }

    @Test
    void askingWhetherABroadcastIsCompleteAndLookingForRequestsCostsNoVerb() {
        List<Window> windows = enter(Team.all(3));
        windows.getFirst().begin(0, 64, Algorithm.BINOMIAL);
        windows.getFirst().sendOn();
        assertThat(costOf(0, () -> {
            assertThat(windows.getFirst().isComplete(0)).isFalse();
            assertThat(windows.getFirst().passOn()).isFalse();
        }).entries()).isEmpty();
    }
}
