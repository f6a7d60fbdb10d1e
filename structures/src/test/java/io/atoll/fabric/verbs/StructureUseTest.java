package io.atoll.fabric.verbs;

import io.atoll.Fabrics;
import io.atoll.World;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What {@link VerbsRanksTest} does with structures by RDMA holds in shared memory, which needs no device. */
@Timeout(60)
class StructureUseTest {

    private static final int SIZE = 2;

    @TempDir
    private Path folder;

    @ParameterizedTest
    @EnumSource
    void ranksShareEveryStructure(StructureUse use) throws Exception {
        try (ExecutorService ranks = Executors.newFixedThreadPool(SIZE)) {
            List<Future<?>> using = new ArrayList<>();
            for (int rank = 0; rank < SIZE; rank++) {
                using.add(ranks.submit(() -> use(use)));
            }
            for (Future<?> each : using) {
                each.get();
            }
        }
    }

    private Void use(StructureUse use) throws InterruptedException {
        try (World world = World.named("uses")
                .size(SIZE)
                .segment(8 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open()) {
            use.of(world);
            world.barrier();
            return null;
        }
    }
}
