package io.atoll.history;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.atoll.memory.Layouts;
import io.atoll.memory.LocalMemory;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CodingErrorAction;
import java.util.Arrays;

/** Texts in words. */
final class Words {

    private static final int FEWEST_OF_A_NAME = 24;

    private Words() {}

    /** Returns the text in UTF-8, cut off before the first character that does not fit. */
    static byte[] fitting(String text, int maximumBytes) {
        ByteBuffer bytes = ByteBuffer.allocate(maximumBytes);
        UTF_8.newEncoder()
                .onMalformedInput(CodingErrorAction.REPLACE)
                .onUnmappableCharacter(CodingErrorAction.REPLACE)
                .encode(CharBuffer.wrap(text), bytes, true);
        return Arrays.copyOf(bytes.array(), bytes.position());
    }

    /** Returns the name followed by {@code said}. A long name is cut off to fit, but its beginning always stays. */
    static String fitting(String name, String said, int maximumBytes) {
        int room = Math.max(FEWEST_OF_A_NAME, maximumBytes - said.getBytes(UTF_8).length);
        return new String(fitting(name, room), UTF_8) + said;
    }

    /** Stores the bytes, followed by zeros, into that number of words; each word as a release. */
    static void store(LocalMemory memory, long offset, byte[] bytes, int words) {
        for (int word = 0; word < words; word++) {
            long value = 0;
            for (int at = Math.min(bytes.length, (word + 1) * Long.BYTES) - 1; at >= word * Long.BYTES; at--) {
                value = value << Byte.SIZE | Byte.toUnsignedLong(bytes[at]);
            }
            memory.setRelease(offset + word * Layouts.WORD, value);
        }
    }

    /**
     * Returns the text that lies in the words from {@code first} on. Reads at most {@code maximumBytes}, whatever the
     * length says.
     */
    static String text(long[] words, int first, long bytes, int maximumBytes) {
        byte[] text = new byte[Math.clamp(bytes, 0, maximumBytes)];
        for (int at = 0; at < text.length; at++) {
            text[at] = (byte) (words[first + at / Long.BYTES] >>> at % Long.BYTES * Byte.SIZE);
        }
        return new String(text, UTF_8);
    }
}
