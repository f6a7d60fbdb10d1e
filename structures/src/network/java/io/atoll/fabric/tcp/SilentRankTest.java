package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Clock;
import io.atoll.fabric.link.AddressesInTurn;
import io.atoll.fabric.link.Alarm;
import io.atoll.fabric.link.ConnectDeadline;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.PeerAddress;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that an owner closes the connections of ranks that fall silent after their handshake. */
@Timeout(120)
@Tag("network")
class SilentRankTest {

    private static final WorldIdentity WORLD = new WorldIdentity("tcp-silent-ranks", 2);
    private static final long WORD = SegmentHeader.size(WORLD.maxSize());
    private static final Duration SILENCE = Duration.ofSeconds(3);

    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private Attachment owner;

    /** Tolerates silence for seconds instead of a minute. */
    private static final class Impatient extends TcpAttachment {

        private Impatient(Tcp settings, Attachment host) {
            super(settings, WORLD, host);
        }

        @Override
        Listener listen(Tcp tcp, WorldIdentity identity, int rank, int incarnation, LocalMemory segment, Keys keys,
                @Nullable Encryption encryption) throws IOException {
            return new Listener(tcp, identity, rank, incarnation, segment, keys, encryption, Listener.MOST_THREADS) {
                @Override
                Duration silence() {
                    return SILENCE;
                }
            };
        }
    }

    @BeforeEach
    void attach(@TempDir Path folder) {
        Tcp settings = new Tcp(new SharedMemory(folder, true)).withoutSharedMemory();
        owner = new Impatient(settings, settings.segments().attach(WORLD, OptionalInt.of(1), 64 << 10)).open();
        SegmentHeader.remember(owner.fabric().local(), 0, 1);
    }

    @AfterEach
    void detach() {
        owner.close();
    }

    private RawRank connected() throws IOException {
        RawRank rank = new RawRank(owner);
        assertThat(rank.connect(WORLD, 0, 1)).isTrue();
        return rank;
    }

    /** The host of such a rank may have lost its power, or its network may have been cut. */
    @Test
    void oneThatSaysNothingIsClosed() throws Exception {
        try (RawRank silent = connected()) {
            assertThat(silent.isClosed()).isTrue();
        }
    }

    @Test
    void oneThatDoesNotReadItsAnswersIsClosed() throws Exception {
        try (RawRank slow = connected()) {
            Thread sender = slow.askUntilNothingMoves();
            sender.join(Duration.ofSeconds(60));
            assertThat(sender.isAlive()).isFalse();
        }
    }

    /** A rank that has nothing to send for long asks for signs of life meanwhile. */
    @Test
    void oneThatIsIdleIsKept() throws Exception {
        try (LaneReader reader = new LaneReader("idle-rank-reader", new Spin(Spin.LOOKS));
                LaneMonitor laneMonitor = new Asking()) {
            Security security = Security.none();
            TcpConnector connector = new TcpConnector(WORLD, 0, 1, owner.fabric().local(), security.keys(WORLD),
                    security.encryption(), reader, laneMonitor, Clock.SYSTEM, () -> new Spin(Spin.LOOKS), PATIENCE,
                    new AtomicInteger(),
                    new AddressesInTurn(WORLD.size()));
            TcpLane idle = connector.connect(new PeerAddress(1, owner.incarnation(), address()), 0,
                    ConnectDeadline.of(Clock.SYSTEM, PATIENCE), "read", WORD);
            long beganNanos = System.nanoTime();
            await().atMost(PATIENCE)
                    .until(() -> !idle.isUsable()
                            || System.nanoTime() - beganNanos > SILENCE.multipliedBy(2).toNanos());
            assertThat(idle.broken()).isNull();
            assertThat(idle.heard()).as("bytes of answers to marks").isPositive();
            idle.close("the test is over");
        }
    }

    /** Asks early for signs of life. */
    private static final class Asking extends LaneMonitor {

        private Asking() {
            super("idle-rank-monitor", PATIENCE, new Alarm());
        }

        @Override
        Duration idle() {
            return INTERVAL;
        }
    }

    private InetSocketAddress address() {
        return new InetSocketAddress(owner.address().get("tcp.host"),
                Integer.parseInt(owner.address().get("tcp.port")));
    }

    @Test
    void ranksAskSeveralTimesBeforeTheyAreTakenForSilent() {
        assertThat(LaneMonitor.LONGEST_IDLE.multipliedBy(4)).isLessThanOrEqualTo(Listener.LONGEST_SILENCE);
    }

    /** The rank sends something within that time, again and again, for longer than that time. */
    @Test
    void oneThatIsSlowIsServed() throws Exception {
        try (RawRank slow = connected()) {
            slow.socket().setSoTimeout(300);
            byte[] request = slow.request(Frame.GET_AND_ADD, 8, WORD, 3);
            for (int index = 0; index < request.length - 1; index++) {
                slow.send(new byte[]{request[index]});
                assertThat(slow.isClosedSoon()).isFalse();
            }
            slow.socket().setSoTimeout(20_000);
            slow.finish(request);
            assertThat(slow.answer()).isZero();
        }
    }
}
