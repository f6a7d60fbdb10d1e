package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests how often a rank of a list is asked whether it is there, as if it were on a host of its own. Each time takes a
 * handshake.
 */
@Timeout(180)
@Tag("network")
class AskedRanksTest {

    private static final WorldIdentity WORLD = new WorldIdentity("tcp-asked-ranks", 2);
    private static final Security SECRET = Security.secret(Secret.of("a secret that the ranks of this world know"));
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration SOME_PROBES = Duration.ofSeconds(6); // one each second

    private static InetSocketAddress free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return new InetSocketAddress("localhost", socket.getLocalPort());
        }
    }

    private static Attachment attach(int rank, Path host, List<InetSocketAddress> addresses) {
        return new Tcp(new SharedMemory(host, false)).security(SECRET)
                .at(addresses)
                .attach(WORLD, OptionalInt.of(rank), 64 << 10);
    }

    private static void meet(Attachment one, int other) {
        await().atMost(SOON).until(() -> one.presence(other).state() == State.PRESENT);
        one.connect(other, one.presence(other).incarnation(), Map.of());
    }

    @Test
    void aRankThatAnswersByItsConnectionsIsNotAsked(@TempDir Path first, @TempDir Path second) throws Exception {
        InetSocketAddress zero = free();
        InetSocketAddress one = free();
        try (Attachment owner = attach(1, second, List.of(zero, one)); Relay relay = new Relay(one)) {
            InetSocketAddress way = new InetSocketAddress("localhost",
                    Integer.parseInt(relay.address().get("tcp.port")));
            try (Attachment caller = attach(0, first, List.of(zero, way))) {
                meet(caller, 1);
                meet(owner, 0);
                int unused = relay.connections();
                await().atMost(SOON).until(() -> relay.connections() > unused + 2);

                caller.fabric().readWord(1, SegmentHeader.incarnationWord());

                int used = relay.connections();
                Thread.sleep(SOME_PROBES);
                int asked = relay.connections() - used;
                assertThat(asked).as("where it was asked in each probe before").isLessThanOrEqualTo(3);
                assertThat(caller.presence(1).state()).isEqualTo(State.PRESENT);
                relay.fallSilent();
                await().atMost(SOON).until(() -> caller.presence(1).state() == State.SILENT);
            }
        }
    }
}
