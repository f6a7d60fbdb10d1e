package io.atoll.fabric.rdma;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.disni.DeviceAttributes;
import io.atoll.disni.DeviceAttributes.AtomicCapability;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.Guarantees.AtomicDomain;
import org.junit.jupiter.api.Test;

/** Tests the guarantees for devices that this machine does not have, by the attributes that they report. */
class DeviceGuaranteesTest {

    private static final int SOFT_ROCE = 0xFFFFFF;
    private static final int MELLANOX = 0x02C9;

    private static DeviceAttributes device(int vendor, AtomicCapability atomics) {
        return new DeviceAttributes("", 1L << 40, vendor, 0, 100, 1_000, 32, 1_000, 128, 128, atomics, 1);
    }

    @Test
    void atomicsAreTheCpusOnlyIfTheDeviceSaysSo() {
        assertThat(Device.guarantees(device(MELLANOX, AtomicCapability.GLOBAL), null).atomicDomain())
                .isEqualTo(AtomicDomain.COHERENT_WITH_CPU);
        assertThat(Device.guarantees(device(MELLANOX, AtomicCapability.DEVICE), null).atomicDomain())
                .isEqualTo(AtomicDomain.FABRIC_ONLY);
    }

    @Test
    void ofHardwareNoOrderAndNoMoreThanAWordIsBelievedUnlessOneIsTold() {
        DeviceAttributes hardware = device(MELLANOX, AtomicCapability.DEVICE);
        assertThat(Device.guarantees(hardware, null))
                .isEqualTo(new Guarantees(AtomicDomain.FABRIC_ONLY, 8, false, false, false));
        assertThat(Device.guarantees(hardware, new Rdma.ReadGuarantees(64, true)))
                .isEqualTo(new Guarantees(AtomicDomain.FABRIC_ONLY, 64, true, false, false));
    }

    @Test
    void softRoceIsKnownToReadInOrder() {
        assertThat(Device.guarantees(device(SOFT_ROCE, AtomicCapability.DEVICE), null))
                .isEqualTo(new Guarantees(AtomicDomain.FABRIC_ONLY, 8, true, false, false));
    }
}
