package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.fabric.Clock;
import io.atoll.fabric.link.ConnectDeadline;
import io.atoll.memory.MappedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.net.ssl.SSLEngine;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests how a connection begins, and that a failed attempt leaves nothing behind. */
@Timeout(120)
@Tag("network")
class DialogueTest {

    private static final Duration NEVER = Duration.ofMinutes(10);
    private static final int BACKLOG = 1;
    private static final byte[] USER_CANCELED = {21, 3, 3, 0, 2, 1, 90}; // a record with one warning

    private static ConnectDeadline patience(Duration timeout) {
        return ConnectDeadline.of(Clock.SYSTEM, timeout);
    }

    private static InetSocketAddress anyPort() {
        return new InetSocketAddress(InetAddress.getLoopbackAddress(), 0);
    }

    private static InetSocketAddress address(ServerSocket server) {
        return (InetSocketAddress) server.getLocalSocketAddress();
    }

    /** A kernel connects a socket to itself if it is given its own port: both ends open at the same time. */
    @Test
    void aConnectionThatMeetsItselfIsToldAsAPortWhereNobodyListens() throws Exception {
        try (SocketChannel channel = SocketChannel.open()) {
            channel.bind(anyPort());
            InetSocketAddress own = (InetSocketAddress) channel.getLocalAddress();
            assertThatExceptionOfType(ConnectException.class)
                    .isThrownBy(() -> Dialogue.begin(channel, own, patience(NEVER)))
                    .withMessageContaining("nobody listens there");
            assertThat(channel.isOpen()).isFalse();
        }
    }

    @Test
    void anErrorLeavesNoChannelOpen() {
        SocketChannel channel = new FakeConnection(new MappedMemory(Arena.ofAuto().allocate(64, 64)), new Random(1))
                .channel();
        assertThatThrownBy(() -> Dialogue.begin(channel, anyPort(), patience(NEVER)))
                .isInstanceOf(AssertionError.class);
        assertThat(channel.isOpen()).isFalse();
    }

    @Test
    void aPortWhereNobodyListensIsToldAtOnce() throws Exception {
        InetSocketAddress free;
        try (ServerSocket server = new ServerSocket()) {
            server.bind(anyPort());
            free = address(server);
        }
        try (SocketChannel channel = SocketChannel.open()) {
            assertThatExceptionOfType(ConnectException.class)
                    .isThrownBy(() -> Dialogue.begin(channel, free, patience(NEVER)));
            assertThat(channel.isOpen()).isFalse();
        }
    }

    /** A kernel does not answer if its queue of waiting connections is full. */
    @Test
    void aHostThatDoesNotAnswerIsGivenUpSoonerThanARankThatMakesNoHandshake() throws Exception {
        List<SocketChannel> waiting = new ArrayList<>();
        try (ServerSocket server = new ServerSocket()) {
            server.bind(anyPort(), BACKLOG);
            for (int place = 0; place <= BACKLOG; place++) {
                waiting.add(SocketChannel.open(address(server)));
            }
            try (SocketChannel channel = SocketChannel.open()) {
                assertThatExceptionOfType(SocketTimeoutException.class)
                        .isThrownBy(() -> Dialogue.begin(channel, address(server), patience(NEVER)))
                        .withMessageContaining("within " + Dialogue.REACH_TIMEOUT.toMillis() + " ms");
                assertThat(channel.isOpen()).isFalse();
            }
        } finally {
            for (SocketChannel each : waiting) {
                each.close();
            }
        }
    }

    @Test
    void aRankThatMakesNoHandshakeIsGivenUpAfterTheTimeout() throws Exception {
        try (ServerSocket server = new ServerSocket(); SocketChannel channel = SocketChannel.open()) {
            server.bind(anyPort());
            Duration timeout = Duration.ofMillis(100);
            try (Dialogue dialogue = Dialogue.begin(channel, address(server), patience(timeout))) {
                assertThatExceptionOfType(SocketTimeoutException.class)
                        .isThrownBy(() -> dialogue.receive(MemorySegment.ofArray(new byte[1])))
                        .withMessageContaining("within 100 ms");
            }
            assertThat(channel.isOpen()).isFalse();
        }
    }

    @Test
    void aRankThatNobodyWantsAnyMoreIsNotWaitedFor() throws Exception {
        try (ServerSocket server = new ServerSocket(); SocketChannel channel = SocketChannel.open()) {
            server.bind(anyPort());
            AtomicBoolean isWanted = new AtomicBoolean(true);
            ConnectDeadline connectDeadline = new ConnectDeadline(Clock.SYSTEM, NEVER,
                    System.nanoTime() + NEVER.toNanos(), isWanted::get);
            try (Dialogue dialogue = Dialogue.begin(channel, address(server), connectDeadline)) {
                Thread.ofPlatform().start(() -> isWanted.set(false));
                assertThatExceptionOfType(SocketTimeoutException.class)
                        .isThrownBy(() -> dialogue.receive(MemorySegment.ofArray(new byte[1])));
            }
        }
    }

    /** Until keys are agreed on, TLS ignores any number of warnings that the other side is about to end. */
    @Test
    void anOwnerThatNeverEndsTheHandshakeIsGivenUpAfterTheTimeout() throws Exception {
        try (ServerSocketChannel server = ServerSocketChannel.open().bind(anyPort());
                SocketChannel channel = SocketChannel.open();
                SocketChannel talking = SocketChannel.open(server.getLocalAddress())) {
            InetSocketAddress address = (InetSocketAddress) server.getLocalAddress();
            Thread.ofPlatform().daemon().start(() -> warnForEver(server));
            try (Dialogue dialogue = Dialogue.begin(channel, address, patience(Duration.ofSeconds(1)))) {
                SSLEngine engine = Encryption.create().engine(true);
                // This channel blocks, so a read always returns something, no matter how slowly the owner sends.
                assertThatExceptionOfType(SocketTimeoutException.class)
                        .isThrownBy(() -> new TlsWire(talking, engine, dialogue))
                        .withMessageContaining("within 1000 ms");
            }
        }
    }

    private static void warnForEver(ServerSocketChannel server) {
        try (SocketChannel accepted = server.accept()) {
            while (true) {
                accepted.write(ByteBuffer.wrap(USER_CANCELED));
            }
        } catch (IOException closed) {
            // The caller is gone, so this thread ends.
        }
    }
}
