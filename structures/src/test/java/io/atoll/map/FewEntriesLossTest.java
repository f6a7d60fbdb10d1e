package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Patch;
import io.atoll.epoch.EpochManager;
import io.atoll.world.Participant;
import org.junit.jupiter.api.Test;

/** Few entries that are put together while one of their owners cannot be reached. */
class FewEntriesLossTest extends FewLossContract {

    FewEntriesLossTest() {
        super(FewEntriesLossTest::open);
    }

    private static Opened open(Participant self, EpochManager epochs) {
        DistributedMap<Long, Long> map = DistributedMap.builder("map", Long.class, Long.class, () -> self, epochs)
                .capacity(1_000)
                .open();
        return new Opened(MapClient.of(map), map::owner);
    }

    /** The owner has reserved the buckets, and lost the connection before it published them. */
    @Test
    void whatIsReservedAndNotPublishedGoesRoundAgain() {
        putOnes(2);
        fabric.adds = false;
        fabric.meanwhile = () -> fabric.adds = true;
        assertThat(lossOfPuttingTwos().rank()).isEqualTo(AWAY);
        assertThat(get()).isEqualTo(2);
    }

    // --- mistakes ---

    private static final class LostAnswers implements Runnable {

        @Override
        public void run() {
            new FewEntriesLossTest().anOwnerWhoseAnswersAreLostWithTheOtherOneIsLostToo();
        }
    }

    private static final class LostAdditions implements Runnable {

        @Override
        public void run() {
            new FewEntriesLossTest().whatIsReservedAndNotPublishedGoesRoundAgain();
        }
    }

    private static void assertIsFound(Class<? extends Runnable> program, String text, String instead) {
        assertThatThrownBy(() -> new Patch(PutRounds.class).replace(text, instead).run(program))
                .isInstanceOf(AssertionError.class);
    }

    @Test
    void anEntryInDoubtThatCountsAsMissingIsFound() {
        assertIsFound(LostAnswers.class, " || undone == Undone.BEFORE && !isAnswered) {", ") {");
    }

    @Test
    void anEntryThatIsUndoneAndCountsAsStoredIsFound() {
        assertIsFound(LostAdditions.class, "if (undone != Undone.BEFORE || !isReplaced(batch, key)) {",
                "if (!isReplaced(batch, key)) {");
    }
}
