package io.atoll.disni;

import static org.assertj.core.api.Assertions.assertThat;

import com.ibm.disni.verbs.RdmaCm;
import com.ibm.disni.verbs.RdmaCmEvent;
import java.lang.foreign.StructLayout;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class ConnectionLayoutsTest {

    @SuppressWarnings("unused") // by the test's parameters
    private static final StructLayout[] WHOLE = {EventChannel.LAYOUT, ConnectionParameters.LAYOUT,
        ConnectionEvent.LAYOUT};

    @ParameterizedTest
    @FieldSource("WHOLE")
    void structsAreThoseOfTheInstalledHeader(StructLayout struct, @TempDir Path folder) throws Exception {
        CHeader.assertSameStruct(struct, folder);
    }

    @Test
    void theBeginningOfAnIdentifierIsThatOfTheInstalledHeader(@TempDir Path folder) throws Exception {
        CHeader.assertSameMembers(ConnectionId.LAYOUT, folder);
    }

    @Test
    void eventsAndPortSpacesAreThoseOfTheInstalledHeader(@TempDir Path folder) throws Exception {
        Map<String, Long> expected = new LinkedHashMap<>();
        for (RdmaCmEvent.EventType type : RdmaCmEvent.EventType.values()) {
            expected.put(type.name(), (long) type.ordinal());
        }
        expected.put("RDMA_PS_TCP", (long) RdmaCm.RDMA_PS_TCP);
        expected.put("RDMA_MAX_RESP_RES", 0xFFL);
        expected.put("RDMA_MAX_INIT_DEPTH", 0xFFL);

        CHeader.assertSame(expected, folder);
    }

    @Test
    void offsetsAreThoseOfRdmaCore44() {
        assertThat(Offsets.of(ConnectionId.LAYOUT, "route", "addr", "src_storage")).isEqualTo(32);
        assertThat(Offsets.of(ConnectionId.LAYOUT, "route", "addr", "dst_storage")).isEqualTo(160);
        assertThat(Offsets.of(ConnectionId.LAYOUT, "ps")).isEqualTo(344);
        assertThat(Offsets.of(ConnectionId.LAYOUT, "port_num")).isEqualTo(348);
        assertThat(Offsets.of(ConnectionEvent.LAYOUT, "param", "conn")).isEqualTo(24);
        assertThat(ConnectionParameters.LAYOUT.byteSize()).isEqualTo(24);
    }
}
