package io.atoll.fabric.rdma;

import io.atoll.Fabrics;
import io.atoll.fabric.FabricType;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;

/** What {@link VerbsRanksTest} does with structures by RDMA holds in shared memory, which needs no device. */
@Timeout(60)
class StructureUseTest extends StructureUseContract {

    @Override
    protected FabricType fabric(Path shared) {
        return Fabrics.sharedMemory(shared, false);
    }
}
