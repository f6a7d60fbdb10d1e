package io.atoll.spring.cache;

import io.atoll.codec.VariableCodec;
import io.atoll.map.DistributedMap;
import java.time.Duration;
import java.time.InstantSource;
import java.util.concurrent.Callable;
import java.util.concurrent.atomic.LongAdder;
import org.jspecify.annotations.Nullable;
import org.springframework.cache.support.AbstractValueAdaptingCache;

/**
 * A cache that all ranks share: a value that one rank has put is found by all others. A value is found until its time
 * to live is over, by the clocks of the ranks. These agree as well as the clocks of their hosts. Then the value counts
 * as absent, and its room is used again.
 *
 * <p>{@link #get(Object, Callable)}, and with it {@code @Cacheable(sync = true)}, loads a value once in the whole
 * world. Other callers that ask for it in this way wait for at most the world's operation timeout. Then they fail with
 * a {@link io.atoll.failure.FabricTimeoutException}. Keys must be such that {@link CacheKeys} can encode them.
 */
public final class MapCache extends AbstractValueAdaptingCache {

    private final String name;
    private final DistributedMap<byte[], CachedValue> map;
    private final VariableCodec<Object> values;
    private final long timeToLiveMillis;
    private final InstantSource clock;
    private final LongAdder hits = new LongAdder();
    private final LongAdder misses = new LongAdder();
    private final LongAdder puts = new LongAdder();
    private final LongAdder evictions = new LongAdder();

    /** @param timeToLive null if values never expire */
    public MapCache(String name, DistributedMap<byte[], CachedValue> map, VariableCodec<Object> values,
            @Nullable Duration timeToLive, InstantSource clock) {
        super(true);
        if (timeToLive != null && !timeToLive.isPositive()) {
            throw new IllegalArgumentException(
                    "values live for some time: cache=" + name + " timeToLive=" + timeToLive);
        }
        this.name = name;
        this.map = map;
        this.values = values;
        this.timeToLiveMillis = timeToLive == null ? Long.MAX_VALUE : timeToLive.toMillis();
        this.clock = clock;
    }

    @Override
    public String getName() {
        return name;
    }

    @Override
    public DistributedMap<byte[], CachedValue> getNativeCache() {
        return map;
    }

    @Override
    protected @Nullable Object lookup(Object key) {
        Object found = living(map.get(bytes(key)));
        (found == null ? misses : hits).increment();
        return found;
    }

    @Override
    @SuppressWarnings("unchecked") // the caller knows the type of the value that it has put
    public <T> @Nullable T get(Object key, Callable<T> loader) {
        Object found = lookup(key);
        if (found == null) {
            found = living(map.compute(bytes(key), (bytes, present) -> isLiving(present)
                    ? present
                    : stored(load(key, loader))));
        }
        return (T) fromStoreValue(found);
    }

    private <T> @Nullable T load(Object key, Callable<T> loader) {
        try {
            T loaded = loader.call();
            puts.increment();
            return loaded;
        } catch (Exception failure) {
            throw new ValueRetrievalException(key, loader, failure);
        }
    }

    @Override
    public void put(Object key, @Nullable Object value) {
        map.put(bytes(key), stored(value));
        puts.increment();
    }

    @Override
    public @Nullable ValueWrapper putIfAbsent(Object key, @Nullable Object value) {
        CachedValue given = stored(value);
        CachedValue then = map.compute(bytes(key), (bytes, present) -> isLiving(present) ? present : given);
        if (then == given) {
            puts.increment();
            return null;
        }
        return toValueWrapper(living(then));
    }

    @Override
    public void evict(Object key) {
        map.getAndRemove(bytes(key));
    }

    @Override
    public boolean evictIfPresent(Object key) {
        return isLiving(map.getAndRemove(bytes(key)));
    }

    @Override
    public void clear() {
        map.clear();
    }

    @Override
    public boolean invalidate() {
        boolean any = !map.isEmpty();
        map.clear();
        return any;
    }

    /** Removes expired values from this rank's segment. */
    void sweep() {
        long nowMillis = clock.millis();
        map.forEachLocal((key, value) -> {
            if (value.isExpired(nowMillis) && map.remove(key, value)) {
                evictions.increment();
            }
        });
    }

    /** Returns how often this process has found a value. */
    public long hits() {
        return hits.sum();
    }

    /** Returns how often this process has asked for a value that was absent or expired at all ranks. */
    public long misses() {
        return misses.sum();
    }

    /** Returns how many values this process has stored. */
    public long puts() {
        return puts.sum();
    }

    /** Returns how many expired values this process has removed. They were in its own segment. */
    public long evictions() {
        return evictions.sum();
    }

    private byte[] bytes(Object key) {
        return CacheKeys.encode(name, key);
    }

    private CachedValue stored(@Nullable Object value) {
        long nowMillis = clock.millis();
        long expiresAtMillis = timeToLiveMillis > Long.MAX_VALUE - nowMillis
                ? Long.MAX_VALUE
                : nowMillis + timeToLiveMillis;
        return new CachedValue(expiresAtMillis, value == null ? null : values.encode(value));
    }

    private boolean isLiving(@Nullable CachedValue value) {
        return value != null && !value.isExpired(clock.millis());
    }

    /**
     * Returns the value as the superclass wants it: null stands for an absent value, another object for the value null.
     */
    private @Nullable Object living(@Nullable CachedValue value) {
        if (value == null || value.isExpired(clock.millis())) {
            return null;
        }
        return toStoreValue(value.bytes() == null ? null : values.decode(value.bytes()));
    }
}
