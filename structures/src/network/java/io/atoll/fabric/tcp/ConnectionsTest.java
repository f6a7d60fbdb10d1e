package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Connections;
import io.atoll.fabric.Connections.Peer;
import io.atoll.fabric.Connections.Traffic;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.fabric.trace.Delay;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.WorldIdentity;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests what a process reports of its connections. */
@Timeout(180)
@Tag("network")
class ConnectionsTest {

    private static final long WORD = TcpRanks.FREE;
    private static final Duration SOON = Duration.ofSeconds(60);

    private TcpRanks ranks;

    @BeforeEach
    void attach(@TempDir Path folder) {
        ranks = new TcpRanks(folder, settings -> settings.lanes(1));
    }

    @AfterEach
    void detach() {
        ranks.close();
    }

    private Connections connections(int rank) {
        return ranks.attachment(rank).connections().orElseThrow();
    }

    private Peer peer() {
        return connections(0).peers().getFirst();
    }

    private Traffic traffic() {
        return connections(0).traffic();
    }

    private long refused(String reason) {
        return connections(1).refused().get(reason);
    }

    @Test
    void aRankThatIsNotUsedHasNoConnection() {
        assertThat(connections(0).transport()).isEqualTo("tcp");
        assertThat(connections(0).peers()).isEmpty();
        assertThat(traffic()).isEqualTo(Traffic.NONE);
    }

    @Test
    void verbsAreSeenAsRequestsAndBytes() {
        ranks.fabric(0).readWord(1, WORD);
        Traffic before = traffic();
        for (int verb = 0; verb < 100; verb++) {
            ranks.fabric(0).readWord(1, WORD);
        }
        Traffic after = traffic();
        assertThat(after.requests() - before.requests()).isEqualTo(100);
        assertThat(after.writes() - before.writes()).isEqualTo(100);
        assertThat(after.sentBytes() - before.sentBytes())
                .isEqualTo(100 * (Frame.HEADER_BYTES + Frame.VERB_BYTES));
        assertThat(after.receivedBytes() - before.receivedBytes())
                .isEqualTo(100 * (Frame.HEADER_BYTES + Long.BYTES));
        assertThat(connections(0).peers()).singleElement().satisfies(peer -> {
            assertThat(peer.rank()).isEqualTo(1);
            assertThat(peer.usable()).isEqualTo(1);
            assertThat(peer.broken()).isEmpty();
            assertThat(peer.roundTrip()).isPositive();
            assertThat(peer.silentSince()).isNull();
        });
        await().atMost(SOON).until(() -> peer().unanswered() == 0);
    }

    @Test
    void whatWentOverAConnectionIsCountedAlsoWhenItIsNoMore() {
        ranks.fabric(0).getAndAdd(1, WORD, 1);
        Traffic before = traffic();
        ranks.attachment(0).fence(1);
        assertThat(connections(0).peers()).isEmpty();
        assertThat(traffic()).isEqualTo(before);
        assertThat(before.requests()).isPositive();
    }

    @Test
    void aSilentRankIsNamedWithTheTimeItWasHeardLast() throws Exception {
        try (Relay relay = new Relay(ranks.attachment(1))) {
            ranks.attachment(0).connect(1, 1, relay.address());
            ranks.fabric(0).readWord(1, WORD);
            relay.fallSilent();
            Instant fellSilent = Instant.now();
            CompletableFuture<Void> waiting = CompletableFuture
                    .runAsync(() -> assertThatExceptionOfType(RankUnreachableException.class)
                            .isThrownBy(() -> ranks.fabric(0).getAndAdd(1, WORD, 1)));
            await().atMost(SOON).until(() -> peer().silentSince() != null);
            assertThat(peer().silentSince()).isBefore(fellSilent.plusSeconds(1));
            assertThat(peer().unanswered()).isPositive();
            relay.reset();
            waiting.join();
            await().atMost(SOON).until(() -> peer().usable() == 0);
            assertThat(peer().broken()).hasSize(1);
            assertThat(traffic().unknownOutcomes()).isOne();
        }
    }

    @Test
    void attemptsThatAreRefusedAreCountedByReason() throws Exception {
        long strangers = refused("stranger");
        try (RawRank stranger = new RawRank(ranks.attachment(1))) {
            stranger.send("GET / HTTP/1.1\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
            assertThat(stranger.isClosed()).isTrue();
        }
        await().atMost(SOON).until(() -> refused("stranger") == strangers + 1);
        try (RawRank other = new RawRank(ranks.attachment(1))) {
            assertThat(other.connect(new WorldIdentity("another", 3), 0, 1)).isFalse();
        }
        assertThat(refused("other-world")).isOne();
        assertThat(refused("unproved")).isZero();
    }

    @Test
    void whoeverLooksAfterRanksIsToldThatAConnectionHasBroken() {
        CountDownLatch told = new CountDownLatch(1);
        ranks.attachment(0).whenToLook(told::countDown);
        ranks.fabric(0).readWord(1, WORD);
        assertThat(told.getCount()).as("it goes on").isOne();

        ranks.attachment(1).close();

        await().atMost(SOON).until(() -> told.getCount() == 0);
    }

    @Test
    void whatThisProcessEndsItselfIsNoAlarm() {
        CountDownLatch told = new CountDownLatch(1);
        ranks.attachment(0).whenToLook(told::countDown);
        ranks.fabric(0).readWord(1, WORD);
        ranks.attachment(0).fence(1);
        assertThat(told.getCount()).isOne();
    }

    /** It may be a probe that only checks whether the port is open, or a rank that has given up. */
    @Test
    void whoeverBreaksOffIsNoStranger() throws Exception {
        try (RawRank silent = new RawRank(ranks.attachment(1)); RawRank slow = new RawRank(ranks.attachment(1))) {
            slow.send("ATOLLTCP".getBytes(StandardCharsets.US_ASCII));
            silent.socket().shutdownOutput();
            slow.socket().shutdownOutput();
            assertThat(silent.isClosed()).isTrue();
            assertThat(slow.isClosed()).isTrue();
        }
        await().atMost(SOON).until(() -> refused("unfinished") == 2);
        assertThat(refused("stranger")).isZero();
    }

    @Test
    void aDelayedFabricShowsItsConnectionsToo(@TempDir Path folder) {
        var delayed = new Delay(1, 0).delayed(new Tcp(new SharedMemory(folder, false)));
        try (var attachment = delayed.attach(new WorldIdentity("tcp-delayed", 2), OptionalInt.of(0), 64 << 10)) {
            assertThat(attachment.connections()).isPresent();
        }
        try (var attachment = new SharedMemory(folder, false).attach(new WorldIdentity("tcp-none", 2),
                OptionalInt.of(0), 64 << 10)) {
            assertThat(attachment.connections()).isEmpty();
        }
    }
}
