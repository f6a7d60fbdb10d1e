package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.AllocatedBytes;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** That verbs allocate nothing at the caller, however many there are. */
@Timeout(180)
class TcpAllocationTest {

    private static final long WORD = TcpRanks.FREE;
    private static final int VERBS = 4_000;

    @Test
    void verbsAllocateNothing(@TempDir Path folder) {
        try (TcpRanks ranks = new TcpRanks(folder)) {
            Fabric fabric = ranks.fabric(0);
            long bytes = AllocatedBytes.of(() -> use(fabric));
            assertThat(bytes).isLessThan(VERBS);
        }
    }

    private static void use(Fabric fabric) {
        for (int verb = 0; verb < VERBS / 4; verb++) {
            fabric.readWord(1, WORD);
            fabric.getAndAdd(1, WORD, 1);
            fabric.writeWord(1, WORD, 1);
            Batch batch = fabric.batch();
            batch.read(1, WORD, 0, 64);
            batch.compareAndExchange(1, WORD, 1, 2);
            batch.complete();
        }
    }
}
