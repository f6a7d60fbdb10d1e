package io.atoll.peers;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A client of Redis that does as little as possible. It sends a request that has been made before, and only counts the
 * bytes of the answer.
 */
final class BareRedis implements AutoCloseable {

    private final SocketChannel channel;
    private final ByteBuffer answer = ByteBuffer.allocateDirect(1 << 16);

    BareRedis(int port) throws IOException {
        channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    /** Returns a request that consists of these words. */
    static ByteBuffer request(String... words) {
        StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        byte[] bytes = text.toString().getBytes(StandardCharsets.US_ASCII);
        return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    }

    /** @param answerBytes the number of bytes that the answer is known to have */
    void ask(ByteBuffer request, int answerBytes) throws IOException {
        request.rewind();
        while (request.hasRemaining()) {
            channel.write(request);
        }
        answer.clear();
        while (answer.position() < answerBytes) {
            if (channel.read(answer) < 0) {
                throw new EOFException("Redis has closed the connection");
            }
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
