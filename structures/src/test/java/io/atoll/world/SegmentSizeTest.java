package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import org.junit.jupiter.api.Test;

class SegmentSizeTest {

    @Test
    void aSegmentThatHoldsMoreThanItsAdministrationIsLargeEnough() {
        assertThat(Participant.checkSegmentBytes(3, 1 << 20)).isEqualTo(1 << 20);
    }

    @Test
    void aSegmentTooSmallForItsAdministrationIsRefusedWithTheMinimum() {
        assertThatIllegalArgumentException().isThrownBy(() -> Participant.checkSegmentBytes(3, 4096))
                .withMessageMatching(".*: segmentBytes=4096 minimumBytes=[0-9]+");
    }

    @Test
    void aBrokenPageIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> Participant.checkSegmentBytes(3, (1 << 20) + 8))
                .withMessage("a segment has whole pages of 4096 bytes: segmentBytes=1048584");
    }
}
