package io.atoll.spring.autoconfigure.metrics;

import io.atoll.World;
import io.atoll.fabric.trace.VerbCounts;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.autoconfigure.WorldCustomizer;
import io.atoll.spring.cache.MapCache;
import io.atoll.spring.meters.CollectiveMeters;
import io.atoll.spring.meters.ConnectionMeters;
import io.atoll.spring.meters.ContentMeters;
import io.atoll.spring.meters.EpochMeters;
import io.atoll.spring.meters.FabricMeters;
import io.atoll.spring.meters.LockMeters;
import io.atoll.spring.meters.MapCacheMeters;
import io.atoll.spring.meters.StructureMeters;
import io.atoll.spring.meters.StructureWatch;
import io.atoll.spring.meters.WorldMeters;
import io.atoll.spring.state.VerbLatencies;
import io.atoll.spring.state.WorldStates;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tag;
import io.micrometer.core.instrument.binder.MeterBinder;
import io.micrometer.core.instrument.config.MeterFilter;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.cache.metrics.CacheMeterBinderProvider;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates the meters of the world, if there is a registry for them. */
@AutoConfiguration(after = AtollAutoConfiguration.class, afterName = "org.springframework.boot.micrometer.metrics.autoconfigure.CompositeMeterRegistryAutoConfiguration")
@ConditionalOnClass(MeterRegistry.class)
@ConditionalOnBean({MeterRegistry.class, WorldStates.class})
public final class AtollMetricsAutoConfiguration {

    /**
     * Atoll's observations are rare and short. Meters of running observations would say nothing, and would cost four
     * series each.
     */
    @Bean
    static MeterFilter atollNothingUnderWay() {
        return MeterFilter.deny(meter -> meter.getName().startsWith("atoll.") && meter.getName().endsWith(".active"));
    }

    @Bean
    @ConditionalOnMissingBean
    WorldMeters atollWorldMeters(World world, WorldStates worldStates) {
        return new WorldMeters(world, worldStates);
    }

    @Bean
    @ConditionalOnMissingBean
    EpochMeters atollEpochMeters(World world, WorldStates worldStates) {
        return new EpochMeters(world, worldStates);
    }

    @Bean
    @ConditionalOnMissingBean
    ConnectionMeters atollConnectionMeters(World world, WorldStates worldStates) {
        return new ConnectionMeters(world, worldStates);
    }

    @Bean
    @ConditionalOnMissingBean
    CollectiveMeters atollCollectiveMeters(World world) {
        return new CollectiveMeters(world);
    }

    @Bean
    @ConditionalOnMissingBean
    StructureWatch atollStructureWatch(World world) {
        return new StructureWatch(world);
    }

    @Bean
    @ConditionalOnMissingBean
    ContentMeters atollContentMeters(World world, StructureWatch watch) {
        return new ContentMeters(world, watch);
    }

    @Bean
    @ConditionalOnMissingBean
    LockMeters atollLockMeters(World world, StructureWatch watch) {
        return new LockMeters(world, watch);
    }

    /** Lets Spring Boot bind the meters of caches, where its module for them is present. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnClass(CacheMeterBinderProvider.class)
    static class OfCaches {

        @Bean
        @ConditionalOnMissingBean
        MapCacheMeterProvider atollCacheMeters() {
            return new MapCacheMeterProvider();
        }
    }

    /** A class rather than a lambda, so that Spring Boot can see the type of its caches. */
    static final class MapCacheMeterProvider implements CacheMeterBinderProvider<MapCache> {

        @Override
        public MeterBinder getMeterBinder(MapCache cache, Iterable<Tag> tags) {
            return new MapCacheMeters(cache, tags);
        }
    }

    /**
     * Settings that a world needs before it is opened. An application that opens its world itself has to make them,
     * too.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(name = "atollWorld")
    static class OfTheOwnWorld {

        @Bean
        @ConditionalOnMissingBean
        StructureMeters atollStructureMeters(ObjectProvider<WorldStates> worldStates) {
            return new StructureMeters(worldStates::getObject);
        }

        @Bean
        WorldCustomizer atollStructureMetersCustomizer(StructureMeters meters) {
            return world -> world.stepObserver(meters);
        }
    }

    /**
     * Verbs are not counted if their meters are switched off. They are not counted either if no registry keeps meters:
     * Spring Boot's composite registry then has no registry behind it.
     */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnBean(name = "atollWorld")
    @ConditionalOnMissingBean(name = "noOpMeterRegistry")
    @ConditionalOnBooleanProperty(name = "management.metrics.enable.atoll.fabric", matchIfMissing = true)
    static class OfTheFabric {

        @Bean
        @ConditionalOnMissingBean
        VerbCounts atollVerbCounts() {
            return new VerbCounts();
        }

        @Bean
        WorldCustomizer atollVerbCountsCustomizer(VerbCounts counts) {
            return world -> world.verbCounts(counts);
        }

        @Bean
        @ConditionalOnMissingBean
        VerbLatencies atollVerbLatencies() {
            return new VerbLatencies();
        }

        @Bean
        @ConditionalOnMissingBean
        FabricMeters atollFabricMeters(VerbCounts counts, World world, VerbLatencies latencies) {
            return new FabricMeters(counts, world).alsoTo(latencies);
        }
    }
}
