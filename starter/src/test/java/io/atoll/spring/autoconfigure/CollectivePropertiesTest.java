package io.atoll.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.collective.Collectives;
import io.atoll.collective.LogGP;
import java.nio.file.Path;
import java.time.Duration;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

class CollectivePropertiesTest {

    @TempDir
    Path folder;

    private ApplicationContextRunner runner;

    @BeforeEach
    void describe() {
        runner = new ApplicationContextRunner()
                .withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class))
                .withPropertyValues("atoll.segment.size=8MB", "atoll.fabric.shared-memory.folder=" + folder);
    }

    @Test
    void windowsHaveAMegabyteAndCostsAreTheFabricsUnlessToldOtherwise() {
        runner.run(context -> {
            Collectives collectives = context.getBean(Collectives.class);
            assertThat(collectives.broadcast("model").open().bytes()).isEqualTo(1 << 20);
            assertThat(collectives.costs().receiveOverhead()).as("half an interval")
                    .isEqualTo(Duration.ofNanos(100_000).toNanos());
        });
    }

    @Test
    void whatIsToldArrives() {
        runner.withPropertyValues("atoll.collectives.window-size=64KB", "atoll.collectives.algorithm=linear",
                "atoll.collectives.costs.latency=1300", "atoll.collectives.costs.overhead=300",
                "atoll.collectives.costs.gap=200", "atoll.collectives.costs.gap-per-byte=0.31",
                "atoll.collectives.costs.receive-overhead=5000")
                .run(context -> {
                    Collectives collectives = context.getBean(Collectives.class);
                    assertThat(collectives.broadcast("model").open().bytes()).isEqualTo(64 << 10);
                    assertThat(collectives.costs()).isEqualTo(new LogGP(1_300, 300, 200, 0.31, 5_000));
                });
    }

    @Test
    void whatIsNoIntervalIsToldOfItsProperty() {
        runner.withPropertyValues("atoll.collectives.poll-interval=0s")
                .run(context -> assertThat(context).getFailure()
                        .rootCause()
                        .hasMessageContaining("pollInterval=PT0S"));
        runner.withPropertyValues("atoll.collectives.flush-interval=-1ms")
                .run(context -> assertThat(context).getFailure()
                        .rootCause()
                        .hasMessageContaining("flushInterval=PT-0.001S"));
        runner.withPropertyValues("atoll.collectives.room-size=1MB")
                .run(context -> assertThat(context).getFailure()
                        .rootCause()
                        .hasMessageContaining("roomBytes=1048576"));
    }
}
