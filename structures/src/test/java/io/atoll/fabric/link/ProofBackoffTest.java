package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetAddress;
import java.net.UnknownHostException;
import org.junit.jupiter.api.Test;

/** Tests which origins wait after a wrong proof, and for how long. */
class ProofBackoffTest {

    private final ProofBackoff proofBackoff = new ProofBackoff();

    private static Origin origin(int index) {
        try {
            return Origin.of(InetAddress.getByAddress(new byte[]{10, 0, (byte) (index >>> Byte.SIZE), (byte) index}));
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    @Test
    void anOriginWaitsUntilASecondAfterTheLastWrongProof() {
        proofBackoff.delay(origin(1), 100);
        assertThat(proofBackoff.leftNanos(origin(1), 100)).isEqualTo(ProofBackoff.NANOS);
        assertThat(proofBackoff.leftNanos(origin(2), 100)).as("another origin").isZero();
        proofBackoff.delay(origin(1), 300);
        assertThat(proofBackoff.leftNanos(origin(1), ProofBackoff.NANOS + 100)).isEqualTo(200);
        assertThat(proofBackoff.leftNanos(origin(1), ProofBackoff.NANOS + 300)).isZero();
    }

    @Test
    void timeMayBeginAnywhere() {
        long began = Long.MAX_VALUE - 5;
        proofBackoff.delay(origin(1), began);
        assertThat(proofBackoff.leftNanos(origin(1), began + 10)).isEqualTo(ProofBackoff.NANOS - 10);
        assertThat(proofBackoff.leftNanos(origin(1), began + ProofBackoff.NANOS)).isZero();
    }

    @Test
    void theOriginsThatWereWrongLastAreRemembered() {
        for (int index = 0; index < 5 * ProofBackoff.MOST; index++) {
            proofBackoff.delay(origin(index), index);
        }
        assertThat(proofBackoff.size()).isEqualTo(ProofBackoff.MOST);
        assertThat(proofBackoff.leftNanos(origin(4 * ProofBackoff.MOST - 1), 5 * ProofBackoff.MOST)).isZero();
        assertThat(proofBackoff.leftNanos(origin(4 * ProofBackoff.MOST), 5 * ProofBackoff.MOST)).isPositive();
    }

    @Test
    void originsAreForgottenWhenTheSecondHasPassed() {
        for (int index = 0; index < 100; index++) {
            proofBackoff.delay(origin(index), index);
        }
        proofBackoff.delay(origin(4711), ProofBackoff.NANOS + 98);
        assertThat(proofBackoff.size()).as("the last of them, and the new one").isEqualTo(2);
    }
}
