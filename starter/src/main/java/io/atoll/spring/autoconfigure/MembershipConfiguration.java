package io.atoll.spring.autoconfigure;

import io.atoll.World;
import io.atoll.spring.autoconfigure.AtollProperties.HazelcastMembers;
import io.atoll.world.Membership;
import io.atoll.world.hazelcast.Discovery;
import io.atoll.world.hazelcast.HazelcastMembership;
import io.atoll.world.hazelcast.HazelcastSettings;
import io.atoll.world.hazelcast.Secret;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MutuallyExclusiveConfigurationPropertiesException;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates the service that finds the other ranks. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(World.class)
class MembershipConfiguration {

    private static final String PROPERTY = "atoll.membership.hazelcast";

    // The world closes the membership that it has joined, so the bean has no destroy method.
    @Bean(destroyMethod = "")
    @ConditionalOnMissingBean
    Membership atollMembership(AtollProperties properties) {
        return switch (properties.membership().type()) {
            case ONE_HOST -> Membership.ofOneHost();
            case HAZELCAST -> hazelcast(properties.membership().hazelcast());
        };
    }

    private static HazelcastMembership hazelcast(HazelcastMembers properties) {
        UnresolvedPlaceholder.refuse(PROPERTY + ".secret", properties.secret());
        try {
            return new HazelcastMembership(settings(properties));
        } catch (IllegalArgumentException failure) {
            throw new InvalidConfigurationPropertyValueException(PROPERTY, properties,
                    String.valueOf(failure.getMessage()));
        }
    }

    /** @throws IllegalArgumentException if a property is out of range */
    static HazelcastSettings settings(HazelcastMembers properties) {
        return new HazelcastSettings(properties.bindAddress(), properties.port(), discovery(properties),
                properties.heartbeatInterval(), properties.heartbeatTimeout(), properties.clusterName(),
                new Secret(properties.secret()));
    }

    private static Discovery discovery(HazelcastMembers properties) {
        MutuallyExclusiveConfigurationPropertiesException.throwIfMultipleNonNullValuesIn(ways -> {
            ways.put(PROPERTY + ".addresses", properties.addresses());
            ways.put(PROPERTY + ".kubernetes-service", properties.kubernetesService());
            ways.put(PROPERTY + ".multicast", properties.multicast());
        });
        if (properties.addresses() != null) {
            return new Discovery.Addresses(properties.addresses());
        }
        if (properties.kubernetesService() != null) {
            return Discovery.kubernetes(properties.kubernetesService());
        }
        return properties.multicast() != null
                ? new Discovery.Multicast(properties.multicast().group(), properties.multicast().port())
                : new Discovery.SameHost();
    }
}
