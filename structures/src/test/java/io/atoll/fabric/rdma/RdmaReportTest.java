package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.disni.DeviceAttributes;
import io.atoll.disni.DeviceAttributes.AtomicCapability;
import io.atoll.fabric.rdma.RdmaReport.Gid;
import io.atoll.fabric.rdma.RdmaReport.PortState;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the survey on copies of what the kernel shows. */
class RdmaReportTest {

    @TempDir
    private Path devices;
    @TempDir
    private Path process;

    @BeforeEach
    void makeDevice() throws IOException {
        write(devices, "rxe0/ports/1/state", "4: ACTIVE");
        write(devices, "rxe0/ports/1/link_layer", "Ethernet");
        write(devices, "rxe0/ports/1/rate", "2.5 Gb/sec (1X SDR)");
        write(devices, "rxe0/ports/1/gids/0", "fe80:0000:0000:0000:0202:c9ff:fe00:0001");
        write(devices, "rxe0/ports/1/gids/1", "0000:0000:0000:0000:0000:ffff:7f00:0001");
        write(devices, "rxe0/ports/1/gids/10", "0000:0000:0000:0000:0000:0000:0000:0000");
        write(devices, "rxe0/ports/1/gid_attrs/types/1", "RoCE v2");
        write(devices, "rxe0/ports/1/gid_attrs/ndevs/1", "lo");
        write(process, "status", "Name:\tjava\nCapEff:\t0000000000000000");
        write(process, "limits",
                "Limit  Soft Limit  Hard Limit  Units\nMax locked memory         65536    65536   bytes");
    }

    private static void write(Path folder, String file, String content) throws IOException {
        Path path = folder.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, content + "\n");
    }

    private static DeviceAttributes attributes(AtomicCapability atomics) {
        return new DeviceAttributes("", 1L << 40, 0xFFFFFF, 0, 100, 1_000, 32, 1_000, 128, 128, atomics, 1);
    }

    private RdmaReport survey(AtomicCapability atomics) {
        return RdmaReport.take(devices, process, name -> attributes(atomics));
    }

    @Test
    void aDeviceIsShownWithItsPortsAndTheAddressesInUse() {
        assertThat(survey(AtomicCapability.DEVICE).devices()).singleElement().satisfies(device -> {
            assertThat(device.name()).isEqualTo("rxe0");
            assertThat(device.attributes()).contains(attributes(AtomicCapability.DEVICE));
            assertThat(device.ports()).singleElement().satisfies(port -> {
                assertThat(port).extracting(PortState::number, PortState::state, PortState::linkLayer, PortState::rate)
                        .containsExactly(1, "4: ACTIVE", "Ethernet", "2.5 Gb/sec (1X SDR)");
                assertThat(port.gids()).containsExactly(new Gid(0, "fe80:0000:0000:0000:0202:c9ff:fe00:0001", "", ""),
                        new Gid(1, "0000:0000:0000:0000:0000:ffff:7f00:0001", "RoCE v2", "lo"));
            });
        });
    }

    @Test
    void whereEverythingIsThereNothingIsInTheWay() {
        assertThat(survey(AtomicCapability.DEVICE).obstacles()).isEmpty();
        assertThat(survey(AtomicCapability.GLOBAL).obstacles()).isEmpty();
    }

    @Test
    void withoutAtomicsOrAnActivePortADeviceIsOfNoUse() throws IOException {
        assertThat(survey(AtomicCapability.NONE).obstacles()).singleElement().asString().contains("atomics");
        write(devices, "rxe0/ports/1/state", "1: DOWN");
        assertThat(survey(AtomicCapability.DEVICE).obstacles()).singleElement().asString().contains("active port");
    }

    @Test
    void aDeviceThatCannotBeOpenedIsShownWithTheReason() {
        RdmaReport rdmaReport = RdmaReport.take(devices, process, name -> {
            throw new IOException("no driver");
        });
        assertThat(rdmaReport.devices()).singleElement()
                .satisfies(device -> assertThat(device.attributes()).isEmpty());
        assertThat(rdmaReport.obstacles()).containsExactly("no driver: device=rxe0");
    }

    @Test
    void withoutADeviceTheObstacleSaysHowToHaveOne() {
        RdmaReport rdmaReport = RdmaReport.take(devices.resolve("none"), process,
                name -> attributes(AtomicCapability.DEVICE));
        assertThat(rdmaReport.devices()).isEmpty();
        assertThat(rdmaReport.obstacles()).hasSize(1);
    }

    @Test
    void memoryIsLockedWithinTheLimitUnlessTheProcessMayLockAnything() throws IOException {
        assertThat(survey(AtomicCapability.DEVICE).lockableBytes()).hasValue(65_536);
        write(process, "status", "CapEff:\t000001ffffffffff");
        assertThat(survey(AtomicCapability.DEVICE).lockableBytes()).isEmpty();
        write(process, "status", "CapEff:\t0000000000000000");
        write(process, "limits", "Max locked memory         unlimited            unlimited            bytes");
        assertThat(survey(AtomicCapability.DEVICE).lockableBytes()).isEmpty();
    }

    @Test
    void thisMachineCanBeLookedAt() {
        RdmaReport rdmaReport = RdmaReport.take();
        assertThat(rdmaReport.devices().isEmpty()).isEqualTo(!Files.isDirectory(Path.of("/sys/class/infiniband")));
        assertThat(rdmaReport.devices().isEmpty() && rdmaReport.obstacles().isEmpty()).isFalse();
    }
}
