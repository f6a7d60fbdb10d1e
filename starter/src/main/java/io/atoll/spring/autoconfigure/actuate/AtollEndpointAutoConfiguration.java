package io.atoll.spring.autoconfigure.actuate;

import io.atoll.spring.actuate.AtollEndpoint;
import io.atoll.spring.admission.AdminProperties;
import io.atoll.spring.admission.Admission;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.state.WorldStates;
import java.net.InetAddress;
import org.springframework.boot.actuate.autoconfigure.endpoint.condition.ConditionalOnAvailableEndpoint;
import org.springframework.boot.actuate.endpoint.annotation.Endpoint;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.core.env.Environment;
import org.springframework.web.servlet.handler.MappedInterceptor;

/** Creates the actuator endpoint {@code atoll}. */
@AutoConfiguration(after = AtollAutoConfiguration.class)
@ConditionalOnClass({Endpoint.class, ConditionalOnAvailableEndpoint.class})
@ConditionalOnBean(WorldStates.class)
@ConditionalOnAvailableEndpoint(AtollEndpoint.class)
@EnableConfigurationProperties(AdminProperties.class)
public final class AtollEndpointAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    AtollEndpoint atollEndpoint(WorldStates worldStates) {
        return new AtollEndpoint(worldStates);
    }

    /** Guards the endpoint where Spring MVC serves it, since the endpoint shows the same as the console. */
    @Configuration(proxyBeanMethods = false)
    @ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
    @ConditionalOnClass(MappedInterceptor.class)
    static final class Guard {

        /**
         * Spring MVC applies the interceptor to all of its mappings, including those of a separate management server.
         */
        @Bean
        MappedInterceptor atollEndpointAdmission(AdminProperties properties, Environment environment) {
            String managementPort = environment.getProperty("management.server.port");
            boolean ownServer = managementPort != null
                    && !managementPort.equals(environment.getProperty("server.port"));
            InetAddress address = environment.getProperty(
                    ownServer ? "management.server.address" : "server.address", InetAddress.class);
            String path = environment.getProperty("management.endpoints.web.base-path", "/actuator") + "/"
                    + environment.getProperty("management.endpoints.web.path-mapping.atoll", "atoll");
            return new MappedInterceptor(new String[]{path.replaceAll("/+", "/") + "/**"},
                    Admission.whereItListens(properties.exposed(), address));
        }
    }
}
