package io.atoll.disni;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvPd;
import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import io.atoll.disni.DeviceAttributes.AtomicCapability;
import io.atoll.fabric.rdma.NeedsRdmaDevice;
import io.atoll.fabric.rdma.RdmaDevice;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIf;

@NeedsRdmaDevice
class DevicesTest {

    private static final long BEYOND_AN_INT = (2L << 30) + 8192;

    @BeforeEach
    void install() {
        ForeignProvider.install();
    }

    @Test
    void theDevicesAreThoseOfTheKernel() throws Exception {
        assertThat(Devices.names()).containsExactlyInAnyOrderElementsOf(RdmaDevice.names());
    }

    @Test
    void aDeviceSaysWhatItCanDo() throws Exception {
        DeviceContext device = Devices.open(RdmaDevice.names().getFirst());
        DeviceAttributes attributes = device.queryDevice();
        device.close();

        assertThat(attributes.ports()).isPositive();
        assertThat(attributes.maximumQueuePairs()).isPositive();
        assertThat(attributes.maximumWorkRequests()).isPositive();
        assertThat(attributes.maximumReadsAsTarget()).isPositive();
        assertThat(attributes.maximumReadsAsInitiator()).isPositive();
    }

    @Test
    @EnabledIf("isSoftRoce")
    void softRoceIsAtomicWithItselfOnly() throws Exception {
        DeviceContext device = Devices.open("rxe0");
        DeviceAttributes attributes = device.queryDevice();
        device.close();

        assertThat(attributes.atomicCapability()).isEqualTo(AtomicCapability.DEVICE);
        assertThat(attributes.maximumReadsAsInitiator()).isEqualTo(128);
        assertThat(attributes.maximumReadsAsTarget()).isEqualTo(128);
    }

    static boolean isSoftRoce() {
        return RdmaDevice.names().contains("rxe0");
    }

    @Test
    void aDeviceThatIsNotThereIsRefusedWithThoseThatAre() {
        assertThatIllegalArgumentException().isThrownBy(() -> Devices.open("nosuch0"))
                .withMessageContaining(RdmaDevice.names().getFirst())
                .withMessageEndingWith("name=nosuch0");
    }

    @Test
    void aDeviceInUseIsNotClosedBehindItsUsersBack() throws Exception {
        DeviceContext device = Devices.open(RdmaDevice.names().getFirst());
        IbvPd domain = device.allocPd();
        MemoryRegion region = MemoryRegion.register((ProtectionDomain) domain, Arena.ofAuto().allocate(4096),
                IbvMr.IBV_ACCESS_LOCAL_WRITE);

        assertThat(domain.deallocPd()).as("EBUSY").isEqualTo(16);
        assertThat(domain.isOpen()).isTrue();

        region.deregister();
        assertThat(domain.deallocPd()).isZero();
        assertThatExceptionOfType(IOException.class).isThrownBy(domain::deallocPd);
        device.close();
        assertThatExceptionOfType(IOException.class).isThrownBy(device::allocPd);
    }

    @Test
    void aRegionOfMoreThanTwoGibibytesIsReachedToItsEnd() throws Exception {
        assumeTrue(availableBytes() > BEYOND_AN_INT * 5 / 4, "too little memory for a region of more than 2 GiB");
        try (Connection connection = new Connection(); Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(BEYOND_AN_INT, 4096);
            MemoryRegion region = MemoryRegion.register((ProtectionDomain) connection.server.domain, memory,
                    IbvMr.IBV_ACCESS_LOCAL_WRITE | IbvMr.IBV_ACCESS_REMOTE_WRITE);
            long last = BEYOND_AN_INT - Long.BYTES;
            IbvSendWR write = connection.client.word(IbvSendWR.IBV_WR_RDMA_WRITE, 0, connection.server, 0);
            write.getRdma().setRemote_addr(region.getAddr() + last);
            write.getRdma().setRkey(region.getRkey());
            connection.client.memory.putLong(0, 7);

            IbvWC completion = connection.client.complete(write);

            assertThat(completion.getStatus()).isEqualTo(IbvWC.IbvWcStatus.IBV_WC_SUCCESS.ordinal());
            assertThat(memory.get(ValueLayout.JAVA_LONG, last)).isEqualTo(7);
            assertThat(region.lengthBytes()).isEqualTo(BEYOND_AN_INT);
            assertThat(region.getLength()).isEqualTo(Integer.MAX_VALUE);
            region.deregister();
        }
    }

    private static long availableBytes() throws IOException {
        return Files.readAllLines(Path.of("/proc/meminfo"))
                .stream()
                .filter(line -> line.startsWith("MemAvailable:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024)
                .findFirst()
                .orElseThrow();
    }
}
