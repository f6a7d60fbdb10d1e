package io.atoll.spring.autoconfigure.cache;

import java.time.Duration;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Spring caches that all ranks share.
 *
 * @param caches Caches, by name.
 */
@ConfigurationProperties("atoll")
public record CacheProperties(@DefaultValue Map<String, CacheSettings> caches) {

    /**
     * @param timeToLive How long a value is found. Without this property a value never expires.
     * @param capacity Number of keys that the cache has room for at first, over all ranks. It grows.
     */
    public record CacheSettings(@Nullable Duration timeToLive, @DefaultValue("65536") long capacity) {}
}
