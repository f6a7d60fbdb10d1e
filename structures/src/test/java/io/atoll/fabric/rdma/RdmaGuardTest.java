package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.fabric.Batch;
import io.atoll.fabric.WordTest;
import io.atoll.failure.RankUnreachableException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;

/** Tests, without a device, guards and searches that the caller decides. */
@Timeout(value = 60, threadMode = ThreadMode.SEPARATE_THREAD)
class RdmaGuardTest {

    private final LoopbackRanks ranks = new LoopbackRanks(1, 1 << 10, 32);
    private final RdmaBatch batch = ranks.batch(4, 2, Batch.SMALL_BUFFER_BYTES);

    private long word(long offset) {
        return ranks.word(0, offset);
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
        ranks.wire(0).breakDown();
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
        ranks.wire(0).failPosting(new OutOfMemoryError("posting"));
        assertThatThrownBy(batch::complete).isInstanceOf(OutOfMemoryError.class);
        assertThat(batch.answered(exchange)).isFalse();
        assertThat(batch.succeeded(exchange)).isFalse();
    }

    @Test
    void anExchangeIsNotAnsweredByAPollAfterItWasNotPosted() {
        int exchange = batch.compareAndExchange(0, 8, 0, 4);
        ranks.wire(0).failPosting(new OutOfMemoryError("posting"));
        assertThatThrownBy(batch::post).isInstanceOf(OutOfMemoryError.class);
        assertThat(batch.poll()).isTrue();
        assertThat(batch.answered(exchange)).isFalse();
    }

    /** A search waits for all that was added. What it guards is posted with its place. */
    @Test
    void whatASearchGuardsIsPostedWhereTheRecordIs() {
        ranks.setWord(0, 64, 7);
        batch.writeWord(0, 96, 8);
        WordTest.putEqual(batch, 0, 0, 8);
        int found = batch.search(0, 64, 16, 8, 0, 1);
        assertThat(batch.answered(found)).isTrue();
        assertThat(word(96)).as("was added before").isEqualTo(8);
        batch.guard(found);
        int exchange = batch.exchangeFound(0, 64, -1, 1);
        int added = batch.getAndAdd(0, 72, 5);
        batch.writeWord(0, 80, 6);
        batch.read(0, 64, 64, 16);
        batch.complete();
        assertThat(batch.result(found)).isEqualTo(8);
        assertThat(batch.displacement(found)).isEqualTo(32);
        assertThat(batch.result(exchange)).isEqualTo(8);
        assertThat(batch.succeeded(exchange)).isTrue();
        assertThat(batch.result(added)).isZero();
        assertThat(word(96)).isEqualTo(9);
        assertThat(word(104)).isEqualTo(5);
        assertThat(word(112)).isEqualTo(6);
        assertThat(batch.word(64)).isEqualTo(9);
        assertThat(batch.word(72)).isEqualTo(5);
    }

    /** The first words are read, then the others, and then the first words again. */
    @Test
    void recordsAreReadInThreeTurnsEachAfterTheOther() {
        for (int word = 0; word < 4; word++) {
            ranks.setWord(0, 64 + 8 * word, word + 1);
        }
        int exchange = batch.compareAndExchange(0, 96, 0, 5);
        batch.readRecords(0, 64, 16, 2, 64);
        assertThat(batch.answered(exchange)).as("was added before").isTrue();
        assertThat(new long[]{batch.word(64), batch.word(72), batch.word(88), batch.word(96)})
                .as("of the first two turns")
                .containsExactly(1, 2, 3, 4);
        assertThat(new long[]{batch.word(80), batch.word(104)}).as("of the last turn").containsExactly(0, 0);
        ranks.setWord(0, 64, 7);
        batch.complete();
        assertThat(new long[]{batch.word(80), batch.word(104)}).containsExactly(7, 3);
        assertThat(batch.result(exchange)).isZero();
    }

    @Test
    void aWriteBesideIsPostedAsAWriteOnceItsGuardIsAnswered() {
        for (long former = 0; former < 2; former++) {
            ranks.setWord(0, 64, former);
            batch.setWord(0, 5 + former);
            int exchange = batch.compareAndExchange(0, 64, former, 9);
            batch.guard(exchange);
            batch.writeBeside(0, 72, 0, 8, 0);
            batch.complete();
        }
        assertThat(new long[]{word(72), word(80)}).containsExactly(6, 5);
    }

    @Test
    void aSearchThatFindsNothingSkipsWhatItGuards() {
        WordTest.putEqual(batch, 0, 0, 8);
        int found = batch.search(0, 64, 16, 8, 0, 1);
        batch.guard(found);
        int exchange = batch.exchangeFound(0, 64, -1, 1);
        batch.writeWord(0, 64, 6);
        batch.complete();
        assertThat(batch.succeeded(found)).isFalse();
        assertThat(batch.answered(exchange)).isTrue();
        assertThat(batch.succeeded(exchange)).isFalse();
        assertThat(word(64)).isZero();
    }

    @Test
    void aSearchThatGetsNoAnswerFails() {
        WordTest.putEqual(batch, 0, 0, 8);
        ranks.wire(0).breakDown();
        assertThatThrownBy(() -> batch.search(0, 64, 16, 8, 0, 1)).isInstanceOf(RankUnreachableException.class);
    }
}
