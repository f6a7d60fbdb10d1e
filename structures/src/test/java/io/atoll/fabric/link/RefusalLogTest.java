package io.atoll.fabric.link;

import static io.atoll.fabric.link.RefusalLog.UNREPORTED;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.WorldIdentity;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests which refusals are worth a line in the log. */
class RefusalLogTest {

    private static final WorldIdentity WORLD = new WorldIdentity("refusals", 2);
    private static final long MINUTE = TimeUnit.MINUTES.toNanos(1);

    private final RefusalLog tally = new RefusalLog();

    private int attempts;

    private ConnectRequest request(int incarnation) {
        return new ConnectRequest(WORLD, 0, 1, incarnation, 1, 0, ++attempts);
    }

    @Test
    void aRequesterThatComesAgainAndAgainIsReportedOnce() {
        assertThat(tally.note(request(1), Refusal.FENCED, 0)).isZero();
        assertThat(tally.note(request(1), Refusal.FENCED, 1)).isEqualTo(UNREPORTED);
        assertThat(tally.note(request(1), Refusal.FENCED, 2 * MINUTE)).isEqualTo(UNREPORTED);
    }

    @Test
    void eachKindIsReportedOnceAMinuteWithHowManyWereNot() {
        assertThat(tally.note(request(1), Refusal.FENCED, 0)).isZero();
        assertThat(tally.note(request(1), Refusal.OTHER_WORLD, 1)).as("another kind").isZero();
        for (int flood = 2; flood < 1_000; flood++) {
            assertThat(tally.note(request(flood), Refusal.FENCED, flood)).isEqualTo(UNREPORTED);
        }
        assertThat(tally.note(request(1_000), Refusal.FENCED, MINUTE)).isEqualTo(998);
        assertThat(tally.note(request(1_001), Refusal.FENCED, 2 * MINUTE)).isZero();
    }

    @Test
    void strangersAreReportedOnceAMinuteToo() {
        assertThat(tally.note(null, Refusal.STRANGER, 0)).isZero();
        assertThat(tally.note(null, Refusal.STRANGER, 1)).isEqualTo(UNREPORTED);
        assertThat(tally.note(null, Refusal.STRANGER, MINUTE)).isEqualTo(1);
    }
}
