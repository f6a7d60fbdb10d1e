package io.atoll.map;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import io.atoll.codec.Codec;
import java.lang.foreign.MemorySegment;

/**
 * Encodes a long in several words, from which one can see if all of them were written together. Two different longs
 * differ at least in the last word.
 */
public record WideCodec(int words) implements Codec<Long> {

    private static long word(long value, int index, int words) {
        return index == words - 1 ? value : (value >>> 1) * 0x9E3779B97F4A7C15L + index;
    }

    @Override
    public String name() {
        return "wide" + words;
    }

    @Override
    public int bytes() {
        return words * Long.BYTES;
    }

    @Override
    public void encode(Long value, MemorySegment target, long position) {
        for (int index = 0; index < words; index++) {
            target.set(JAVA_LONG, position + index * 8L, word(value, index, words));
        }
    }

    @Override
    public Long decode(MemorySegment source, long position) {
        long value = source.get(JAVA_LONG, position + (words - 1) * 8L);
        for (int index = 0; index < words; index++) {
            long found = source.get(JAVA_LONG, position + index * 8L);
            if (found != word(value, index, words)) {
                throw new AssertionError("torn: value=" + value + " word=" + index + " found=" + found);
            }
        }
        return value;
    }
}
