package io.atoll.spring.cache;

import org.jspecify.annotations.Nullable;

/**
 * A value in the map of a cache.
 *
 * @param expiresAtMillis the time in milliseconds since 1970, by the clock of the rank that stored the value
 * @param bytes null for the value null
 */
public record CachedValue(long expiresAtMillis, byte @Nullable [] bytes) {

    boolean isExpired(long nowMillis) {
        return expiresAtMillis <= nowMillis;
    }
}
