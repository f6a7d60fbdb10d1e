package io.atoll.spring.autoconfigure.actuate;

import io.atoll.World;
import io.atoll.spring.actuate.WorldReadinessStateHealthIndicator;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.availability.ApplicationAvailabilityAutoConfiguration;
import org.springframework.boot.autoconfigure.condition.AnyNestedCondition;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.health.application.ReadinessStateHealthIndicator;
import org.springframework.boot.health.autoconfigure.actuate.endpoint.AvailabilityProbesAutoConfiguration;
import org.springframework.boot.health.autoconfigure.application.AvailabilityHealthContributorAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Conditional;

/** Lets the readiness probe wait for the other ranks, where Spring Boot would have such a probe. */
@AutoConfiguration(after = {AtollAutoConfiguration.class, ApplicationAvailabilityAutoConfiguration.class}, before = {
    AvailabilityHealthContributorAutoConfiguration.class, AvailabilityProbesAutoConfiguration.class})
@ConditionalOnClass({ReadinessStateHealthIndicator.class, Endpoint.class})
@ConditionalOnBean(World.class)
@Conditional(AtollReadinessAutoConfiguration.OnReadiness.class)
public final class AtollReadinessAutoConfiguration {

    // Has the name of Spring Boot's own indicator, which is then not created.
    @Bean
    @ConditionalOnMissingBean(name = "readinessStateHealthIndicator")
    WorldReadinessStateHealthIndicator readinessStateHealthIndicator(ApplicationAvailability availability,
            World world) {
        return new WorldReadinessStateHealthIndicator(availability, world);
    }

    static final class OnReadiness extends AnyNestedCondition {

        OnReadiness() {
            super(ConfigurationPhase.REGISTER_BEAN);
        }

        @ConditionalOnBooleanProperty(name = "management.endpoint.health.probes.enabled", matchIfMissing = true)
        static final class OnProbes {}

        @ConditionalOnBooleanProperty("management.health.readinessstate.enabled")
        static final class OnIndicator {}
    }
}
