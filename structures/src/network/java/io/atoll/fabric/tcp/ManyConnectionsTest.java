package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.link.PeerConnections;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Isolated;

/** Tests an owner that has more connections than serving threads. */
@Isolated
@Timeout(240)
@Tag("network")
class ManyConnectionsTest {

    private static final int CONNECTIONS = 150;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long WORD = TcpRanks.FREE;

    private TcpRanks ranks;
    private final AtomicInteger sent = new AtomicInteger(1);
    private final List<RawRank> connections = new ArrayList<>();

    @BeforeEach
    void connect(@TempDir Path folder) throws IOException {
        ranks = new TcpRanks(folder);
        ranks.attachment(1).connect(2, 1, Map.of("tcp.host", "localhost", "tcp.port", "1"));
        for (int index = 0; index < CONNECTIONS; index++) {
            connections.add(connect(rankOf(index), index % PeerConnections.MOST_LANES));
        }
    }

    private static int rankOf(int index) {
        return index / PeerConnections.MOST_LANES;
    }

    /** Connects. When it returns, the connection is served, by a thread if one is free. */
    private RawRank connect(int rank, int lane) throws IOException {
        RawRank connection = new RawRank(ranks.attachment(1));
        assertThat(connection.connect(TcpRanks.WORLD, rank, 1, lane)).isTrue();
        connection.receive(8);
        connection.send(connection.request(Frame.GET_AND_ADD, 8, WORD, 0));
        connection.answer();
        return connection;
    }

    @AfterEach
    void disconnect() throws IOException {
        for (RawRank connection : connections) {
            connection.close();
        }
        ranks.close();
    }

    private long word() {
        return ranks.fabric(1).local().getVolatile(WORD);
    }

    private static long threads(String part) {
        return Thread.getAllStackTraces()
                .keySet()
                .stream()
                .filter(thread -> thread.getName().startsWith("atoll-tcp-" + TcpRanks.WORLD.name() + "-1" + part))
                .count();
    }

    @Test
    void eachIsServedByAThreadOrByALoop() throws IOException {
        for (int round = 0; round < 20; round++) {
            for (RawRank connection : connections) {
                connection.send(connection.request(Frame.GET_AND_ADD, 8, WORD, 1));
            }
            for (RawRank connection : connections) {
                connection.answer();
            }
        }
        assertThat(word()).isEqualTo(20L * CONNECTIONS);
        await().atMost(PATIENCE).until(() -> threads("-from-") == Listener.MOST_THREADS);
        assertThat(threads("-loop-")).isBetween(1L, (long) Runtime.getRuntime().availableProcessors());
    }

    @Test
    void aThreadThatIsFreeAgainServesTheNext() throws IOException {
        connections.removeFirst().close();
        await().atMost(PATIENCE).until(() -> threads("-from-") == Listener.MOST_THREADS - 1);
        connections.add(connect(0, 0));
        await().atMost(PATIENCE).until(() -> threads("-from-") == Listener.MOST_THREADS);
    }

    /** Loops serve the last connections. */
    @Test
    void aRankThatDoesNotReadItsAnswersKeepsNobodyElseOfItsLoopWaiting() throws Exception {
        RawRank silent = connections.getLast();
        Thread sender = Thread.ofPlatform().daemon().start(() -> sendUntilClosed(silent));
        await().atMost(PATIENCE).pollInterval(Duration.ofMillis(300)).until(() -> sent.getAndSet(0) == 0);
        for (RawRank connection : connections.subList(Listener.MOST_THREADS, CONNECTIONS - 1)) {
            connection.send(connection.request(Frame.GET_AND_ADD, 8, WORD, 1));
            connection.answer();
        }
        assertThat(word()).isEqualTo(CONNECTIONS - 1 - Listener.MOST_THREADS);
        silent.close();
        sender.join();
    }

