package io.atoll.epoch;

/** That a token is pinned, for try-with-resources. */
public final class Pin implements AutoCloseable {

    private final Token token;

    Pin(Token token) {
        this.token = token;
    }

    /** As {@link Token#unpin()}: once for each {@link Token#pin()}. */
    @Override
    public void close() {
        token.unpin();
    }
}
