package io.atoll.autoconfigure.cache;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Caches of Spring's that all ranks share.
 *
 * @param caches Caches, by name.
 * @param codec How objects are stored.
 */
@ConfigurationProperties("atoll")
public record CacheProperties(@DefaultValue Map<String, CacheSettings> caches, @DefaultValue CodecSettings codec) {

    /**
     * @param timeToLive How long a value is found; for ever unless told.
     * @param capacity How many keys it must hold, over all ranks.
     */
    public record CacheSettings(@Nullable Duration timeToLive, @DefaultValue("65536") long capacity) {}

    /**
     * @param allowedClasses Classes whose objects may be stored and read, as com.example.Order, or com.example.* for a whole package; numbers, texts, dates and collections always may.
     */
    public record CodecSettings(@DefaultValue List<String> allowedClasses) {}
}
