package io.atoll.spring.autoconfigure.property;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.spring.autoconfigure.AtollAutoConfiguration;
import io.atoll.spring.autoconfigure.structure.StructureAutoConfiguration;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.diagnostics.FailureAnalysis;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;

class PropertyCheckTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(
                    AutoConfigurations.of(AtollAutoConfiguration.class, StructureAutoConfiguration.class))
            .withPropertyValues("atoll.segment.size=4MB");

    @ParameterizedTest
    @CsvSource({"atoll.wrold.size=3, atoll.world.size", "atoll.world.sice=3, atoll.world.size",
        "atoll.maps.orders.capcity=7, atoll.maps.orders.capacity",
        "atoll.map.orders.capacity=7, atoll.maps.orders.capacity",
        "atoll.fabric.rdma.adresses[0]=a:1, atoll.fabric.rdma.addresses", "atoll.segmant.size=3, atoll.segment.size",
        "atoll.cache.books.capacity=3, atoll.caches.books.capacity"})
    void whatNothingReadsIsRefusedWithTheNearestName(String property, String nearest) {
        runner.withPropertyValues(property).run(context -> {
            assertThat(context).hasFailed();
            Throwable failure = context.getStartupFailure();
            assertThat(failure).isInstanceOf(UnknownPropertyException.class);
            FailureAnalysis analysis = new UnknownPropertyFailureAnalyzer().analyze(failure);
            assertThat(analysis.getDescription()).contains("'" + property.substring(0, property.indexOf('=')) + "'");
            assertThat(analysis.getAction()).contains("'" + nearest + "'");
        });
    }

    @Test
    void whatIsReadOnlyUnderAConditionIsKnownAnyway() {
        runner.withPropertyValues("atoll.caches.books.time-to-live=10m", "atoll.codec.allowed-classes[0]=com.example.*",
                "atoll.membership.hazelcast.addresses=a,b")
                .run(context -> assertThat(context).hasNotFailed().hasSingleBean(World.class));
    }

    @Test
    void environmentVariablesMayBeOthers() {
        runner.withInitializer(context -> context.getEnvironment()
                .getPropertySources()
                .replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                                Map.of("ATOLL_SERVICE_HOST", "10.0.0.1"))))
                .run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void systemPropertiesMayBeOthers() {
        runner.withSystemProperties("atoll.seeds=7").run(context -> assertThat(context).hasNotFailed());
    }

    @Test
    void whoTakesNoPartIsNotAsked() {
        runner.withPropertyValues("atoll.enabled=false", "atoll.wrold.size=3")
                .run(context -> assertThat(context).hasNotFailed());
    }
}
