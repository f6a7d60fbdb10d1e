package io.atoll.admin;

import io.atoll.admin.api.ActionGuard;
import io.atoll.admin.api.ApiConfiguration;
import io.atoll.spring.admission.AdminProperties;
import io.atoll.spring.admission.Admission;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.state.WorldStates;
import java.net.InetAddress;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBean;
import org.springframework.boot.autoconfigure.condition.ConditionalOnBooleanProperty;
import org.springframework.boot.autoconfigure.condition.ConditionalOnWebApplication;
import org.springframework.boot.context.properties.EnableConfigurationProperties;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Import;
import org.springframework.context.annotation.ImportRuntimeHints;
import org.springframework.core.env.Environment;

/**
 * Adds the console to a web application that takes part in a world. Its page is under {@code /atoll}, the REST API
 * under {@code /atoll/api}.
 */
@AutoConfiguration(after = AtollAutoConfiguration.class)
@ConditionalOnWebApplication(type = ConditionalOnWebApplication.Type.SERVLET)
@ConditionalOnBean(WorldStates.class)
@ConditionalOnBooleanProperty(name = "atoll.admin.enabled", matchIfMissing = true)
@EnableConfigurationProperties(AdminProperties.class)
@Import(ApiConfiguration.class)
@ImportRuntimeHints(AdminHints.class)
public final class AdminAutoConfiguration {

    @Bean
    AdminWeb atollAdminWeb(AdminProperties properties, Environment environment, ActionGuard guard) {
        return new AdminWeb(Admission.toConsole(properties.exposed(),
                environment.getProperty("server.address", InetAddress.class)), guard);
    }
}
