package io.atoll.fabric.link;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Arrays;

/** A secret that all processes of a world know, and no others. It is never shown, neither its text nor its length. */
public final class Secret {

    /** The shortest secret allowed: a shorter one could be guessed. */
    public static final int SHORTEST_BYTES = 32;

    private final byte[] bytes;

    private Secret(byte[] bytes) {
        if (bytes.length < SHORTEST_BYTES) {
            throw new IllegalArgumentException("a secret of " + SHORTEST_BYTES
                    + " bytes or more is needed, make one with: openssl rand -base64 32");
        }
        this.bytes = bytes;
    }

    /** @throws IllegalArgumentException if it is shorter than {@value #SHORTEST_BYTES} bytes in UTF-8 */
    public static Secret of(String text) {
        return new Secret(text.getBytes(StandardCharsets.UTF_8));
    }

    byte[] bytes() {
        return bytes.clone();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Secret that && MessageDigest.isEqual(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(bytes);
    }

    @Override
    public String toString() {
        return "Secret[not shown]";
    }
}
