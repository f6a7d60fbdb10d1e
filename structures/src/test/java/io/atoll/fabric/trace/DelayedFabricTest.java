package io.atoll.fabric.trace;

import io.atoll.fabric.AttachedFabricContract;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.memory.WorldIdentity;
import java.nio.file.Path;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;

/** A delay changes nothing but time. */
@Tag("slow")
class DelayedFabricTest extends AttachedFabricContract {

    private static final WorldIdentity WORLD = new WorldIdentity("contract", 3);

    DelayedFabricTest() {
        super(WORLD, 2);
    }

    @BeforeEach
    void attach(@TempDir Path folder) {
        var memory = new Delayed(new SharedMemory(folder, false), new Delay(500, 0.1));
        for (int rank = 0; rank < 2; rank++) {
            attachments[rank] = memory.attach(WORLD, OptionalInt.of(rank), 128 << 10);
        }
        attachments[0].connect(1, 1, Map.of());
        attachments[1].connect(0, 1, Map.of());
    }

    @Override
    public int rounds() {
        return 2_000;
    }
}
