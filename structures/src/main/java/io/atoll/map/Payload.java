package io.atoll.map;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;
import java.util.Arrays;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Keys that have the same hash, and their values, as they lie in one object of the owner's heap. Nearly always this is
 * one key. Each entry begins at a word:
 * <pre>
 *       0           4             8
 *       +-----------+-------------+---------//----------+----------//-----------+------------
 *       | key bytes | value bytes |         key         |         value         | zeros up to a word
 *       +-----------+-------------+---------//----------+----------//-----------+------------
 * </pre>
 * A payload is immutable, in memory as in the heap. What changes is the payload that a bucket refers to.
 */
final class Payload {

    /** The most bytes that a reference can express. */
    public static final int LARGEST_BYTES = Integer.MAX_VALUE - 7;

    private static final long VALUE_BYTES = Integer.BYTES;
    private static final long KEY = Layouts.WORD;

    private final MemorySegment words;

    /** @param words of a payload that was read */
    public Payload(MemorySegment words) {
        this.words = words;
    }

    public static Payload of(byte[] key, byte[] value) {
        MemorySegment words = allocate(size(key.length, value.length));
        write(words, 0, key, value);
        return new Payload(words);
    }

    private static long size(int keyBytes, int valueBytes) {
        return Layouts.roundUp(KEY + keyBytes + valueBytes, Layouts.WORD);
    }

    /** @throws IllegalArgumentException if no payload is so large */
    private static MemorySegment allocate(long bytes) {
        if (bytes > LARGEST_BYTES) {
            throw new IllegalArgumentException(
                    "a key and its value are too large: largestBytes=" + LARGEST_BYTES + " bytes=" + bytes);
        }
        return MemorySegment.ofArray(new long[(int) (bytes / Layouts.WORD)]);
    }

    private static void write(MemorySegment words, long position, byte[] key, byte[] value) {
        words.set(JAVA_INT, position, key.length);
        words.set(JAVA_INT, position + VALUE_BYTES, value.length);
        MemorySegment.copy(key, 0, words, JAVA_BYTE, position + KEY, key.length);
        MemorySegment.copy(value, 0, words, JAVA_BYTE, position + KEY + key.length, value.length);
    }

    public MemorySegment words() {
        return words;
    }

    public int bytes() {
        return (int) words.byteSize();
    }

    /** Returns true if there is more than one key. */
    public boolean hasSeveral() {
        return sizeAt(0) < bytes();
    }

    public int count() {
        int[] count = new int[1];
        forEach((key, value) -> count[0]++);
        return count[0];
    }

    public byte @Nullable [] find(byte[] key) {
        long position = positionOf(key);
        return position < 0 ? null : valueAt(position);
    }

    /** Returns the same payload with this entry, which replaces the key's entry if there is one. */
    public Payload with(byte[] key, byte[] value) {
        Payload others = without(key);
        if (others == null) {
            return of(key, value);
        }
        MemorySegment changed = allocate(others.bytes() + size(key.length, value.length));
        changed.copyFrom(others.words);
        write(changed, others.bytes(), key, value);
        return new Payload(changed);
    }

    /** Returns the same payload without this key's entry, or null if no other entry is left. */
    public @Nullable Payload without(byte[] key) {
        long position = positionOf(key);
        if (position < 0) {
            return this;
        }
        long size = sizeAt(position);
        if (size == bytes()) {
            return null;
        }
        MemorySegment changed = allocate(bytes() - size);
        MemorySegment.copy(words, 0, changed, 0, position);
        MemorySegment.copy(words, position + size, changed, position, bytes() - position - size);
        return new Payload(changed);
    }

    /** Returns how many bytes tell whether a payload begins with this key. */
    public static long bytesToKey(byte[] key) {
        return Layouts.roundUp(KEY + key.length, Layouts.WORD);
    }

    /** Returns true if the payload of which so many bytes were read begins with this key. */
    public static boolean beginsWith(MemorySegment buffer, long position, byte[] key) {
        return buffer.get(JAVA_INT, position) == key.length && MemorySegment.mismatch(buffer, position + KEY,
                position + KEY + key.length, MemorySegment.ofArray(key), 0, key.length) < 0;
    }

    public void forEach(BiConsumer<byte[], byte[]> visitor) {
        for (long position = 0; position < bytes(); position += sizeAt(position)) {
            visitor.accept(keyAt(position), valueAt(position));
        }
    }

    private long positionOf(byte[] key) {
        for (long position = 0; position < bytes(); position += sizeAt(position)) {
            if (isKeyAt(position, key)) {
                return position;
            }
        }
        return -1;
    }

    private boolean isKeyAt(long position, byte[] key) {
        return beginsWith(words, position, key);
    }

    private long sizeAt(long position) {
        long size = size(keyBytesAt(position), words.get(JAVA_INT, position + VALUE_BYTES));
        if (size < KEY || position + size > bytes()) {
            throw new AssertionError("torn: a payload was freed while it was in use: bytes=" + bytes() + " position="
                    + position + " size=" + size);
        }
        return size;
    }

    private int keyBytesAt(long position) {
        return words.get(JAVA_INT, position);
    }

    private byte[] keyAt(long position) {
        return words.asSlice(position + KEY, keyBytesAt(position)).toArray(JAVA_BYTE);
    }

    private byte[] valueAt(long position) {
        return words.asSlice(position + KEY + keyBytesAt(position), words.get(JAVA_INT, position + VALUE_BYTES))
                .toArray(JAVA_BYTE);
    }

    @Override
    public boolean equals(@Nullable Object other) {
        return other instanceof Payload payload && words.mismatch(payload.words) < 0;
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(words.toArray(JAVA_BYTE));
    }
}
