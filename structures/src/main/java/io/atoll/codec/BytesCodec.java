package io.atoll.codec;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import io.atoll.memory.Layouts;
import java.lang.foreign.MemorySegment;

/** Stores byte arrays of one length, filled up with zeros to whole words. */
final class BytesCodec implements Codec<byte[]> {

    private final int length;
    private final int bytes;

    BytesCodec(int length) {
        if (length < 1) {
            throw new IllegalArgumentException("an array of at least one byte: length=" + length);
        }
        this.length = length;
        this.bytes = Math.toIntExact(Layouts.roundUp(length, Layouts.WORD));
    }

    @Override
    public String name() {
        return "bytes" + length;
    }

    @Override
    public int bytes() {
        return bytes;
    }

    @Override
    public void encode(byte[] value, MemorySegment target, long position) {
        if (value.length != length) {
            throw new IllegalArgumentException(
                    "arrays of one length are stored here: expectedLength=" + length + " length=" + value.length);
        }
        MemorySegment.copy(value, 0, target, JAVA_BYTE, position, length);
        for (int at = length; at < bytes; at++) {
            target.set(JAVA_BYTE, position + at, (byte) 0);
        }
    }

    @Override
    public byte[] decode(MemorySegment source, long position) {
        byte[] value = new byte[length];
        MemorySegment.copy(source, JAVA_BYTE, position, value, 0, length);
        return value;
    }
}
