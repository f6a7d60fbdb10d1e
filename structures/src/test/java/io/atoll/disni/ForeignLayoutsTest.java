package io.atoll.disni;

import static org.assertj.core.api.Assertions.assertThat;

import java.lang.foreign.StructLayout;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

class ForeignLayoutsTest {

    @SuppressWarnings("unused") // by the tests' parameters
    private static final StructLayout[] STRUCTS = {Readiness.LAYOUT, SocketAddresses.IPV4, SocketAddresses.IPV6};

    @ParameterizedTest
    @FieldSource("STRUCTS")
    void structsAreThoseOfTheInstalledHeaders(StructLayout struct, @TempDir Path folder) throws Exception {
        CHeader.assertSameStruct(struct, folder);
    }

    @Test
    void offsetsAreThoseOfLinux() {
        assertThat(Readiness.LAYOUT.byteSize()).isEqualTo(8);
        assertThat(Offsets.of(Readiness.LAYOUT, "events")).isEqualTo(4);
        assertThat(SocketAddresses.IPV4.byteSize()).isEqualTo(16);
        assertThat(Offsets.of(SocketAddresses.IPV4, "sin_addr")).isEqualTo(4);
        assertThat(SocketAddresses.IPV6.byteSize()).isEqualTo(28);
        assertThat(Offsets.of(SocketAddresses.IPV6, "sin6_addr")).isEqualTo(8);
        assertThat(Offsets.of(SocketAddresses.IPV6, "sin6_scope_id")).isEqualTo(24);
    }
}
