package io.atoll.admin;

import io.atoll.admin.api.ApiConfiguration;
import io.atoll.autoconfigure.AtollAutoConfiguration;
import io.atoll.state.Observatory;
import java.net.InetAddress;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;
import org.springframework.web.servlet.handler.MappedInterceptor;

/** Adds the console under {@code /atoll} and the REST API under {@code /atoll/api} to a web application that takes part in a world. */
@AutoConfiguration(after = AtollAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(Observatory.class)
@ConditionalOnBooleanProperty(name = "atoll.admin.enabled", matchIfMissing = true)
@EnableConfigurationProperties(AdminProperties.class)
@Import(ApiConfiguration.class)
@ImportRuntimeHints(AdminHints.class)
public final class AdminAutoConfiguration {

    @Bean
    AdminWeb atollAdminWeb(AdminProperties properties, Environment environment) {
        return new AdminWeb(Admission.toConsole(properties.exposed(), address(environment, "server.address")));
    }

    /** Guards the actuator's endpoint, which tells what the API tells. Spring MVC applies this to all of its mappings, those of a server for management included. */
    @Bean
    MappedInterceptor atollEndpointAdmission(AdminProperties properties, Environment environment) {
        String managementPort = environment.getProperty("management.server.port");
        boolean ownServer = managementPort != null && !managementPort.equals(environment.getProperty("server.port"));
        InetAddress address = address(environment, ownServer ? "management.server.address" : "server.address");
        String path = environment.getProperty("management.endpoints.web.base-path", "/actuator") + "/"
                + environment.getProperty("management.endpoints.web.path-mapping.atoll", "atoll");
        return new MappedInterceptor(new String[]{path.replaceAll("/+", "/") + "/**"},
                Admission.whereItListens(properties.exposed(), address));
    }

    private static @Nullable InetAddress address(Environment environment, String property) {
        return environment.getProperty(property, InetAddress.class);
    }
}
