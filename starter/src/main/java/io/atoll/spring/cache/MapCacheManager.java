package io.atoll.spring.cache;

import io.atoll.background.BackgroundThread;
import io.atoll.background.BackgroundThreads;
import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/**
 * The caches of the world that the properties name, and no others. From time to time, the manager removes expired
 * values from this rank's segment.
 */
public final class MapCacheManager implements CacheManager, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MapCacheManager.class);

    private final Map<String, MapCache> caches;
    private final BackgroundThread sweeper;

    /**
     * @param sweepInterval how long an expired value stays at most
     * @param background watches over the thread that removes expired values
     */
    public MapCacheManager(Collection<MapCache> caches, Duration sweepInterval, BackgroundThreads background) {
        this.caches = caches.stream().collect(Collectors.toUnmodifiableMap(MapCache::getName, Function.identity()));
        this.sweeper = background.add(
                new BackgroundThread("atoll-caches", BackgroundThread.afterEvery(sweepInterval, this::sweep)));
        sweeper.wake();
    }

    private void sweep() {
        BackgroundThread.each(caches.values(), this::sweep);
    }

    /** Returns true if the cache could be swept. */
    private boolean sweep(MapCache cache) {
        try {
            cache.sweep();
            return true;
        } catch (RuntimeException failure) {
            LOG.debug("what has expired stays for another while: cache={}", cache.getName(), failure);
            return false;
        }
    }

    @Override
    public @Nullable Cache getCache(String name) {
        return caches.get(name);
    }

    @Override
    public Collection<String> getCacheNames() {
        return caches.keySet();
    }

    /** Returns when no value is being removed any more. Then the world may be closed. */
    @Override
    public void close() {
        Thread running = sweeper.stop();
        if (running != null) {
            running.interrupt(); // a sweep that waits for missing ranks need not go on
        }
        sweeper.end();
    }
}
