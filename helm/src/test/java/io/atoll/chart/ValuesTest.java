package io.atoll.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.yaml.snakeyaml.Yaml;

/** Values that the chart accepts, values that it refuses, and their description in the README. */
class ValuesTest {

    private static Map<String, Object> load(String file) throws IOException {
        return Maps.of(new Yaml().load(Files.readString(Chart.FOLDER.resolve(file))));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            worlds: {size: 3}                                                | worlds
            world: {sise: 3}                                                 | sise
            world: {size: 0}                                                 | size
            world: {size: "3"}                                               | size
            fabric: udp                                                      | fabric
            segment: 64MB                                                    | segment
            jvm: {heap: 1.5Gi}                                               | heap
            cpu: {request: 1}                                                | request
            ports: {http: 70000}                                             | http
            image: {pullPolicy: Sometimes}                                   | pullPolicy
            image: {digest: "sha256:12"}                                     | digest
            rdma: {resource: hca}                                            | resource
            secret: {generation: 0}                                          | generation
            tls: {certManager: {issuerRef: {name: ca, kind: Authority}}}     | kind
            extraEnv: [{value: nameless}]                                    | name
            service: {type: ExternalName}                                    | type
            sharedMemory: {hostPath: dev/shm}                                | hostPath
            fullnameOverride: Shop                                           | fullnameOverride
            nameOverride: My_App.                                            | nameOverride
            world: {name: "my shop #1"}                                      | name
            console: {oidc: {issuer: login.example.com}}                     | issuer
            """)
    void theSchemaRefuses(String values, String named) {
        assertThatThrownBy(() -> Chart.render(values)).hasMessageContaining("values don't meet the specifications")
                .hasMessageContaining(named);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            replicas: 5                                                      | a world has as many pods as ranks for now
            world: {size: 3, maxSize: 2}                                     | raise world.maxSize
            fabric: rdma                                                    | set rdma.resource
            rdma: {resource: rdma/hca}                                       | RDMA device is used by fabric=rdma only
            fabric: shared-memory                                            | set sharedMemory.hostPath
            {fabric: shared-memory, hostNetwork: true, sharedMemory: {hostPath: /dev/shm}} | remove hostNetwork
            sharedMemory: {retain: true}                                     | remove sharedMemory.retain
            tls: {enabled: true}                                             | set tls.existingSecret or tls.certManager.issuerRef
            tls: {enabled: true, existingSecret: a, certManager: {issuerRef: {name: b}}} | remove tls.existingSecret or
            tls: {enabled: true, existingSecret: a}                          | set tls.peers
            {fabric: rdma, rdma: {resource: rdma/hca}, tls: {enabled: true, existingSecret: a, peers: [b]}} | by TCP only
            shutdown: {graceSeconds: 30}                                     | raise shutdown.graceSeconds
            ports: {http: 8081}                                              | each port has one use
            ports: {http: 7422}                                              | move ports.fabric away
            ports: {fabric: 65534}                                           | choose a lower ports.fabric
            application: {atoll: {world: {size: 5}}}                         | not application.atoll.world.size
            ingress: {enabled: true}                                         | set ingress.hosts
            httpRoute: {enabled: true}                                       | set httpRoute.parentRefs
            tls: {enabled: true, certManager: {issuerRef: {kind: Issuer}}}   | set tls.certManager.issuerRef.name
            console: {oidc: {issuer: "https://login.example.com"}}           | set console.oidc.clientId
            console: {oidc: {authoritiesClaim: roles}}                       | set console.oidc.issuer
            """)
    void theChartRefusesWhatDoesNotGoTogether(String values, String said) {
        assertThatThrownBy(() -> Chart.render(values)).hasMessageContaining(said);
    }

    @Test
    void oneRankNeedsNobodyToShareMemoryWith() {
        assertThat(Chart.render("{fabric: shared-memory, world: {size: 1}}").problems()).isEmpty();
    }

    @Test
    void theSchemaNamesEveryKeyAndNoOther() throws IOException {
        List<String> differences = new ArrayList<>();
        Map<String, Object> schema = load("values.schema.json");
        compare("", load("values.yaml"), schema, schema, differences);

        assertThat(differences).isEmpty();
    }

    private static void compare(String path, Map<String, Object> values, Map<String, Object> schema,
            Map<String, Object> root, List<String> differences) {
        Map<String, Object> properties = Maps.of(schema.get("properties"));
        values.keySet()
                .stream()
                .filter(key -> !properties.containsKey(key))
                .map(key -> "no schema: " + path + key)
                .forEach(differences::add);
        properties.forEach((key, property) -> {
            // Values from a parent chart have no default here. Optional values for cert-manager have none either.
            boolean isForOthers = path.isEmpty() && List.of("enabled", "global").contains(key)
                    || path.endsWith("issuerRef.");
            if (!values.containsKey(key) && !isForOthers) {
                differences.add("no value: " + path + key);
            }
            Map<String, Object> resolved = resolve(Maps.of(property), root);
            if (resolved.containsKey("properties")) {
                compare(path + key + ".", Maps.of(values.get(key)), resolved, root, differences);
            }
        });
    }

    private static Map<String, Object> resolve(Map<String, Object> schema, Map<String, Object> root) {
        Object reference = schema.get("$ref");
        return reference == null
                ? schema
                : Maps.of(Maps.at(root, "definitions", reference.toString().replace("#/definitions/", "")));
    }

    /** Kubernetes or the application checks the maps that may have any keys. */
    @Test
    void noOtherKeysAreTakenAnywhereButInWhatIsNotTheCharts() throws IOException {
        Map<String, Object> schema = load("values.schema.json");
        Map<String, Object> definitions = Maps.of(schema.get("definitions"));

        assertThat(Maps.all(schema)).filteredOn(part -> part.containsKey("properties") && part.containsKey("type"))
                .hasSizeGreaterThan(20)
                .allSatisfy(part -> assertThat(part).containsEntry("additionalProperties", false));
        assertThat(Maps.all(schema))
                .filteredOn(part -> "object".equals(part.get("type")) && !part.containsKey("additionalProperties"))
                .containsExactlyInAnyOrder(Maps.of(definitions.get("anything")),
                        Maps.of(Maps.at(definitions, "objects", "items")));
    }

    @Test
    void theReadmeHasARowForEachValue() throws IOException {
        ValueTable table = ValueTable.read(Chart.FOLDER.resolve("values.yaml"));
        if (Boolean.getBoolean("golden.write")) {
            table.writeTo(Chart.FOLDER.resolve("README.md"));
        }

        assertThat(table.undescribed()).isEmpty();
        assertThat(Files.readString(Chart.FOLDER.resolve("README.md"))).contains(table.text());
    }
}
