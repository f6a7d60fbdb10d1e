package io.atoll.epoch;

/** Keeps a token pinned until it is closed, for try-with-resources. */
public final class Pin implements AutoCloseable {

    private final Token token;

    Pin(Token token) {
        this.token = token;
    }

    /** As {@link Token#unpin()}. A caller calls this once for each {@link Token#pin()}. */
    @Override
    public void close() {
        token.unpin();
    }
}
