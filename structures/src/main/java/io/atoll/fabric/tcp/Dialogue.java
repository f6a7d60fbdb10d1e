package io.atoll.fabric.tcp;

import io.atoll.fabric.link.ConnectDeadline;
import java.io.EOFException;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.ConnectException;
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
import org.jspecify.annotations.Nullable;

/**
 * A connection that is being made. Its channel does not block, since an interrupt would close a blocking one. A thread
 * that is interrupted finishes its step, which is bounded, and is interrupted again afterwards. The dialogue closes the
 * wire unless the wire is released.
 */
final class Dialogue implements TlsWire.Waiting, AutoCloseable {

    /**
     * The kernel of a reachable host answers at once, whatever its processes do. It is asked twice within this time.
     */
    static final Duration REACH_TIMEOUT = Duration.ofSeconds(2);

    private final SocketChannel channel;
    private Wire wire;
    private final Selector selector;
    private final ConnectDeadline connectDeadline;
    private final long reachDeadlineNanos;
    private boolean isReached;
    private boolean released;

    private Dialogue(SocketChannel channel, ConnectDeadline connectDeadline) throws IOException {
        this.channel = channel;
        this.wire = new PlainWire(channel);
        this.connectDeadline = connectDeadline;
        this.reachDeadlineNanos = System.nanoTime() + REACH_TIMEOUT.toNanos();
        this.selector = Selector.open();
    }

    /**
     * Connects the channel.
     *
     * @param connectDeadline of the operation that waits for the connection
     */
    static Dialogue begin(SocketChannel channel, InetSocketAddress address, ConnectDeadline connectDeadline)
            throws IOException {
        Dialogue dialogue = null;
        boolean isConnected = false;
        try {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            dialogue = new Dialogue(channel, connectDeadline);
            dialogue.connect(address);
            dialogue.isReached = true;
            isConnected = true;
            return dialogue;
        } finally {
            if (!isConnected) {
                close(channel, dialogue);
            }
        }
    }

    private static void close(SocketChannel channel, @Nullable Dialogue dialogue) throws IOException {
        if (dialogue == null) {
            channel.close();
        } else {
            dialogue.close();
        }
    }

    private void connect(InetSocketAddress address) throws IOException {
        if (!channel.connect(address)) {
            do {
                await(SelectionKey.OP_CONNECT);
            } while (!channel.finishConnect());
        }
        // If no process listens at the port, the kernel may have given this very port to this end.
        if (channel.getLocalAddress().equals(channel.getRemoteAddress())) {
            throw new ConnectException("nobody listens there: the connection has met itself");
        }
    }

    void send(MemorySegment bytes) throws IOException {
        ByteBuffer buffer = bytes.asByteBuffer();
        while (!wire.write(buffer)) {
            await(SelectionKey.OP_WRITE);
        }
    }

    /** Receives until the memory is full. */
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

    @Override
    public void refuseIfOver() throws SocketTimeoutException {
        leftMillis();
    }

    private long leftMillis() throws SocketTimeoutException {
        long leftNanos = connectDeadline.leftNanos();
        if (leftNanos == 0) {
            throw new SocketTimeoutException("no answer within " + connectDeadline.timeout().toMillis() + " ms");
        }
        long reachNanos = isReached ? leftNanos : reachDeadlineNanos - System.nanoTime();
        if (reachNanos <= 0) {
            throw new SocketTimeoutException("no answer within " + REACH_TIMEOUT.toMillis() + " ms");
        }
        return Math.max(1, TimeUnit.NANOSECONDS.toMillis(Math.min(leftNanos, reachNanos)));
    }

    @Override
    public void await(int interest) throws IOException {
        boolean interrupted = false;
        try {
            SelectionKey key = channel.register(selector, interest);
            while (true) {
                interrupted |= Thread.interrupted();
                if (selector.select(Math.min(ConnectDeadline.LOOK_MILLIS, leftMillis())) > 0 && key.isValid()) {
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
     * Encrypts everything that follows.
     *
     * @throws SSLHandshakeException if the two ends do not trust each other
     */
    void encrypt(Encryption encryption) throws IOException {
        TlsWire encrypted = new TlsWire(channel, encryption.engine(true), this);
        wire = encrypted; // first: the wire is closed even if the other end is not trusted
        if (!encryption.isPeer(encrypted.session())) {
            throw new SSLHandshakeException("the certificate has none of the names of the ranks");
        }
    }

    /** Leaves the wire to the caller. */
    void release() {
        released = true;
    }

    @Override
    public void close() throws IOException {
        try (Wire _ = released ? null : wire) {
            selector.close();
        }
    }
}
