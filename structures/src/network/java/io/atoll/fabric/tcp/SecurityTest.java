package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.awaitility.Awaitility.await;

import io.atoll.LoggedLines;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.link.AccessControl;
import io.atoll.fabric.link.Keys;
import io.atoll.fabric.link.PeerAddress;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.OptionalInt;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Tests that ranks that know a secret let in only each other, and that neither side is deceived by a pretender. */
@Timeout(120)
@Tag("network")
class SecurityTest {

    private static final WorldIdentity WORLD = new WorldIdentity("tcp-security", 2);
    private static final long WORD = SegmentHeader.size(WORLD.maxSize());
    private static final Security OLD = Security.secret(Secret.of("an old secret that is long enough to be one"));
    private static final Security NEW = Security.secret(Secret.of("a new secret that is just as long as needed"));
    private static final Security BOTH = NEW.previous(OLD.secrets().getFirst());

    @TempDir
    private Path folder;

    private Attachment attach(int rank, UnaryOperator<Tcp> settings) {
        return settings.apply(new Tcp(new SharedMemory(folder, false)).withoutSharedMemory())
                .attach(WORLD, OptionalInt.of(rank), 64 << 10);
    }

    /** The actions of two ranks. */
    private interface Body {
        void run(Attachment zero, Attachment one) throws Exception;
    }

    private void between(Security zero, Security one, Body body) throws Exception {
        try (Attachment first = attach(0, tcp -> tcp.security(zero));
                Attachment second = attach(1, tcp -> tcp.security(one))) {
            first.connect(1, 1, second.address());
            second.connect(0, 1, first.address());
            body.run(first, second);
        }
    }

    private void reachEachOther(Security zero, Security one) throws Exception {
        between(zero, one, (first, second) -> {
            assertThat(first.fabric().getAndAdd(1, WORD, 5)).isZero();
            assertThat(second.fabric().getAndAdd(0, WORD, 7)).isZero();
            assertThat(first.fabric().readWord(1, WORD)).isEqualTo(5);
        });
    }

    private void refuseEachOther(Security zero, Security one) throws Exception {
        between(zero, one, (first, second) -> {
            for (Attachment each : List.of(first, second)) {
                int other = 1 - each.fabric().rank();
                assertThatExceptionOfType(RankUnreachableException.class)
                        .isThrownBy(() -> each.fabric().getAndAdd(other, WORD, 5))
                        .withMessageContaining("do not know the same secret");
                assertThat(each.fabric().local().getVolatile(WORD)).isZero();
            }
        });
    }

    @Test
    void ranksThatKnowTheSameSecretReachEachOther() throws Exception {
        reachEachOther(NEW, NEW);
    }

    @Test
    void aSecretIsEnoughAlsoWithoutEncryption() throws Exception {
        reachEachOther(NEW.unencrypted(), NEW.unencrypted());
        refuseEachOther(NEW.unencrypted(), OLD.unencrypted());
        refuseEachOther(NEW.unencrypted(), Security.none());
    }

    @Test
    void theLogTellsWhichPropertyMustBeTheSame() throws Exception {
        try (LoggedLines log = new LoggedLines(Listener.class, "owner=atoll-tcp-" + WORLD.name() + "-")) {
            between(NEW, OLD, (first, _) -> {
                assertThatExceptionOfType(RankUnreachableException.class)
                        .isThrownBy(() -> first.fabric().readWord(1, WORD));
                await().atMost(Duration.ofSeconds(60))
                        .untilAsserted(() -> assertThat(log.lines())
                                .anyMatch(line -> line.contains("the same one (atoll.fabric.tcp.secret")));
            });
        }
    }

    @Test
    void ranksOfWhichOneEncryptsAreToldSo() throws Exception {
        between(NEW, NEW.unencrypted(), (first, second) -> {
            for (Attachment each : List.of(first, second)) {
                assertThatExceptionOfType(RankUnreachableException.class)
                        .isThrownBy(() -> each.fabric().readWord(1 - each.fabric().rank(), WORD))
                        .withMessageContaining("one of the two processes encrypts");
            }
        });
    }

    @Test
    void whereOnlyOneRankHasASecretBothAreToldWhatToChange() throws Exception {
        for (Security secured : List.of(NEW, NEW.unencrypted())) {
            try (LoggedLines log = new LoggedLines(AccessControl.class, "world=" + WORLD.name() + " ")) {
                between(secured, Security.none(), (first, second) -> {
                    assertIsTold(first, "ownSecret=yes");
                    assertIsTold(second, "ownSecret=none");
                    await().atMost(Duration.ofSeconds(60))
                            .untilAsserted(() -> assertThat(log.lines()).anyMatch(line -> explains(line, 0, "yes"))
                                    .anyMatch(line -> explains(line, 1, "none")));
                    assertIsTold(first, "ownSecret=yes");
                    assertIsTold(second, "ownSecret=none");
                    assertThat(log.lines()).as("a line a minute").hasSize(2);
                });
            }
        }
    }

