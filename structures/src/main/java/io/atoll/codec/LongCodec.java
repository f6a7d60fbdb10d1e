package io.atoll.codec;

/** The values of {@code long}, which are words. */
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

    /** It refuses nothing. */
    @Override
    public Codec<Long> within(String structure) {
        return this;
    }
}
