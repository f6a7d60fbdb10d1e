package io.atoll.spring.autoconfigure;

import io.atoll.World;
import io.atoll.epoch.LocalEpochManager;
import io.atoll.spring.autoconfigure.property.PropertyCheck;
import io.atoll.spring.state.WorldStates;
import org.springframework.beans.factory.ListableBeanFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.Lazy;

/** Makes the application a rank of a world. */
@AutoConfiguration
@ConditionalOnBooleanProperty(name = "atoll.enabled", matchIfMissing = true)
@EnableConfigurationProperties(AtollProperties.class)
@Import({PropertyCheck.class, FabricConfiguration.class, MembershipConfiguration.class, WorldConfiguration.class})
public final class AtollAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    WorldStates atollWorldStates(World world, ListableBeanFactory beans, ObjectProvider<BundleReloads> reloads) {
        return new WorldStates(world, () -> beans.getBeansOfType(LocalEpochManager.class),
                () -> reloads.stream().flatMap(each -> each.refused().stream()).findFirst()).watchPins();
    }

    /** Is created even where beans are lazy, since no other bean asks for it. */
    @Bean
    @Lazy(false)
    @ConditionalOnMissingBean
    ViewEvents atollViewEvents(World world, WorldStates worldStates, ApplicationEventPublisher publisher) {
        return new ViewEvents(world, worldStates, publisher);
    }
}
