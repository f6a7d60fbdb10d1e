package io.atoll.spring.autoconfigure;

import io.atoll.World;
import io.atoll.WorldBuilder;
import io.atoll.collective.CollectiveSettings;
import io.atoll.collective.Collectives;
import io.atoll.collective.LogGP;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.FabricType;
import io.atoll.memory.WorldIdentity;
import io.atoll.spring.autoconfigure.AtollProperties.CollectiveProperties;
import io.atoll.spring.autoconfigure.AtollProperties.EpochProperties;
import io.atoll.spring.autoconfigure.AtollProperties.WorldSettings;
import io.atoll.spring.template.EpochTemplate;
import io.atoll.world.Membership;
import io.atoll.world.Participant;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.util.unit.DataSize;

/** Opens this process's part of the world that the properties describe. */
@Configuration(proxyBeanMethods = false)
class WorldConfiguration {

    private static final String DEFAULT_NAME = "atoll";

    @Bean
    @ConditionalOnMissingBean
    World atollWorld(AtollProperties properties, Environment environment, FabricType fabric, Membership membership,
            ObjectProvider<WorldCustomizer> customizers, ObjectProvider<ObservationRegistry> observations) {
        WorldSettings settings = properties.world();
        WorldIdentity identity = identity(settings, environment);
        ObservationRegistry registry = observations.getIfUnique(() -> ObservationRegistry.NOOP);
        WorldBuilder world = World.named(identity.name())
                .size(identity.size())
                .maxSize(identity.maxSize())
                .fabric(fabric)
                .membership(membership)
                .segment(segmentBytes(properties.segment().size(), identity.maxSize()))
                .joinTimeout(settings.joinTimeout())
                .operationTimeout(settings.operationTimeout())
                .rejoin(settings.rejoin())
                .history(properties.history().enabled())
                .epochs(epochs(properties.epochs()))
                .collectives(collectives(properties.collectives()))
                .stepObserver(new MicrometerStepObserver(registry, identity.name()));
        ConfiguredRank.find(environment, settings.rank(), identity.size())
                .ifPresent(stated -> world.rank(stated.in(identity)));
        customizers.orderedStream().forEach(customizer -> customizer.customize(world));
        return Observation.createNotStarted("atoll.world.open", registry)
                .lowCardinalityKeyValue("world", identity.name())
                .observe(world::open);
    }

    /** The world closes the manager, so the bean has no destroy method. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    EpochManager atollEpochs(World world) {
        return world.epochs();
    }

    /** The world closes the collectives, so the bean has no destroy method. */
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    Collectives atollCollectives(World world) {
        return world.collectives();
    }

    @Bean
    @ConditionalOnMissingBean
    EpochTemplate atollEpochTemplate(EpochManager epochs) {
        return new EpochTemplate(epochs);
    }

    @Bean
    @ConditionalOnMissingBean
    WorldLifecycle atollWorldLifecycle(World world) {
        return new WorldLifecycle(world);
    }

    private static WorldIdentity identity(WorldSettings settings, Environment environment) {
        String name = settings.name() != null
                ? settings.name()
                : environment.getProperty("spring.application.name", DEFAULT_NAME);
        // The settings are checked one after the other, so that each error names its own property.
        WorldIdentity sized = checked("atoll.world.size", settings.size(),
                () -> new WorldIdentity(DEFAULT_NAME, settings.size()));
        int maxSize = settings.maxSize() == null ? sized.maxSize() : settings.maxSize();
        checked("atoll.world.max-size", maxSize, () -> new WorldIdentity(DEFAULT_NAME, settings.size(), maxSize));
        return checked("atoll.world.name", name, () -> new WorldIdentity(name, settings.size(), maxSize));
    }

    private static EpochSettings epochs(EpochProperties epochs) {
        return checked("atoll.epochs", epochs, () -> new EpochSettings(epochs.tokens(), epochs.reclaimEvery(),
                epochs.reclaimInterval(), epochs.pinLimit()));
    }

    private static CollectiveSettings collectives(CollectiveProperties collectives) {
        Optional<LogGP> costs = Optional.ofNullable(collectives.costs())
                .map(told -> checked("atoll.collectives.costs", told, () -> new LogGP(told.latency(), told.overhead(),
                        told.gap(), told.gapPerByte(), told.receiveOverhead())));
        return checked("atoll.collectives", collectives, () -> new CollectiveSettings(collectives.pollInterval(),
                collectives.flushInterval(), costs,
                Optional.ofNullable(collectives.algorithm()), collectives.windowSize().toBytes(),
                collectives.roomSize().toBytes()));
    }

    private static long segmentBytes(DataSize size, int maxSize) {
        return checked("atoll.segment.size", size, () -> Participant.checkSegmentBytes(maxSize, size.toBytes()));
    }

    private static <T> T checked(String property, Object value, Supplier<T> use) {
        try {
            return use.get();
        } catch (IllegalArgumentException failure) {
            throw new InvalidConfigurationPropertyValueException(property, value, String.valueOf(failure.getMessage()));
        }
    }
}
