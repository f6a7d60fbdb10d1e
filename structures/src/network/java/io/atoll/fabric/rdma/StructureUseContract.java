package io.atoll.fabric.rdma;

import io.atoll.World;
import io.atoll.fabric.FabricType;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests every structure, used by two ranks of this process. */
public abstract class StructureUseContract {

    private static final int SIZE = 2;

    @TempDir
    private Path folder;

    /** Returns the fabric by which the ranks reach each other. */
    protected abstract FabricType fabric(Path shared);

    @ParameterizedTest
    @EnumSource
    protected final void ranksShareEveryStructure(StructureUse use) throws Exception {
        try (ExecutorService ranks = Executors.newFixedThreadPool(SIZE)) {
            List<Future<?>> using = new ArrayList<>();
            for (int rank = 0; rank < SIZE; rank++) {
                using.add(ranks.submit(() -> use(use)));
            }
            for (Future<?> each : using) {
                each.get(100, TimeUnit.SECONDS);
            }
        }
    }

    private Void use(StructureUse use) throws InterruptedException {
        try (World world = World.named("uses").size(SIZE).segment(8 << 20).fabric(fabric(folder)).open()) {
            use.of(world);
            world.barrier();
            return null;
        }
    }
}
