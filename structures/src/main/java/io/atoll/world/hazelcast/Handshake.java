package io.atoll.world.hazelcast;

import com.hazelcast.nio.MemberSocketInterceptor;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Arrays;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.atomic.AtomicLong;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Both ends of a connection prove to each other that they are processes of Atoll, and know the same secret. They do so
 * before Hazelcast reads a byte of the connection.
 * <pre>
 *   connector                                              acceptor
 *      | 1  preamble, nonce c                                 |
 *      |-----------------------------------------------------&gt;|
 *      |          2  preamble, nonce a, HMAC("a", c, a)       |
 *      |&lt;-----------------------------------------------------|
 *      | 3  HMAC("c", a, c)                                   |
 *      |-----------------------------------------------------&gt;|
 * </pre>
 *
 * <p>Each proof contains the other end's fresh nonce, so an overheard proof is useless later. The letters keep a proof
 * from being sent back to its author. What follows is neither encrypted nor signed: an attacker that can change packets
 * between two members can take over their connection.
 */
final class Handshake implements MemberSocketInterceptor {

    private static final Logger LOG = LoggerFactory.getLogger(Handshake.class);

    private static final byte[] PREAMBLE = "atoll member 1\n".getBytes(StandardCharsets.US_ASCII);
    private static final int NONCE_BYTES = 32;
    private static final int PROOF_BYTES = 32;
    private static final String ALGORITHM = "HmacSHA256";

    // Longer than a busy machine needs. Bounded, because a paused process accepts connections and says nothing.
    private static final Duration TIMEOUT = Duration.ofSeconds(3);

    private static final Duration BETWEEN_WARNINGS = Duration.ofMinutes(1);

    private final SecureRandom random = new SecureRandom();
    private final SecretKeySpec key;
    private final AtomicLong warned = new AtomicLong(System.nanoTime() - BETWEEN_WARNINGS.toNanos());
    private volatile @Nullable InetSocketAddress otherSecretAt;

    Handshake(Secret secret) {
        // Prefixed, since a key must not be empty.
        key = new SecretKeySpec(("atoll " + secret.text()).getBytes(StandardCharsets.UTF_8), ALGORITHM);
    }

    @Override
    public void init(Properties properties) {}

    /** Returns the address of a process of Atoll that was reached and knows another secret. */
    Optional<InetSocketAddress> otherSecretAt() {
        return Optional.ofNullable(otherSecretAt);
    }

    @Override
    public void onConnect(Socket socket) throws IOException {
        Peer peer = new Peer(socket);
        byte[] mine = nonce();
        peer.send(PREAMBLE, mine);
        peer.expectPreamble();
        byte[] theirs = peer.receive(NONCE_BYTES);
        if (!MessageDigest.isEqual(peer.receive(PROOF_BYTES), proof('a', mine, theirs))) {
            otherSecretAt = peer.address();
            throw new IOException("the process there knows another secret: address=" + peer.address());
        }
        peer.send(proof('c', theirs, mine));
        peer.patience(Duration.ZERO);
    }

    /**
     * Does not throw. If the guard of a connection throws, Hazelcast keeps the connection's resources until the member
     * ends. It gives them back if the connection ends by itself.
     */
    @Override
    public void onAccept(Socket socket) throws IOException {
        try {
            accept(new Peer(socket));
        } catch (IOException stranger) {
            // Hazelcast now reads the end of the connection, whatever has arrived, and closes it.
            socket.shutdownInput();
        }
    }

    private void accept(Peer peer) throws IOException {
        try {
            peer.expectPreamble();
        } catch (IOException stranger) {
            // It may be any program that checks whether the port is open.
            LOG.debug("a connection of no process of Atoll is refused: address={}", peer.address(), stranger);
            throw stranger;
        }
        byte[] theirs = peer.receive(NONCE_BYTES);
        byte[] mine = nonce();
        peer.send(PREAMBLE, mine, proof('a', theirs, mine));
        try {
            if (!MessageDigest.isEqual(peer.receive(PROOF_BYTES), proof('c', mine, theirs))) {
                throw new IOException("wrong proof");
            }
        } catch (IOException stranger) {
            warn(peer.address(), stranger);
            throw stranger;
        }
        peer.patience(Duration.ZERO);
    }

    private void warn(InetSocketAddress address, IOException stranger) {
        long last = warned.get();
        long now = System.nanoTime();
        if (now - last >= BETWEEN_WARNINGS.toNanos() && warned.compareAndSet(last, now)) {
            LOG.warn("a process that does not know this world's secret is refused, give all processes of the world the"
                    + " same one (atoll.membership.hazelcast.secret); the next minute's are not told:"
                    + " address={} cause={}", address, stranger.toString());
        }
    }

    private byte[] nonce() {
        byte[] nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        return nonce;
    }

    private byte[] proof(char author, byte[] others, byte[] own) {
        try {
            Mac mac = Mac.getInstance(ALGORITHM);
            mac.init(key);
            mac.update((byte) author);
            mac.update(others);
            return mac.doFinal(own);
        } catch (GeneralSecurityException impossible) {
            throw new IllegalStateException("every Java has " + ALGORITHM, impossible);
        }
    }

    /** The other end. It has a limited time for everything that it says. */
    private static final class Peer {

        private final long deadline = System.nanoTime() + TIMEOUT.toNanos();
        private final Socket socket;

        Peer(Socket socket) {
            this.socket = socket;
        }

        InetSocketAddress address() {
            return (InetSocketAddress) socket.getRemoteSocketAddress();
        }

        void send(byte[]... parts) throws IOException {
            for (byte[] part : parts) {
                socket.getOutputStream().write(part);
            }
        }

        void expectPreamble() throws IOException {
            if (!Arrays.equals(receive(PREAMBLE.length), PREAMBLE)) {
                throw new IOException("no process of Atoll, or one of another version: address=" + address());
            }
        }

        byte[] receive(int count) throws IOException {
            byte[] bytes = new byte[count];
            InputStream input = socket.getInputStream();
            for (int done = 0; done < count;) {
                Duration left = Duration.ofNanos(deadline - System.nanoTime());
                if (left.toMillis() < 1) {
                    throw new SocketTimeoutException("says nothing: address=" + address());
                }
                patience(left);
                int read = input.read(bytes, done, count - done);
                if (read < 0) {
                    throw new EOFException("has ended the connection: address=" + address());
                }
                done += read;
            }
            return bytes;
        }

        /** @param limit for each read; zero for none */
        void patience(Duration limit) throws IOException {
            socket.setSoTimeout((int) limit.toMillis());
        }
    }
}
