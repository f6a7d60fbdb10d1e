package io.atoll.peers;

import java.io.EOFException;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;

/**
 * A client of Redis that does for each call what no client can spare: it encodes the keys and values, and decodes the
 * answer. Both have their eight bytes as they are, without digits. For one thread at a time.
 */
final class BareRedis implements AutoCloseable {

    private static final int MOST_BYTES = 1 << 16;
    private static final byte[] LONG = ascii("$8\r\n");
    private static final byte[] END = ascii("\r\n");

    private final SocketChannel channel;
    private final ByteBuffer request = ByteBuffer.allocateDirect(MOST_BYTES);
    private final ByteBuffer answer = ByteBuffer.allocateDirect(MOST_BYTES).flip();

    BareRedis(int port) throws IOException {
        channel = SocketChannel.open(new InetSocketAddress("127.0.0.1", port));
        channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    }

    static byte[] ascii(String text) {
        return text.getBytes(StandardCharsets.US_ASCII);
    }

    /** Returns the beginning of a command that has this number of words. The words after the first ones are longs. */
    static byte[] command(int words, String... first) {
        StringBuilder text = new StringBuilder("*" + words + "\r\n");
        for (String word : first) {
            text.append('$').append(word.length()).append("\r\n").append(word).append("\r\n");
        }
        return ascii(text.toString());
    }

    /** Adds the beginning of a command to what is sent. */
    void begin(byte[] command) {
        request.put(command);
    }

    /** Adds the next word of the command. */
    void add(long word) {
        request.put(LONG).putLong(word).put(END);
    }

    void send() throws IOException {
        request.flip();
        while (request.hasRemaining()) {
            channel.write(request);
        }
        request.clear();
    }

    /** Returns what follows a character that tells the kind of the answer: a number, or how long the answer is. */
    long number(char kind) throws IOException {
        Subject.require(next() == kind);
        int digit = next();
        boolean isNegative = digit == '-';
        long number = 0;
        for (digit = isNegative ? next() : digit; digit != '\r'; digit = next()) {
            number = number * 10 + digit - '0';
        }
        Subject.require(next() == '\n');
        return isNegative ? -number : number;
    }

    /** Returns the value of the answer, or what is given if there is none. */
    long value(long absent) throws IOException {
        if (number('$') < 0) {
            return absent;
        }
        await(Long.BYTES + END.length);
        long value = answer.getLong();
        answer.position(answer.position() + END.length);
        return value;
    }

    /** Reads the answer to a command that only says that it has been obeyed. */
    void obeyed() throws IOException {
        await("+OK\r\n".length());
        Subject.require(answer.get(answer.position()) == '+');
        answer.position(answer.position() + "+OK\r\n".length());
    }

    private int next() throws IOException {
        await(1);
        return answer.get();
    }

    private void await(int bytes) throws IOException {
        if (answer.remaining() < bytes) {
            answer.compact();
            while (answer.position() < bytes) {
                if (channel.read(answer) < 0) {
                    throw new EOFException("Redis has closed the connection");
                }
            }
            answer.flip();
        }
    }

    @Override
    public void close() throws IOException {
        channel.close();
    }
}
