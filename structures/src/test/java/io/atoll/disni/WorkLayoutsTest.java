package io.atoll.disni;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvSendWR;
import com.ibm.disni.verbs.IbvWC;
import java.lang.foreign.StructLayout;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class WorkLayoutsTest {

    @SuppressWarnings("unused") // by the test's parameters
    private static final StructLayout[] WHOLE = {ScatterGatherElement.LAYOUT, SendWorkRequest.LAYOUT,
        ReceiveWorkRequest.LAYOUT, Completions.LAYOUT};

    @ParameterizedTest
    @FieldSource("WHOLE")
    void structsAreThoseOfTheInstalledHeader(StructLayout struct, @TempDir Path folder) throws Exception {
        CHeader.assertSameStruct(struct, folder);
    }

    @Test
    void opcodesFlagsAndStatusesAreThoseOfTheInstalledHeader(@TempDir Path folder) throws Exception {
        Map<String, Long> expected = new LinkedHashMap<>();
        for (IbvSendWR.IbvWrOcode opcode : IbvSendWR.IbvWrOcode.values()) {
            expected.put(opcode.name(), (long) opcode.ordinal());
        }
        expected.put("IBV_SEND_FENCE", (long) IbvSendWR.IBV_SEND_FENCE);
        expected.put("IBV_SEND_SIGNALED", (long) IbvSendWR.IBV_SEND_SIGNALED);
        expected.put("IBV_SEND_INLINE", (long) IbvSendWR.IBV_SEND_INLINE);
        for (int status = 0; status <= IbvWC.IbvWcStatus.values().length + 1; status++) {
            expected.put(Completions.statusName(status), (long) status);
        }
        for (IbvWC.IbvWcOpcode opcode : IbvWC.IbvWcOpcode.values()) {
            expected.put(opcode.name(), (long) opcode.getOpcode());
        }

        CHeader.assertSame(expected, folder);
    }

    @Test
    void offsetsAreThoseOfRdmaCore44() {
        assertThat(SendWorkRequest.BYTES).isEqualTo(128);
        assertThat(Offsets.of(SendWorkRequest.LAYOUT, "next")).isEqualTo(8);
        assertThat(Offsets.of(SendWorkRequest.LAYOUT, "sg_list")).isEqualTo(16);
        assertThat(Offsets.of(SendWorkRequest.LAYOUT, "num_sge")).isEqualTo(24);
        assertThat(Offsets.of(SendWorkRequest.LAYOUT, "opcode")).isEqualTo(28);
        assertThat(Offsets.of(SendWorkRequest.LAYOUT, "send_flags")).isEqualTo(32);
        assertThat(Offsets.of(SendWorkRequest.LAYOUT, "wr", "rdma", "remote_addr")).isEqualTo(40);
        assertThat(Offsets.of(SendWorkRequest.LAYOUT, "wr", "rdma", "rkey")).isEqualTo(48);
        assertThat(Offsets.of(SendWorkRequest.LAYOUT, "wr", "atomic", "compare_add")).isEqualTo(48);
        assertThat(Offsets.of(SendWorkRequest.LAYOUT, "wr", "atomic", "swap")).isEqualTo(56);
        assertThat(Offsets.of(SendWorkRequest.LAYOUT, "wr", "atomic", "rkey")).isEqualTo(64);
        assertThat(ScatterGatherElement.BYTES).isEqualTo(16);
        assertThat(ReceiveWorkRequest.BYTES).isEqualTo(32);
        assertThat(Completions.BYTES).isEqualTo(48).isEqualTo(IbvWC.CSIZE);
        assertThat(Offsets.of(Completions.LAYOUT, "status")).isEqualTo(8);
    }

    @Test
    void aStatusWithoutANameIsShownAsItsNumber() {
        assertThat(Completions.statusName(12)).isEqualTo("IBV_WC_RETRY_EXC_ERR");
        assertThat(Completions.statusName(99)).isEqualTo("status 99");
    }
}
