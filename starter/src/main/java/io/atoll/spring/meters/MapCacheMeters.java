package io.atoll.spring.meters;

import io.atoll.spring.cache.MapCache;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.cache.CacheMeterBinder;
import org.jspecify.annotations.Nullable;

/**
 * What this process has asked a cache for and put there, as Micrometer's usual meters of a cache. {@link ContentMeters}
 * of the cache's map shows the number of values. The map's name is {@code cache} and the cache's.
 */
public final class MapCacheMeters extends CacheMeterBinder<MapCache> {

    private final MapCache cache;

    public MapCacheMeters(MapCache cache, Iterable<Tag> tags) {
        super(cache, cache.getName(), tags);
        this.cache = cache;
    }

    /** Returns null, since counting the values of all ranks would read all ranks. */
    @Override
    protected @Nullable Long size() {
        return null;
    }

    @Override
    protected long hitCount() {
        return cache.hits();
    }

    @Override
    protected Long missCount() {
        return cache.misses();
    }

    @Override
    protected Long evictionCount() {
        return cache.evictions();
    }

    @Override
    protected long putCount() {
        return cache.puts();
    }

    @Override
    protected void bindImplementationSpecificMetrics(MeterRegistry registry) {
        // There are no meters beyond the usual ones.
    }
}
