package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.fabric.Batch;
import io.atoll.failure.RankUnreachableException;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/**
 * Tests, without a device, a batch whose thread meets an error of the virtual machine. The batch does nothing that it
 * was not asked to do.
 */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RdmaErrorsTest {

    private static final Error ERROR = new OutOfMemoryError("for a test");
    private final LoopbackRanks ranks = new LoopbackRanks(2, 1 << 10, 32);
    private final RdmaBatch batch = ranks.batch(16, 16, Batch.SMALL_BUFFER_BYTES);

    private long word(int rank, long offset) {
        return ranks.word(rank, offset);
    }

    @Test
    void whatAnErrorKeptFromBeingPostedIsNotPostedWithWhatIsAddedNext() {
        ranks.wire(0).failPosting(ERROR);
        batch.writeWord(0, 0, 1);
        batch.writeWord(1, 0, 2);
        assertThatThrownBy(batch::post).isSameAs(ERROR);

        batch.emptied().writeWord(1, 8, 3);
        batch.complete();

        assertThat(word(1, 8)).isEqualTo(3);
        assertThat(word(1, 0)).as("not posted").isZero();
        assertThat(word(0, 0)).as("broken off").isZero();
    }

    @Test
    void aBatchCompletesAgainByOtherLanesAfterAnErrorWhileItPosted() {
        ranks.wire(0).failPosting(ERROR);
        batch.writeWord(0, 0, 1);
        batch.writeWord(1, 0, 2);
        assertThatThrownBy(batch::complete).isSameAs(ERROR);

        batch.writeWord(1, 8, 3);
        batch.complete();

        assertThat(word(1, 8)).isEqualTo(3);
        assertThat(word(1, 0)).as("not posted").isZero();
    }

    /** The memory of the batch may be reused, no matter how much the device has taken. */
    @Test
    void whatWasPostedWhenAnErrorCameReadsNothingIntoTheMemoryLater() {
        ranks.segment(0).fill((byte) 1);
        ranks.wire(0).failPosting(ERROR);
        batch.read(0, 0, 0, 8);
        assertThatThrownBy(batch::complete).isSameAs(ERROR);
        batch.setWord(0, 5);
        ranks.wire(0).deliver();
        assertThat(batch.word(0)).isEqualTo(5);
    }

    @Test
    void aBatchIsUnderWayUntilAPollKnowsWhatBecameOfIt() {
        batch.read(0, 0, 0, 8);
        batch.post();
        ranks.wire(0).failPolling(ERROR);
        assertThatThrownBy(batch::poll).isSameAs(ERROR);

        assertThatIllegalStateException().isThrownBy(() -> batch.read(1, 0, 0, 8))
                .withMessageContaining("posted and not completed");
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(batch::poll);
        batch.writeWord(1, 0, 4);
        batch.complete();
        assertThat(word(1, 0)).isEqualTo(4);
    }

    @Test
    void aBatchThatOneRankCannotTakeIsUnderWayAtTheOthers() {
        ranks.wire(0).failPosting(ERROR);
        batch.read(1, 0, 0, 8);
        batch.read(0, 0, 8, 8);
        assertThatThrownBy(batch::post).isSameAs(ERROR);
        assertThatIllegalStateException().isThrownBy(() -> batch.read(1, 0, 0, 8))
                .withMessageContaining("posted and not completed");
        batch.complete();
        batch.read(1, 0, 0, 8);
        batch.complete();
    }

    @Test
    void anErrorAtOneRankKeepsNothingFromCompletingAtAnother() {
        ranks.segment(1).set(ValueLayout.JAVA_LONG, 0, 6);
        batch.read(0, 0, 0, 8);
        batch.read(1, 0, 8, 8);
        batch.post();
        ranks.wire(0).failPolling(ERROR);
        assertThatThrownBy(batch::complete).isSameAs(ERROR);
        assertThat(batch.word(8)).isEqualTo(6);
    }
}
