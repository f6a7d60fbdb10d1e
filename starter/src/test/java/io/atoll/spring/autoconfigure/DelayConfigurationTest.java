package io.atoll.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.fabric.trace.Delay;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class DelayConfigurationTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class))
            .withPropertyValues("atoll.segment.size=4MB");

    @Test
    void byDefaultThereIsNone() {
        application.run(context -> assertThat(context.getBean(FabricType.class)).isEqualTo(new SharedMemory()));
    }

    @Test
    void aDelayedFabricSaysThatItIsSimulated() {
        application.withPropertyValues("atoll.fabric.delay=2us", "atoll.fabric.delay-nanos-per-byte=0.1")
                .run(context -> {
                    assertThat(context.getBean(FabricType.class))
                            .isEqualTo(new Delay(2_000, 0.1).delayed(new SharedMemory()));
                    assertThat(context.getBean(World.class).fabric())
                            .isEqualTo("shared-memory (delay 2000 ns + 0.1 ns/byte, simulated)");
                });
    }

    @Test
    void aNegativeDelayIsRefused() {
        application.withPropertyValues("atoll.fabric.delay=-2us")
                .run(context -> assertThat(context.getStartupFailure()).rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining("roundTripNanos=-2000"));
    }
}
