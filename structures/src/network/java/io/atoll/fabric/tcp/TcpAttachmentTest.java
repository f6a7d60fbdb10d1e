package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.LinkedAttachment;
import io.atoll.fabric.link.LinkedAttachmentContract;
import io.atoll.fabric.link.Transport;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.LocalMemory;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.UnknownHostException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.OptionalInt;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests which ranks are let in and which are kept out. Also tests what happens to verbs to ranks that are gone. */
@Timeout(120)
@Tag("network")
class TcpAttachmentTest extends LinkedAttachmentContract {

    @TempDir
    private Path folder;

    private Tcp settings() {
        return new Tcp(new SharedMemory(folder, true)).withoutSharedMemory();
    }

    @Override
    protected Attachment attach(WorldIdentity world, int rank) {
        return settings().attach(world, OptionalInt.of(rank), SEGMENT_BYTES);
    }

    @Test
    void aRankThatHasEndedIsNamedWithTheReason() {
        fabric(0).readWord(1, WORD);

        attachment(1).close();

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD))
                .withMessageMatching("(?s).*rank=1.*");
        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD))
                .withMessageContaining("see whether the rank runs");
        assertThat(attachment(0).presence(1).state()).isEqualTo(State.UNKNOWN);
    }

    @Test
    void aNameThatIsNoHostIsToldWhenTheRankIsUsed() {
        attachment(0).fence(1);
        restart(1);
        attachment(0).connect(1, 2, Map.of("tcp.host", "no-such-host.invalid", "tcp.port", "1"));

        assertThatExceptionOfType(RankUnreachableException.class).isThrownBy(() -> fabric(0).readWord(1, WORD))
                .withMessageContaining("there is no such host")
                .withMessageContaining("host=no-such-host.invalid");
    }

    @Test
    void anAddressThatIsNotThisMachinesIsRefusedAndNothingIsLeftBehind() {
        WorldIdentity other = new WorldIdentity("tcp-elsewhere", 2);

        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(() -> settings().bind("192.0.2.1", 0)
                        .security(Security.none())
                        .attach(other, OptionalInt.of(0), SEGMENT_BYTES))
                .withMessageContaining("choose another port")
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.ADDRESS_UNAVAILABLE));
        attach(other, 0).close();
    }

    /** This holds also for rank 0, whose own port exists. */
    @Test
    void aFirstPortThatLeavesTooFewForAllRanksIsRefusedBeforeAnythingIsTaken() {
        WorldIdentity other = new WorldIdentity("tcp-last-port", 2);
        for (int rank = 0; rank < 2; rank++) {
            OptionalInt own = OptionalInt.of(rank);
            assertThatExceptionOfType(JoinRefusedException.class)
                    .isThrownBy(() -> settings().bind("localhost", 65_535).attach(other, own, SEGMENT_BYTES))
                    .withMessageContaining("ports end at 65535")
                    .withMessageContaining("port=65535 size=2")
                    .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.ADDRESS_UNAVAILABLE));
        }
        assertThat(folder).isDirectoryNotContaining(file -> file.toString().contains("tcp-last-port"));
    }

    @Test
    void aNameThatIsNoHostIsRefusedWhoeverIsLetIn() {
        WorldIdentity other = new WorldIdentity("tcp-nowhere", 2);

        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(() -> settings().bind("no-such-host.invalid", 0)
                        .attach(other, OptionalInt.of(0), SEGMENT_BYTES))
                .withMessageContaining("there is no such host")
                .withMessageContaining("bind=no-such-host.invalid")
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.ADDRESS_UNAVAILABLE));
    }

    @Test
    void aPortThatIsTakenIsRefused() throws Exception {
        try (ServerSocket taken = new ServerSocket()) {
            taken.bind(new InetSocketAddress("localhost", 0));
            WorldIdentity other = new WorldIdentity("tcp-taken", 2);

            assertThatExceptionOfType(JoinRefusedException.class)
                    .isThrownBy(() -> settings().bind("localhost", taken.getLocalPort())
                            .attach(other, OptionalInt.of(0), SEGMENT_BYTES))
                    .withMessageContaining("choose another port");
        }
    }

    @Test
    void theAddressThatIsAdvertisedIsANameWhereOneIsTold() {
        WorldIdentity other = new WorldIdentity("tcp-advertised", 2);
        try (Attachment told = settings().bind("0.0.0.0", 0)
                .security(Security.none())
                .advertise("shop-0.shop")
                .attach(other, OptionalInt.of(0), SEGMENT_BYTES)) {
            assertThat(told.address()).containsEntry("tcp.host", "shop-0.shop").containsKey("tcp.port");
        }
    }

    private static void assertRefused(ThrowingCallable attaching, Reason reason, String... texts) {
        assertThatExceptionOfType(JoinRefusedException.class).isThrownBy(attaching).satisfies(refused -> {
            assertThat(refused.reason()).isEqualTo(reason);
            assertThat(refused.getMessage()).contains(texts);
        });
    }

    private static TcpAttachment opening(Tcp tcp, Attachment host, Exception failure) {
        return new TcpAttachment(tcp, new WorldIdentity("tcp-opening", 2), host) {
            @Override
            String ownName() throws UnknownHostException {
                throw new UnknownHostException("shop-0: " + failure.getMessage());
            }

            @Override
            Listener listen(Tcp settings, WorldIdentity identity, int rank, int incarnation, LocalMemory segment,
                    Keys keys, @Nullable Encryption encryption) throws IOException {
                if (failure instanceof RuntimeException here) {
                    throw here;
                }
                return super.listen(settings, identity, rank, incarnation, segment, keys, encryption);
            }
        };
    }

    private Attachment hostOf(Tcp tcp) {
        return tcp.segments().attach(new WorldIdentity("tcp-opening", 2), OptionalInt.of(0), SEGMENT_BYTES);
    }

    @Test
    void aHostThatDoesNotKnowItsOwnNameIsToldToSayOne() {
        Tcp everywhere = settings().bind("0.0.0.0", 0).security(Security.none());
        Exception unknown = new IOException("the name is not known");

        assertRefused(() -> opening(everywhere, hostOf(everywhere), unknown).open(), Reason.UNREACHABLE,
                "the name of this host is not known", "bind=0.0.0.0", "the name is not known");
        Tcp told = everywhere.advertise("shop-0.shop");
        opening(told, hostOf(told), unknown).open().close();
    }

    @Test
    void whatFailsForAnotherReasonThanThePortIsNotPutDownToIt() {
        Tcp here = settings();
        ArithmeticException failure = new ArithmeticException("integer overflow");

        assertRefused(() -> opening(here, hostOf(here), failure).open(), Reason.FABRIC_UNAVAILABLE, "integer overflow",
                "rank=0");
    }

    @Test
    void timeoutsOfMoreThanADayAreRefused() {
        Duration more = Duration.ofDays(1).plusNanos(1);
        settings().silenceTimeout(Duration.ofDays(1)).connectTimeout(Duration.ofDays(1));
        assertThatIllegalArgumentException().isThrownBy(() -> settings().silenceTimeout(more))
                .withMessageContaining("a day or less is needed: silenceTimeout=");
        assertThatIllegalArgumentException().isThrownBy(() -> settings().connectTimeout(more))
                .withMessageContaining("a day or less is needed: connectTimeout=");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> settings().silenceTimeout(Duration.ofSeconds(Long.MAX_VALUE)));
    }

    /**
     * Debian resolves its own name to 127.0.1.1. Other hosts would not reach the rank, and no message would tell why.
     */
    @Test
    void aLoopbackAddressBesideThoseOfOtherHostsIsRefused() {
        WorldIdentity other = new WorldIdentity("tcp-list-of-hosts", 2);
        Tcp list = settings().at(
                List.of(InetSocketAddress.createUnresolved("192.0.2.7", 7420),
                        InetSocketAddress.createUnresolved("localhost", 0)));

        assertRefused(() -> list.attach(other, OptionalInt.of(1), SEGMENT_BYTES), Reason.UNREACHABLE,
                "stands for a loopback address", "host=localhost found=127.0.0.1 rank=1");
    }

    /** This is like a router that forwards the address of the list to another one. */
    @Test
    void aRankOfAListListensElsewhereWhereItIsToldTo(@TempDir Path first, @TempDir Path second) throws Exception {
        WorldIdentity other = new WorldIdentity("tcp-list-passed-on", 2);
        int port = free().getPort();
        try (Relay router = new Relay(new InetSocketAddress("localhost", port))) {
            List<InetSocketAddress> addresses = List.of(free(), InetSocketAddress.createUnresolved("localhost",
                    Integer.parseInt(router.address().get("tcp.port"))));
            try (Attachment zero = new Tcp(new SharedMemory(first, true)).at(addresses)
                    .attach(other, OptionalInt.of(0), SEGMENT_BYTES);
                    Attachment one = new Tcp(new SharedMemory(second, true)).at(addresses)
                            .bind("localhost", port - 1)
                            .attach(other, OptionalInt.of(1), SEGMENT_BYTES)) {
                await().atMost(Duration.ofSeconds(60))
                        .until(() -> zero.presence(1).state() == State.PRESENT
                                && one.presence(0).state() == State.PRESENT);
                zero.connect(1, zero.presence(1).incarnation(), Map.of());
                one.connect(0, one.presence(0).incarnation(), Map.of());
                zero.fabric().writeWord(1, WORD, 7);
                zero.fabric().flush(1);
                assertThat(one.fabric().local().getVolatile(WORD)).isEqualTo(7);
                assertThat(one.address()).containsEntry("tcp.port", String.valueOf(port));
            }
        }
    }

    @Test
    void besideAListBindAndPortAreWhereARankListens() {
        List<InetSocketAddress> list = List.of(InetSocketAddress.createUnresolved("192.0.2.7", 7420),
                InetSocketAddress.createUnresolved("192.0.2.8", 7421));
        Tcp settings = settings().at(list);

        assertThat(settings.listeningAddress(1)).isEqualTo(new InetSocketAddress("192.0.2.8", 7421));
        assertThat(settings.bind("0.0.0.0", 0).listeningAddress(1)).isEqualTo(new InetSocketAddress("0.0.0.0", 7421));
        assertThat(settings.bind("127.0.0.1", 9000).listeningAddress(1))
                .isEqualTo(new InetSocketAddress("127.0.0.1", 9001));
        assertThat(settings().listeningAddress(1)).isEqualTo(new InetSocketAddress("localhost", 0));
    }

    @Test
    void aListAndANameOfThisHostContradictEachOther() {
        Tcp list = settings().at(List.of(InetSocketAddress.createUnresolved("192.0.2.7", 7420)));
        assertThatIllegalArgumentException().isThrownBy(() -> list.advertise("shop-0.shop"))
                .withMessageContaining("give one of both: host=shop-0.shop");
    }

    /** The segments lie in different folders, so that no rank sees a lock or header of the other. */
    @Test
    void ranksOfAListFindEachOther(@TempDir Path first, @TempDir Path second) throws Exception {
        WorldIdentity other = new WorldIdentity("tcp-list", 2);
        List<InetSocketAddress> addresses = List.of(free(), free());
        try (Attachment zero = new Tcp(new SharedMemory(first, true)).at(addresses)
                .attach(other, OptionalInt.of(0), SEGMENT_BYTES);
                Attachment one = new Tcp(new SharedMemory(second, true)).at(addresses)
                        .attach(other, OptionalInt.of(1), SEGMENT_BYTES)) {
            await().atMost(Duration.ofSeconds(60))
                    .until(
                            () -> zero.presence(1).state() == State.PRESENT
                                    && one.presence(0).state() == State.PRESENT);
            zero.connect(1, zero.presence(1).incarnation(), Map.of());
            one.connect(0, one.presence(0).incarnation(), Map.of());
            zero.fabric().writeWord(1, WORD, 7);
            zero.fabric().flush(1);
            assertThat(one.fabric().readWord(1, WORD)).isEqualTo(7);
            assertThat(one.fabric().getAndAdd(0, WORD, 1)).isZero();
        }
    }

    private static InetSocketAddress free() throws Exception {
        try (ServerSocket socket = new ServerSocket()) {
            socket.bind(new InetSocketAddress("localhost", 0));
            return InetSocketAddress.createUnresolved("localhost", socket.getLocalPort());
        }
    }

    /**
     * Ranks of this host meet it without asking it first. What they say of it afterwards must not count as a life
     * before this one.
     */
    @Test
    void ranksOfThisHostFindItOnlyOnceItIsKnownThatTheyAreOfThisHost() {
        WorldIdentity other = new WorldIdentity("tcp-published", 2);
        Attachment host = settings().segments().attach(other, OptionalInt.of(0), SEGMENT_BYTES);
        LocalMemory segment = host.fabric().local();
        TcpAttachment opening = new TcpAttachment(settings(), other, host);
        try (Attachment _ = LinkedAttachment.open(host, false, opened -> {
            Transport transport = opening.open(opened);
            assertThat(SegmentHeader.published(segment)).as("while it is opened").isNull();
            return transport;
        }, failure -> new JoinRefusedException(Reason.FABRIC_UNAVAILABLE, "it does not open", failure))) {
            assertThat(SegmentHeader.published(segment)).isNotNull();
        }
    }
}
