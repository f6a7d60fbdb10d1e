package io.atoll.spring.cache;

import org.jspecify.annotations.Nullable;

/**
 * A value as it stands in the map of a cache.
 *
 * @param expiresAtMillis by the clock of the rank that stored it, since 1970
 * @param bytes null for the value null
 */
public record CachedValue(long expiresAtMillis, byte @Nullable [] bytes) {

    boolean isExpired(long nowMillis) {
        return expiresAtMillis <= nowMillis;
    }
}
