package io.atoll.fabric.tcp;

import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLHandshakeException;

/**
 * A connection that is being made. Its channel does not block, since an interrupt would close one that does; an
 * interrupted thread finishes its step, which is bounded, and is interrupted again afterwards. Closes the channel
 * unless it is released.
 */
final class Dialogue implements AutoCloseable {

    private final SocketChannel channel;
    private Wire wire;
    private final Selector selector;
    private final long deadlineNanos;
    private boolean released;

    private Dialogue(SocketChannel channel, Duration timeout) throws IOException {
        this.channel = channel;
        this.wire = new PlainWire(channel);
        this.selector = Selector.open();
        this.deadlineNanos = System.nanoTime() + timeout.toNanos();
    }

    /** @param timeout of the whole dialogue */
    static Dialogue begin(InetSocketAddress address, Duration timeout) throws IOException {
        SocketChannel channel = SocketChannel.open();
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            Dialogue dialogue = new Dialogue(channel, timeout);
            try {
                dialogue.connect(address);
                return dialogue;
            } catch (IOException | RuntimeException failure) {
                dialogue.close();
                throw failure;
            }
        } catch (IOException | RuntimeException failure) {
            channel.close();
            throw failure;
        }
    }

    private void connect(InetSocketAddress address) throws IOException {
        if (!channel.connect(address)) {
            do {
                await(SelectionKey.OP_CONNECT);
            } while (!channel.finishConnect());
        }
    }

    void send(MemorySegment bytes) throws IOException {
        ByteBuffer buffer = bytes.asByteBuffer();
        while (!wire.write(buffer)) {
            await(SelectionKey.OP_WRITE);
        }
    }

    /** Fills the memory. */
    void receive(MemorySegment bytes) throws IOException {
        ByteBuffer buffer = bytes.asByteBuffer();
        while (buffer.hasRemaining()) {
            int read = wire.read(buffer);
            if (read < 0) {
                throw new EOFException("the connection was closed without an answer");
            }
            if (read == 0) {
                await(SelectionKey.OP_READ);
            }
        }
    }

    private void await(int interest) throws IOException {
        boolean interrupted = false;
        try {
            SelectionKey key = channel.register(selector, interest);
            while (true) {
                interrupted |= Thread.interrupted();
                long leftMillis = TimeUnit.NANOSECONDS.toMillis(deadlineNanos - System.nanoTime());
                if (leftMillis <= 0) {
                    throw new SocketTimeoutException("it does not answer in time");
                }
                if (selector.select(leftMillis) > 0 && key.isValid()) {
                    selector.selectedKeys().clear();
                    return;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    Wire wire() {
        return wire;
    }

    /**
     * What follows is encrypted.
     *
     * @throws SSLHandshakeException if the two ends do not trust each other
     */
    void encrypt(Encryption encryption) throws IOException {
        TlsWire encrypted = new TlsWire(channel, encryption.engine(true), this::await);
        if (!encryption.isPeer(encrypted.session())) {
            throw new SSLHandshakeException("the certificate has none of the names of the ranks");
        }
        wire = encrypted;
    }

    /** Leaves the channel to the caller. */
    void release() {
        released = true;
    }

    @Override
    public void close() throws IOException {
        try (SocketChannel _ = released ? null : channel) {
            selector.close();
        }
    }
}
