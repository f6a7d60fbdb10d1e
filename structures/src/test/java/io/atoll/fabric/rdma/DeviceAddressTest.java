package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.disni.RdmaUnavailableException;
import io.atoll.disni.RdmaUnavailableException.Lack;
import java.io.IOException;
import java.net.InetAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests the address on a copy of what the kernel shows of two devices. The interface of the second one is the loopback
 * interface.
 */
class DeviceAddressTest {

    private static final InetAddress LOOPBACK = InetAddress.ofLiteral("127.0.0.1");

    @TempDir
    private Path devices;

    @BeforeEach
    void makeDevices() throws IOException {
        write("mlx5_0/ports/1/gids/0", "fe80:0000:0000:0000:0202:c9ff:fe00:0001");
        write("rxe0/ports/1/gids/0", "0000:0000:0000:0000:0000:ffff:7f00:0001");
        write("rxe0/ports/1/gids/1", "0000:0000:0000:0000:0000:ffff:c000:0201");
        write("rxe0/ports/1/gids/2", "0000:0000:0000:0000:0000:0000:0000:0000");
        write("rxe0/ports/1/gid_attrs/ndevs/0", "lo");
    }

    private void write(String file, String content) throws IOException {
        Path path = devices.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, content + System.lineSeparator());
    }

    private InetAddress find(@Nullable String device, int devicePort, @Nullable Integer gidIndex) throws IOException {
        return new DeviceAddress(devices).find(new RdmaAddress(device, devicePort, gidIndex, null, 0));
    }

    @Test
    void theFirstDeviceWithAnAddressIsTaken() throws IOException {
        assertThat(find(null, 1, null)).isEqualTo(LOOPBACK);
        assertThat(find("rxe0", 1, null)).isEqualTo(LOOPBACK);
    }

    @Test
    void anEntryOfTheTableIsAnAddress() throws IOException {
        assertThat(find("rxe0", 1, 0)).isEqualTo(LOOPBACK);
    }

    @Test
    void whatIsNotThereIsRefusedWithWhatIs() {
        refused(() -> find("rxe1", 1, null), "devices=[mlx5_0, rxe0] device=rxe1");
        refused(() -> find("rxe1", 1, 0), "devices=[mlx5_0, rxe0] device=rxe1");
        refused(() -> find("mlx5_0", 1, null), "no RDMA device has an address of IPv4");
        refused(() -> find("rxe0", 2, null), "devicePort=2");
        refused(() -> find("rxe0", 1, 7), "no such entry");
    }

    @Test
    void anEntryThatIsNoAddressOfAnInterfaceIsRefused() {
        refused(() -> find("mlx5_0", 1, 0), "gid=fe80:");
        refused(() -> find("rxe0", 1, 1), "c000:0201");
        refused(() -> find("rxe0", 1, 2), "give the address itself (host)");
    }

    private static void refused(ThrowingCallable search, String part) {
        assertThatExceptionOfType(RdmaUnavailableException.class).isThrownBy(search)
                .withMessageContaining(part)
                .satisfies(refused -> assertThat(refused.lack()).isEqualTo(Lack.DEVICE));
    }
}
