package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.disni.SendChain;
import io.atoll.fabric.Batch;
import io.atoll.fabric.link.OutstandingRequests;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import java.util.stream.Stream;
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
    private static final RdmaBatch.Size SIZE = new RdmaBatch.Size(16, Batch.ATOMICS, 16, Batch.SMALL_BUFFER_BYTES);

    private final List<MemorySegment> segments = Stream.generate(() -> Arena.ofAuto().allocate(1 << 10, 64))
            .limit(2)
            .toList();
    private final List<LoopbackWire.Connected> ranks = List.of(LoopbackWire.to(0, segments.get(0), 32),
            LoopbackWire.to(1, segments.get(1), 32));
    private final RdmaBatch batch = new RdmaBatch(new Ways(), SIZE,
            new Registered(Arena.ofAuto().allocate(SIZE.bytes(), 64), 7), new OutstandingRequests(),
            new SendChain(RdmaBatch.templates(SIZE.slots())), null, () -> {});

    private final class Ways implements RdmaBatch.Ways {

        @Override
        public QueuePairLane lane(int rank, String verb, long offset, long bytes) {
            return ranks.get(rank).lane();
        }

        @Override
        public void read(int target, long offset, MemorySegment into, long bytes) {
            throw new UnsupportedOperationException("no search");
        }

        @Override
        public long fromDevice(long old) {
            return old;
        }

        @Override
        public FabricException named(FabricException failure) {
            return failure;
        }
    }

    private long word(int rank, long offset) {
        return segments.get(rank).get(ValueLayout.JAVA_LONG, offset);
    }

    @Test
    void whatAnErrorKeptFromBeingPostedIsNotPostedWithWhatIsAddedNext() {
        ranks.get(0).wire().failPosting(ERROR);
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
        ranks.get(0).wire().failPosting(ERROR);
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
        segments.get(0).fill((byte) 1);
        ranks.get(0).wire().failPosting(ERROR);
        batch.read(0, 0, 0, 8);
        assertThatThrownBy(batch::complete).isSameAs(ERROR);
        batch.setWord(0, 5);
        ranks.get(0).wire().deliver();
        assertThat(batch.word(0)).isEqualTo(5);
    }

    @Test
    void aBatchIsUnderWayUntilAPollKnowsWhatBecameOfIt() {
        batch.read(0, 0, 0, 8);
        batch.post();
        ranks.get(0).wire().failPolling(ERROR);
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
        ranks.get(0).wire().failPosting(ERROR);
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
        segments.get(1).set(ValueLayout.JAVA_LONG, 0, 6);
        batch.read(0, 0, 0, 8);
        batch.read(1, 0, 8, 8);
        batch.post();
        ranks.get(0).wire().failPolling(ERROR);
        assertThatThrownBy(batch::complete).isSameAs(ERROR);
        assertThat(batch.word(8)).isEqualTo(6);
    }
}
