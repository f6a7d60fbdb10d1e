package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.link.HandshakeQueue;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.PeerConnections;
import io.atoll.fabric.link.Secret;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * Tests strangers of one address, in any number and with any behaviour. Meanwhile ranks of other addresses are let in.
 * The ranks of this test connect from 127.0.0.1, or from an address that they name.
 */
@Timeout(240)
@Tag("network")
class StrangersOfOneAddressTest {

    // No other test uses ports of this address.
    private static final String STRANGER = "127.83.0.2";
    private static final String ELSEWHERE = "127.83.0.3";
    private static final Duration SOON = Duration.ofSeconds(90);
    private static final Duration PATIENCE = Duration.ofSeconds(30); // of ranks; strangers are tolerated for as long
    private static final long WORD = TcpRanks.FREE;
    // so many that a rank behind them has no time left
    private static final int MANY = 3 * HandshakeQueue.MOST_AT_ONCE;

    private final List<RawRank> strangers = new ArrayList<>();

    @TempDir
    private Path folder;
    private TcpRanks ranks;

    private void attach(Security security) {
        ranks = new TcpRanks("tcp-strangers-of-one-address", folder,
                tcp -> tcp.connectTimeout(PATIENCE).security(security));
    }

    private static Security secret() {
        return Security.secret(Secret.of("a secret that no stranger of this test knows"));
    }

    @AfterEach
    void detach() throws IOException {
        for (RawRank stranger : strangers) {
            stranger.close();
        }
        ranks.close();
    }

    private void sayNothing(int count) throws IOException {
        for (int index = 0; index < count; index++) {
            strangers.add(new RawRank(ranks.attachment(1), STRANGER));
        }
    }

    private void assertARankIsLetIn() {
        assertThat(ranks.fabric(0).getAndAdd(1, WORD, 1)).isZero();
    }

    private long servedStrangers() {
        return Thread.getAllStackTraces()
                .keySet()
                .stream()
                .filter(thread -> thread.getName().equals("atoll-tcp-" + ranks.world().name() + "-1-from-stranger"))
                .count();
    }

    @Test
    void thoseWhoSayNothingKeepNoRankOut() throws IOException {
        attach(Security.none());
        sayNothing(MANY);
        await().atMost(SOON).until(() -> servedStrangers() == HandshakeQueue.MOST_AT_ONCE);

        assertARankIsLetIn();
        try (RawRank rank = new RawRank(ranks.attachment(1), ELSEWHERE)) {
            assertThat(rank.connect(ranks.world(), 0, 1, PeerConnections.MOST_LANES - 1)).isTrue();
        }
    }

    /** Each stranger that is served takes one of the handshakes that may begin in a second. */
    @Test
    void aFloodOfNewStrangersKeepsNoRankOut() throws Exception {
        attach(secret());
        AtomicBoolean isOver = new AtomicBoolean();
        AtomicInteger connected = new AtomicInteger();
        Thread flood = Thread.ofPlatform().daemon().start(() -> flood(isOver, connected));
        await().atMost(SOON).until(() -> connected.get() > 2 * HandshakeQueue.MOST_WAITING);

        assertARankIsLetIn();

        assertThat(flood.isAlive()).isTrue();
        isOver.set(true);
        flood.join();
        assertThat(refused("unfinished")).isPositive();
    }

    /**
     * Connects again and again, and keeps more connections open than the owner does. Every second one sends something.
     */
    private void flood(AtomicBoolean isOver, AtomicInteger connected) {
        Deque<RawRank> open = new ArrayDeque<>();
        while (!isOver.get()) {
            try {
                RawRank stranger = new RawRank(ranks.attachment(1), STRANGER);
                open.add(stranger);
                if (connected.incrementAndGet() % 2 == 0) {
                    stranger.send("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                }
                if (open.size() > HandshakeQueue.MOST_WAITING + MANY) {
                    reset(open.poll());
                }
            } catch (IOException turnedAwayOrNoPortLeft) {
                if (!open.isEmpty()) {
                    reset(open.poll());
                }
            }
        }
        open.forEach(StrangersOfOneAddressTest::reset);
    }

    /** Closes a connection so that its port is free at once. */
    private static void reset(RawRank one) {
        try (one) {
            one.socket().setSoLinger(true, 0);
        } catch (IOException closed) {
            // The owner has closed it, which is just as good.
        }
    }

    /** One of many rounds is enough: on a busy machine a handshake may take as long as the delay. */
    @Test
    void aWrongProofDelaysItsAddressAndNoOther() throws Exception {
        attach(secret().unencrypted());
        await().atMost(SOON).until(() -> {
            proveWrongly();
            return millisToAChallenge(ELSEWHERE) < 500;
        });
        await().atMost(SOON).until(() -> {
            proveWrongly();
            return millisToAChallenge(STRANGER) > 500;
        });
    }

    /** Sends a wrong proof. When it returns, the owner has noticed. */
    private void proveWrongly() throws IOException {
        try (RawRank stranger = new RawRank(ranks.attachment(1), STRANGER)) {
            stranger.connectUpToChallenge(ranks.world(), 0, 1);
            stranger.send(new byte[Keys.MOST * Keys.PROOF_BYTES]);
            stranger.receive(1);
        }
    }

    private long millisToAChallenge(String from) throws IOException {
        long beganNanos = System.nanoTime();
        try (RawRank rank = new RawRank(ranks.attachment(1), from)) {
            rank.connectUpToChallenge(ranks.world(), 0, 1);
        }
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - beganNanos);
    }

    private long refused(String reason) {
        return ranks.attachment(1).connections().orElseThrow().refused().get(reason);
    }

    @Test
    void thoseBeyondTheBoundAreTurnedAwayAtOnceAndEachIsCountedOnce() throws IOException {
        attach(Security.none());
        int bound = HandshakeQueue.MOST_AT_ONCE + HandshakeQueue.MOST_WAITING;
        sayNothing(bound);
        int beyond = 10;
        for (int index = 0; index < beyond; index++) {
            try (RawRank oneMore = new RawRank(ranks.attachment(1), STRANGER)) {
                assertThat(oneMore.isClosed()).isTrue();
            }
        }
        assertThat(servedStrangers()).isEqualTo(HandshakeQueue.MOST_AT_ONCE);
        assertThat(refused("unfinished")).isEqualTo(beyond);
        for (RawRank stranger : strangers) {
            stranger.close();
        }
        await().atMost(SOON).until(() -> refused("unfinished") == bound + beyond);
        await().atMost(SOON).until(() -> servedStrangers() == 0);
        assertARankIsLetIn();
        assertThat(refused("unfinished")).isEqualTo(bound + beyond);
    }
}
