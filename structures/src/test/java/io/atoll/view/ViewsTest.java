package io.atoll.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

class ViewsTest {

    private static final int SEEDS = 400;
    private static final int STEPS = 250;

    private static View view(ViewedRanks ranks, int rank) {
        return Objects.requireNonNull(ranks.of(rank).status().view());
    }

    private static ViewedRanks founded(int size) {
        ViewedRanks ranks = new ViewedRanks(size);
        ranks.goOn();
        for (int rank = 0; rank < size; rank++) {
            assertThat(view(ranks, rank)).isEqualTo(View.first(size, 64));
        }
        return ranks;
    }

    private static void cut(ViewedRanks ranks, List<Integer> side) {
        for (int rank = 0; rank < ranks.size(); rank++) {
            for (int other = 0; other < ranks.size(); other++) {
                if (side.contains(rank) != side.contains(other)) {
                    ranks.cut(rank, other);
                }
            }
        }
    }

    private static List<Integer> others(ViewedRanks ranks, List<Integer> side) {
        return IntStream.range(0, ranks.size()).filter(rank -> !side.contains(rank)).boxed().toList();
    }

    @Test
    void twoHalvesFoundNoWorldAndTogetherTheyFoundOne() {
        ViewedRanks ranks = new ViewedRanks(4);
        cut(ranks, List.of(0, 1));
        ranks.goOn();
        for (int rank = 0; rank < 4; rank++) {
            assertThat(ranks.of(rank).status().view()).isNull();
        }

        ranks.heal();
        ranks.goOn();

        assertThat(view(ranks, 0)).isEqualTo(View.first(4, 64)).isEqualTo(view(ranks, 3));
    }

    @Test
    void aWorldOfOneFoundsItself() {
        assertThat(view(founded(1), 0).members()).containsExactly(0);
    }

    @Test
    void aRankThatEndsIsRemovedByTheOthers() {
        ViewedRanks ranks = founded(3);
        ranks.kill(1);
        ranks.goOn();
        for (int rank : List.of(0, 2)) {
            assertThat(view(ranks, rank).members()).containsExactly(0, 2);
            assertThat(ranks.of(rank).hasRemoved(1, 1)).isTrue();
            assertThat(ranks.of(rank).status().suspected()).containsExactly(1);
        }
    }

    @Test
    void whoDoesNotHearARankIsKnownToAllOthersAndARankThatOneElectorHearsStays() {
        ViewedRanks ranks = founded(3);
        ranks.cut(1, 2);
        ranks.cut(2, 1);
        ranks.goOn();
        assertThat(view(ranks, 0).members()).containsExactly(0, 1, 2);
        assertThat(ranks.of(0).status().suspected()).isEmpty();
        assertThat(ranks.of(0).status().suspicions()).isEqualTo(Map.of(1, List.of(2), 2, List.of(1)));
        assertThat(ranks.of(1).status().suspicions()).isEqualTo(Map.of(2, List.of(1)));
    }

    @Test
    void theLowestElectorMayEndToo() {
        ViewedRanks ranks = founded(3);
        ranks.kill(0);
        ranks.goOn();
        assertThat(view(ranks, 1).members()).containsExactly(1, 2);
    }

    @Test
    void ofTwoRanksEachMayComeBackWithoutItsMemory() {
        ViewedRanks ranks = founded(2);
        for (int time = 0; time < 3; time++) {
            for (int rank = 0; rank < 2; rank++) {
                ranks.kill(rank);
                ranks.goOn();
                ranks.loseMemory(rank);
                ranks.start(rank);
                ranks.goOn();
                assertThat(view(ranks, 1 - rank).isMember(rank, ranks.incarnation(rank))).isTrue();
                assertThat(view(ranks, rank)).isEqualTo(view(ranks, 1 - rank));
            }
        }
    }

    @Test
    void ofThreeRanksOneThatHasLostItsMemoryDecidesNothingWithoutTheOthers() {
        ViewedRanks ranks = founded(3);
        ranks.kill(0);
        ranks.kill(1);
        ranks.loseMemory(0);
        ranks.start(0);
        ranks.goOn();
        assertThat(view(ranks, 2)).isEqualTo(View.first(3, 64));
        assertThat(ranks.of(0).status().missing()).containsExactly(0, 1);
    }

    static List<List<Integer>> sides() {
        List<List<Integer>> sides = new ArrayList<>();
        for (int bits = 1; bits < 1 << 4; bits++) { // the side without rank 4
            int chosen = bits;
            sides.add(IntStream.range(0, 4).filter(rank -> (chosen >> rank & 1) == 1).boxed().toList());
        }
        return sides;
    }

