package io.atoll.app.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class JobFabricTest {

    private static Security security(Path folder) {
        return ((Tcp) JobFabric.TCP.in(folder)).security();
    }

    @Test
    void ranksOfAJobKnowASecretThatNoOtherJobKnows(@TempDir Path one, @TempDir Path two) throws IOException {
        JobFabric.TCP.prepare(one);
        JobFabric.TCP.prepare(two);
        assertThat(security(one).secrets()).hasSize(1);
        assertThat(security(one)).isEqualTo(security(one)).isNotEqualTo(security(two));
    }

    @Test
    void whatNeedsNoSecretGetsNone(@TempDir Path folder) throws IOException {
        JobFabric.SHARED_MEMORY.prepare(folder);
        JobFabric.RDMA.prepare(folder);
        assertThat(folder).isEmptyDirectory();
    }
}
