package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Attachment;
import io.atoll.fabric.link.ConnectRequest;
import io.atoll.memory.WorldIdentity;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** The requesting side of a connection, byte by byte. A test can send with it what no rank sends. */
final class RawRank implements AutoCloseable {

    private final Socket socket = new Socket();
    private long number;

    /** @param owner the rank whose segment is wanted */
    RawRank(Attachment owner) throws IOException {
        this(owner, "127.0.0.1");
    }

    /** @param from an address of this host */
    RawRank(Attachment owner, String from) throws IOException {
        Map<String, String> address = owner.address();
        boolean isConnected = false;
        try {
            socket.bind(new InetSocketAddress(from, 0));
            socket.setSoTimeout(20_000);
            socket.connect(new InetSocketAddress(address.get("tcp.host"), Integer.parseInt(address.get("tcp.port"))));
            socket.setOption(StandardSocketOptions.TCP_NODELAY, true);
            isConnected = true;
        } finally {
            if (!isConnected) {
                socket.close();
            }
        }
    }

    Socket socket() {
        return socket;
    }

    /** Makes the handshake as the first incarnation of a rank. Returns true if it was let in. */
    boolean connect(WorldIdentity world, int rank, int target) throws IOException {
        boolean accepted = connect(world, rank, target, 0);
        receive(8);
        return accepted;
    }

    /** Makes the handshake in the same way, up to the first bytes of the answer. */
    boolean connect(WorldIdentity world, int rank, int target, int lane) throws IOException {
        Arena arena = Arena.ofAuto();
        send(TcpHandshake.preamble(false, arena).toArray(JAVA_BYTE));
        send(TcpHandshake.hello(new ConnectRequest(world, rank, target, 1, 1, lane, 0), false, arena)
                .toArray(JAVA_BYTE));
        MemorySegment begin = MemorySegment.ofArray(new long[2]).copyFrom(MemorySegment.ofArray(receive(16)));
        return TcpHandshake.isAccepted(begin);
    }

    void send(byte[] bytes) throws IOException {
        socket.getOutputStream().write(bytes);
    }

    /** Sends the last byte of a request, if the connection still accepts it. */
    void finish(byte[] request) {
        try {
            send(new byte[]{request[request.length - 1]});
        } catch (IOException closed) {
            // That is just as good.
        }
    }

    byte[] receive(int bytes) throws IOException {
        return socket.getInputStream().readNBytes(bytes);
    }

    /** Makes the handshake without encryption, up to the challenge. Claims to know the secret. */
    void connectUpToChallenge(WorldIdentity world, int rank, int target) throws IOException {
        Arena arena = Arena.ofAuto();
        send(TcpHandshake.preamble(false, arena).toArray(JAVA_BYTE));
        send(TcpHandshake.hello(new ConnectRequest(world, rank, target, 1, 1, 0, 0), true, arena).toArray(JAVA_BYTE));
        receive((int) TcpHandshake.CHALLENGE.byteSize());
    }

    /** Returns true if the owner has closed the connection without sending anything. */
    boolean isClosed() throws IOException {
        try {
            return socket.getInputStream().read() < 0;
        } catch (SocketException reset) {
            return true;
        }
    }

    /** Returns the same for a socket with a timeout: false if the owner does nothing in that time. */
    boolean isClosedSoon() throws IOException {
        try {
            return isClosed();
        } catch (SocketTimeoutException open) {
            return false;
        }
    }

    /** Returns a request of one verb. */
    byte[] request(int kind, int length, long offset, long... operands) {
        int bytes = Frame.HEADER_BYTES + Frame.VERB_BYTES + 8 * operands.length;
        MemorySegment frame = MemorySegment.ofArray(new long[bytes / 8]);
        frame.set(JAVA_INT, Frame.BYTES, bytes);
        frame.set(JAVA_SHORT, Frame.VERBS, (short) 1);
        frame.set(JAVA_SHORT, Frame.FLAGS, (short) Frame.ANSWER_WANTED);
        frame.set(JAVA_LONG, Frame.NUMBER, ++number);
        frame.set(JAVA_BYTE, Frame.HEADER_BYTES + Frame.KIND, (byte) kind);
        frame.set(JAVA_INT, Frame.HEADER_BYTES + Frame.LENGTH, length);
        frame.set(JAVA_LONG, Frame.HEADER_BYTES + Frame.OFFSET, offset);
        for (int index = 0; index < operands.length; index++) {
            frame.set(JAVA_LONG, Frame.HEADER_BYTES + Frame.VERB_BYTES + 8L * index, operands[index]);
        }
        return frame.toArray(JAVA_BYTE);
    }

    /** Returns the result of an answer to one atomic. For an answer without a result, returns its status minus one. */
    long answer() throws IOException {
        ByteBuffer answer = ByteBuffer.wrap(receive(Frame.HEADER_BYTES)).order(ByteOrder.LITTLE_ENDIAN);
        int bytes = answer.getInt((int) Frame.BYTES);
        if (bytes == Frame.HEADER_BYTES) {
            return -1 - answer.getShort((int) Frame.STATUS);
        }
        return ByteBuffer.wrap(receive(bytes - Frame.HEADER_BYTES)).order(ByteOrder.LITTLE_ENDIAN).getLong(0);
    }

    /**
     * Asks for answers without reading them, until both sides are stuck.
     *
     * @return a thread that ends when the connection is closed
     */
    Thread askUntilNothingMoves() {
        AtomicInteger sent = new AtomicInteger(1);
        Thread sender = Thread.ofPlatform().daemon().start(() -> askUntilClosed(sent));
        await().atMost(Duration.ofSeconds(60))
                .pollInterval(Duration.ofMillis(300))
                .until(() -> sent.getAndSet(0) == 0);
        return sender;
    }

    private void askUntilClosed(AtomicInteger sent) {
        try {
            while (true) {
                send(request(Frame.READ, Frame.MAXIMUM_LENGTH, 0));
                sent.incrementAndGet();
            }
        } catch (IOException closed) {
            // The connection is closed, so this thread ends.
        }
    }

    @Override
    public void close() throws IOException {
        socket.close();
    }
}
