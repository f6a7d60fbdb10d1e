package io.atoll.disni;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.disni.DeviceAttributes.AtomicCapability;
import java.lang.foreign.StructLayout;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class DeviceLayoutsTest {

    @SuppressWarnings("unused") // by the test's parameters
    private static final StructLayout[] WHOLE = {Operations.LAYOUT, DeviceAttributes.LAYOUT};

    @ParameterizedTest
    @FieldSource("WHOLE")
    void structsAreThoseOfTheInstalledHeader(StructLayout struct, @TempDir Path folder) throws Exception {
        CHeader.assertSameStruct(struct, folder);
    }

    @Test
    void theBeginningOfAContextIsThatOfTheInstalledHeader(@TempDir Path folder) throws Exception {
        CHeader.assertSameMembers(DeviceContext.LAYOUT, folder);
    }

    @Test
    void constantsAreThoseOfTheInstalledHeader(@TempDir Path folder) throws Exception {
        Map<String, Long> expected = new LinkedHashMap<>();
        expected.put("IBV_ATOMIC_NONE", (long) AtomicCapability.NONE.ordinal());
        expected.put("IBV_ATOMIC_HCA", (long) AtomicCapability.DEVICE.ordinal());
        expected.put("IBV_ATOMIC_GLOB", (long) AtomicCapability.GLOBAL.ordinal());

        CHeader.assertSame(expected, folder);
    }

    @Test
    void offsetsAreThoseOfRdmaCore44() {
        assertThat(Offsets.of(DeviceContext.LAYOUT, "ops", "poll_cq")).isEqualTo(96);
        assertThat(Offsets.of(DeviceContext.LAYOUT, "ops", "req_notify_cq")).isEqualTo(104);
        assertThat(Offsets.of(DeviceContext.LAYOUT, "ops", "post_send")).isEqualTo(208);
        assertThat(Offsets.of(DeviceContext.LAYOUT, "ops", "post_recv")).isEqualTo(216);
        assertThat(Offsets.of(DeviceContext.LAYOUT, "cmd_fd")).isEqualTo(264);
        assertThat(DeviceAttributes.LAYOUT.byteSize()).isEqualTo(232);
        assertThat(Offsets.of(DeviceAttributes.LAYOUT, "atomic_cap")).isEqualTo(164);
    }
}
