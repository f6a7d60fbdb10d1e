package io.atoll.world.hazelcast;

/**
 * What the processes of a world know and nobody else does. Its text is never printed.
 *
 * @param text empty for none, else {@value #LEAST_LENGTH} characters or more
 */
public record Secret(String text) {

    /** No secret: any process of Atoll that reaches the address can take part. */
    public static final Secret NONE = new Secret("");

    /** Shorter ones are found by trying. */
    public static final int LEAST_LENGTH = 16;

    public Secret {
        if (!text.isEmpty() && text.length() < LEAST_LENGTH) {
            throw new IllegalArgumentException("a secret has " + LEAST_LENGTH
                    + " characters or more, take what 'openssl rand -base64 32' prints: length=" + text.length());
        }
    }

    boolean isNone() {
        return text.isEmpty();
    }

    @Override
    public String toString() {
        return isNone() ? "none" : "set";
    }
}
