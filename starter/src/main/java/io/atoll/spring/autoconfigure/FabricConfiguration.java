package io.atoll.spring.autoconfigure;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Addresses;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.rdma.Rdma;
import io.atoll.fabric.rdma.RdmaAddress;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.fabric.trace.Delay;
import io.atoll.spring.autoconfigure.AtollProperties.FabricSettings;
import io.atoll.spring.autoconfigure.AtollProperties.MembershipType;
import io.atoll.spring.autoconfigure.AtollProperties.RdmaSettings;
import io.atoll.spring.autoconfigure.AtollProperties.SharedMemorySettings;
import io.atoll.spring.autoconfigure.AtollProperties.TcpSettings;
import io.atoll.spring.autoconfigure.diagnostics.UnknownFabricException;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.autoconfigure.condition.ConditionalOnMissingBean;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MutuallyExclusiveConfigurationPropertiesException;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Creates the fabric that the properties name. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnMissingBean(World.class)
class FabricConfiguration {

    private static final Logger LOG = LoggerFactory.getLogger(FabricConfiguration.class);

    private static final String SHARED_MEMORY = "shared-memory";
    private static final String TCP = "tcp";
    private static final String RDMA = "rdma";
    private static final String VERBS = "verbs"; // an alias of RDMA

    @Bean
    BundleReloads atollBundleReloads() {
        return new BundleReloads();
    }

    @Bean
    @ConditionalOnMissingBean
    FabricType atollFabricType(AtollProperties properties, ObjectProvider<SslBundles> bundles,
            BundleReloads reloads) {
        Delay delay = delay(properties.fabric());
        if (!delay.isNone()) {
            LOG.warn("a network is simulated, every round trip takes longer than it need: delay={}", delay);
        }
        return Fabrics.delayed(undelayed(properties, bundles, reloads), delay);
    }

    private static Delay delay(FabricSettings settings) {
        try {
            return new Delay(settings.delay().toNanos(), settings.delayNanosPerByte());
        } catch (IllegalArgumentException failure) {
            throw new InvalidConfigurationPropertyValueException("atoll.fabric.delay", settings.delay(),
                    String.valueOf(failure.getMessage()));
        }
    }

    private static FabricType undelayed(AtollProperties properties, ObjectProvider<SslBundles> bundles,
            BundleReloads reloads) {
        String type = properties.fabric().type();
        return switch (type) {
            case SHARED_MEMORY -> sharedMemory(properties.fabric().sharedMemory());
            case TCP -> tcp(properties, bundles, reloads);
            case RDMA, VERBS -> rdma(properties);
            default -> throw new UnknownFabricException(type, SHARED_MEMORY, TCP, RDMA);
        };
    }

    private static FabricType sharedMemory(SharedMemorySettings settings) {
        return Fabrics.sharedMemory(settings.folder(), settings.retain());
    }

    private static FabricType tcp(AtollProperties properties, ObjectProvider<SslBundles> bundles,
            BundleReloads reloads) {
        FabricSettings fabric = properties.fabric();
        TcpSettings settings = fabric.tcp();
        refuseAddressesBesideAMembership(properties, "atoll.fabric.tcp.addresses", settings.addresses());
        UnresolvedPlaceholder.refuse("atoll.fabric.tcp.bind", settings.bind());
        UnresolvedPlaceholder.refuse("atoll.fabric.tcp.host", settings.host());
        refuseHostBesideAList(settings);
        @Nullable Security security = new ConfiguredSecurity(settings, bundles, reloads).find();
        try {
            return new Tcp(sharedMemory(fabric.sharedMemory()), settings.bind(), settings.port(), settings.host(),
                    settings.lanes(), settings.silenceTimeout(), settings.connectTimeout(), settings.sameHost(),
                    settings.spin(), security,
                    settings.addresses().stream().map(Addresses::parse).toList());
        } catch (IllegalArgumentException failure) {
            throw new InvalidConfigurationPropertyValueException("atoll.fabric.tcp", settings,
                    String.valueOf(failure.getMessage()));
        }
    }

    private static void refuseHostBesideAList(TcpSettings settings) {
        MutuallyExclusiveConfigurationPropertiesException.throwIfMultipleNonNullValuesIn(ways -> {
            ways.put("atoll.fabric.tcp.addresses", settings.addresses().isEmpty() ? null : settings.addresses());
            ways.put("atoll.fabric.tcp.host", settings.host());
        });
    }

    private static void refuseAddressesBesideAMembership(AtollProperties properties, String property,
            List<String> addresses) {
        MutuallyExclusiveConfigurationPropertiesException.throwIfMultipleNonNullValuesIn(ways -> {
            ways.put(property, addresses.isEmpty() ? null : addresses);
            MembershipType membership = properties.membership().type();
            ways.put("atoll.membership.type", membership == MembershipType.ONE_HOST ? null : membership);
        });
    }

    private static FabricType rdma(AtollProperties properties) {
        FabricSettings fabric = properties.fabric();
        RdmaSettings settings = fabric.rdma();
        refuseAddressesBesideAMembership(properties, "atoll.fabric.rdma.addresses", settings.addresses());
        List<Secret> secrets = ConfiguredSecrets.of("atoll.fabric.rdma.", settings.secret(),
                settings.previousSecrets());
        try {
            return new Rdma(sharedMemory(fabric.sharedMemory()),
                    new RdmaAddress(settings.device(), settings.devicePort(),
                            settings.gidIndex(), settings.host(), settings.port()),
                    settings.queuePairs(), settings.depth(),
                    ordering(settings), settings.addresses().stream().map(Rdma::address).toList(), secrets);
        } catch (IllegalArgumentException failure) {
            throw new InvalidConfigurationPropertyValueException("atoll.fabric.rdma", settings,
                    String.valueOf(failure.getMessage()));
        }
    }

    /**
     * Returns null to rely on what Atoll knows of the device. If the properties state only one of the two promises, the
     * other one is assumed to be the weakest.
     */
    private static Rdma.@Nullable ReadGuarantees ordering(RdmaSettings settings) {
        return settings.atomicReadBytes() == null && settings.readsInOrder() == null
                ? null
                : new Rdma.ReadGuarantees(Objects.requireNonNullElse(settings.atomicReadBytes(), Long.BYTES),
                        Objects.requireNonNullElse(settings.readsInOrder(), false));
    }
}
