package io.atoll.queue;

import io.atoll.codec.Codec;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

/** A codec of longs that fill several words. Each word is different, so that a torn element is noticed. */
record WideElement(int words) implements Codec<Long> {

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
            target.setAtIndex(ValueLayout.JAVA_LONG, position / Long.BYTES + index, value + index);
        }
    }

    @Override
    public Long decode(MemorySegment source, long position) {
        long value = source.get(ValueLayout.JAVA_LONG, position);
        for (int index = 0; index < words; index++) {
            long found = source.getAtIndex(ValueLayout.JAVA_LONG, position / Long.BYTES + index);
            if (found != value + index) {
                throw new AssertionError("torn: value=" + value + " word=" + index + " found=" + found);
            }
        }
        return value;
    }
}
