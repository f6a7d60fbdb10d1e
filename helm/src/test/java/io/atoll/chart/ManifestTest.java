package io.atoll.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.memory.WorldIdentity;
import java.nio.file.Path;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** What clusters refuse or treat in an unexpected way, and what the chart promises. */
class ManifestTest {

    private static final Map<String, Object> RANK_LABELS = Map.of("app.kubernetes.io/name", "atoll",
            "app.kubernetes.io/instance", "shop", "app.kubernetes.io/component", "rank");

    static List<Path> examples() {
        return Chart.examples();
    }

    /** Server-side apply takes the protocol as a part of a port's key. */
    @ParameterizedTest
    @MethodSource("examples")
    void everyPortSaysItsProtocol(Path example) {
        assertThat(Chart.render(example)
                .documents()
                .stream()
                .flatMap(document -> Maps.all(document).stream())
                .filter(map -> map.get("ports") instanceof List<?>)
                .flatMap(map -> Maps.maps(map.get("ports")).stream())).isNotEmpty()
                .allSatisfy(port -> assertThat(port).containsEntry("protocol", "TCP"));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyPortOfAServiceSaysWhatIsSpokenThere(Path example) {
        Manifests manifests = Chart.render(example);

        assertThat(List.of("shop-atoll", "shop-atoll-ranks")).allSatisfy(name -> assertThat(
                Maps.maps(Maps.at(manifests.object("Service", name), "spec", "ports")))
                .isNotEmpty()
                .allSatisfy(port -> assertThat(port).containsKey("appProtocol")));
    }

    /** Kubernetes accepts a name that no port has. Nothing would ever arrive. */
    @ParameterizedTest
    @MethodSource("examples")
    void everyPortThatIsMeantByNameIsThere(Path example) {
        Manifests manifests = Chart.render(example);
        List<Object> ofRank = Maps.maps(manifests.rank().get("ports")).stream().map(port -> port.get("name")).toList();

        assertThat(manifests.documents()).filteredOn(document -> document.get("kind").equals("Service"))
                .isNotEmpty()
                .flatExtracting(service -> Maps.maps(Maps.at(service, "spec", "ports")))
                .extracting(port -> port.get("targetPort"))
                .filteredOn(String.class::isInstance)
                .isNotEmpty()
                .isSubsetOf(ofRank);
        assertThat(Maps.all(manifests.rank())).filteredOn(part -> part.containsKey("httpGet"))
                .isNotEmpty()
                .extracting(part -> Maps.at(part, "httpGet", "port"))
                .isSubsetOf(ofRank);
        assertThat(manifests.documents()).filteredOn(document -> document.get("kind").equals("ServiceMonitor"))
                .flatExtracting(monitor -> Maps.maps(Maps.at(monitor, "spec", "endpoints")))
                .extracting(endpoint -> endpoint.get("port"))
                .isSubsetOf(Maps.maps(Maps.at(manifests.object("Service", "shop-atoll-ranks"), "spec", "ports"))
                        .stream()
                        .map(port -> port.get("name"))
                        .toList());
    }

    @ParameterizedTest
    @MethodSource("examples")
    void noEnvironmentVariableIsThereTwice(Path example) {
        assertThat(Chart.render(example).containers()).allSatisfy(container -> assertThat(
                Maps.maps(container.get("env")).stream().map(variable -> variable.get("name")))
                .doesNotHaveDuplicates());
    }

    @Test
    void aVariableOfTheUserReplacesTheChartsOwn() {
        List<Map<String, Object>> env = Maps.maps(Chart.render("""
                extraEnv:
                  - {name: JDK_JAVA_OPTIONS, value: -Xmx1g}
                  - {name: MORE, value: more}
                """).rank().get("env"));

        assertThat(env).extracting(variable -> variable.get("name"))
                .containsExactly("HOSTNAME", "POD_IP", "SPRING_CONFIG_ADDITIONAL_LOCATION", "JDK_JAVA_OPTIONS", "MORE");
        assertThat(env.get(3)).containsEntry("value", "-Xmx1g");
    }

    /** Helm 4 refuses numbers where Kubernetes has quantities. */
    @ParameterizedTest
    @MethodSource("examples")
    void everyQuantityIsAText(Path example) {
        assertThat(Chart.render(example).containers()).allSatisfy(container -> {
            assertThat(Maps.of(Maps.at(container, "resources", "requests")).values()).isNotEmpty()
                    .hasOnlyElementsOfType(String.class);
            assertThat(Maps.of(Maps.at(container, "resources", "limits")).values()).isNotEmpty()
                    .hasOnlyElementsOfType(String.class);
        });
    }

    @ParameterizedTest
    @MethodSource("examples")
    void whatSelectsRanksSelectsThem(Path example) {
        Manifests manifests = Chart.render(example);
        Map<String, Object> statefulSet = manifests.statefulSet();

        assertThat(Maps.of(Maps.at(statefulSet, "spec", "template", "metadata", "labels")))
                .containsAllEntriesOf(RANK_LABELS);
        assertThat(Maps.at(statefulSet, "spec", "selector", "matchLabels")).isEqualTo(RANK_LABELS);
        assertThat(Maps.at(manifests.object("Service", "shop-atoll"), "spec", "selector")).isEqualTo(RANK_LABELS);
        assertThat(Maps.at(manifests.object("Service", "shop-atoll-ranks"), "spec", "selector")).isEqualTo(RANK_LABELS);
        assertThat(Maps.at(manifests.object("PodDisruptionBudget", "shop-atoll"), "spec", "selector", "matchLabels"))
                .isEqualTo(RANK_LABELS);
        assertThat(Maps.at(manifests.object("NetworkPolicy", "shop-atoll"), "spec", "podSelector", "matchLabels"))
                .isEqualTo(RANK_LABELS);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyPodKeepsToTheRestrictedStandard(Path example) {
        Manifests manifests = Chart.render(example);

        assertThat(manifests.podSpecs()).hasSize(2).allSatisfy(spec -> {
            assertThat(Maps.of(spec.get("securityContext"))).containsEntry("runAsNonRoot", true)
                    .containsEntry("runAsUser", 10001)
                    .containsEntry("seccompProfile", Map.of("type", "RuntimeDefault"));
            assertThat(spec).doesNotContainKeys("hostNetwork", "hostPID", "hostIPC")
                    .containsEntry("automountServiceAccountToken", false)
                    .containsEntry("enableServiceLinks", false);
        });
        assertThat(manifests.containers()).allSatisfy(
                container -> assertThat(Maps.of(container.get("securityContext"))).isEqualTo(
                        Map.of("allowPrivilegeEscalation", false, "readOnlyRootFilesystem", true, "capabilities",
                                Map.of("drop", List.of("ALL")))));
        if (!example.endsWith("shared-memory.yaml")) {
            assertThat(Maps.maps(manifests.podSpec().get("volumes")))
                    .noneMatch(volume -> volume.containsKey("hostPath"));
        }
    }

    @ParameterizedTest
    @MethodSource("examples")
    void noPodMayAskTheClusterForAnything(Path example) {
        assertThat(Chart.render(example).documents()).extracting(document -> document.get("kind"))
                .doesNotContain("Role", "ClusterRole", "RoleBinding", "ClusterRoleBinding");
    }

    @ParameterizedTest
    @MethodSource("examples")
    void onlyReadinessWaitsForOtherRanks(Path example) {
        Map<String, Object> rank = Chart.render(example).rank();

        assertThat(Maps.text(rank, "startupProbe", "httpGet", "path")).isEqualTo("/actuator/health/liveness");
        assertThat(Maps.text(rank, "livenessProbe", "httpGet", "path")).isEqualTo("/actuator/health/liveness");
        assertThat(Maps.text(rank, "readinessProbe", "httpGet", "path")).isEqualTo("/actuator/health/readiness");
        assertThat(List.of("startupProbe", "livenessProbe", "readinessProbe"))
                .allSatisfy(probe -> assertThat(Maps.text(rank, probe, "httpGet", "port")).isEqualTo("management"));
    }

    @Test
    void ranksStartTogetherAndAreReplacedOneByOne() {
        Manifests manifests = Chart.render(Chart.example("tcp"));
        Object spec = manifests.statefulSet().get("spec");

        assertThat(Maps.text(spec, "podManagementPolicy")).isEqualTo("Parallel");
        assertThat(Maps.text(spec, "updateStrategy", "type")).isEqualTo("RollingUpdate");
        assertThat(Maps.text(spec, "serviceName")).isEqualTo("shop-atoll-ranks");
        assertThat(Maps.at(spec, "replicas")).isEqualTo(3);
        Object ranks = manifests.object("Service", "shop-atoll-ranks").get("spec");
        assertThat(Maps.text(ranks, "clusterIP")).isEqualTo("None");
        assertThat(Maps.at(ranks, "publishNotReadyAddresses")).isEqualTo(true);
        assertThat(Maps.at(manifests.object("PodDisruptionBudget", "shop-atoll"), "spec", "maxUnavailable"))
                .isEqualTo(1);
    }

    /** The memory is heap, overhead, segment, and the world's own data beside the segment. */
    @ParameterizedTest
    @CsvSource({"256Mi, 256Mi, 64Mi, 592Mi, 80Mi", "2Gi, 512Mi, 4Gi, 6672Mi, 4112Mi"})
    void theMemoryOfAPodIsComputed(String heap, String overhead, String segment, String limit, String sharedMemory) {
        Manifests manifests = Chart.render("""
                jvm: {heap: %s, overhead: %s}
                segment: %s
                """.formatted(heap, overhead, segment));

        assertThat(Maps.text(manifests.rank(), "resources", "limits", "memory")).isEqualTo(limit);
        assertThat(Maps.text(manifests.rank(), "resources", "requests", "memory")).isEqualTo(limit);
        assertThat(volume(manifests, "segments")).containsEntry("emptyDir",
                Map.of("medium", "Memory", "sizeLimit", sharedMemory));
        String java = heap.replace("Mi", "m").replace("Gi", "g");
        assertThat(Maps.maps(manifests.rank().get("env"))).anySatisfy(variable -> assertThat(variable)
                .containsEntry("value", "-Xms" + java + " -Xmx" + java + " -XX:+ExitOnOutOfMemoryError"));
    }

    /** The kernel charges a page to the pod that touches it first. This may be another pod than its owner's. */
    @Test
    void wherePodsShareMemoryOneMayTouchThatOfAll() {
        Map<String, Object> rank = Chart.render(Chart.example("shared-memory")).rank();

        assertThat(Maps.text(rank, "resources", "requests", "memory")).isEqualTo("592Mi");
        assertThat(Maps.text(rank, "resources", "limits", "memory")).isEqualTo("752Mi");
    }

    private static Map<String, Object> volume(Manifests manifests, String name) {
        return Maps.maps(manifests.podSpec().get("volumes"))
                .stream()
                .filter(volume -> volume.get("name").equals(name))
                .findFirst()
                .orElseThrow();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyVolumeThatIsMountedIsThereAndTheOtherWayRound(Path example) {
        Manifests manifests = Chart.render(example);

        assertThat(manifests.podSpecs()).allSatisfy(spec -> assertThat(Maps.maps(spec.get("containers"))
                .stream()
                .flatMap(container -> Maps.maps(container.get("volumeMounts")).stream())
                .map(mount -> mount.get("name")))
                .containsExactlyInAnyOrderElementsOf(
                        Maps.maps(spec.get("volumes")).stream().map(volume -> volume.get("name")).toList()));
    }

    @Test
    void ranksLetOnlyEachOtherReachFabricAndMembership() {
        List<Map<String, Object>> rules = ingress(Chart.render("world: {size: 5}"));

        assertThat(rules.getFirst()).isEqualTo(Map.of("from",
                List.of(Map.of("podSelector", Map.of("matchLabels", RANK_LABELS))), "ports",
                List.of(Map.of("port", 5701, "protocol", "TCP"),
                        Map.of("port", 7420, "endPort", 7424, "protocol", "TCP"))));
        assertThat(rules).hasSize(3);
        assertThat(Maps.text(rules.get(1), "ports", 0, "port")).isEqualTo("8080");
        assertThat(Maps.text(rules.get(2), "ports", 0, "port")).isEqualTo("8081");
        assertThat(rules.get(2)).containsEntry("from", List.of(Map.of("podSelector", Map.of())));
    }

    @Test
    void anOldKubernetesIsToldEachPort() {
        Manifests manifests = Chart.render("world: {size: 3}", "1.20.2");

        assertThat(Maps.maps(ingress(manifests).getFirst().get("ports"))).extracting(port -> port.get("port"))
                .containsExactly(5701, 7420, 7421, 7422);
        assertThat(Maps.text(manifests.object("PodDisruptionBudget", "shop-atoll"), "apiVersion"))
                .isEqualTo("policy/v1beta1");
        assertThat(manifests.rank()).doesNotContainKey("lifecycle");
    }

    @Test
    void aCurrentKubernetesWaitsBeforeItEndsARank() {
        Manifests manifests = Chart.render(Chart.example("tcp"));

        assertThat(Maps.text(manifests.object("PodDisruptionBudget", "shop-atoll"), "apiVersion"))
                .isEqualTo("policy/v1");
        assertThat(Maps.at(manifests.rank(), "lifecycle", "preStop", "sleep", "seconds")).isEqualTo(5);
        assertThat(Maps.at(manifests.podSpec(), "terminationGracePeriodSeconds")).isEqualTo(45);
    }

    private static List<Map<String, Object>> ingress(Manifests manifests) {
        return Maps.maps(Maps.at(manifests.object("NetworkPolicy", "shop-atoll"), "spec", "ingress"));
    }

    /** On the node's network HOSTNAME is the node's, unless the pod says otherwise. */
    @ParameterizedTest
    @ValueSource(strings = {"hostNetwork: true", "hostNetwork: false"})
    void aRankIsTheOrdinalOfItsPod(String values) {
        assertThat(Maps.maps(Chart.render(values).rank().get("env"))).contains(Map.of("name", "HOSTNAME", "valueFrom",
                Map.of("fieldRef", Map.of("fieldPath", "metadata.name"))));
    }

    /** There, a container's port is a port of the node. The fabric's port differs from rank to rank. */
    @Test
    void onTheNetworkOfNodesEachRankHasItsOwnNode() {
        Manifests manifests = Chart.render("hostNetwork: true");

        assertThat(manifests.podSpec()).containsEntry("hostNetwork", true)
                .containsEntry("dnsPolicy", "ClusterFirstWithHostNet");
        assertThat(Maps.maps(manifests.rank().get("ports"))).extracting(port -> port.get("name"))
                .containsExactly("http", "management", "membership");
        assertThat(Maps.text(manifests.podSpec(), "affinity", "podAntiAffinity",
                "requiredDuringSchedulingIgnoredDuringExecution", 0, "topologyKey"))
                .isEqualTo("kubernetes.io/hostname");
    }

    @Test
    void aRankOverRdmaHasItsDeviceAndIsCheckedBefore() {
        Manifests manifests = Chart.render(Chart.example("rdma-shared"));
        Map<String, Object> check = Maps.of(Maps.at(manifests.podSpec(), "initContainers", 0));

        assertThat(List.of(check, manifests.rank())).allSatisfy(container -> {
            assertThat(Maps.text(container, "resources", "limits", "rdma/rdma_shared_device_a")).isEqualTo("1");
            assertThat(Maps.text(container, "resources", "requests", "rdma/rdma_shared_device_a")).isEqualTo("1");
        });
        assertThat(check).containsEntry("args", List.of("rdma-check", "--segment=1GB"));
        assertThat(Maps.text(manifests.statefulSet(), "spec", "template", "metadata", "annotations",
                "k8s.v1.cni.cncf.io/networks")).isEqualTo("rdma/macvlan-roce");
        assertThat(Maps.text(manifests.podSpec(), "runtimeClassName")).isEqualTo("rdma");
        assertThat(manifests.podSpec()).containsKey("affinity");
        assertThat(Chart.render(Chart.example("sriov")).podSpec()).doesNotContainKey("affinity");
    }

    @Test
    void onlyRootMayLockMemoryByACapability() {
        Manifests manifests = Chart.render("""
                fabric: rdma
                rdma: {resource: rdma/hca_shared, runAsRoot: true}
                """);

        assertThat(Maps.of(manifests.podSpec().get("securityContext"))).containsEntry("runAsUser", 0)
                .containsEntry("runAsNonRoot", false);
        assertThat(Maps.at(manifests.rank(), "securityContext", "capabilities"))
                .isEqualTo(Map.of("drop", List.of("ALL"), "add", List.of("IPC_LOCK")));
    }

    @Test
    void ranksThatShareMemoryAreOnOneNode() {
        Manifests manifests = Chart.render(Chart.example("shared-memory"));

        assertThat(volume(manifests, "segments")).containsEntry("hostPath",
                Map.of("path", "/dev/shm", "type", "Directory"));
        assertThat(Maps.text(manifests.podSpec(), "affinity", "podAffinity",
                "requiredDuringSchedulingIgnoredDuringExecution", 0, "topologyKey"))
                .isEqualTo("kubernetes.io/hostname");
        assertThat(manifests.podSpec()).doesNotContainKey("topologySpreadConstraints");
        assertThat(manifests.find("Secret", "shop-atoll-secret")).isEmpty();
    }

    @Test
    void ranksAreSpreadByHostAndZone() {
        assertThat(Maps.maps(Chart.render(Chart.example("production")).podSpec().get("topologySpreadConstraints")))
                .extracting(spread -> spread.get("topologyKey"))
                .containsExactly("kubernetes.io/hostname", "topology.kubernetes.io/zone");
    }

    /** The user's affinity does not replace the chart's own anti-affinity. */
    @Test
    void theUsersAffinityIsAddedToTheCharts() {
        assertThat(Maps.of(Chart.render("""
                hostNetwork: true
                affinity: {nodeAffinity: {preferredDuringSchedulingIgnoredDuringExecution: []}}
                """).podSpec().get("affinity"))).containsOnlyKeys("podAntiAffinity", "nodeAffinity");
    }

    @Test
    void anApplicationOfTheUsersOwnRunsInsteadOfTheNode() {
        Manifests manifests = Chart.render("""
                image: {repository: registry.example.com/shop, tag: "7"}
                command: [java]
                args: [-jar, /app/shop.jar]
                ports: {http: 9000}
                checks: {world: false}
                application:
                  atoll:
                    maps: {orders: {key-type: long, value-type: com.example.Order, capacity: 100000}}
                """);

        assertThat(manifests.rank()).containsEntry("image", "registry.example.com/shop:7")
                .containsEntry("command", List.of("java"))
                .containsEntry("args", List.of("-jar", "/app/shop.jar"));
        assertThat(manifests.application()).contains("port: 9000", "value-type: com.example.Order", "size: 3");
        assertThat(manifests.find("Pod", "shop-atoll-check-world")).isEmpty();
    }

    @Test
    void aDigestCountsMoreThanATag() {
        String digest = "sha256:" + "0123456789abcdef".repeat(4);

        assertThat(Chart.render("image: {tag: \"7\", digest: \"" + digest + "\"}").rank())
                .containsEntry("image", "atoll/node@" + digest);
    }

    @Test
    void helmTestAsksEveryRankThroughTheService() {
        assertThat(Maps.at(Chart.render(Chart.example("tcp")).object("Pod", "shop-atoll-check-world"), "spec",
                "containers", 0, "args")).isEqualTo(List.of("check", "world", "--ranks=3",
                        "--timeout=33s", "http://shop-atoll.market.svc.cluster.local:8080"));
    }

    @Test
    void podsAreReplacedWhenTheirConfigurationChanges() {
        assertThat(configuration("world: {joinTimeout: 30s}")).isEqualTo(configuration("cpu: {request: 100m}"))
                .isNotEqualTo(configuration("world: {joinTimeout: 60s}"));
    }

    private static String configuration(String values) {
        return Maps.text(Chart.render(values).statefulSet(), "spec", "template", "metadata", "annotations",
                "atoll.io/configuration");
    }

    private static Map<String, Object> secret(String values) {
        return Maps.of(Chart.render(values).object("Secret", "shop-atoll-secret").get("data"));
    }

    private static String deployedSecret(int generation, String more) {
        return """
                global:
                  deployed:
                    Secret:
                      metadata: {annotations: {atoll.io/generation: "%d"}}
                      data: {fabric: Zmlyc3Q=, membership: bWVtYmVycw==%s}
                """.formatted(generation, more);
    }

    @Test
    void anInstallationMakesSecretsThatAreLongEnough() {
        Map<String, Object> secret = secret("{}");

        assertThat(secret).containsOnlyKeys("fabric", "membership");
        assertThat(secret.values()).doesNotHaveDuplicates()
                .allSatisfy(value -> assertThat(Base64.getDecoder().decode(value.toString())).hasSizeGreaterThan(32));
    }

    @Test
    void anUpgradeKeepsSecrets() {
        assertThat(secret(deployedSecret(1, ""))).isEqualTo(Map.of("fabric", "Zmlyc3Q=", "membership", "bWVtYmVycw=="));
        assertThat(secret(deployedSecret(2, ", fabric-previous: YmVmb3Jl") + "secret: {generation: 2}\n"))
                .isEqualTo(Map.of("fabric", "Zmlyc3Q=", "membership", "bWVtYmVycw==", "fabric-previous", "YmVmb3Jl"));
    }

    /** Replaced ranks and ranks that are not yet replaced have one secret in common. */
    @Test
    void aNewGenerationOfTheSecretKnowsTheOneBefore() {
        String values = deployedSecret(1, ", fabric-previous: YmVmb3Jl") + "secret: {generation: 2}\n";

        assertThat(secret(values)).containsEntry("fabric-previous", "Zmlyc3Q=")
                .containsEntry("membership", "bWVtYmVycw==")
                .doesNotContainEntry("fabric", "Zmlyc3Q=");
        assertThat(Maps.text(Chart.render(values).statefulSet(), "spec", "template", "metadata", "annotations",
                "atoll.io/secret")).isEqualTo("2");
    }

    @Test
    void aSecretThatIsGoneDoesNotComeBack() {
        assertThatThrownBy(() -> secret(deployedSecret(2, ""))).hasMessageContaining("raise secret.generation");
    }

    private static Map<String, Object> users(String values) {
        return Maps.of(Chart.render("console: {users: {enabled: true}}\n" + values)
                .object("Secret", "shop-atoll-users")
                .get("data"));
    }

    @Test
    void theConsoleHasUsersWhosePasswordsAreMadeOnceAndKept() {
        Map<String, Object> made = users("");

        assertThat(made).containsOnlyKeys("admin", "reader");
        assertThat(made.values()).doesNotHaveDuplicates()
                .allSatisfy(value -> assertThat(Base64.getDecoder().decode(value.toString())).hasSize(24));
        assertThat(users("global: {deployed: {Secret: {data: {admin: b25l, reader: dHdv}}}}"))
                .isEqualTo(Map.of("admin", "b25l", "reader", "dHdv"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"tcp", "shared-memory"})
    void passwordsOfTheConsoleAreFilesOfTheSecret(String fabric) {
        Manifests manifests = Chart.render("""
                fabric: %s
                sharedMemory: {hostPath: /dev/shm}
                console: {actions: true, users: {enabled: true, existingSecret: mine}}
                """.formatted(fabric));

        assertThat(manifests.documents()).noneMatch(document -> "shop-atoll-users".equals(Maps.text(document,
                "metadata", "name")));
        assertThat(Maps.maps(Maps.at(volume(manifests, "secret"), "projected", "sources")))
                .anySatisfy(source -> assertThat(Maps.at(source, "secret")).isEqualTo(Map.of("name", "mine", "items",
                        List.of(Map.of("key", "admin", "path", "node.users.admin.password"),
                                Map.of("key", "reader", "path", "node.users.reader.password")))));
        assertThat(manifests.application()).contains("configtree:/etc/atoll/secret/", "actions: true", "role: admin");
    }

    /** Every user who may look at the namespace can read a ConfigMap. */
    @Test
    void passwordsOfUsersStandInTheSecretAlone() {
        Manifests manifests = Chart.render("""
                console: {users: {enabled: true}}
                global: {deployed: {Secret: {data: {admin: YW5hbHl0aWNhbA==, reader: Y3VyaW91cw==}}}}
                """);

        assertThat(manifests.documents()).filteredOn(document -> !document.get("kind").equals("Secret"))
                .extracting(Object::toString)
                .isNotEmpty()
                .noneMatch(text -> text.contains("YW5hbHl0aWNhbA==") || text.contains("analytical"));
        assertThat(Maps.all(new Yaml().load(manifests.application()))).noneMatch(part -> part.containsKey("password"));
    }

    @Test
    void withoutUsersTheConsoleHasNoSecret() {
        assertThat(Chart.render("{}").documents()).noneMatch(document -> "shop-atoll-users".equals(Maps.text(document,
                "metadata", "name")));
        assertThat(Chart.render("{}").application()).contains("actions: false").doesNotContain("users");
    }

    private static String deployedRanks(String name) {
        return deployedRanks(name, "{}");
    }

    private static String deployedRanks(String name, String values) {
        return """
                global:
                  deployed:
                    StatefulSet:
                      items:
                        - metadata:
                            name: %s
                            labels: {app.kubernetes.io/instance: shop}
                            annotations: {atoll.io/foundation: "%s"}
                        - metadata: {name: database, labels: {app.kubernetes.io/instance: shop}}
                """.formatted(name,
                Maps.text(Chart.render(values).statefulSet(), "metadata", "annotations", "atoll.io/foundation"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"world: {size: 5}", "segment: 128Mi", "world: {name: other}", "world: {maxSize: 8}",
        "fabric: shared-memory\nsharedMemory: {hostPath: /dev/shm}", "fullnameOverride: other",
        "ports: {membership: 5801}", "ports: {fabric: 7520}",
        "tls: {enabled: true, certManager: {issuerRef: {name: ca}}}"})
    void anUpgradeThatWouldFoundAnotherWorldIsRefused(String change) {
        String deployed = deployedRanks("shop-atoll");

        assertThat(Chart.render(deployed + "image: {tag: \"2\"}\n").statefulSet()).isNotEmpty();
        assertThatThrownBy(() -> Chart.render(deployed + change))
                .hasMessageContaining("a world keeps what it was founded with");
    }

    @Test
    void anUpgradeOfAWorldByTheOtherNameOfRdmaIsTheSameWorld() {
        String device = "\nrdma: {resource: rdma/hca_shared}\n";
        String deployed = deployedRanks("shop-atoll", "fabric: rdma" + device)
                .replace(" fabric=rdma ", " fabric=verbs ");

        assertThat(deployed).contains("fabric=verbs");
        assertThat(Chart.render(deployed + "fabric: rdma" + device).statefulSet()).isNotEmpty();
        assertThat(Chart.render(deployed + "fabric: verbs" + device).statefulSet()).isNotEmpty();
    }

    /** {@link WorldIdentity#defaultMaxSize} says how many ranks there may ever be. */
    @Test
    void anUpgradeMayWriteOutHowManyRanksMayEverBe() {
        String written = "world: {maxSize: %d}\n".formatted(WorldIdentity.defaultMaxSize(3));

        assertThat(Chart.render(deployedRanks("shop-atoll") + written).statefulSet()).isNotEmpty();
    }

    /** Helm would remove the pods of the name before. */
    @Test
    void anUpgradeByAnotherNameIsRefused() {
        assertThatThrownBy(
                () -> Chart
                        .render(deployedRanks("shop-atoll") + "fullnameOverride: other\nworld: {name: shop-atoll}\n"))
                .hasMessageContaining("restore fullnameOverride");
    }

    /** The files in a folder of the node have the world's name, but no namespace. */
    @Test
    void worldsOfTwoNamespacesHaveTwoNamesInTheMemoryOfANode() {
        Manifests manifests = Chart.render(Chart.example("shared-memory"));

        assertThat(manifests.application()).contains("name: \"market.shop-atoll\"");
        assertThat(Chart.render("{}").application()).contains("name: \"shop-atoll\"");
    }

    @Test
    void aReleaseWithDotsInItsNameHasServicesWithout() {
        Manifests manifests = Chart.renderAs("shop.prod", "{}");

        assertThat(manifests.problems()).isEmpty();
        assertThat(manifests.find("Service", "shop-prod-atoll-ranks")).isPresent();
        assertThatThrownBy(() -> Chart.renderAs("7shops", "{}")).hasMessageContaining("set fullnameOverride");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            "optional:file:/etc/shop.yaml"                | [configtree:/etc/atoll/secret/, optional:file:/etc/shop.yaml]
            ["file:/a.yaml", "file:/b.yaml"]              | [configtree:/etc/atoll/secret/, file:/a.yaml, file:/b.yaml]
            """, quoteCharacter = '\'')
    void whatTheUserImportsIsReadBesideTheSecrets(String imports, String all) {
        Manifests manifests = Chart.render("application: {spring: {config: {import: " + imports + "}}}");

        assertThat(Maps.text(new Yaml().load(manifests.application()), "spring", "config", "import")).isEqualTo(all);
    }

    @Test
    void aLabelOfTheUserHidesNoPod() {
        Manifests manifests = Chart.render("""
                commonLabels: {team: tills, app.kubernetes.io/name: other}
                podLabels: {team: shops, app.kubernetes.io/component: other}
                """);

        assertThat(Maps.of(Maps.at(manifests.statefulSet(), "spec", "template", "metadata", "labels")))
                .containsAllEntriesOf(RANK_LABELS)
                .containsEntry("team", "shops");
        assertThat(Maps.of(Maps.at(manifests.statefulSet(), "metadata", "labels"))).containsEntry("team", "tills")
                .containsEntry("app.kubernetes.io/name", "atoll");
    }

    @Test
    void aFolderForTemporaryFilesOfTheUserReplacesTheChartsOwn() {
        Manifests manifests = Chart.render("""
                extraVolumes: [{name: tmp, emptyDir: {medium: Memory}}]
                extraVolumeMounts: [{name: tmp, mountPath: /tmp}]
                """);

        assertThat(Maps.maps(manifests.podSpec().get("volumes"))).extracting(volume -> volume.get("name"))
                .doesNotHaveDuplicates()
                .contains("tmp");
        assertThat(Maps.maps(manifests.rank().get("volumeMounts"))).extracting(mount -> mount.get("mountPath"))
                .doesNotHaveDuplicates()
                .contains("/tmp");
    }

    /** OpenShift chooses a user of its own for every pod of the namespace. */
    @Test
    void noPodNamesAUserWhereTheClusterChoosesOne() {
        Manifests manifests = Chart.render("security: {user: null, group: null}");

        assertThat(manifests.podSpecs()).hasSize(2)
                .allSatisfy(spec -> assertThat(Maps.of(spec.get("securityContext")))
                        .doesNotContainKeys("runAsUser", "runAsGroup", "fsGroup"));
        assertThat(Maps.maps(manifests.podSpec().get("volumes"))).filteredOn(volume -> volume.containsKey("projected"))
                .allSatisfy(volume -> assertThat(Maps.at(volume, "projected", "defaultMode")).isEqualTo(0444));
    }
}
