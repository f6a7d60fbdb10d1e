package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** Tests which origins wait after a wrong proof, and for how long. */
class DelaysTest {

    private final Delays delays = new Delays();

    private static Origin origin(int index) {
        try {
            return Origin.of(InetAddress.getByAddress(new byte[]{10, 0, (byte) (index >>> Byte.SIZE), (byte) index}));
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Test
    void anOriginWaitsUntilASecondAfterTheLastWrongProof() {
        delays.delay(origin(1), 100);
        assertThat(delays.leftNanos(origin(1), 100)).isEqualTo(Delays.NANOS);
        assertThat(delays.leftNanos(origin(2), 100)).as("another origin").isZero();
        delays.delay(origin(1), 300);
        assertThat(delays.leftNanos(origin(1), Delays.NANOS + 100)).isEqualTo(200);
        assertThat(delays.leftNanos(origin(1), Delays.NANOS + 300)).isZero();
    }

    @Test
    void timeMayBeginAnywhere() {
        long began = Long.MAX_VALUE - 5;
        delays.delay(origin(1), began);
        assertThat(delays.leftNanos(origin(1), began + 10)).isEqualTo(Delays.NANOS - 10);
        assertThat(delays.leftNanos(origin(1), began + Delays.NANOS)).isZero();
    }

    @Test
    void theOriginsThatWereWrongLastAreRemembered() {
        for (int index = 0; index < 5 * Delays.MOST; index++) {
            delays.delay(origin(index), index);
        }
        assertThat(delays.size()).isEqualTo(Delays.MOST);
        assertThat(delays.leftNanos(origin(4 * Delays.MOST - 1), 5 * Delays.MOST)).isZero();
        assertThat(delays.leftNanos(origin(4 * Delays.MOST), 5 * Delays.MOST)).isPositive();
    }

    @Test
    void originsAreForgottenWhenTheSecondHasPassed() {
        for (int index = 0; index < 100; index++) {
            delays.delay(origin(index), index);
        }
        delays.delay(origin(4711), Delays.NANOS + 98);
        assertThat(delays.size()).as("the last of them, and the new one").isEqualTo(2);
    }
}
