package io.atoll.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.memory.WorldIdentity;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.mock.env.MockEnvironment;

class ConfiguredRankTest {

    private static final WorldIdentity WORLD = new WorldIdentity("shop", 3);

    private final MockEnvironment environment = new MockEnvironment();

    private Optional<Integer> rank(int worldSize) {
        return ConfiguredRank.find(environment, null, worldSize).map(stated -> stated.in(WORLD));
    }

    private void inKubernetes(String podName) {
        environment.withProperty("spring.main.cloud-platform", "kubernetes").withProperty("HOSTNAME", podName);
    }

    @Test
    void nothingSaysSo() {
        assertThat(rank(3)).isEmpty();
    }

    @Test
    void theOrdinalOfAPodIsItsRank() {
        inKubernetes("shop-eu-2");
        assertThat(rank(3)).contains(2);
    }

    @Test
    void aHostNameThatEndsInANumberIsNoOrdinalElsewhere() {
        environment.withProperty("HOSTNAME", "shop-2");
        assertThat(rank(3)).isEmpty();
    }

    @Test
    void aPodThatNoStatefulSetHasNumberedSaysNothing() {
        inKubernetes("shop-7d9c6bb5d4-x2x7z");
        assertThat(rank(3)).isEmpty();
    }

    @Test
    void launchersTellTheirProcesses() {
        environment.withProperty("PMI_RANK", "1");
        assertThat(rank(3)).contains(1);
        environment.withProperty("SLURM_PROCID", "2");
        assertThat(rank(3)).contains(2);
        inKubernetes("shop-0");
        assertThat(rank(3)).contains(0);
    }

    @Test
    void thePropertyGoesBeforeAll() {
        inKubernetes("shop-0");
        assertThat(ConfiguredRank.find(environment, 1, 3)).contains(new ConfiguredRank("atoll.world.rank", "1"));
    }

    @Test
    void aWorldOfOneDoesNotListenToItsSurroundings() {
        inKubernetes("shop-2");
        environment.withProperty("SLURM_PROCID", "2").withProperty("PMI_RANK", "2");
        assertThat(rank(1)).isEmpty();
    }

    @Test
    void whatIsNoRankOfTheWorldIsRefusedByItsSource() {
        inKubernetes("shop-3");
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class).isThrownBy(() -> rank(3))
                .satisfies(refused -> {
                    assertThat(refused.getName()).isEqualTo("HOSTNAME");
                    assertThat(refused.getValue()).isEqualTo("3");
                    assertThat(refused.getReason()).endsWith("rank=3 size=3");
                });
        assertThatExceptionOfType(InvalidConfigurationPropertyValueException.class)
                .isThrownBy(() -> new ConfiguredRank("SLURM_PROCID", "first").in(WORLD))
                .satisfies(refused -> assertThat(refused.getName()).isEqualTo("SLURM_PROCID"));
    }
}
