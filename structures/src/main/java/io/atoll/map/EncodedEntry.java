package io.atoll.map;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/**
 * A key and its value in a message, each filled up to whole words:
 * <pre>
 *   63          32 31           0
 *   +-------------+-------------+-----//-----+------//------+
 *   |  key bytes  | value bytes |     key    |    value     |
 *   +-------------+-------------+-----//-----+------//------+
 * </pre>
 *
 * @param end the position of the next entry
 */
record EncodedEntry(byte[] key, byte[] value, long end) {

    /** Adds an entry to the message. Returns false if the message has no room. */
    static boolean append(byte[] key, byte[] value, Message message) {
        long valueAt = Long.BYTES + Layouts.roundUp(key.length, Layouts.WORD);
        long position = message.add(valueAt + Layouts.roundUp(value.length, Layouts.WORD));
        if (position == Message.NO_ROOM) {
            return false;
        }
        MemorySegment words = message.words();
        words.set(ValueLayout.JAVA_LONG, position, (long) key.length << Integer.SIZE | value.length);
        copy(key, words, position + Long.BYTES);
        copy(value, words, position + valueAt);
        return true;
    }

    private static void copy(byte[] bytes, MemorySegment words, long position) {
        MemorySegment.copy(bytes, 0, words, ValueLayout.JAVA_BYTE, position, bytes.length);
    }

    static EncodedEntry at(MemorySegment message, long position) {
        long lengths = message.get(ValueLayout.JAVA_LONG, position);
        int keyLength = (int) (lengths >>> Integer.SIZE);
        int valueLength = (int) lengths;
        long keyAt = position + Long.BYTES;
        long valueAt = keyAt + Layouts.roundUp(keyLength, Layouts.WORD);
        return new EncodedEntry(bytes(message, keyAt, keyLength), bytes(message, valueAt, valueLength),
                valueAt + Layouts.roundUp(valueLength, Layouts.WORD));
    }

    private static byte[] bytes(MemorySegment words, long position, int length) {
        return words.asSlice(position, length).toArray(ValueLayout.JAVA_BYTE);
    }
}
