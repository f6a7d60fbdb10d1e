package io.atoll.cache;

import java.time.Duration;
import java.util.Collection;
import java.util.Map;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.cache.Cache;
import org.springframework.cache.CacheManager;

/** The caches of the world that the properties name, and no others. Of what has expired it removes, from time to time, what lies in this rank's segment. */
public final class MapCacheManager implements CacheManager, AutoCloseable {

    private static final Logger LOG = LoggerFactory.getLogger(MapCacheManager.class);

    private final Map<String, MapCache> caches;
    private final ScheduledExecutorService sweeper = Executors
            .newSingleThreadScheduledExecutor(Thread.ofPlatform().daemon().name("atoll-caches").factory());

    /** @param sweepInterval how long what has expired stays at most */
    public MapCacheManager(Collection<MapCache> caches, Duration sweepInterval) {
        this.caches = caches.stream().collect(Collectors.toUnmodifiableMap(MapCache::getName, Function.identity()));
        long millis = sweepInterval.toMillis();
        sweeper.scheduleWithFixedDelay(this::sweep, millis, millis, TimeUnit.MILLISECONDS);
    }

    private void sweep() {
        for (MapCache cache : caches.values()) {
            try {
                cache.sweep();
            } catch (RuntimeException failure) {
                LOG.debug("what has expired stays for another while: cache={}", cache.getName(), failure);
            }
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

    /** Returns when nothing is being removed any more: the world may be closed then. */
    @Override
    public void close() {
        sweeper.shutdownNow(); // one that waits for missing ranks need not go on
        sweeper.close();
    }
}
