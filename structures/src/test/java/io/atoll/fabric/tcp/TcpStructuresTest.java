package io.atoll.fabric.tcp;

import io.atoll.fabric.FabricType;
import io.atoll.fabric.rdma.StructureUseContract;
import io.atoll.fabric.shm.SharedMemory;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;

/** Every structure, used by ranks that reach each other by TCP alone. */
@Timeout(120)
class TcpStructuresTest extends StructureUseContract {

    @Override
    protected FabricType fabric(Path shared) {
        return settings(new Tcp(new SharedMemory(shared, false)).withoutSharedMemory());
    }

    /** What the ranks are told: another test may tell them more. */
    Tcp settings(Tcp tcp) {
        return tcp;
    }
}
