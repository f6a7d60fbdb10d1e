package io.atoll.autoconfigure.actuate;

import io.atoll.actuate.AtollEndpoint;
import io.atoll.autoconfigure.AtollAutoConfiguration;
import io.atoll.state.Observatory;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;

/** The actuator endpoint {@code atoll}. */
@AutoConfiguration(after = AtollAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(Observatory.class)
@ConditionalOnAvailableEndpoint(AtollEndpoint.class)
public final class AtollEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    AtollEndpoint atollEndpoint(Observatory observatory) {
        return new AtollEndpoint(observatory);
    }
}
