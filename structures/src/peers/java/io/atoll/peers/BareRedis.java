package io.atoll.peers;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.List;

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
    static String request(String... words) {
        StringBuilder text = new StringBuilder("*" + words.length + "\r\n");
        for (String word : words) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        return text.toString();
    }

    /** Requests that are made before they are sent. For one thread at a time. */
    static final class Requests {

        private final ByteBuffer bytes;
        private final int[] ends;

        Requests(List<String> texts) {
            this.bytes = ByteBuffer.allocateDirect(texts.stream().mapToInt(String::length).sum());
            this.ends = new int[texts.size()];
            for (int each = 0; each < ends.length; each++) {
                ends[each] = bytes.put(texts.get(each).getBytes(StandardCharsets.US_ASCII)).position();
            }
        }

        int size() {
            return ends.length;
        }

        private ByteBuffer bytes(int index) {
            return bytes.limit(ends[index]).position(index == 0 ? 0 : ends[index - 1]);
        }
    }

    /** @param answerBytes the number of bytes that the answer is known to have */
    void ask(Requests requests, int index, int answerBytes) throws IOException {
        ByteBuffer request = requests.bytes(index);
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
