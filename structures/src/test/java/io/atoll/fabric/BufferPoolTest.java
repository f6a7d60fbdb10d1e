package io.atoll.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

class BufferPoolTest {

    private static final long BYTES = 2048;

    /** The runtime has so much left. */
    private static final class Scarce extends NativeBuffers {

        private long left;
        private int asked;

        Scarce(long left, Duration pause) {
            super(BYTES, pause);
            this.left = left;
        }

        @Override
        MemorySegment allocate(long bytes) {
            asked++;
            if (bytes > left) {
                throw new OutOfMemoryError("Cannot reserve " + bytes + " bytes of direct buffer memory");
            }
            left -= bytes;
            return super.allocate(bytes);
        }
    }

    private static int takeAll(BufferPool<MemorySegment> pool) {
        int taken = 0;
        try {
            while (true) {
                pool.take();
                taken++;
            }
        } catch (OutOfMemoryError exhausted) {
            return taken;
        }
    }

    @Test
    void buffersDoNotOverlapAndServeAgain() {
        BufferPool<MemorySegment> pool = new Scarce(1 << 20, Duration.ZERO);
        Set<Long> addresses = new HashSet<>();
        MemorySegment last = pool.take();
        for (int index = 1; index < (1 << 20) / BYTES; index++) {
            assertThat(last.byteSize()).isEqualTo(BYTES);
            assertThat(last.address() % 64).isZero();
            assertThat(addresses.add(last.address() / BYTES * BYTES)).isTrue();
            last = pool.take();
        }
        assertThatThrownBy(pool::take).isInstanceOf(OutOfMemoryError.class)
                .hasMessageContaining("-XX:MaxDirectMemorySize")
                .hasMessageEndingWith("bufferBytes=2048");
        pool.giveBack(last);
        assertThat(pool.take().address()).isEqualTo(last.address());
    }

    /** The runtime takes a second for each refusal: ten thousand threads must not wait for one after the other. */
    @Test
    void afterARefusalTheRuntimeIsNotAskedForAWhile() {
        Scarce pool = new Scarce(1 << 18, Duration.ofHours(1));
        assertThat(takeAll(pool)).isEqualTo((int) ((1 << 18) / BYTES));
        assertThat(takeAll(pool)).isZero();
        assertThat(pool.asked).isEqualTo(2);
        Scarce impatient = new Scarce(1 << 18, Duration.ZERO);
        takeAll(impatient);
        impatient.left = 1 << 18;
        assertThat(takeAll(impatient)).isPositive();
    }
}
