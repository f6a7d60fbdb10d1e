package io.atoll.app.node;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.Timeout.ThreadMode;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.test.web.servlet.client.RestTestClient;

/** Secrets are shown nowhere, even if an application shows all values of all endpoints. */
@Timeout(value = 180, threadMode = ThreadMode.SEPARATE_THREAD)
@Tag("processes")
class SecretsTest {

    private static final String MARK = "abracadabra";

    @TempDir
    Path folder;

    private static String read(RestTestClient node, String path) {
        return node.get()
                .uri(path)
                .exchange()
                .expectBody(String.class)
                .returnResult()
                .getResponseBody();
    }

    /** The secret comes from a property of another name, as from a variable of the environment. */
    @Test
    void noEndpointAndNoLineShowsASecret() throws Exception {
        try (NodeProcess node = new NodeProcess(folder, "--server.port=0", "--atoll.world.size=2",
                "--atoll.world.rank=0", "--shop.password=the " + MARK + " that all ranks of it know",
                "--atoll.fabric.type=tcp", "--atoll.fabric.tcp.secret=${shop.password}",
                "--atoll.fabric.tcp.previous-secrets[0]=the " + MARK + " that all ranks of it knew",
                "--atoll.membership.hazelcast.secret=the " + MARK + " of members", "--logging.level.io.atoll=trace",
                "--management.endpoints.web.exposure.include=*", "--management.endpoint.env.show-values=always",
                "--management.endpoint.configprops.show-values=always")) {
            RestTestClient client = node.awaitReady();
            String environment = read(client, "/actuator/env");
            assertThat(environment).contains("shop.password", "atoll.fabric.tcp.secret", "******");
            String properties = read(client, "/actuator/configprops");
            assertThat(properties).contains("previousSecrets", "******", "\"lanes\":2");
            for (String path : List.of("/actuator/env/shop.password", "/actuator/env/atoll.fabric.tcp.secret",
                    "/actuator/configprops/atoll", "/actuator/beans", "/actuator/conditions", "/actuator/health",
                    "/actuator/metrics", "/actuator/mappings", "/actuator/loggers", "/actuator/atoll",
                    "/actuator/threaddump", "/atoll/api/world", "/atoll/api/fabric",
                    "/atoll/api/connections")) {
                assertThat(read(client, path)).as(path).isNotEmpty().doesNotContain(MARK);
            }
            assertThat(environment).doesNotContain(MARK);
            assertThat(properties).doesNotContain(MARK);
            node.process().toHandle().destroy();
            assertThat(node.remainingLines()).noneMatch(line -> line.contains(MARK));
            assertThat(node.linesRead()).noneMatch(line -> line.contains(MARK));
            assertThat(node.process().errorReader().lines()).noneMatch(line -> line.contains(MARK));
        }
    }
}
