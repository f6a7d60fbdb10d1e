package io.atoll;

import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;

/** Like its superclass, as on hosts of their own, whose addresses are listed. */
@Tag("processes")
@Timeout(900)
class LostSegmentProcessesOverTcpTest extends LostSegmentProcessesTest {

    private final StringBuilder addresses = new StringBuilder();

    @Override
    void prepare() throws Exception {
        for (int rank = 0; rank < 3; rank++) {
            Files.createDirectories(host(rank));
            try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
                addresses.append(" localhost:").append(socket.getLocalPort());
            }
        }
    }

    @Override
    Path host(int rank) {
        return super.host(rank).resolve("host-" + rank);
    }

    @Override
    String more() {
        return addresses.toString();
    }
}
