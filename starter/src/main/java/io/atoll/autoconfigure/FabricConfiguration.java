package io.atoll.autoconfigure;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.autoconfigure.AtollProperties.SharedMemorySettings;
import io.atoll.autoconfigure.diagnostics.UnknownFabricException;
import io.atoll.fabric.FabricType;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** The fabric that the properties name. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(World.class)
class FabricConfiguration {

    private static final String SHARED_MEMORY = "shared-memory";

    @Bean
    @ConditionalOnMissingBean
    FabricType atollFabricType(AtollProperties properties) {
        String type = properties.fabric().type();
        return switch (type) {
            case SHARED_MEMORY -> sharedMemory(properties.fabric().sharedMemory());
            default -> throw new UnknownFabricException(type, SHARED_MEMORY);
        };
    }

    private static FabricType sharedMemory(SharedMemorySettings settings) {
        return Fabrics.sharedMemory(settings.folder(), settings.retain());
    }
}
