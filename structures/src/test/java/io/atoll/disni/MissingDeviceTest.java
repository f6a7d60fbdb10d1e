package io.atoll.disni;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MissingDeviceTest {

    @TempDir
    private Path root;

    @Test
    void withoutADeviceInTheKernelItSaysHowToHaveOne() {
        assertThat(MissingDevice.reason(root)).contains("no RDMA device", "rdma link", "modprobe rdma_rxe");
    }

    @Test
    void withoutTheNodesOfDevicesItNamesTheModuleAndTheContainersFlag() throws Exception {
        make("sys/class/infiniband/rxe0");

        assertThat(MissingDevice.reason(root)).contains("uverbs", "modprobe ib_uverbs", "--device=/dev/infiniband");
    }

    @Test
    void withoutTheConnectionManagerItNamesItsModule() throws Exception {
        make("sys/class/infiniband/rxe0");
        make("dev/infiniband/uverbs0");

        assertThat(MissingDevice.reason(root)).contains("rdma_cm", "modprobe rdma_ucm");
    }

    @Test
    void withAllOfThemItIsTheDriverOfTheUserSpaceThatIsMissing() throws Exception {
        make("sys/class/infiniband/rxe0");
        make("dev/infiniband/uverbs0");
        make("dev/infiniband/rdma_cm");

        assertThat(MissingDevice.reason(root)).contains("apt-get install ibverbs-providers", "ibv_devices");
    }

    private void make(String file) throws Exception {
        Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.createFile(path);
    }
}
