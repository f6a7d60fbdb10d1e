package io.atoll.codec;

/** The codec of {@code long}, whose values are words. */
final class LongCodec implements WordCodec<Long> {

    @Override
    public String name() {
        return "long";
    }

    @Override
    public long toWord(Long value) {
        return value;
    }

    @Override
    public Long fromWord(long word) {
        return word;
    }

    /** Returns this codec: it refuses no value, so it never fails. */
    @Override
    public Codec<Long> within(String structure) {
        return this;
    }
}
