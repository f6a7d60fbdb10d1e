package io.atoll.view;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("network")
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

    /** The direction in which messages are lost where a side is cut off, as seen from that side. */
    private enum Way {
        IN, OUT, BOTH
    }

    private static void cut(ViewedRanks ranks, List<Integer> side) {
        cut(ranks, side, Way.BOTH);
    }

    private static void cut(ViewedRanks ranks, List<Integer> side, Way way) {
        for (int rank : side) {
            for (int other : others(ranks, side)) {
                if (way != Way.IN) {
                    ranks.cutWay(rank, other);
                }
                if (way != Way.OUT) {
                    ranks.cutWay(other, rank);
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

    /** This test counts round trips. {@link FabricHeadersTest} counts the verbs of each. */
    @Test
    void aDecisionTakesFiveRoundTripsAndOthersFindItInOne() {
        ViewedRanks ranks = founded(5);
        ranks.kill(4);
        ranks.hear();
        List.of(1, 2, 3).forEach(ranks::advance); // these ranks say which ranks they do not hear
        assertThat(ranks.roundTrips(() -> ranks.advance(0))).isEqualTo(5);
        assertThat(view(ranks, 0).members()).containsExactly(0, 1, 2, 3);

        // An idle rank takes two round trips: the words of the next view, and which ranks the electors do not hear.
        int idle = 2;
        assertThat(ranks.roundTrips(() -> ranks.advance(1))).isEqualTo(1 + idle);
        assertThat(view(ranks, 1).members()).containsExactly(0, 1, 2, 3);

        ranks.start(4);
        ranks.hear();
        ranks.advance(4);
        ranks.pass(Duration.ofSeconds(1)); // until it is the turn of the rank
        assertThat(ranks.roundTrips(() -> ranks.advance(4))).as("to be added").isEqualTo(5);
        assertThat(view(ranks, 4).isMember(4, 2)).isTrue();
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

    static List<Arguments> sides() {
        return groups(4).stream() // the side without rank 4
                .flatMap(side -> Stream.of(Way.values()).map(way -> Arguments.of(side, way)))
                .toList();
    }

    /** Returns all groups of ranks except the empty one. */
    private static List<List<Integer>> groups(int size) {
        List<List<Integer>> groups = new ArrayList<>();
        for (int bits = 1; bits < 1 << size; bits++) {
            int chosen = bits;
            groups.add(IntStream.range(0, size).filter(rank -> (chosen >> rank & 1) == 1).boxed().toList());
        }
        return groups;
    }

    static List<List<Integer>> groups() {
        return groups(5);
    }

    private static void assertAllTakePart(ViewedRanks ranks) {
        for (int rank = 0; rank < ranks.size(); rank++) {
            assertThat(view(ranks, rank)).isEqualTo(view(ranks, 0));
            assertThat(view(ranks, rank).isMember(rank, ranks.incarnation(rank))).as("rank %d", rank).isTrue();
        }
    }

    @ParameterizedTest
    @MethodSource("groups")
    void anyOfFiveRanksMayLoseTheirMemoryAtOnce(List<Integer> lost) {
        ViewedRanks ranks = founded(5);
        lost.forEach(ranks::replace);
        ranks.goOn();
        assertAllTakePart(ranks);
        ranks.kill(4);
        ranks.goOn();
        assertThat(view(ranks, 0).members()).as("that are decided on").containsExactly(0, 1, 2, 3);
    }

    /** Two of the seven ranks keep their memory. They are no electors, so they decide nothing. */
    @Test
    void allElectorsMayLoseTheirMemoryAtOnce() {
        ViewedRanks ranks = founded(7);
        IntStream.range(0, 5).forEach(ranks::replace);
        ranks.goOn();
        assertAllTakePart(ranks);
    }

    @Test
    void nothingIsFoundedAnewBeforeEachRankAnswers() {
        ViewedRanks ranks = founded(4);
        ranks.kill(3);
        IntStream.range(0, 3).forEach(ranks::replace);
        ranks.goOn();
        assertThat(ranks.of(0).status().view()).as("rank 3 may know one").isNull();
        ranks.start(3);
        ranks.goOn();
        assertAllTakePart(ranks);
    }

    /** Rank 4 has come back, and is about to propose that. */
    private static ViewedRanks beforeAChangeOfRankFour() {
        ViewedRanks ranks = founded(5);
        ranks.kill(4);
        ranks.start(4);
        ranks.hear();
        ranks.advance(4);
        ranks.pass(Duration.ofSeconds(1)); // until it is the turn of the rank
        return ranks;
    }

    /**
     * Rank 0 accepts the change that rank 4 proposes. Then most ranks lose their memory, and rank 4 goes on with the
     * others.
     */
    @Test
    void aRankInTheMiddleOfADecisionKeepsTheWorldFromBeingFoundedAnew() {
        ViewedRanks ranks = beforeAChangeOfRankFour();
        ranks.disturb(() -> {
            if (ranks.isAccepted(2)) {
                ranks.disturb(() -> false);
                IntStream.range(0, 3).forEach(ranks::replace);
                ranks.goOn();
            }
            return false;
        });
        ranks.advance(4);
        assertThat(view(ranks, 4)).isEqualTo(View.first(5, 64).after(ViewChange.add(4, 2)));
        ranks.goOn();
        assertAllTakePart(ranks);
    }

    /**
     * Returns ranks of which 0 to 2 have lost their memory. They know of view 1, as rank 3 does. Rank 4 knows of view
     * 2.
     */
    private static ViewedRanks oneThatKnowsMore() {
        ViewedRanks ranks = founded(5);
        ranks.kill(4);
        ranks.start(4);
        ranks.hear();
        ranks.advance(4);
        ranks.pass(Duration.ofSeconds(1));
        ranks.advance(4);
        assertThat(view(ranks, 4).number()).isEqualTo(2);
        for (int rank = 0; rank < 3; rank++) {
            ranks.replace(rank);
            ranks.hear();
            ranks.advance(rank); // learns the view from the first rank that it asks
            assertThat(view(ranks, rank).number()).isEqualTo(1);
        }
        return ranks;
    }

    // The number of reads by which a rank of five looks at the four others if there is no quorum.
    private static final int WORDS_AND_HEADS = 4 + 4;

    /** Rank 3 learns of view 2 after its head was read. Rank 4 forgets view 2 before its head is read. */
    @Test
    void headsThatWereReadOnceAreNotEnough() {
        ViewedRanks ranks = oneThatKnowsMore();
        int[] reads = {0};
        ranks.disturb(() -> {
            if (++reads[0] == WORDS_AND_HEADS) {
                ranks.disturb(() -> false);
                ranks.advance(3);
                ranks.replace(4);
                ranks.hear();
                ranks.advance(4);
                assertThat(view(ranks, 3).number()).isEqualTo(2);
                assertThat(view(ranks, 4).number()).isEqualTo(1);
            }
            return false;
        });
        ranks.advance(0);
        assertThat(reads[0]).isEqualTo(WORDS_AND_HEADS);
        assertThat(view(ranks, 0).number()).isEqualTo(1);
        ranks.goOn();
        assertAllTakePart(ranks);
    }

    @Test
    void nothingIsFoundedAnewWhereARankKnowsMoreThanItCouldTell() {
        ViewedRanks ranks = oneThatKnowsMore();
        int[] reads = {0};
        ranks.disturb(() -> ++reads[0] == WORDS_AND_HEADS + 1); // loses the record of view 2
        ranks.advance(0);
        assertThat(reads[0]).isGreaterThan(WORDS_AND_HEADS + 1);
        assertThat(view(ranks, 0).number()).isEqualTo(1);
        ranks.goOn();
        assertAllTakePart(ranks);
    }

    @Test
    void nothingIsFoundedAnewWhereAQuorumHasItsMemoryThoughItDidNotAnswer() {
        ViewedRanks ranks = founded(3);
        ranks.replace(0);
        ranks.hear();
        ranks.advance(0);
        int[] reads = {0};
        ranks.disturb(() -> ++reads[0] <= 2); // loses the words of the others
        ranks.advance(0);
        assertThat(view(ranks, 0)).isEqualTo(View.first(3, 64).after(ViewChange.add(0, 2)));
        ranks.goOn();
        assertAllTakePart(ranks);
    }

    @ParameterizedTest
    @MethodSource("sides")
    void ofFiveRanksTheSideWithThreeGoesOnAndTheOtherDecidesNothing(List<Integer> side, Way way) {
        ViewedRanks ranks = founded(5);
        cut(ranks, side, way);
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
                    .startsWith(
                            "no rank is declared dead or added: waits for 3 of the electors [0, 1, 2, 3, 4], of which"
                                    + " these do not answer, or have lost their memory: ");
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
        assertThat(ranks.of(1).status().waiting())
                .hasValue("no rank is declared dead or added: waits for 1 of the electors"
                        + " [0, 1] with rank 0 among them, or for 2, of which these do not answer,"
                        + " or have lost their memory: 0");
        ranks.heal();
        ranks.goOn();
        assertThat(ranks.of(1).status().waiting()).isEmpty();
        assertThat(view(ranks, 1)).isEqualTo(View.first(2, 64));
    }

    @ParameterizedTest
    @EnumSource
    void ofTwoRanksTheLowestGoesOn(Way way) {
        ViewedRanks ranks = founded(2);
        cut(ranks, List.of(0), way);
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

    /** Neither rank hears the other: one of them gets no answers, and what the other asks does not arrive. */
    @ParameterizedTest
    @CsvSource({"0, 6", "6, 0"})
    void oneElectorThatDoesNotHearARankRemovesNobodyWhicheverWayIsCut(int from, int to) {
        ViewedRanks ranks = founded(7);
        ranks.cutWay(from, to);
        ranks.goOn();
        for (int rank = 0; rank < 7; rank++) {
            assertThat(view(ranks, rank)).isEqualTo(View.first(7, 64));
            assertThat(ranks.of(rank).status().waiting()).isEmpty();
        }
        assertThat(ranks.of(0).status().suspected()).containsExactly(6);
        assertThat(ranks.of(6).status().suspected()).containsExactly(0);
        assertThat(ranks.of(1).status().suspected()).isEmpty();
        assertThat(ranks.of(1).status().suspicions()).isEqualTo(Map.of(6, List.of(0)));
    }

    /** The rank still reaches all electors, or they still reach it. */
    @ParameterizedTest
    @EnumSource
    void aRankThatNoElectorHearsIsRemovedAndLearnsItFromARankThatIsNone(Way way) {
        ViewedRanks ranks = founded(7);
        for (int elector = 0; elector < View.MOST_ELECTORS; elector++) {
            if (way != Way.IN) {
                ranks.cutWay(6, elector);
            }
            if (way != Way.OUT) {
                ranks.cutWay(elector, 6);
            }
        }
        ranks.goOn();
        assertThat(view(ranks, 0).members()).containsExactly(0, 1, 2, 3, 4, 5);
        assertThat(view(ranks, 5)).isEqualTo(view(ranks, 0));
        assertThat(ranks.of(6).refusal().orElseThrow())
                .hasMessageStartingWith("the other ranks have declared this one dead while they did not hear it");
    }

    /** The electors store the change that rank 4 proposes, but their answers do not come back. */
    @Test
    void aDecisionOfWhichNoAnswerArrivesIsFinishedByTheOthers() {
        ViewedRanks ranks = beforeAChangeOfRankFour();
        ranks.disturb(() -> {
            if (ranks.isAccepted(2)) {
                ranks.disturb(() -> false);
                cut(ranks, List.of(4), Way.IN);
            }
            return false;
        });
        ranks.advance(4);
        assertThat(view(ranks, 4)).as("what it knows of").isEqualTo(View.first(5, 64));
        assertThat(ranks.isAccepted(2)).isTrue();
        ranks.goOn();
        assertThat(view(ranks, 0))
                .isEqualTo(View.first(5, 64).after(ViewChange.add(4, 2)).after(ViewChange.remove(4, 2)));
        ranks.heal();
        ranks.goOn();
        assertThat(ranks.of(4).refusal()).isPresent();
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

    /** Returns ranks of which rank 2 is a member in life 2. The others know of this life by the view alone. */
    private static ViewedRanks unmetMember() {
        ViewedRanks ranks = founded(3);
        ranks.kill(2);
        ranks.goOn();
        assertThat(view(ranks, 0).members()).containsExactly(0, 1);
        ranks.start(2);
        ranks.hear(2);
        ranks.advance(2);
        ranks.pass(Duration.ofSeconds(1)); // until it is the turn of the rank
        ranks.advance(2);
        return ranks;
    }

    private static void goOnUnmet(ViewedRanks ranks, int steps) {
        for (int step = 0; step < steps; step++) {
            for (int rank = 0; rank < 2; rank++) {
                ranks.of(rank).hear(2, 1, true);
                ranks.advance(rank);
            }
            ranks.pass(Duration.ofMillis(100));
        }
    }

    @Test
    void aLifeThatWasJustAddedIsNotRemovedSinceTheOneBeforeWasNotHeard() {
        ViewedRanks ranks = unmetMember();
        goOnUnmet(ranks, 15);
        assertThat(view(ranks, 0).isMember(2, 2)).isTrue();
        assertThat(ranks.of(0).status().suspected()).isEmpty();
        ranks.goOn();
        assertAllTakePart(ranks);
    }

    @Test
    void aLifeThatWasAddedAndIsNeverMetIsRemoved() {
        ViewedRanks ranks = unmetMember();
        goOnUnmet(ranks, 40);
        assertThat(view(ranks, 1)).isEqualTo(view(ranks, 0));
        assertThat(view(ranks, 0).hasRemoved(2, 2)).isTrue();
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

    /** Without rank 0, the other rank is no quorum, and could not find out by itself. */
    @Test
    void rankZeroOfTwoLeavesOnceTheOtherHasSeenIt() {
        ViewedRanks ranks = founded(2);
        ranks.of(0).leave();
        ranks.kill(0);
        assertThat(view(ranks, 1).members()).containsExactly(1);
    }

    /** The proposer of the decision has told no other rank. */
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

    /**
     * Ranks end, come back with or without memory, and are cut off at any step, in one direction or both. Answers are
     * lost.
     */
    @Test
    void viewsOfOneNumberAreEqualWhateverHappens() {
        int views = 0;
        for (int seed = 0; seed < SEEDS; seed++) {
            views += new Trial(seed).run();
        }
        assertThat(views).as("views that were decided").isGreaterThan(SEEDS * 5);
    }

    /** The course of events with one seed. */
    private static final class Trial {

        private final int seed;
        private final Random random;
        private final ViewedRanks ranks;
        private final Set<Long> numbers = new HashSet<>();
        private int depth;

        Trial(int seed) {
            this.seed = seed;
            this.random = new Random(seed);
            this.ranks = new ViewedRanks(2 + random.nextInt(5));
        }

        /** Returns the number of views that there were. */
        int run() {
            ranks.goOn();
            ranks.disturb(this::isLost);
            for (int step = 0; step < STEPS; step++) {
                step();
            }
            settle();
            return numbers.size();
        }

        /** Checks that all ranks agree once nothing disturbs them any more. */
        private void settle() {
            ranks.disturb(() -> false);
            ranks.heal();
            for (int time = 0; time < 2; time++) { // a removed rank finds out in the first round
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

        /**
         * Decides if a verb is lost. Between the verbs of one rank another rank may go on, or a direction may be cut.
         */
        private boolean isLost() {
            int other = random.nextInt(ranks.size());
            if (random.nextInt(200) == 0) {
                ranks.cutWay(other, random.nextInt(ranks.size()));
            }
            if (depth < 2 && random.nextInt(4) == 0) {
                depth++;
                if (random.nextInt(20) == 0 && !ranks.isBusy(other)) {
                    ranks.replace(other);
                }
                advance(other);
                depth--;
            }
            return random.nextInt(20) == 0;
        }

        private void step() {
            int rank = random.nextInt(ranks.size());
            switch (random.nextInt(12)) {
                case 0 -> ranks.kill(rank);
                case 1, 2 -> startAgain(rank);
                case 3 -> cut(rank);
                case 4 -> ranks.heal();
                default -> advance(rank);
            }
            ranks.pass(Duration.ofMillis(random.nextInt(300)));
        }

        private void cut(int rank) {
            int other = random.nextInt(ranks.size());
            if (random.nextBoolean()) {
                ranks.cut(rank, other);
            } else {
                ranks.cutWay(rank, other);
            }
        }

        private void startAgain(int rank) {
            if (!ranks.runs(rank)) {
                if (random.nextInt(4) == 0) {
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
                numbers.add(view.number());
            }
        }
    }
}
