package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Clock;
import io.atoll.fabric.link.Alarm;
import io.atoll.fabric.link.ConnectDeadline;
import io.atoll.fabric.link.FakeNames;
import io.atoll.fabric.link.PeerAddress;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.nio.file.Path;
import java.time.Duration;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests a name that resolves to the address of a rank, and to others where the rank is not. */
@Timeout(180)
@Tag("network")
class NamesOfSeveralAddressesTest {

    private static final WorldIdentity WORLD = new WorldIdentity("tcp-names", 2);
    private static final String NAME = "shop-1.shop";
    private static final String OWNER = "127.0.0.1";
    private static final String ELSEWHERE = "127.0.0.2";
    private static final String NOWHERE = "127.0.0.3";
    private static final Duration LONG = Duration.ofSeconds(60);

    private final FakeNames names = new FakeNames();
    private final Security secret = secret("a secret that the ranks of this world know");
    @TempDir
    private Path folder;
    @TempDir
    private Path otherFolder;
    private Attachment owner;
    private Attachment caller;
    private LaneReader reader;
    private LaneMonitor laneMonitor;

    private static Security secret(String words) {
        return Security.secret(Secret.of(words));
    }

    private static Attachment attach(int rank, Path host, Security security, String bind, int firstPort) {
        return new Tcp(new SharedMemory(host, true)).withoutSharedMemory()
                .security(security)
                .bind(bind, firstPort)
                .attach(WORLD, OptionalInt.of(rank), 64 << 10);
    }

    @BeforeEach
    void open() throws IOException {
        owner = attach(1, folder, secret, OWNER, 0);
        caller = attach(0, folder, secret, OWNER, 0);
        owner.connect(0, caller.incarnation(), caller.address());
        reader = new LaneReader("names-reader", new Spin(Spin.LOOKS));
        laneMonitor = new LaneMonitor("names-monitor", LONG, new Alarm());
    }

    @AfterEach
    void close() throws IOException {
        laneMonitor.close();
        reader.close();
        caller.close();
        owner.close();
    }

    private int port() {
        return Integer.parseInt(owner.address().get("tcp.port"));
    }

    private TcpConnector connector() {
        return new TcpConnector(WORLD, 0, caller.incarnation(), caller.fabric().local(), secret.keys(WORLD),
                secret.encryption(), reader, laneMonitor, Clock.SYSTEM, () -> new Spin(Spin.LOOKS), LONG,
                new AtomicInteger(),
                names.inTurn(WORLD.size()));
    }

    private InetSocketAddress name() {
        return InetSocketAddress.createUnresolved(NAME, port());
    }

    private void connect(TcpConnector connector, Duration timeout) throws IOException {
        connector
                .connect(new PeerAddress(1, owner.incarnation(), name()), 0, ConnectDeadline.of(Clock.SYSTEM, timeout),
                        "read", 64)
                .close("the test has what it wanted");
    }

    private void isReached() throws IOException {
        TcpConnector connector = connector();
        connect(connector, LONG);
        assertThat(connector().ask(1, name(), LONG).incarnation()).isEqualTo(owner.incarnation());
    }

    @Test
    void aRankIsReachedWhereNobodyListensAtTheFirstAddress() throws Exception {
        names.say(NAME, NOWHERE, OWNER);
        isReached();
    }

    @Test
    void aRankIsReachedWhereTheFirstAddressIsThatOfAProcessWithAnotherSecret() throws Exception {
        names.say(NAME, ELSEWHERE, OWNER);
        try (Attachment _ = attach(1, otherFolder, secret("a secret that the ranks of another world know"), ELSEWHERE,
                port() - 1)) {
            isReached();
        }
    }

    @Test
    void whereTheFirstAddressUsesUpTheTimeTheNextOperationBeginsWithTheSecond() throws Exception {
        names.say(NAME, ELSEWHERE, OWNER);
        TcpConnector connector = connector();
        try (ServerSocket _ = new ServerSocket(port(), 1, InetAddress.ofLiteral(ELSEWHERE))) {
            assertThatExceptionOfType(RankUnreachableException.class)
                    .isThrownBy(() -> connect(connector, Duration.ofSeconds(1)))
                    .withMessageContaining("no answer within 1000 ms")
                    .withMessageContaining("address=" + NAME + "/" + ELSEWHERE + ":" + port());
            connect(connector, LONG);
        }
    }

    @Test
    void theErrorNamesEachAddress() {
        names.say(NAME, NOWHERE, ELSEWHERE);
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> connect(connector(), LONG))
                .withMessageContaining("address=" + NAME + "/" + NOWHERE + ":" + port())
                .withMessageContaining("address=" + NAME + "/" + ELSEWHERE + ":" + port());
    }
}
