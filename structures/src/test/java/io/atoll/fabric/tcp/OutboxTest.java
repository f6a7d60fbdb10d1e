package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SocketChannel;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Tests that a socket gets the frames as they were added, no matter how many bytes it takes at a time. */
class OutboxTest {

    private final Random random = new Random(7);
    private final ByteArrayOutputStream taken = new ByteArrayOutputStream();

    /** Takes some bytes, mostly not whole words. */
    private final Wire socket = new Wire() {
        @Override
        public SocketChannel channel() {
            throw new UnsupportedOperationException();
        }

        @Override
        public int read(ByteBuffer target) {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean hasMore() {
            return false;
        }

        @Override
        public boolean write(ByteBuffer source) {
            byte[] bytes = new byte[random.nextInt(source.remaining() + 1)];
            source.get(bytes);
            taken.writeBytes(bytes);
            return !source.hasRemaining();
        }

        @Override
        public byte[] binding() {
            return new byte[0];
        }

        @Override
        public void close() {
            throw new UnsupportedOperationException();
        }
    };

    @Test
    void framesAreAddedBehindWhatTheSocketHasNotTaken() throws IOException {
        Outbox outbox = new Outbox(Arena.ofAuto());
        long last = 0;
        while (last < 2_000) {
            int bytes = Frame.HEADER_BYTES + 8 * random.nextInt(1_000);
            if (outbox.hasRoomFor(bytes)) {
                last++;
                for (int at = Frame.HEADER_BYTES; at < bytes; at += 8) {
                    outbox.memory().set(JAVA_LONG, outbox.verbs() + at - Frame.HEADER_BYTES, last);
                }
                outbox.add(last, 1, bytes, true);
            } else {
                outbox.sendBy(socket);
            }
        }
        while (!outbox.sendBy(socket)) {
            // Repeat until the outbox is empty.
        }
        assertThat(framesIn(ByteBuffer.wrap(taken.toByteArray()).order(ByteOrder.LITTLE_ENDIAN))).isEqualTo(last);
    }

    private static long framesIn(ByteBuffer stream) {
        long frames = 0;
        while (stream.hasRemaining()) {
            int end = stream.position() + stream.getInt(stream.position());
            frames++;
            assertThat(stream.getLong(stream.position() + (int) Frame.NUMBER)).isEqualTo(frames);
            for (stream.position(stream.position() + Frame.HEADER_BYTES); stream.position() < end;) {
                assertThat(stream.getLong()).isEqualTo(frames);
            }
        }
        return frames;
    }
}
