package io.atoll.queue;

import static io.atoll.fabric.sim.SimOptions.TCP;
import static io.atoll.fabric.sim.SimOptions.WEAKEST;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.codec.Codec;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.Seeds;
import io.atoll.queue.QueueWorld.Use;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.FieldSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Asynchronous pushes and pops, several of each rank under way together, beside synchronous ones. The seeds find many
 * interleavings, with pauses, deaths, broken connections and errors at any step.
 */
@Tag("simulation")
class AsyncQueueSimulationTest {

    private static final int SEEDS = 150;

    /** The number of seeds where operations fail: many orders may explain what is left, which takes time. */
    private static final int SEEDS_IN_DANGER = 50;

    private static final int MOST_ACCESSES = 300;

    /** In rounds, and by threads of their own. */
    static Stream<Arguments> fabrics() {
        return Stream.of(TCP, WEAKEST)
                .flatMap(guarantees -> CODECS.stream().map(codec -> Arguments.of(guarantees, codec)));
    }

    static final List<Codec<Long>> CODECS = List.of(QueueWorld.NARROW, QueueWorld.WIDE);

    @ParameterizedTest
    @MethodSource("fabrics")
    void everyOperationTakesEffectAtOnce(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, AsyncQueueTrials.trial(QueueWorld.pausing(guarantees), codec, Use.PUSH_AND_POP));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void noTicketIsSkippedWhoseHolderStandsStill(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, AsyncQueueTrials.doubtingTrial(guarantees, codec));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void deathsAtAnyStepLeaveNothingHalfDone(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS_IN_DANGER, AsyncQueueTrials.dyingTrial(guarantees, codec));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void elementsKeepTheirOrderThroughEveryMove(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, AsyncQueueTrials.trial(QueueWorld.pausing(guarantees), codec, Use.MOVE_TOO));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void aConnectionThatBreaksAtAnyStepLeavesNoDeadTicket(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS_IN_DANGER, AsyncQueueTrials.breakingTrial(guarantees, codec));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void errorsAtAnyAccessesLeaveNothingHalfDone(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS_IN_DANGER, AsyncQueueTrials.erringTrial(guarantees, codec));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void aFullQueueIsFullForEveryOperation(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, AsyncQueueTrials.crowdedTrial(guarantees, codec));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void anEmptyQueueIsEmptyForEveryOperation(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, AsyncQueueTrials.emptiedTrial(guarantees, codec));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void aPopGoesOnBehindARingThatIsDrained(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(1, AsyncQueueTrials.drained(guarantees, codec));
    }

    /** By threads of their own, pops that have their elements are told with those that wait. */
    @ParameterizedTest
    @FieldSource("CODECS")
    void whatIsInAClosedRingWaitsForNothingInTheNext(Codec<Long> codec) {
        Seeds.each(1, AsyncQueueTrials.closed(TCP, codec));
    }

    @ParameterizedTest
    @MethodSource("fabrics")
    void aPushFindsTheRoomOfAMoveThatWasCutShort(Guarantees guarantees, Codec<Long> codec) {
        Seeds.each(SEEDS, AsyncQueueTrials.cutShort(guarantees, codec));
    }

    @ParameterizedTest
    @FieldSource("CODECS")
    void pushesOfOneBatchKeepTheOrderOfTheirSubmission(Codec<Long> codec) {
        Seeds.each(SEEDS, AsyncQueueTrials.inOrder(codec));
    }

    @ParameterizedTest
    @FieldSource("CODECS")
    void anErrorAtAnyAccessOfARoundLeavesNoDeadTicketAndNoAnnouncement(Codec<Long> codec) {
        for (boolean isAfter : new boolean[]{false, true}) {
            for (List<QueueOperation> operations : List.of(
                    List.of(QueueOperation.push(20L), QueueOperation.push(21L)),
                    List.of(QueueOperation.pop(1), QueueOperation.pop(1)))) {
                int access = 1;
                while (AsyncQueueTrials.isStruckAt(TCP, codec, operations, access, isAfter)) {
                    assertThat(++access).as("accesses").isLessThan(MOST_ACCESSES);
                }
                assertThat(access).as("accesses").isGreaterThan(2);
            }
        }
    }
}
