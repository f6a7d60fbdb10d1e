package io.atoll.fabric.tcp;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;
import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.MappedMemory;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Tests that connections that share buffers get the same answers as with buffers of their own. */
@Tag("network")
class SharedServingBuffersTest {

    private static final int SEGMENT_BYTES = 1 << 17;
    private static final int CONNECTIONS = 3;
    private static final int REQUESTS = 60;

    private final Arena arena = Arena.ofAuto();

    /** Delivers and takes a random number of bytes at a time. */
    private static class RandomWire implements Wire {

        private final ByteBuffer requests;
        private final ByteArrayOutputStream answers = new ByteArrayOutputStream();
        private final Random random;

        private RandomWire(byte[] requests, Random random) {
            this.requests = ByteBuffer.wrap(requests);
            this.random = random;
        }

        @Override
        public SocketChannel channel() {
            throw new UnsupportedOperationException("there is none");
        }

        @Override
        public int read(ByteBuffer target) {
            int bytes = Math.min(target.remaining(), some(requests.remaining()));
            target.put(requests.slice(requests.position(), bytes));
            requests.position(requests.position() + bytes);
            return bytes;
        }

        @Override
        public boolean hasMore() {
            return false;
        }

        @Override
        public boolean write(ByteBuffer source) {
            byte[] taken = new byte[some(source.remaining())];
            source.get(taken);
            answers.writeBytes(taken);
            return !source.hasRemaining();
        }

        int some(int most) {
            return switch (random.nextInt(4)) {
                case 0 -> 0;
                case 1 -> Math.min(most, random.nextInt(40));
                case 2 -> most == 0 ? 0 : random.nextInt(most);
                default -> most;
            };
        }

        @Override
        public byte[] binding() {
            return new byte[0];
        }

        @Override
        public void close() {}
    }

    /** Returns a random request on the words of a connection. No other connection changes these words. */
    private static byte[] request(Random random, long number, int connection) {
        long offset = connection * (1L << 15);
        int kind = random.nextInt(3);
        int operands = kind == 0 ? 0 : 1;
        int bytes = Frame.HEADER_BYTES + Frame.VERB_BYTES + Long.BYTES * operands;
        MemorySegment frame = MemorySegment.ofArray(new long[bytes / Long.BYTES]);
        frame.set(JAVA_INT, Frame.BYTES, bytes);
        frame.set(JAVA_SHORT, Frame.VERBS, (short) 1);
        frame.set(JAVA_SHORT, Frame.FLAGS, (short) (random.nextInt(4) == 0 ? 0 : Frame.ANSWER_WANTED));
        frame.set(JAVA_LONG, Frame.NUMBER, number);
        frame.set(JAVA_BYTE, Frame.HEADER_BYTES + Frame.KIND,
                kind == 0 ? Frame.READ : kind == 1 ? Frame.WRITE : Frame.GET_AND_ADD);
        frame.set(JAVA_INT, Frame.HEADER_BYTES + Frame.LENGTH, kind == 0 ? 8 << random.nextInt(13) : 8);
        frame.set(JAVA_LONG, Frame.HEADER_BYTES + Frame.OFFSET, offset);
        for (int operand = 0; operand < operands; operand++) {
            frame.set(JAVA_LONG, Frame.HEADER_BYTES + Frame.VERB_BYTES + 8L * operand, random.nextLong());
        }
        return frame.toArray(JAVA_BYTE);
    }

    private static byte[] requests(long seed, int connection) {
        Random random = new Random(seed * CONNECTIONS + connection);
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (long number = 1; number <= REQUESTS; number++) {
            all.writeBytes(request(random, number, connection));
        }
        return all.toByteArray();
    }

    private MappedMemory segment() {
        return new MappedMemory(arena.allocate(SEGMENT_BYTES, 64));
    }