    private static void assertIsTold(Attachment refused, String setting) {
        assertThatExceptionOfType(RankUnreachableException.class)
                .isThrownBy(() -> refused.fabric().readWord(1 - refused.fabric().rank(), WORD))
                .withMessageContaining("atoll.fabric.tcp.secret")
                .withMessageContaining(setting);
    }

    private static boolean explains(String line, int owner, String secret) {
        return line.contains(" rank=" + owner + " ") && line.contains("the same")
                && line.contains("atoll.fabric.tcp.secret") && line.contains(" from=/")
                && line.contains("ownSecret=" + secret);
    }

    @Test
    void ranksThatKnowOtherSecretsRefuseEachOther() throws Exception {
        refuseEachOther(OLD, NEW);
    }

    /** Otherwise a process with another secret would use up what an owner does for handshakes. */
    @Test
    void anAddressFromWhichAProofWasWrongWaitsForASecond() throws Exception {
        between(OLD, NEW, (first, _) -> {
            long beganNanos = System.nanoTime();
            for (int attempt = 0; attempt < 3; attempt++) {
                assertThatExceptionOfType(RankUnreachableException.class)
                        .isThrownBy(() -> first.fabric().readWord(1, WORD));
            }
            assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).isGreaterThan(Duration.ofSeconds(2));
        });
    }

    @Test
    void aSecretIsChangedRankByRank() throws Exception {
        reachEachOther(BOTH, OLD);
        reachEachOther(BOTH, BOTH);
        reachEachOther(BOTH, NEW);
    }

    @Test
    void ranksOfAListAskEachOtherByTheSecret(@TempDir Path elsewhere) throws Exception {
        List<InetSocketAddress> addresses = List.of(free(), free());
        try (Attachment zero = attach(0, tcp -> tcp.security(NEW).at(addresses));
                Attachment one = new Tcp(new SharedMemory(elsewhere, false)).security(NEW)
                        .at(addresses)
                        .attach(WORLD, OptionalInt.of(1), 64 << 10)) {
            await().atMost(Duration.ofSeconds(60)).until(() -> zero.presence(1).state() == State.PRESENT);
            assertThat(one.incarnation()).isEqualTo(zero.presence(1).incarnation());
        }
    }

    private static InetSocketAddress free() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return InetSocketAddress.createUnresolved("localhost", socket.getLocalPort());
        }
    }

    /** An attacker in the middle ends the encryption of both sides, and passes on what they say, proofs included. */
    @Test
    void aRelayThatDecryptsIsFoundOut() throws Exception {
        Encryption own = Encryption.create();
        try (ServerSocketChannel server = ServerSocketChannel.open()
                .bind(
                        new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
                Attachment owner = attach(1, tcp -> tcp.security(NEW));
                Attachment caller = attach(0, tcp -> tcp.security(NEW))) {
            int ownerPort = Integer.parseInt(owner.address().get("tcp.port"));
            Thread.ofPlatform().daemon().start(() -> relay(server, own, ownerPort));
            int port = ((InetSocketAddress) server.getLocalAddress()).getPort();
            owner.connect(0, 1, caller.address());
            isSaidToListen(caller, port);
            assertThatExceptionOfType(RankUnreachableException.class)
                    .isThrownBy(() -> caller.fabric().writeWord(1, WORD, 5))
                    .withMessageContaining("do not know the same secret");
            assertThat(relayed).as("bytes that both had encrypted for it").hasPositiveValue();
        }
    }

    /** Makes the caller reach rank 1 at this port, as if that rank had proved itself there before. */
    private static void isSaidToListen(Attachment caller, int port) {
        ((TcpFabric) caller.fabric()).peerConnections()
                .open(new PeerAddress(1, 1, InetSocketAddress.createUnresolved("localhost", port)));
    }

    private final AtomicInteger relayed = new AtomicInteger();

    private void relay(ServerSocketChannel server, Encryption own, int ownerPort) {
        try (SocketChannel near = server.accept();
                SocketChannel far = SocketChannel
                        .open(new InetSocketAddress(InetAddress.getLoopbackAddress(), ownerPort))) {
            ByteBuffer preamble = ByteBuffer.allocate((int) TcpHandshake.PREAMBLE.byteSize());
            while (preamble.hasRemaining() && near.read(preamble) >= 0) {
                // Read until all of it is there.
            }
            far.write(preamble.flip());
            Wire toCaller = new TlsWire(near, own.engine(false), _ -> {});
            Wire toOwner = new TlsWire(far, own.engine(true), _ -> {});
            Thread back = Thread.ofPlatform().daemon().start(() -> pass(toOwner, toCaller));
            pass(toCaller, toOwner);
            back.join();
        } catch (IOException | InterruptedException closed) {
            // One of the two has closed its connection.
        }
    }

    private void pass(Wire from, Wire to) {
        ByteBuffer bytes = ByteBuffer.allocate(1 << 16);
        try {
            while (from.read(bytes) >= 0) {
                relayed.addAndGet(bytes.position());
                bytes.flip();
                while (!to.write(bytes)) {
                    // Write until all of it is gone.
                }
                bytes.clear();
            }
        } catch (IOException closed) {
            // One of the two has closed its connection.
        }
    }

    // --- pretenders ---

    /** The answer of an owner that knows no secret to a hello. */
    private interface Pretender {
        void answer(byte[] hello, InputStream in, Socket out, Arena arena) throws IOException;
    }

    private void isFoundOut(Pretender pretender) throws Exception {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
                Attachment caller = attach(0, tcp -> tcp.security(NEW.unencrypted()))) {
            Thread.ofPlatform().daemon().start(() -> {
                try (Socket socket = server.accept(); Arena arena = Arena.ofConfined()) {
                    InputStream in = socket.getInputStream();
                    in.skipNBytes(TcpHandshake.PREAMBLE.byteSize());
                    byte[] hello = in.readNBytes((int) TcpHandshake.HELLO.byteSize());
                    pretender.answer(hello, in, socket, arena);
                    in.readAllBytes();
                } catch (IOException closed) {
                    // The caller has closed its connection.
                }
            });
            isSaidToListen(caller, server.getLocalPort());
            assertThatExceptionOfType(RankUnreachableException.class)
                    .isThrownBy(() -> caller.fabric().writeWord(1, WORD, 5))
                    .withMessageContaining("do not know the same secret");
        }
    }

    private static byte[] accepted(Arena arena) {
        return TcpHandshake.accept(64 << 10, arena).toArray(JAVA_BYTE);
    }

    @Test
    void anOwnerThatAsksForNoProofIsNotBelieved() throws Exception {
        isFoundOut((_, _, out, arena) -> out.getOutputStream().write(accepted(arena)));
    }

    @Test
    void anOwnerThatOnlyPretendsToCheckTheProofIsNotBelieved() throws Exception {
        isFoundOut((_, in, out, arena) -> {
            out.getOutputStream().write(TcpHandshake.challenge(arena).toArray(JAVA_BYTE));
            in.readNBytes(Keys.MOST * Keys.PROOF_BYTES);
            out.getOutputStream().write(accepted(arena));
            out.getOutputStream().write(new byte[Keys.PROOF_BYTES]);
        });
    }

    @Test
    void anOwnerThatSendsTheProofOfTheCallerBackIsNotBelieved() throws Exception {
        isFoundOut((_, in, out, arena) -> {
            out.getOutputStream().write(TcpHandshake.challenge(arena).toArray(JAVA_BYTE));
            byte[] proofs = in.readNBytes(Keys.MOST * Keys.PROOF_BYTES);
            out.getOutputStream().write(accepted(arena));
            out.getOutputStream().write(Arrays.copyOf(proofs, Keys.PROOF_BYTES));
        });
    }

    @Test
    void aProofHoldsForItsRoleAndItsWordsOnly() {
        Keys keys = BOTH.keys(WORLD);
        byte[] said = {1, 2};
        byte[] other = {1, 3};
        byte[] proofs = keys.proofs(Keys.CALLER, said, other);
        assertThat(proofs).hasSize(Keys.MOST * Keys.PROOF_BYTES);
        assertThat(keys.matching(proofs, Keys.CALLER, said, other)).isZero();
        assertThat(OLD.keys(WORLD).matching(proofs, Keys.CALLER, said, other)).isZero();
        assertThat(keys.matching(proofs, Keys.OWNER, said, other)).isEqualTo(Keys.NONE);
        assertThat(keys.matching(proofs, Keys.CALLER, other, said)).isEqualTo(Keys.NONE);
        assertThat(keys.matching(proofs, Keys.CALLER, said)).isEqualTo(Keys.NONE);
        assertThat(keys.matching(proofs, Keys.CALLER, new byte[]{1}, new byte[]{2, 1, 3})).isEqualTo(Keys.NONE);
        assertThat(BOTH.keys(new WorldIdentity("another", 2)).matching(proofs, Keys.CALLER, said, other))
                .isEqualTo(Keys.NONE);
        assertThat(Keys.nonce()).isNotEqualTo(Keys.nonce());
    }

    // --- settings ---

    @Test
    void aSecretIsLongEnoughAndIsNotShown() {
        assertThatIllegalArgumentException().isThrownBy(() -> Secret.of("too short"))
                .withMessageContaining("32 bytes or more")
                .withMessageNotContaining("too short");
        assertThat(BOTH.toString()).doesNotContain("new secret").doesNotContain("old secret");
        assertThat(new Tcp(new SharedMemory(folder, false)).security(NEW).toString()).doesNotContain("new secret");
        assertThat(NEW).isEqualTo(Security.secret(Secret.of("a new secret that is just as long as needed")))
                .isNotEqualTo(OLD);
    }

    @Test
    void beyondThisHostNobodyListensUnlessItIsSaidWhoIsLetIn() {
        assertThatExceptionOfType(JoinRefusedException.class)
                .isThrownBy(() -> attach(0, tcp -> tcp.bind("0.0.0.0", 0)))
                .withMessageContaining("bind=0.0.0.0")
                .satisfies(refused -> assertThat(refused.reason()).isEqualTo(Reason.UNSECURED));
        attach(0, tcp -> tcp.bind("0.0.0.0", 0).security(Security.none())).close();
        attach(0, tcp -> tcp.bind("0.0.0.0", 0).security(NEW)).close();
    }
}
