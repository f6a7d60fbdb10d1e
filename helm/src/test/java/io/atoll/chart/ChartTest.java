package io.atoll.chart;

import static org.assertj.core.api.Assertions.assertThat;

import com.marcnuri.helm.LintResult;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.yaml.snakeyaml.Yaml;

/** The examples, as Helm and a current Kubernetes see them. */
class ChartTest {

    /** With {@code -Dgolden.write=true} the files are written instead of compared. */
    private static final boolean WRITE = Boolean.getBoolean("golden.write");

    private static final Pattern RANDOM = Pattern.compile("(?m)^(  (?:fabric|membership): )[A-Za-z0-9+/=]{60}$");

    static List<Path> examples() {
        return Chart.examples();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void helmHasNothingToSayAgainstAnExample(Path example) throws IOException {
        LintResult result = Chart.lint(example);

        assertThat(result.getMessages()).noneMatch(line -> line.contains("[WARNING]") || line.contains("[ERROR]"));
        assertThat(result.isFailed()).isFalse();
    }

    @ParameterizedTest
    @MethodSource("examples")
    void kubernetesKnowsEveryFieldOfAnExample(Path example) {
        assertThat(Chart.render(example).problems()).isEmpty();
    }

    @Test
    void kubernetesKnowsEveryFieldOfWhatIsOffUnlessTold() {
        assertThat(Chart.render("""
                ingress:
                  enabled: true
                  className: nginx
                  annotations: {a: b}
                  hosts: [{host: shop.example.com}]
                  tls: [{hosts: [shop.example.com], secretName: shop-tls}]
                hostNetwork: true
                affinity: {nodeAffinity: {}}
                nodeSelector: {a: b}
                tolerations: [{key: a, operator: Exists}]
                imagePullSecrets: [{name: registry}]
                serviceAccount: {annotations: {a: b}}
                service: {annotations: {a: b}}
                commonLabels: {team: sales}
                podLabels: {a: b}
                podAnnotations: {a: b}
                extraEnvFrom: [{configMapRef: {name: more}}]
                extraVolumes: [{name: more, emptyDir: {}}]
                extraVolumeMounts: [{name: more, mountPath: /more}]
                extraContainers: [{name: more, image: more}]
                extraInitContainers: [{name: first, image: more}]
                extraPodSpec: {schedulerName: other}
                extraObjects:
                  - {apiVersion: v1, kind: ConfigMap, metadata: {name: more}}
                  - "{apiVersion: v1, kind: ConfigMap, metadata: {name: '{{ .Release.Name }}-text'}}"
                """).problems()).isEmpty();
    }

    @Test
    void aFieldThatKubernetesDoesNotKnowIsFound() {
        assertThat(Chart.render("extraPodSpec: {schedulrName: other}").problems())
                .singleElement()
                .asString()
                .contains("schedulrName");
    }

    /** A change in a rendered mode shows as a difference in these files. */
    @ParameterizedTest
    @ValueSource(strings = {"tcp", "rdma-shared", "shared-memory"})
    void aModeIsRenderedAsItWas(String mode) throws IOException {
        String rendered = RANDOM.matcher(Chart.render(Chart.example(mode)).text()).replaceAll("$1RANDOM");
        Path golden = Chart.FOLDER.resolve("src/test/resources/golden/" + mode + ".yaml");
        if (WRITE) {
            Files.writeString(golden, rendered);
        }
        assertThat(rendered).isEqualTo(Files.readString(golden));
    }

    @Test
    void theChartIsOfTheVersionThatIsBuilt() throws IOException {
        String version = Maps.text(new Yaml().load(Files.readString(Chart.FOLDER.resolve("Chart.yaml"))), "appVersion");

        assertThat(Files.readString(Chart.FOLDER.resolve("../pom.xml"))).containsPattern(
                "<artifactId>atoll-parent</artifactId>\\s+<version>" + Pattern.quote(version)
                        + "(-SNAPSHOT)?</version>");
        assertThat(Files.readString(Chart.EXAMPLES.resolve("compose.yaml"))).contains("image: atoll/node:" + version);
    }

    @ParameterizedTest
    @MethodSource("examples")
    void theNotesSayHowTheWorldIsUsedAndWhatBecomesOfItsData(Path example) {
        assertThat(Chart.notes(example)).contains("NOTES:", "statefulset/" + Chart.FULL_NAME,
                "helm test shop -n market",
                "What happens to the data:", "For ever, this world has name=", Chart.FULL_NAME + " size=");
    }

    @Test
    void theNotesSayWhatIsLeftOnNodes() {
        assertThat(Chart.notes(Chart.example("tcp"))).contains("comes back empty").doesNotContain("/dev/shm");
        assertThat(Chart.notes(Chart.example("shared-memory"))).contains("/dev/shm of the node.",
                "The last one removes");
        assertThat(Chart.notes(Chart.example("rdma-shared"))).contains("rdma/rdma_shared_device_a", "-c rdma-check");
    }
}
