package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;

import org.junit.jupiter.api.Test;

/** Tests the byte orders of devices that this machine does not have. */
class AtomicByteOrderTest {

    private static final long KNOWN = 0x0102_0304_0506_0708L;

    @Test
    void aDeviceThatReturnsWhatIsInMemoryIsBelieved() {
        assertThat(AtomicByteOrder.of(KNOWN, KNOWN).value(KNOWN + 1)).isEqualTo(KNOWN + 1);
    }

    @Test
    void whatADeviceReturnsInNetworkOrderIsTurnedRound() {
        AtomicByteOrder values = AtomicByteOrder.of(KNOWN, 0x0807_0605_0403_0201L);
        assertThat(values.value(0x0900_0000_0000_0000L)).isEqualTo(9);
        assertThat(values.value(0)).isZero();
    }

    @Test
    void aDeviceThatReturnsAnythingElseIsRefused() {
        assertThatIllegalStateException().isThrownBy(() -> AtomicByteOrder.of(KNOWN, 0))
                .withMessageEndingWith("expected=" + KNOWN + " found=0");
    }
}
