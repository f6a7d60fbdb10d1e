package io.atoll.epoch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.world.OnLoss;
import io.atoll.world.Participant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/**
 * A rank frees its retired objects of another one's segment when it is asked. No rank waits long for one that does not.
 */
class PeerReliefTest extends TwoRankEpochs {

    private static final int TOKENS = 4;
    private static final int OBJECTS = 10;
    private static final int REQUESTS = 20;
    private static final Duration LONG_ENOUGH = Duration.ofMinutes(2);

    private Participant self;
    private Participant asked;
    private long[] blocks;

    @BeforeEach
    void find() {
        self = worlds.get(0).participant();
        asked = worlds.get(1).participant();
        epochs.prepare();
        peer.prepare();
        blocks = self.directory()
                .open(EpochStructure.NAME, EpochStructure.configuration(TOKENS),
                        _ -> EpochBlock.bytes(TOKENS, self.maxSize()), OnLoss.EMPTY);
    }

    private long word(long word) {
        return asked.endpoint().fabric().local().getAcquire(blocks[1] + word);
    }

    private void awaitPresence() {
        await().atMost(LONG_ENOUGH).until(() -> self.incarnations()[1] == asked.incarnation());
    }

    /** Rank 1 puts objects of both segments into limbo, and does nothing more. */
    private void holdSomething() throws Exception {
        awaitPresence();
        elsewhere(() -> {
            try (Token token = peer.register()) {
                retire(token, OBJECTS);
            }
            return 0;
        });
    }

    @Test
    void whatAnIdleRankHoldsIsFreedWhenItIsAsked() throws Exception {
        long before = objects(0);
        holdSomething();
        assertThat(objects(0)).isGreaterThan(before);
        // On a busy machine the answer may come too late.
        await().atMost(LONG_ENOUGH).until(() -> epochs.relieve(0) || word(EpochBlock.FREED) > 0);
        await().atMost(LONG_ENOUGH).until(() -> word(EpochBlock.SERVED) == word(EpochBlock.ASKED));
        assertThat(objects(0)).isEqualTo(before);
        assertThat(epochs.relieve(0)).as("nothing is left").isFalse();
    }

    @Test
    void aRankThatHoldsNothingOfTheSegmentIsNotAsked() {
        awaitPresence();
        assertThat(epochs.relieve(0)).isFalse();
        assertThat(word(EpochBlock.ASKED)).isZero();
    }

    @Test
    void aThreadThatIsPinnedItselfAsksNobody() throws Exception {
        holdSomething();
        try (Token token = epochs.register(); Pin _ = token.pin()) {
            assertThat(epochs.relieve(0)).isFalse();
        }
        assertThat(word(EpochBlock.ASKED)).isZero();
    }

    @Test
    void aRankThatDoesNotAnswerIsWaitedForOnce() throws Exception {
        holdSomething();
        peer.close();
        for (int request = 0; request < REQUESTS; request++) {
            assertThat(epochs.relieve(0)).isFalse();
        }
        assertThat(word(EpochBlock.ASKED)).isOne();
        assertThat(word(EpochBlock.SERVED)).isZero();
    }

    @Test
    void aRankThatHasLeftIsNotWaitedFor() throws Exception {
        holdSomething();
        peer.close();
        worlds.removeLast().close();
        await().atMost(LONG_ENOUGH).until(() -> self.incarnations()[1] == 0);
        assertThat(epochs.relieve(0)).isFalse();
    }

    @Test
    void aRankThatIsInVainAskedIsNotAskedAgainWhileTheSameEpochIsHeld() throws Exception {
        holdSomething();
        try (Token reader = peer.register(); Pin _ = reader.pin()) {
            for (int request = 0; request < REQUESTS; request++) {
                assertThat(epochs.relieve(0)).isFalse();
            }
            // Some services free nothing only after they have advanced the epoch as far as it goes.
            assertThat(word(EpochBlock.ASKED)).isLessThanOrEqualTo(3);
        }
        await().atMost(LONG_ENOUGH).until(() -> epochs.relieve(0) || word(EpochBlock.FREED) > 0);
    }

    @Test
    void aRequestThatComesWhileAnotherIsServedIsServedAnew() {
        peer.close();
        PeerRelief relief = new PeerRelief(asked, blocks);
        List<Long> served = new ArrayList<>();
        self.endpoint().getAndAdd(1, blocks[1] + EpochBlock.ASKED, 1);
        self.endpoint().getAndAdd(1, blocks[1] + EpochBlock.ASKED, 1);
        relief.serve(() -> {
            served.add(word(EpochBlock.SERVED));
            self.endpoint().getAndAdd(1, blocks[1] + EpochBlock.ASKED, 1);
        });
        assertThat(served).containsExactly(0L);
        assertThat(word(EpochBlock.SERVED)).as("both that came before share one service").isEqualTo(2);
        assertThat(relief.isAsked()).isTrue();
        relief.serve(() -> {});
        assertThat(relief.isAsked()).isFalse();
    }
}
