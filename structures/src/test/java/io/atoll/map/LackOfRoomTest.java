package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.failure.SegmentFullException;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class LackOfRoomTest {

    private static final long ROOM_MADE = 7;
    private static final long BUCKETS = 64;

    private final LackOfRoom lack = new LackOfRoom();
    private final SegmentFullException full = new SegmentFullException(0, 4096, 1024);

    private void fail(int times) {
        IntStream.range(0, times).forEach(_ -> lack.failed(ROOM_MADE, BUCKETS, full));
    }

    private int skippedBeforeAnAttempt() {
        int skipped = 0;
        while (lack.skips()) {
            skipped++;
        }
        return skipped;
    }

    @Test
    void nothingIsRefusedBeforeAFailure() {
        assertThat(lack.lasting(ROOM_MADE, BUCKETS)).isNull();
        assertThat(lack.skips()).isFalse();
    }

    @Test
    void theFailureHoldsForBlocksThatAreAsLargeOrLarger() {
        fail(1);
        assertThat(lack.lasting(ROOM_MADE, BUCKETS)).isSameAs(full);
        assertThat(lack.lasting(ROOM_MADE, 2 * BUCKETS)).isSameAs(full);
    }

    @Test
    void aSmallerBlockIsTriedAtOnce() {
        fail(1);
        assertThat(lack.lasting(ROOM_MADE, BUCKETS / 2)).isNull();
    }

    @Test
    void itIsTriedAgainWhenRoomWasMadeAndNowAndThen() {
        fail(1);
        assertThat(lack.lasting(ROOM_MADE + 1, BUCKETS)).isNull();
        assertThat(IntStream.range(0, 640).filter(_ -> lack.lasting(ROOM_MADE, BUCKETS) == null).count()).isPositive();
    }

    @Test
    void whoCanDoWithoutLeavesItAloneTwiceAsOftenAfterEachFailure() {
        int before = 0;
        for (int failures = 1; failures <= 6; failures++) {
            fail(1);
            int skipped = skippedBeforeAnAttempt();
            assertThat(skipped).isBetween(2 * before, 63).isGreaterThan(before);
            before = skipped;
        }
        fail(100);
        assertThat(skippedBeforeAnAttempt()).isEqualTo(63);
    }

    @Test
    void aSuccessEndsIt() {
        fail(3);
        lack.ended();
        assertThat(lack.lasting(ROOM_MADE, BUCKETS)).isNull();
        assertThat(skippedBeforeAnAttempt()).isZero();
    }
}
