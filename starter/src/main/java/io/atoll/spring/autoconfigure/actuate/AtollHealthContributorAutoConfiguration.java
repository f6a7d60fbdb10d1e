package io.atoll.spring.autoconfigure.actuate;

import io.atoll.spring.actuate.WorldHealthIndicator;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.state.WorldStates;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.health.autoconfigure.contributor.ConditionalOnEnabledHealthIndicator;
import org.springframework.boot.health.contributor.HealthIndicator;
import org.springframework.context.annotation.Bean;

/** Adds the world to the application's health. */
@AutoConfiguration(after = AtollAutoConfiguration.class)
@ConditionalOnClass({HealthIndicator.class, ConditionalOnEnabledHealthIndicator.class})
@ConditionalOnBean(WorldStates.class)
@ConditionalOnEnabledHealthIndicator("atoll")
public final class AtollHealthContributorAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean(name = "atollHealthIndicator")
    WorldHealthIndicator atollHealthIndicator(WorldStates worldStates) {
        return new WorldHealthIndicator(worldStates);
    }
}
