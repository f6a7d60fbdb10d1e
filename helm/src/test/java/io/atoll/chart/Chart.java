package io.atoll.chart;

import com.marcnuri.helm.DryRun;
import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.yaml.snakeyaml.Yaml;

/** The chart, rendered by Helm without a cluster as the release {@code shop} in the namespace {@code market}. */
final class Chart {

    static final Path FOLDER = Path.of("").toAbsolutePath();
    static final Path EXAMPLES = FOLDER.resolve("examples");

    static final String RELEASE = "shop";
    static final String NAMESPACE = "market";

    /** The name of the release's objects. */
    static final String FULL_NAME = "shop-atoll";

    /** The newest version for which the tests have models. */
    private static final String CURRENT_KUBERNETES = "1.34.0";

    /** Helm does not show hooks when it renders. */
    private static final String HOOK = "helm.sh/hook: test";

    /**
     * Helm would ask the cluster that this machine knows. Instead the values contain the deployed objects, by their
     * kind.
     */
    private static final Pattern LOOKUP = Pattern
            .compile("lookup \"\\S+\" \"(\\w+)\" \\.Release\\.Namespace (\\$\\w+|\\([^)]+\\)|\"\")");
    private static final String DEPLOYED = "get ((.Values.global | default dict).deployed | default dict) \"$1\"";

    private static final Path WITHOUT_CLUSTER = copyWithoutCluster();

    private Chart() {}

    /** Returns the files of values that a user may begin with. */
    static List<Path> examples() {
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            return files.filter(file -> !file.endsWith("compose.yaml")).sorted().toList();
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    static Path example(String name) {
        return EXAMPLES.resolve(name + ".yaml");
    }

    static LintResult lint(Path values) throws IOException {
        // Helm lints a chart by its own values, so the copy also gets the values of the example.
        Path copy = copy(values.getFileName().toString(), text -> text);
        Files.writeString(copy.resolve("values.yaml"), merged(values));
        return new Helm(copy).lint().strict().call();
    }

    static Manifests render(Path values) {
        return render(values, CURRENT_KUBERNETES);
    }

    /**
     * Renders the chart with its hooks. The objects that are already deployed stand by their kind under
     * {@code global.deployed}.
     */
    static Manifests render(Path values, String kubernetes) {
        return render(RELEASE, values, kubernetes);
    }

    static Manifests renderAs(String release, String values) {
        return render(release, file(values), CURRENT_KUBERNETES);
    }

    private static Manifests render(String release, Path values, String kubernetes) {
        String rendered = new Helm(WITHOUT_CLUSTER).template()
                .withName(release)
                .withNamespace(NAMESPACE)
                .withKubeVersion(kubernetes)
                .withValuesFile(values)
                .call();
        return Manifests.of(rendered);
    }

    static Manifests render(String values) {
        return render(values, CURRENT_KUBERNETES);
    }

    static Manifests render(String values, String kubernetes) {
        return render(file(values), kubernetes);
    }

    /** Returns what Helm prints after an installation. */
    static String notes(Path values) {
        return new Helm(FOLDER).install()
                .withName(RELEASE)
                .withNamespace(NAMESPACE)
                .withValuesFile(values)
                .clientOnly()
                .dryRun()
                .withDryRunOption(DryRun.CLIENT)
                .call()
                .getOutput();
    }

    private static Path file(String values) {
        try {
            Path file = Files.createTempFile(Files.createDirectories(FOLDER.resolve("target")), "values", ".yaml");
            file.toFile().deleteOnExit();
            return Files.writeString(file, values);
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private static String merged(Path values) throws IOException {
        Yaml yaml = new Yaml();
        return yaml.dump(Maps.merge(Maps.of(yaml.load(Files.readString(FOLDER.resolve("values.yaml")))),
                Maps.of(yaml.load(Files.readString(values)))));
    }

    private static Path copyWithoutCluster() {
        try {
            return copy("without-cluster",
                    text -> LOOKUP.matcher(text.replace(HOOK, "atoll.io/hook: test")).replaceAll(DEPLOYED));
        } catch (IOException failure) {
            throw new UncheckedIOException(failure);
        }
    }

    private interface Change {

        String of(String text);
    }

    private static Path copy(String name, Change change) throws IOException {
        Path copy = FOLDER.resolve("target/charts").resolve(name);
        try (Stream<Path> files = Files.walk(FOLDER)) {
            List<Path> parts = files.filter(Files::isRegularFile)
                    .map(FOLDER::relativize)
                    .filter(Chart::isPart)
                    .toList();
            for (Path part : parts) {
                Path target = copy.resolve(part);
                Files.createDirectories(target.getParent());
                Files.writeString(target, change.of(Files.readString(FOLDER.resolve(part))));
            }
        }
        return copy;
    }

    private static boolean isPart(Path file) {
        return Stream.of("src", "target", "test", "pom.xml").noneMatch(file::startsWith);
    }
}
