package io.atoll.disni;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.IbvMr;
import com.ibm.disni.verbs.IbvQP;
import java.lang.foreign.StructLayout;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class ResourceLayoutsTest {

    @SuppressWarnings("unused") // by the tests' parameters
    private static final StructLayout[] WHOLE = {QueuePairAttributes.CAPACITY,
        QueuePairAttributes.LAYOUT, ProtectionDomain.LAYOUT, MemoryRegion.LAYOUT, CompletionChannel.LAYOUT};

    @SuppressWarnings("unused") // by the tests' parameters
    private static final StructLayout[] BEGINNINGS = {CompletionQueue.LAYOUT, QueuePair.LAYOUT};

    @ParameterizedTest
    @FieldSource("WHOLE")
    void structsAreThoseOfTheInstalledHeader(StructLayout struct, @TempDir Path folder) throws Exception {
        CHeader.assertSameStruct(struct, folder);
    }

    @ParameterizedTest
    @FieldSource("BEGINNINGS")
    void beginningsOfStructsAreThoseOfTheInstalledHeader(StructLayout struct, @TempDir Path folder) throws Exception {
        CHeader.assertSameMembers(struct, folder);
    }

    @Test
    void constantsAreThoseOfTheInstalledHeader(@TempDir Path folder) throws Exception {
        Map<String, Long> expected = new LinkedHashMap<>();
        expected.put("IBV_QPT_RC", (long) IbvQP.IBV_QPT_RC);
        expected.put("IBV_QPS_ERR", (long) IbvQP.IBV_QPS_ERR);
        expected.put("IBV_ACCESS_REMOTE_ATOMIC", (long) IbvMr.IBV_ACCESS_REMOTE_ATOMIC);

        CHeader.assertSame(expected, folder);
    }

    @Test
    void offsetsAreThoseOfRdmaCore44() {
        assertThat(Offsets.of(QueuePair.LAYOUT, "qp_num")).isEqualTo(52);
        assertThat(Offsets.of(MemoryRegion.LAYOUT, "lkey")).isEqualTo(36);
        assertThat(Offsets.of(MemoryRegion.LAYOUT, "rkey")).isEqualTo(40);
        assertThat(Offsets.of(QueuePairAttributes.LAYOUT, "cap", "max_send_wr")).isEqualTo(32);
        assertThat(Offsets.of(QueuePairAttributes.LAYOUT, "qp_type")).isEqualTo(52);
        assertThat(QueuePairAttributes.LAYOUT.byteSize()).isEqualTo(64);
    }
}
