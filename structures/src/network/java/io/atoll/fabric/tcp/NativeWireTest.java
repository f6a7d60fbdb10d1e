package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIOException;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Tests a wire whose socket blocks: what waits, what does not, and what ends a wait. */
@Timeout(120)
@Tag("network")
class NativeWireTest {

    private static final int MANY = 100;
    /** As long as so many waits take that nothing ends. */
    private static final Duration LONG = Duration.ofMillis(MANY * 250);

    private final ByteBuffer received = ByteBuffer.allocateDirect(64);
    private SocketChannel near;
    private SocketChannel far;
    private WaitingWire wire;

    @BeforeEach
    void connect() throws IOException {
        connect(InetAddress.getLoopbackAddress());
    }

    private void connect(InetAddress address) throws IOException {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(new InetSocketAddress(address, 0))) {
            near = SocketChannel.open(server.getLocalAddress());
            far = server.accept();
        }
        wire = nativeWire(near);
    }

    private static WaitingWire nativeWire(SocketChannel channel) throws IOException {
        channel.configureBlocking(false);
        Wire wire = NativeWire.of(new PlainWire(channel));
        assertThat(wire).isInstanceOf(NativeWire.class);
        return (WaitingWire) wire;
    }

    @AfterEach
    void close() throws IOException {
        near.close();
        far.close();
    }

    private static ByteBuffer bytes(int count) {
        return ByteBuffer.allocateDirect(count);
    }

    /** Waits until something has arrived, or until nothing can arrive any more. */
    private int awaitSomething() throws IOException {
        int read = 0;
        while (read == 0) {
            read = wire.await(received);
        }
        return read;
    }

    /** The two ends have the same addresses, but not in the same order. */
    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.1", "::1"})
    void bothEndsOfAConnectionAreFound(String address) throws IOException {
        close();
        connect(InetAddress.getByName(address));
        assertThat(nativeWire(far).write(bytes(24))).isTrue();
        assertThat(awaitSomething()).isEqualTo(24);
        assertThat(received.position()).isEqualTo(24);
    }

    @Test
    void aWaitForNothingEndsByItselfButNotAtOnce() throws IOException {
        long beganNanos = System.nanoTime();
        assertThat(wire.await(received)).isZero();
        assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).isGreaterThan(Duration.ofMillis(100));
    }

    @Test
    void aReadDoesNotWait() throws IOException {
        long beganNanos = System.nanoTime();
        for (int read = 0; read < MANY; read++) {
            assertThat(wire.read(received)).isZero();
        }
        assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).isLessThan(LONG);
    }

    @Test
    void aWriteDoesNotWaitForRoom() throws IOException {
        ByteBuffer tooMuch = bytes(64 << 20);
        assertThat(wire.write(tooMuch)).isFalse();
        assertThat(tooMuch.position()).isPositive();
        assertThat(wire.write(tooMuch)).isFalse();
    }

    @Test
    void anInterruptNeitherEndsAWaitNorClosesTheChannel() throws Exception {
        CountDownLatch begins = new CountDownLatch(1);
        FutureTask<Boolean> waiting = new FutureTask<>(() -> {
            begins.countDown();
            assertThat(awaitSomething()).isEqualTo(8);
            return Thread.interrupted();
        });
        Thread thread = Thread.ofPlatform().daemon().start(waiting);
        begins.await();
        thread.interrupt();
        assertThat(thread.join(Duration.ofMillis(300))).isFalse();
        far.write(bytes(8));
        assertThat(waiting.get(60, TimeUnit.SECONDS)).as("still interrupted").isTrue();
        assertThat(near.isOpen()).isTrue();
    }

    @Test
    void anotherThreadEndsAWait() throws Exception {
        FutureTask<Integer> waiting = new FutureTask<>(this::awaitSomething);
        Thread.ofPlatform().daemon().start(waiting);
        wire.endWaits();
        assertThat(waiting.get(60, TimeUnit.SECONDS)).isEqualTo(-1);
        wire.endWaits();
        wire.close();
        wire.endWaits();
    }

    @Test
    void theEndOfTheConnectionIsTold() throws IOException {
        far.close();
        assertThat(awaitSomething()).isEqualTo(-1);
        assertThat(wire.read(received)).isEqualTo(-1);
    }

    @Test
    void aResetIsAFailure() throws IOException {
        far.setOption(StandardSocketOptions.SO_LINGER, 0);
        far.close();
        assertThatIOException().isThrownBy(this::awaitSomething).withMessageContaining("errno=104");
    }

    /** The address of an array is none, and may be one of other memory. */
    @Test
    void arraysAreRefused() {
        ByteBuffer array = ByteBuffer.allocate(8);
        assertThatIllegalArgumentException().isThrownBy(() -> wire.write(array)).withMessageContaining("array");
        assertThatIllegalArgumentException().isThrownBy(() -> wire.read(array)).withMessageContaining("array");
        assertThat(array.position()).isZero();
    }

    /** A wire that encrypts has read more than it has handed over, so it cannot wait for the socket. */
    @Test
    void otherWiresStayAsTheyAre() throws IOException {
        Wire other = new PlainWire(far) {};
        assertThat(NativeWire.of(other)).isSameAs(other);
    }

    /** To list the descriptors takes one more. A process that has none left keeps the connection that it has made. */
    @Test
    void aWireStaysAsItIsIfTheDescriptorsCannotBeListed(@TempDir Path folder) throws IOException {
        Wire plain = new PlainWire(near);
        assertThat(NativeWire.of(plain, folder.resolve("missing"))).isSameAs(plain);
        assertThat(NativeWire.of(plain, folder)).as("an empty folder").isSameAs(plain);
    }
}