    @ParameterizedTest
    @MethodSource("sides")
    void ofFiveRanksTheSideWithThreeGoesOnAndTheOtherDecidesNothing(List<Integer> side) {
        ViewedRanks ranks = founded(5);
        cut(ranks, side);
        ranks.goOn();
        List<Integer> other = others(ranks, side);
        List<Integer> many = side.size() > other.size() ? side : other;
        List<Integer> few = side.size() > other.size() ? other : side;
        for (int rank : many) {
            assertThat(view(ranks, rank).members()).isEqualTo(many);
            assertThat(ranks.of(rank).status().waiting()).isEmpty();
        }
        for (int rank : few) {
            assertThat(view(ranks, rank)).isEqualTo(View.first(5, 64));
            assertThat(ranks.of(rank).status().waiting().orElseThrow())
                    .startsWith("no rank is declared dead: waits for 3 of the electors [0, 1, 2, 3, 4], of which these"
                            + " do not answer: ");
        }

        ranks.heal();
        ranks.goOn();

        for (int rank : few) {
            assertThat(ranks.of(rank).refusal().orElseThrow())
                    .hasMessageStartingWith("the other ranks have declared this one dead while they did not hear it,"
                            + " look at the network and at pauses of the process: world=viewed rank=" + rank
                            + " incarnation=1");
        }
    }

    @Test
    void aCutThatHealsBeforeADecisionRemovesNobody() {
        ViewedRanks ranks = founded(2);
        ranks.cut(0, 1);
        ranks.hear(1);
        ranks.advance(1);
        assertThat(ranks.of(1).status().waiting()).isPresent();
        ranks.heal();
        ranks.goOn();
        assertThat(ranks.of(1).status().waiting()).isEmpty();
        assertThat(view(ranks, 1)).isEqualTo(View.first(2, 64));
    }

    @Test
    void ofTwoRanksTheLowestGoesOn() {
        ViewedRanks ranks = founded(2);
        ranks.cut(0, 1);
        ranks.goOn();
        assertThat(view(ranks, 0).members()).containsExactly(0);
        assertThat(view(ranks, 1).members()).containsExactly(0, 1);
    }

    @Test
    void whomOneElectorHearsIsNotRemoved() {
        ViewedRanks ranks = founded(3);
        ranks.cut(0, 1);
        ranks.goOn();
        assertThat(view(ranks, 2)).isEqualTo(View.first(3, 64));
    }

    @Test
    void aRankThatIsStartedAgainIsAMemberInItsNextLife() {
        ViewedRanks ranks = founded(3);
        ranks.kill(2);
        ranks.goOn();
        ranks.start(2);
        ranks.goOn();
        for (int rank = 0; rank < 3; rank++) {
            assertThat(view(ranks, rank).isMember(2, 2)).isTrue();
            assertThat(ranks.of(rank).refusal()).isEmpty();
        }
    }

    @Test
    void aWorldThatIsStartedAgainGoesOnFromItsLastView() {
        ViewedRanks ranks = founded(3);
        ranks.kill(1);
        ranks.goOn();
        long number = view(ranks, 0).number();
        ranks.kill(0);
        ranks.kill(2);
        for (int rank = 0; rank < 3; rank++) {
            ranks.start(rank);
        }
        assertThat(view(ranks, 0).number()).isEqualTo(number);
        ranks.goOn();
        assertThat(view(ranks, 1)).isEqualTo(view(ranks, 0)).isEqualTo(view(ranks, 2));
        assertThat(view(ranks, 1)).hasToString("view=" + (number + 3) + " members=[0/2,1/2,2/2]");
    }

    @Test
    void aRankThatComesBackWithoutItsMemoryAsTheSameIncarnationIsRefused() {
        ViewedRanks ranks = founded(3);
        ranks.kill(2);
        ranks.loseMemory(2);
        ranks.start(2, 1);
        ranks.goOn();
        assertThat(ranks.of(2).refusal().orElseThrow())
                .hasMessageStartingWith(
                        "this rank has no memory of the life that the others know by this number, start it anew:");
    }

    @Test
    void aRankWithoutItsMemoryHasNoVoteUntilItIsAddedInALaterLife() {
        ViewedRanks ranks = founded(3);
        ranks.kill(1);
        ranks.kill(2);
        ranks.loseMemory(2);
        ranks.start(2);
        ranks.goOn();
        assertThat(view(ranks, 0)).isEqualTo(View.first(3, 64));
        assertThat(ranks.of(0).status().missing()).contains(2);

        ranks.start(1);
        ranks.goOn();
        assertThat(view(ranks, 0).isMember(2, 2)).isTrue();
        ranks.kill(1);
        ranks.goOn();
        assertThat(view(ranks, 2).members()).containsExactly(0, 2);
    }

