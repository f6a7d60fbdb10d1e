package io.atoll.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.rdma.Rdma;
import io.atoll.fabric.rdma.RdmaAddress;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.spring.autoconfigure.diagnostics.RefusedSettingException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MutuallyExclusiveConfigurationPropertiesException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;

/** Tests worlds of one rank, which need no device. */
class RdmaConfigurationTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class))
            .withPropertyValues("atoll.fabric.type=rdma", "atoll.segment.size=4MB");

    @Test
    void byDefaultTheFirstDeviceIsUsedAndWhatIsKnownOfIt() {
        application.run(context -> {
            assertThat(context.getBean(FabricType.class)).isEqualTo(new Rdma(new SharedMemory()));
            assertThat(context.getBean(World.class).fabric()).isEqualTo("rdma");
        });
    }

    @Test
    void verbsIsAnotherNameOfRdma() {
        application.withPropertyValues("atoll.fabric.type=verbs")
                .run(context -> assertThat(context.getBean(World.class).fabric()).isEqualTo("rdma"));
    }

    @Test
    void everyPropertyArrives(@TempDir Path folder) {
        application.withPropertyValues("atoll.fabric.rdma.device=mlx5_1", "atoll.fabric.rdma.device-port=2",
                "atoll.fabric.rdma.gid-index=3", "atoll.fabric.rdma.host=192.0.2.7", "atoll.fabric.rdma.port=18515",
                "atoll.fabric.rdma.queue-pairs=4", "atoll.fabric.rdma.depth=512",
                "atoll.fabric.rdma.atomic-read-bytes=64", "atoll.fabric.rdma.reads-in-order=true",
                "atoll.fabric.shared-memory.folder=" + folder, "atoll.fabric.shared-memory.retain=true")
                .run(context -> assertThat(context.getBean(FabricType.class))
                        .isEqualTo(new Rdma(new SharedMemory(folder, true),
                                new RdmaAddress("mlx5_1", 2, 3, "192.0.2.7", 18_515), 4, 512,
                                new Rdma.ReadGuarantees(64, true),
                                List.of())));
    }

    @Test
    void whatIsNotSaidOfAnOrderingIsNotBelieved() {
        application.withPropertyValues("atoll.fabric.rdma.atomic-read-bytes=64")
                .run(context -> assertThat(((Rdma) context.getBean(FabricType.class)).readGuarantees())
                        .isEqualTo(new Rdma.ReadGuarantees(64, false)));
        application.withPropertyValues("atoll.fabric.rdma.reads-in-order=true")
                .run(context -> assertThat(((Rdma) context.getBean(FabricType.class)).readGuarantees())
                        .isEqualTo(new Rdma.ReadGuarantees(8, true)));
    }

    @Test
    void secretsAreKnownInTheirOrderAndAreInNoText() {
        String present = "the present secret which is long enough";
        String previous = "the previous secret which was long enough";
        application.withPropertyValues("atoll.fabric.rdma.secret=" + present,
                "atoll.fabric.rdma.previous-secrets=" + previous)
                .run(context -> {
                    assertThat(((Rdma) context.getBean(FabricType.class)).secrets())
                            .containsExactly(Secret.of(present), Secret.of(previous));
                    assertThat(context.getBean(AtollProperties.class)).asString()
                            .contains("queue-pairs=2")
                            .doesNotContain("secret");
                });
        application.withPropertyValues("atoll.fabric.rdma.secret=abracadabra")
                .run(context -> assertThat(context.getStartupFailure()).rootCause()
                        .isInstanceOf(RefusedSettingException.class)
                        .hasMessageContaining("atoll.fabric.rdma.secret")
                        .hasMessageNotContaining("abracadabra"));
    }

    @Test
    void aListSaysWhereEachRankListens() {
        application.withPropertyValues("atoll.fabric.rdma.addresses=192.0.2.7:18515,[2001:db8::8]:18516")
                .run(context -> assertThat(context.getBean(FabricType.class)).isEqualTo(new Rdma(new SharedMemory())
                        .at(List.of(Rdma.address("192.0.2.7:18515"), Rdma.address("[2001:db8::8]:18516")))));
    }

    @Test
    void eitherAListOrAMembershipSaysWhereRanksAre() {
        application
                .withPropertyValues("atoll.fabric.rdma.addresses=192.0.2.7:18515", "atoll.membership.type=hazelcast")
                .run(context -> assertThat(context.getStartupFailure()).rootCause()
                        .isInstanceOf(MutuallyExclusiveConfigurationPropertiesException.class));
    }

    @Test
    void settingsOutOfTheirRangesAreRefusedWithTheReason() {
        application.withPropertyValues("atoll.fabric.rdma.addresses=192.0.2.7")
                .run(context -> assertThat(context.getStartupFailure()).rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining("host:port is needed: address=192.0.2.7"));
        application.withPropertyValues("atoll.fabric.rdma.depth=8")
                .run(context -> assertThat(context.getStartupFailure()).rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining("depth=8"));
    }
}
