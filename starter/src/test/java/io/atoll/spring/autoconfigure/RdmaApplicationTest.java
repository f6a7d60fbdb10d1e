package io.atoll.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.map.DistributedMap;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIf;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Tests applications whose beans reach each other by RDMA. */
@Tag("rdma")
@EnabledIf(value = "hasDevice", disabledReason = "no RDMA device here; the lab has one: mvn -q -DskipTests -Prdma-lab test")
@Timeout(300)
class RdmaApplicationTest {

    static boolean hasDevice() {
        return Files.isDirectory(Path.of("/sys/class/infiniband"));
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Shop {}

    private static ConfigurableApplicationContext start(int rank, Path folder) {
        return new SpringApplicationBuilder(Shop.class).web(WebApplicationType.NONE)
                .run("--atoll.world.name=shop",
                        "--atoll.world.size=2", "--atoll.world.rank=" + rank, "--atoll.world.join-timeout=100s",
                        "--atoll.segment.size=4MB", "--atoll.fabric.type=rdma", "--atoll.fabric.rdma.queue-pairs=1",
                        "--atoll.fabric.shared-memory.folder=" + folder, "--atoll.maps.stock.key-type=long",
                        "--atoll.maps.stock.value-type=java.lang.Integer", "--atoll.maps.stock.capacity=1000");
    }

    @Test
    @SuppressWarnings("unchecked")
    void whatOneApplicationPutsTheOtherFinds(@TempDir Path folder) {
        try (ConfigurableApplicationContext first = start(0, folder);
                ConfigurableApplicationContext second = start(1, folder)) {
            DistributedMap<Long, Integer> mine = first.getBean("stock", DistributedMap.class);
            DistributedMap<Long, Integer> theirs = second.getBean("stock", DistributedMap.class);
            for (long article = 0; article < 50; article++) {
                mine.put(article, (int) (3 * article));
            }
            for (long article = 0; article < 50; article++) {
                assertThat(theirs.get(article)).isEqualTo((int) (3 * article));
            }
            assertThat(second.getBean(World.class).fabric()).isEqualTo("rdma");
        }
    }
}