    @Test
    void whoLeavesIsRemovedAtOnce() {
        ViewedRanks ranks = founded(3);
        ranks.of(2).leave();
        ranks.kill(2);
        ranks.advance(0);
        assertThat(view(ranks, 0).members()).containsExactly(0, 1);
        ranks.of(1).leave();
        ranks.kill(1);
        ranks.of(0).leave();
        assertThat(view(ranks, 0).members()).as("the last stays").containsExactly(0);
    }

    /** A decision that its proposer has not told anybody. */
    @Test
    void whatAnotherHasHadAcceptedIsFinished() {
        ViewedRanks ranks = founded(3);
        int[] verbs = {0};
        ranks.kill(2);
        ranks.hear();
        ranks.disturb(() -> verbs[0]++ >= 4); // the answers to the last exchange are lost
        ranks.advance(0);
        ranks.disturb(() -> false);
        ranks.kill(0);
        ranks.start(0);
        ranks.goOn();
        assertThat(view(ranks, 1)).hasToString("view=3 members=[0/2,1/1]");
    }

    /** Ranks that end, come back with or without memory, and are cut off at any step; answers are lost. */
    @Test
    void viewsOfOneNumberAreEqualWhateverHappens() {
        int views = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            views += new Trial(seed).run();
        }
        assertThat(views).as("views that were decided").isGreaterThan(SEEDS * 5);
    }

    /** What happens by one seed. */
    private static final class Trial {

        private final int seed;
        private final Random random;
        private final ViewedRanks ranks;
        private final Map<Long, View> known = new HashMap<>();
        private int depth;

        Trial(int seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.ranks = new ViewedRanks(2 + random.nextInt(5));
        }

        /** Returns how many views there were. */
        int run() {
            ranks.goOn();
            ranks.disturb(this::isLost);
            for (int step = 0; step < STEPS; step++) {
                step();
            }
            settle();
            return known.size();
        }

        /** When nothing is in the way any more, all agree. */
        private void settle() {
            ranks.disturb(() -> false);
            ranks.heal();
            for (int time = 0; time < 2; time++) { // who was removed finds out in the first
                for (int rank = 0; rank < ranks.size(); rank++) {
                    if (!ranks.runs(rank) || ranks.of(rank).refusal().isPresent()) {
                        ranks.start(rank);
                    }
                }
                ranks.goOn();
            }
            for (int rank = 0; rank < ranks.size(); rank++) {
                assertThat(view(ranks, rank)).as("seed %d", seed).isEqualTo(view(ranks, 0));
                assertThat(view(ranks, rank).isMember(rank, ranks.incarnation(rank)))
                        .as("seed %d: rank %d with %s", seed, rank, ranks.of(rank).status())
                        .isTrue();
            }
        }

        /** Between the verbs of one rank another goes on. */
        private boolean isLost() {
            if (depth < 2 && random.nextInt(4) == 0) {
                depth++;
                advance(random.nextInt(ranks.size()));
                depth--;
            }
            return random.nextInt(20) == 0;
        }

        private void step() {
            int rank = random.nextInt(ranks.size());
            switch (random.nextInt(12)) {
                case 0 -> ranks.kill(rank);
                case 1, 2 -> startAgain(rank);
                case 3 -> ranks.cut(rank, random.nextInt(ranks.size()));
                case 4 -> ranks.heal();
                default -> advance(rank);
            }
            ranks.pass(Duration.ofMillis(random.nextInt(300)));
        }

        /**
         * Nothing can be decided any more where the memory of a quorum is lost, also of a view that some rank still acts
         * by, and of one that may be decided though nobody knows yet.
         */
        private boolean canLoseMemory(int rank) {
            if (known.isEmpty() || ranks.isAccepted(1 + Collections.max(known.keySet()))) {
                return false;
            }
            List<Integer> others = IntStream.range(0, ranks.size())
                    .filter(other -> other != rank && ranks.hasMemory(other))
                    .boxed()
                    .toList();
            long first = others.stream().mapToLong(ranks::installed).min().orElse(0);
            return first > 0 && known.values()
                    .stream()
                    .filter(view -> view.number() >= first)
                    .allMatch(view -> view.isQuorum(others));
        }

        private void startAgain(int rank) {
            if (!ranks.runs(rank)) {
                if (random.nextInt(4) == 0 && canLoseMemory(rank)) {
                    ranks.loseMemory(rank);
                }
                ranks.start(rank);
            } else if (ranks.of(rank).refusal().isPresent()) {
                ranks.kill(rank);
            }
        }

        private void advance(int rank) {
            if (!ranks.runs(rank)) {
                return;
            }
            ranks.hear(rank);
            Views own = ranks.of(rank);
            ranks.advance(rank);
            View view = own.status().view();
            if (view != null) {
                assertThat(known.computeIfAbsent(view.number(), _ -> view)).as("seed %d", seed).isEqualTo(view);
            }
        }
    }
}
