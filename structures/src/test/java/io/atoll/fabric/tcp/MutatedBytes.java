package io.atoll.fabric.tcp;

import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Frames that a rank may send, and mutations of them and of greetings. */
final class MutatedBytes {

    private static final long WORD = SegmentHeader.size(WorldIdentity.defaultMaxSize(2));
    private static final int WORDS = 1000;
    private static final int MOST_FRAMES = 3;
    private static final int MOST_VERBS = 6;
    private static final int MOST_WORDS_OF_A_VERB = 8;
    private static final int FRAME_BYTES = 1024; // room for all of that
    private static final long[] EDGES = {0, 1, -1, 7, 8, 15, 16, 24, 4096, 32_767, 32_768, 32_776, 65_535, 65_536,
        ListeningProgram.SEGMENT_BYTES - 8, ListeningProgram.SEGMENT_BYTES, Integer.MAX_VALUE, Integer.MIN_VALUE,
        Long.MAX_VALUE, Long.MAX_VALUE - 7, Long.MIN_VALUE};

    private MutatedBytes() {}

    /** Returns some frames that a rank may send, numbered from this number on. */
    static byte[] frames(SplittableRandom random, long firstNumber) {
        ByteArrayOutputStream frames = new ByteArrayOutputStream();
        int count = 1 + random.nextInt(MOST_FRAMES);
        for (int index = 0; index < count; index++) {
            frames.writeBytes(frame(random, firstNumber + index, false));
        }
        return frames.toByteArray();
    }

    /**
     * Returns such frames with mutations. Either any bytes are changed, or only some words are, so that they remain
     * frames.
     */
    static byte[] mutatedFrames(SplittableRandom random, long firstNumber) {
        return random.nextInt(3) == 0
                ? mutated(random, frames(random, firstNumber))
                : frame(random, firstNumber, true);
    }

    private static byte[] frame(SplittableRandom random, long number, boolean isMutated) {
        ByteBuffer frame = ByteBuffer.allocate(FRAME_BYTES).order(ByteOrder.LITTLE_ENDIAN);
        int verbs = 1 + random.nextInt(MOST_VERBS);
        int mutated = isMutated ? random.nextInt(verbs) : -1;
        frame.position(Frame.HEADER_BYTES);
        for (int verb = 0; verb < verbs; verb++) {
            addVerb(frame, random, verb == mutated);
        }
        int bytes = frame.position();
        int flags = isMutated && random.nextInt(8) == 0 ? random.nextInt() : Frame.ANSWER_WANTED;
        frame.putInt(0, bytes).putShort(4, (short) verbs).putShort(6, (short) flags).putLong(8, number);
        return Arrays.copyOf(frame.array(), bytes);
    }

    private static void addVerb(ByteBuffer frame, SplittableRandom random, boolean isMutated) {
        byte kind = (byte) (1 + random.nextInt(Frame.LAST_KIND));
        boolean moves = kind == Frame.READ || kind == Frame.WRITE;
        int length = moves ? Long.BYTES * (1 + random.nextInt(MOST_WORDS_OF_A_VERB)) : Long.BYTES;
        long offset = WORD + (long) Long.BYTES * random.nextInt(WORDS);
        int operands = Frame.operandBytes(kind, length);
        int told = length;
        if (isMutated) {
            switch (random.nextInt(8)) {
                case 0 -> told = (int) edge(random);
                case 1 -> told = kind == Frame.READ
                        ? Long.BYTES * random.nextInt(Frame.MAXIMUM_LENGTH / Long.BYTES + 2)
                        : length;
                case 2, 3, 4 -> offset = edge(random) + edge(random);
                case 5 -> offset = ListeningProgram.SEGMENT_BYTES - length + Long.BYTES * (random.nextInt(5) - 2);
                case 6 -> offset ^= 1L << random.nextInt(Long.SIZE);
                default -> offset = random.nextLong();
            }
        }
        frame.put(kind).put((byte) 0).putShort((short) 0).putInt(told).putLong(offset);
        for (int left = operands; left > 0; left -= Long.BYTES) {
            frame.putLong(isMutated ? edge(random) : random.nextLong());
        }
    }

    private static long edge(SplittableRandom random) {
        return EDGES[random.nextInt(EDGES.length)];
    }

    /** Returns the bytes with one to three changes. */
    static byte[] mutated(SplittableRandom random, byte[] original) {
        byte[] bytes = original;
        for (int change = random.nextInt(3); change >= 0 && bytes.length > Long.BYTES; change--) {
            bytes = changed(random, bytes.clone());
        }
        return bytes;
    }

    private static byte[] changed(SplittableRandom random, byte[] bytes) {
        ByteBuffer words = ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN);
        long edge = edge(random);
        int at = random.nextInt(bytes.length - Long.BYTES + 1);
        switch (random.nextInt(7)) {
            case 0 -> bytes[at] = (byte) random.nextInt();
            case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
            case 2 -> words.putShort(at & ~1, (short) edge);
            case 3 -> words.putInt(at & ~3, (int) edge);
            case 4 -> words.putLong(at & ~7, edge);
            case 5 -> {
                return Arrays.copyOf(bytes, at); // cut off
            }
            default -> {
                // A piece occurs twice.
                return whole(Arrays.copyOf(bytes, at), Arrays.copyOfRange(bytes, random.nextInt(at + 1), bytes.length));
            }
        }
        return bytes;
    }

    static byte[] whole(byte[] first, byte[] second) {
        byte[] whole = Arrays.copyOf(first, first.length + second.length);
        System.arraycopy(second, 0, whole, first.length, second.length);
        return whole;
    }
}
