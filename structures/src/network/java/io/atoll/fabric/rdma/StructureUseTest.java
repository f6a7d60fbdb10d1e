package io.atoll.fabric.rdma;

import io.atoll.Fabrics;
import io.atoll.fabric.FabricType;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Repeats in shared memory what {@link RdmaRanksTest} does with structures by RDMA. It needs no device. */
@Timeout(60)
@Tag("network")
class StructureUseTest extends StructureUseContract {

    @Override
    protected FabricType fabric(Path shared) {
        return Fabrics.sharedMemory(shared, false);
    }
}
