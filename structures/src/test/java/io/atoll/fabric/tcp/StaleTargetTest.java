package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.link.Handshake;
import io.atoll.fabric.link.PeerAddress;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests a rank that has lost its segment and is back at the same address, by chance with the same number. A caller that
 * knows the lost segment does not reach the present one.
 */
@Timeout(120)
class StaleTargetTest {

    private static final WorldIdentity WORLD = new WorldIdentity("stale-target", 2);
    private static final int NUMBER = 2; // of the life before the loss, and of the one after it
    private static final long WORD = SegmentHeader.size(WORLD.maxSize());
    private static final long STRAY = 0x5AFE_0000_BAD0_0002L;

    @TempDir
    private Path folder;

    private static int free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    private Attachment attach(int rank, int port) throws IOException {
        Path host = Files.createDirectories(folder.resolve("host-" + rank));
        return new Tcp(new SharedMemory(host, true)).bind("localhost", port - rank)
                .attach(WORLD, OptionalInt.of(rank), 64 << 10);
    }

    /** Attaches with a memory of its own, which says that others have met the rank before. So the rank counts on. */
    private Attachment attachAnew(int port) throws IOException {
        Files.delete(folder.resolve("host-1/atoll-" + WORLD.name() + "-1.segment"));
        try (Attachment first = attach(1, port)) {
            SegmentHeader.remember(first.fabric().local(), 1, NUMBER - 1);
        }
        return attach(1, port);
    }

    private static void open(Attachment caller, int born, int port) {
        ((TcpFabric) caller.fabric()).peerConnections()
                .open(new PeerAddress(1, NUMBER, born, InetSocketAddress.createUnresolved("localhost", port)));
    }

    @Test
    void whoKnowsTheLostSegmentNeverReachesThePresentOne() throws IOException {
        int port = free();
        try (Attachment caller = attach(0, free())) {
            attach(1, port).close();
            try (Attachment former = attach(1, port)) {
                assertThat(former.incarnation()).isEqualTo(NUMBER);
                former.connect(0, caller.incarnation(), caller.address());
                open(caller, SegmentHeader.born(former.fabric().local()), port);
                caller.fabric().writeWord(1, WORD, 7);
                caller.fabric().flush(1);
            }
            try (Attachment present = attachAnew(port)) {
                assertThat(present.incarnation()).isEqualTo(NUMBER);
                assertThat(SegmentHeader.born(present.fabric().local())).isEqualTo(NUMBER);
                present.connect(0, caller.incarnation(), caller.address());
                for (int attempt = 0; attempt < 3; attempt++) {
                    assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> {
                        caller.fabric().writeWord(1, WORD, STRAY);
                        caller.fabric().flush(1);
                    });
                }
                assertThatExceptionOfType(RankUnreachableException.class)
                        .isThrownBy(() -> caller.fabric().readWord(1, WORD))
                        .withMessageContaining("another incarnation than expected")
                        .withMessageContaining("expectedBorn=1");
                assertThat(present.fabric().local().getAcquire(WORD)).isZero();

                for (int born : new int[]{Handshake.ANY_SEGMENT, NUMBER}) {
                    open(caller, born, port);
                    assertThat(caller.fabric().readWord(1, SegmentHeader.bornWord())).isEqualTo(NUMBER);
                }
            }
        }
    }
}
