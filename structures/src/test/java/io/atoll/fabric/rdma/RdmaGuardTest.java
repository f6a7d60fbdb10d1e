package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.disni.SendChain;
import io.atoll.fabric.Batch;
import io.atoll.fabric.link.OutstandingRequests;
import io.atoll.failure.FabricException;
import io.atoll.failure.RankUnreachableException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Tests, without a device, guards that the caller decides. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RdmaGuardTest {

    private static final RdmaBatch.Size SIZE = new RdmaBatch.Size(4, Batch.ATOMICS, 2, Batch.SMALL_BUFFER_BYTES);

    private final MemorySegment segment = Arena.ofAuto().allocate(1 << 10, 64);
    private final LoopbackWire.Connected rank = LoopbackWire.to(0, segment, 32);
    private final RdmaBatch batch = new RdmaBatch(new Ways(), SIZE,
            new Registered(Arena.ofAuto().allocate(SIZE.bytes(), 64), 7), new OutstandingRequests(),
            new SendChain(RdmaBatch.templates(SIZE.slots())), null, () -> {});

    private final class Ways implements RdmaBatch.Ways {

        @Override
        public QueuePairLane lane(int target, String verb, long offset, long bytes) {
            return rank.lane();
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

    private long word(long offset) {
        return segment.get(ValueLayout.JAVA_LONG, offset);
    }

    @Test
    void oneWaitDecidesAllExchangesThatWereAdded() {
        for (int index = 0; index < 10; index++) {
            batch.compareAndExchange(0, 8 * index, index % 2, 5);
        }
        for (int index = 0; index < 10; index++) {
            batch.guard(index);
            assertThat(batch.answered(index)).isTrue();
            assertThat(word(8 * index)).as("took effect at the first guard").isEqualTo(index % 2 == 0 ? 5 : 0);
            batch.writeWord(0, 512 + 8 * index, 7);
        }
        batch.complete();
        for (int index = 0; index < 10; index++) {
            assertThat(batch.succeeded(index)).isEqualTo(index % 2 == 0);
            assertThat(word(512 + 8 * index)).isEqualTo(index % 2 == 0 ? 7 : 0);
        }
    }

    @Test
    void whatIsSkippedIsAnsweredAndWhatIsUnderWayIsNot() {
        int lost = batch.compareAndExchange(0, 0, 3, 4);
        batch.guard(lost);
        int skipped = batch.compareAndExchange(0, 8, 0, 4);
        assertThat(batch.answered(skipped)).isTrue();
        assertThat(batch.result(skipped)).isZero();
        assertThat(batch.succeeded(skipped)).isFalse();
        batch.unguard();
        int pending = batch.getAndAdd(0, 16, 1);
        batch.guard(lost);
        batch.getAndAdd(0, 24, 1);
        assertThat(batch.answered(pending)).isFalse();
        batch.complete();
        assertThat(batch.answered(pending)).isTrue();
        assertThat(word(8)).isZero();
        assertThat(word(16)).isOne();
        assertThat(word(24)).isZero();
    }

    @Test
    void aGuardWhoseExchangeGetsNoAnswerFails() {
        int exchange = batch.compareAndExchange(0, 0, 0, 4);
        rank.wire().breakDown();
        assertThatThrownBy(() -> batch.guard(exchange)).isInstanceOf(RankUnreachableException.class);
        assertThat(batch.answered(exchange)).isFalse();
        assertThat(batch.succeeded(exchange)).isFalse();
    }

    /** The word where its answer would be still has what an earlier exchange found. */
    @Test
    void anExchangeThatWasNotPostedIsNotAnswered() {
        batch.compareAndExchange(0, 0, 0, 4);
        batch.complete();
        int exchange = batch.compareAndExchange(0, 8, 0, 4);
        rank.wire().failPosting(new OutOfMemoryError("posting"));
        assertThatThrownBy(batch::complete).isInstanceOf(OutOfMemoryError.class);
        assertThat(batch.answered(exchange)).isFalse();
        assertThat(batch.succeeded(exchange)).isFalse();
    }

    @Test
    void anExchangeIsNotAnsweredByAPollAfterItWasNotPosted() {
        int exchange = batch.compareAndExchange(0, 8, 0, 4);
        rank.wire().failPosting(new OutOfMemoryError("posting"));
        assertThatThrownBy(batch::post).isInstanceOf(OutOfMemoryError.class);
        assertThat(batch.poll()).isTrue();
        assertThat(batch.answered(exchange)).isFalse();
    }
}
