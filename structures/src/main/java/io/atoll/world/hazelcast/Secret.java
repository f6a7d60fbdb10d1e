package io.atoll.world.hazelcast;

/**
 * A secret that only the processes of a world know. Its text is never printed.
 *
 * @param text empty for none, else at least {@value #LEAST_LENGTH} characters
 */
public record Secret(String text) {

    /** No secret: any process of Atoll that reaches the address can take part. */
    public static final Secret NONE = new Secret("");

    /** Shorter secrets can be found by trying. */
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
