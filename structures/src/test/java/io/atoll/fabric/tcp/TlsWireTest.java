package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests an owner whose peer breaks the rules of TLS. The owner ends the connection, and no thread keeps running. */
@Timeout(120)
class TlsWireTest {

    private static final int TOO_LARGE = 20_000;
    private static final byte DATA = 23;
    private static final int STACK_BYTES = 256 << 10;

    private final Encryption encryption = Encryption.create();
    private SocketChannel near;
    private SocketChannel far;
    private FutureTask<Integer> owner;

    /** The owner reads as many bytes as a hello has. */
    @BeforeEach
    void connect() throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open()
                .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
            far = SocketChannel.open(server.getLocalAddress());
            near = server.accept();
        }
        owner = new FutureTask<>(() -> new TlsWire(near, encryption.engine(false), _ -> {})
                .read(ByteBuffer.allocate((int) TcpHandshake.HELLO.byteSize())));
        Thread.ofPlatform().daemon().start(owner);
    }

    @AfterEach
    void close() throws IOException {
        near.close();
        far.close();
        assertThat(owner.isDone()).as("the thread has ended").isTrue();
    }

    private void isRefused() {
        assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> owner.get(60, TimeUnit.SECONDS))
                .withCauseInstanceOf(SSLException.class);
    }

    @Test
    void aRecordIsReadAsItWasWritten() throws Exception {
        Wire requester = new TlsWire(far, encryption.engine(true), _ -> {});
        assertThat(requester.write(ByteBuffer.allocate((int) TcpHandshake.HELLO.byteSize()))).isTrue();
        assertThat(owner.get(60, TimeUnit.SECONDS)).isEqualTo((int) TcpHandshake.HELLO.byteSize());
    }

    /** Every process can come this far: the owner asks for the secret later. */
    @Test
    void aRecordThatIsAnnouncedTooLargeEndsTheConnection() throws Exception {
        new TlsWire(far, encryption.engine(true), _ -> {});
        far.write(ByteBuffer.allocate(5).put(DATA).putShort((short) 0x0303).putShort((short) TOO_LARGE).flip());
        isRefused();
    }

    /**
     * Calls itself until the stack is full. On the way back, writes at each depth until a write works or is refused.
     */
    private static void writeWhereTheStackIsFull(Wire wire) throws IOException {
        try {
            writeWhereTheStackIsFull(wire);
        } catch (StackOverflowError full) {
            wire.write(ByteBuffer.allocate(1));
        }
    }

    /** The engine's lock may never be released: the next thread must not wait for it. */
    @Test
    void anEngineInWhichAStackHasOverflowedIsNotAskedAgain() throws Exception {
        Wire requester = new TlsWire(far, encryption.engine(true), _ -> {});
        FutureTask<Void> overflowing = new FutureTask<>(() -> {
            writeWhereTheStackIsFull(requester);
            return null;
        });
        Thread.ofPlatform().daemon().stackSize(STACK_BYTES).start(overflowing);
        assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> overflowing.get(60, TimeUnit.SECONDS))
                .withCauseInstanceOf(SSLException.class);
        assertThatExceptionOfType(SSLException.class).isThrownBy(() -> requester.read(ByteBuffer.allocate(1)))
                .withMessageContaining("an error in a thread");
        far.close();
        assertThatExceptionOfType(ExecutionException.class).isThrownBy(() -> owner.get(60, TimeUnit.SECONDS));
    }
}