    /** Returns the answers of a connection with buffers of its own. */
    private byte[] expected(long seed, int connection) throws IOException {
        RandomWire wire = new RandomWire(requests(seed, connection), new Random(seed));
        ServingBuffers servingBuffers = ServingBuffers.allocate(arena);
        RequestAnswerer answerer = new RequestAnswerer(wire, segment());
        while (wire.requests.hasRemaining()) {
            answerer.read(servingBuffers);
            boolean answered = false;
            while (!answered) {
                answered = answerer.answer(servingBuffers);
            }
        }
        return wire.answers.toByteArray();
    }

    @Test
    void whatIsNotWholeAndWhatHasNotGoneIsKeptForEachConnection() throws IOException {
        ServingBuffers servingBuffers = ServingBuffers.allocate(arena);
        for (long seed = 0; seed < 100; seed++) {
            Random random = new Random(seed);
            MappedMemory segment = segment();
            List<RandomWire> wires = new ArrayList<>();
            List<RequestAnswerer> answerers = new ArrayList<>();
            boolean[] sending = new boolean[CONNECTIONS];
            for (int connection = 0; connection < CONNECTIONS; connection++) {
                wires.add(new RandomWire(requests(seed, connection), random));
                answerers.add(new RequestAnswerer(wires.get(connection), segment));
            }
            while (wires.stream().anyMatch(wire -> wire.requests.hasRemaining()) || isAny(sending)) {
                int turn = random.nextInt(CONNECTIONS);
                RequestAnswerer answerer = answerers.get(turn);
                answerer.use(servingBuffers);
                boolean answered = answerer.answer(servingBuffers);
                if (answered) {
                    answerer.read(servingBuffers);
                    answered = answerer.answer(servingBuffers);
                }
                answerer.leave(servingBuffers);
                sending[turn] = !answered;
            }
            for (int connection = 0; connection < CONNECTIONS; connection++) {
                assertThat(wires.get(connection).answers.toByteArray()).as("seed=%d connection=%d", seed, connection)
                        .isEqualTo(expected(seed, connection));
            }
        }
    }

    /** Small requests ask for large answers, which the other side reads as fast as they come. */
    @Test
    void aTurnEndsWithTheAnswersThatTheBuffersHold() throws IOException {
        int reads = 1_000;
        ByteArrayOutputStream all = new ByteArrayOutputStream();
        for (long number = 1; number <= reads; number++) {
            all.writeBytes(read(number, Frame.MAXIMUM_LENGTH));
        }
        RandomWire wire = new RandomWire(all.toByteArray(), new Random(1)) {
            @Override
            int some(int most) {
                return most;
            }
        };
        RequestAnswerer answerer = new RequestAnswerer(wire, segment());
        ServingBuffers servingBuffers = ServingBuffers.allocate(arena);
        answerer.read(servingBuffers);
        int answered = 0;
        boolean isOver = false;
        while (!isOver) {
            isOver = answerer.answer(servingBuffers);
            assertThat(wire.answers.size() - answered).isPositive().isLessThanOrEqualTo(ServingBuffers.BYTES);
            answered = wire.answers.size();
        }
        assertThat(answered).isEqualTo(reads * (Frame.HEADER_BYTES + Frame.MAXIMUM_LENGTH));
    }

    private static byte[] read(long number, int length) {
        MemorySegment frame = MemorySegment.ofArray(new long[(Frame.HEADER_BYTES + Frame.VERB_BYTES) / Long.BYTES]);
        frame.set(JAVA_INT, Frame.BYTES, Frame.HEADER_BYTES + Frame.VERB_BYTES);
        frame.set(JAVA_SHORT, Frame.VERBS, (short) 1);
        frame.set(JAVA_SHORT, Frame.FLAGS, (short) Frame.ANSWER_WANTED);
        frame.set(JAVA_LONG, Frame.NUMBER, number);
        frame.set(JAVA_BYTE, Frame.HEADER_BYTES + Frame.KIND, Frame.READ);
        frame.set(JAVA_INT, Frame.HEADER_BYTES + Frame.LENGTH, length);
        return frame.toArray(JAVA_BYTE);
    }

    private static boolean isAny(boolean[] flags) {
        for (boolean flag : flags) {
            if (flag) {
                return true;
            }
        }
        return false;
    }
}
