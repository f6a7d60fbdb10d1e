package io.atoll.spring.autoconfigure.actuate;

import io.atoll.spring.actuate.SecretSanitizingFunction;
import java.util.ArrayList;
import java.util.List;
import org.springframework.boot.actuate.endpoint.SanitizingFunction;
import org.springframework.boot.autoconfigure.AutoConfiguration;
import org.springframework.boot.autoconfigure.condition.ConditionalOnClass;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.context.annotation.Bean;
import org.springframework.core.env.Environment;

/** Keeps Atoll's secrets out of Spring Boot's actuator, even if the application takes part in no world. */
@AutoConfiguration
@ConditionalOnClass(SanitizingFunction.class)
public final class AtollSanitizingAutoConfiguration {

    @Bean
    @ConditionalOnMissingBean
    SecretSanitizingFunction atollSecretSanitizingFunction(Environment environment) {
        List<String> secrets = new ArrayList<>();
        if (!environment.getProperty("atoll.enabled", Boolean.class, true)) {
            // without a world no part of Atoll reads the secrets, so their properties are not read here either
            return new SecretSanitizingFunction(secrets);
        }
        Binder binder = Binder.get(environment);
        for (String place : List.of("atoll.fabric.tcp", "atoll.fabric.rdma", "atoll.membership.hazelcast")) {
            binder.bind(place + ".secret", String.class).ifBound(secrets::add);
            binder.bind(place + ".previous-secrets", Bindable.listOf(String.class)).ifBound(secrets::addAll);
        }
        return new SecretSanitizingFunction(secrets);
    }
}
