package io.atoll.spring.autoconfigure.cache;

import io.atoll.World;
import io.atoll.codec.kryo.AllowedClasses;
import io.atoll.codec.kryo.ObjectCodec;
import io.atoll.map.DistributedMap;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.autoconfigure.AtollProperties;
import io.atoll.spring.autoconfigure.cache.CacheProperties.CacheSettings;
import io.atoll.spring.cache.CachedValue;
import io.atoll.spring.cache.MapCache;
import io.atoll.spring.cache.MapCacheManager;
import io.atoll.world.OnLoss;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionMessage;
import org.springframework.boot.autoconfigure.condition.ConditionOutcome;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.SpringBootCondition;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.cache.CacheManager;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.ConditionContext;
import org.springframework.context.annotation.Conditional;
import org.springframework.core.type.AnnotatedTypeMetadata;

/** Creates the application's cache manager if properties name caches. */
@AutoConfiguration(after = AtollAutoConfiguration.class, beforeName = "org.springframework.boot.cache.autoconfigure.CacheAutoConfiguration")
@Conditional(AtollCacheAutoConfiguration.NamesCaches.class)
@ConditionalOnBean(World.class)
@ConditionalOnMissingBean(CacheManager.class)
@EnableConfigurationProperties(CacheProperties.class)
public final class AtollCacheAutoConfiguration {

    private static final long SHORTEST_SWEEP_INTERVAL_MILLIS = 1_000;
    private static final long LONGEST_SWEEP_INTERVAL_MILLIS = 60_000;

    @Bean
    MapCacheManager atollCacheManager(CacheProperties properties, AtollProperties common, World world) {
        AllowedClasses allowed = AllowedClasses.of(common.codec().allowedClasses());
        List<MapCache> caches = properties.caches()
                .entrySet()
                .stream()
                .map(cache -> checked(cache.getKey(), cache.getValue(), allowed, world))
                .toList();
        return new MapCacheManager(caches, sweepInterval(properties.caches()), world.background());
    }

    private static MapCache checked(String name, CacheSettings settings, AllowedClasses allowed, World world) {
        try {
            return cache(name, settings, allowed, world);
        } catch (IllegalArgumentException | IllegalStateException failure) {
            throw new InvalidConfigurationPropertyValueException("atoll.caches." + name, settings,
                    String.valueOf(failure.getMessage()));
        }
    }

    private static MapCache cache(String name, CacheSettings settings, AllowedClasses allowed, World world) {
        String structure = "cache " + name;
        DistributedMap<byte[], CachedValue> map = world.map(structure, byte[].class, CachedValue.class)
                .capacity(settings.capacity())
                .onLoss(OnLoss.EMPTY)
                .openLazily();
        return new MapCache(name, map, ObjectCodec.of(Object.class, allowed).within(structure),
                settings.timeToLive(), InstantSource.system());
    }

    private static Duration sweepInterval(Map<String, CacheSettings> caches) {
        long shortestMillis = caches.values()
                .stream()
                .map(CacheSettings::timeToLive)
                .filter(Objects::nonNull)
                .mapToLong(Duration::toMillis)
                .min()
                .orElse(LONGEST_SWEEP_INTERVAL_MILLIS);
        return Duration.ofMillis(
                Math.clamp(shortestMillis, SHORTEST_SWEEP_INTERVAL_MILLIS, LONGEST_SWEEP_INTERVAL_MILLIS));
    }

    /** Matches if {@code atoll.caches} names any cache. */
    static final class NamesCaches extends SpringBootCondition {

        @Override
        public ConditionOutcome getMatchOutcome(ConditionContext context, AnnotatedTypeMetadata metadata) {
            boolean any = Binder.get(context.getEnvironment())
                    .bind("atoll.caches", Bindable.mapOf(String.class, Object.class))
                    .isBound();
            return new ConditionOutcome(any, ConditionMessage.forCondition("Caches")
                    .because("atoll.caches names "
                            + (any ? "some" : "none")));
        }
    }
}
