package io.atoll.fabric.tcp;

import io.atoll.fabric.FabricType;
import io.atoll.fabric.rdma.StructureUseContract;
import io.atoll.fabric.shm.SharedMemory;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Tests every structure, used by ranks that reach each other only by TCP. */
@Timeout(120)
@Tag("network")
class TcpStructuresTest extends StructureUseContract {

    @Override
    protected FabricType fabric(Path shared) {
        return settings(new Tcp(new SharedMemory(shared, false)).withoutSharedMemory());
    }

    /** Returns the settings of the ranks. A subclass may change them. */
    Tcp settings(Tcp tcp) {
        return tcp;
    }
}
