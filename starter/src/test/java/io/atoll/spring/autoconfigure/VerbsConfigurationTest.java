package io.atoll.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.rdma.Ordering;
import io.atoll.fabric.rdma.Place;
import io.atoll.fabric.rdma.Verbs;
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
class VerbsConfigurationTest {

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class))
            .withPropertyValues("atoll.fabric.type=verbs", "atoll.segment.size=4MB");

    @Test
    void byDefaultTheFirstDeviceIsUsedAndWhatIsKnownOfIt() {
        application.run(context -> {
            assertThat(context.getBean(FabricType.class)).isEqualTo(new Verbs(new SharedMemory()));
            assertThat(context.getBean(World.class).fabric()).isEqualTo("verbs");
        });
    }

    @Test
    void everyPropertyArrives(@TempDir Path folder) {
        application.withPropertyValues("atoll.fabric.verbs.device=mlx5_1", "atoll.fabric.verbs.device-port=2",
                "atoll.fabric.verbs.gid-index=3", "atoll.fabric.verbs.host=192.0.2.7", "atoll.fabric.verbs.port=18515",
                "atoll.fabric.verbs.queue-pairs=4", "atoll.fabric.verbs.depth=512",
                "atoll.fabric.verbs.atomic-read-bytes=64", "atoll.fabric.verbs.reads-in-order=true",
                "atoll.fabric.shared-memory.folder=" + folder, "atoll.fabric.shared-memory.retain=true")
                .run(context -> assertThat(context.getBean(FabricType.class))
                        .isEqualTo(new Verbs(new SharedMemory(folder, true),
                                new Place("mlx5_1", 2, 3, "192.0.2.7", 18_515), 4, 512, new Ordering(64, true),
                                List.of())));
    }

    @Test
    void whatIsNotSaidOfAnOrderingIsNotBelieved() {
        application.withPropertyValues("atoll.fabric.verbs.atomic-read-bytes=64")
                .run(context -> assertThat(((Verbs) context.getBean(FabricType.class)).ordering())
                        .isEqualTo(new Ordering(64, false)));
        application.withPropertyValues("atoll.fabric.verbs.reads-in-order=true")
                .run(context -> assertThat(((Verbs) context.getBean(FabricType.class)).ordering())
                        .isEqualTo(new Ordering(8, true)));
    }

    @Test
    void secretsAreKnownInTheirOrderAndAreInNoText() {
        String present = "the present secret which is long enough";
        String previous = "the previous secret which was long enough";
        application.withPropertyValues("atoll.fabric.verbs.secret=" + present,
                "atoll.fabric.verbs.previous-secrets=" + previous)
                .run(context -> {
                    assertThat(((Verbs) context.getBean(FabricType.class)).secrets())
                            .containsExactly(Secret.of(present), Secret.of(previous));
                    assertThat(context.getBean(AtollProperties.class)).asString()
                            .contains("queue-pairs=2")
                            .doesNotContain("secret");
                });
        application.withPropertyValues("atoll.fabric.verbs.secret=abracadabra")
                .run(context -> assertThat(context.getStartupFailure()).rootCause()
                        .isInstanceOf(RefusedSettingException.class)
                        .hasMessageContaining("atoll.fabric.verbs.secret")
                        .hasMessageNotContaining("abracadabra"));
    }

    @Test
    void aListSaysWhereEachRankListens() {
        application.withPropertyValues("atoll.fabric.verbs.addresses=192.0.2.7:18515,[2001:db8::8]:18516")
                .run(context -> assertThat(context.getBean(FabricType.class)).isEqualTo(new Verbs(new SharedMemory())
                        .at(List.of(Verbs.address("192.0.2.7:18515"), Verbs.address("[2001:db8::8]:18516")))));
    }

    @Test
    void eitherAListOrAMembershipSaysWhereRanksAre() {
        application
                .withPropertyValues("atoll.fabric.verbs.addresses=192.0.2.7:18515", "atoll.membership.type=hazelcast")
                .run(context -> assertThat(context.getStartupFailure()).rootCause()
                        .isInstanceOf(MutuallyExclusiveConfigurationPropertiesException.class));
    }

    @Test
    void settingsOutOfTheirRangesAreRefusedWithTheReason() {
        application.withPropertyValues("atoll.fabric.verbs.addresses=192.0.2.7")
                .run(context -> assertThat(context.getStartupFailure()).rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining("host:port is needed: address=192.0.2.7"));
        application.withPropertyValues("atoll.fabric.verbs.depth=8")
                .run(context -> assertThat(context.getStartupFailure()).rootCause()
                        .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                        .hasMessageContaining("depth=8"));
    }
}