    /** The rank asks for many bytes by small requests, and reads its answers as fast as they come. */
    @Test
    void aRankThatFloodsItsLoopKeepsNobodyElseWaiting() throws Exception {
        RawRank flooding = connections.getLast();
        Thread sender = Thread.ofPlatform().daemon().start(() -> sendUntilClosed(flooding));
        AtomicLong received = new AtomicLong();
        Thread receiver = Thread.ofPlatform().daemon().start(() -> receiveUntilClosed(flooding, received));
        await().atMost(PATIENCE).until(() -> received.get() > 10 * ServingBuffers.BYTES);
        int rounds = 20;
        for (int round = 0; round < rounds; round++) {
            long before = received.get();
            for (RawRank connection : connections.subList(Listener.MOST_THREADS, CONNECTIONS - 1)) {
                connection.send(connection.request(Frame.GET_AND_ADD, 8, WORD, 1));
                connection.answer();
            }
            await().atMost(PATIENCE).until(() -> received.get() > before);
        }
        assertThat(word()).isEqualTo((long) rounds * (CONNECTIONS - 1 - Listener.MOST_THREADS));
        flooding.close();
        sender.join();
        receiver.join();
    }

    private static void receiveUntilClosed(RawRank rank, AtomicLong received) {
        try {
            for (int bytes = 1; bytes > 0; received.addAndGet(bytes)) {
                bytes = rank.receive(Frame.MAXIMUM_BYTES).length;
            }
        } catch (IOException closed) {
            // The test waits for this.
        }
    }

    private void sendUntilClosed(RawRank rank) {
        try {
            while (true) {
                rank.send(rank.request(Frame.READ, Frame.MAXIMUM_LENGTH, 0));
                sent.incrementAndGet();
            }
        } catch (IOException closed) {
            // The test waits for this.
        }
    }

    @Test
    void aFenceEndsTheConnectionsOfItsRankOnly() throws IOException {
        ranks.attachment(1).fence(2);
        for (int index = 0; index < CONNECTIONS; index++) {
            RawRank connection = connections.get(index);
            if (rankOf(index) == 2) {
                assertThat(connection.isClosed()).isTrue();
            } else {
                connection.send(connection.request(Frame.GET_AND_ADD, 8, WORD, 1));
                connection.answer();
            }
        }
        assertThat(word()).isEqualTo(2L * PeerConnections.MOST_LANES);
    }

    @Test
    void aMalformedRequestEndsItsConnectionOnly() throws IOException {
        RawRank malformed = connections.getLast();
        byte[] request = malformed.request(Frame.GET_AND_ADD, 8, WORD, 1);
        request[(int) Frame.BYTES] = 9;
        malformed.send(request);
        assertThat(malformed.isClosed()).isTrue();
        RawRank other = connections.get(CONNECTIONS - 2);
        other.send(other.request(Frame.GET_AND_ADD, 8, WORD, 1));
        assertThat(other.answer()).isZero();
    }

    /** There are more answers than fit into the buffers of a loop, and requests come in pieces. */
    @Test
    void aLoopKeepsWhatIsNotWholeForEachConnection() throws IOException {
        List<RawRank> two = connections.subList(CONNECTIONS - 2, CONNECTIONS);
        byte[][] requests = new byte[2][];
        for (int index = 0; index < 2; index++) {
            requests[index] = two.get(index).request(Frame.GET_AND_ADD, 8, WORD + 8L * index, index + 1);
        }
        for (int at = 0; at < requests[0].length; at++) {
            for (int index = 0; index < 2; index++) {
                two.get(index).send(new byte[]{requests[index][at]});
            }
        }
        for (RawRank each : two) {
            assertThat(each.answer()).isZero();
        }
        int reads = 40;
        for (int read = 0; read < reads; read++) {
            for (RawRank each : two) {
                each.send(each.request(Frame.READ, Frame.MAXIMUM_LENGTH, 0));
            }
        }
        for (RawRank each : two) {
            for (int read = 0; read < reads; read++) {
                assertThat(each.receive(Frame.HEADER_BYTES + Frame.MAXIMUM_LENGTH))
                        .hasSize(Frame.HEADER_BYTES + Frame.MAXIMUM_LENGTH);
            }
        }
        assertThat(word()).isEqualTo(1);
    }
}
