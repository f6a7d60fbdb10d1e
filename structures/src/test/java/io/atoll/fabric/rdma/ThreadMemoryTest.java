package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.rdma.LoopbackWire.Connected;
import java.lang.foreign.Arena;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class ThreadMemoryTest {

    private static final long BUFFER_BYTES = 32 << 10;

    private final RegisteredBuffers pool = buffers();
    private final RegisteredBuffers whole = buffers();

    private static RegisteredBuffers buffers() {
        return new RegisteredBuffers(bytes -> new Registered(Arena.ofAuto().allocate(bytes, 64), 1), BUFFER_BYTES,
                RegisteredBuffers.ANY);
    }

    @Test
    void theMemoryOfAThreadThatHasEndedComesBackAlsoAfterAnErrorWhileItIsWaitedFor() {
        ThreadMemory memory = new ThreadMemory(pool, whole);
        Registered lent = memory.lend();
        Connected connected = LoopbackWire.to(1, Arena.ofAuto().allocate(BUFFER_BYTES, 64), 16);
        memory.pending(0).add(connected.lane(), 1, "read", 0);
        connected.wire().failPolling(new OutOfMemoryError("by the test"));
        memory.run();
        assertThat(connected.lane().isUsable()).as("the lane that met the error").isFalse();
        assertThat(pool.take()).isSameAs(memory.kept());
        assertThat(whole.take()).isSameAs(lent);
    }
}
