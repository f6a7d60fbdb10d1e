package io.atoll.chart;

import com.google.gson.Gson;
import com.google.gson.GsonBuilder;
import com.google.gson.JsonElement;
import java.lang.reflect.InvocationTargetException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import java.util.stream.StreamSupport;
import org.yaml.snakeyaml.Yaml;

/**
 * The output of Helm.
 *
 * @param text as Helm prints it
 * @param documents the objects in it
 */
record Manifests(String text, List<Map<String, Object>> documents) {

    private static final Gson GSON = new GsonBuilder().serializeNulls().create();

    /** Objects whose models come with the operators that define them, not with Kubernetes. */
    private static final List<String> OF_OPERATORS = List.of("cert-manager.io/", "monitoring.coreos.com/",
            "gateway.networking.k8s.io/");

    static Manifests of(String text) {
        List<Map<String, Object>> documents = StreamSupport.stream(new Yaml().loadAll(text).spliterator(), false)
                .filter(Objects::nonNull)
                .map(Maps::of)
                .toList();
        return new Manifests(text, documents);
    }

    Optional<Map<String, Object>> find(String kind, String name) {
        return documents.stream()
                .filter(document -> document.get("kind").equals(kind)
                        && Maps.text(document, "metadata", "name").equals(name))
                .findFirst();
    }

    Map<String, Object> object(String kind, String name) {
        return find(kind, name).orElseThrow(
                () -> new AssertionError("nothing is rendered of this name: kind=" + kind + " name=" + name));
    }

    Map<String, Object> statefulSet() {
        return object("StatefulSet", Chart.FULL_NAME);
    }

    Map<String, Object> podSpec() {
        return Maps.of(Maps.at(statefulSet(), "spec", "template", "spec"));
    }

    Map<String, Object> rank() {
        return Maps.of(Maps.at(podSpec(), "containers", 0));
    }

    /** Returns the pod specifications of the StatefulSet and of the test. */
    List<Map<String, Object>> podSpecs() {
        return Stream.of(podSpec(), Maps.of(find("Pod", Chart.FULL_NAME + "-check-world").map(pod -> pod.get("spec"))
                .orElse(null))).filter(spec -> !spec.isEmpty()).toList();
    }

    List<Map<String, Object>> containers() {
        return podSpecs().stream()
                .flatMap(spec -> Stream.concat(Maps.maps(spec.get("initContainers")).stream(),
                        Maps.maps(spec.get("containers")).stream()))
                .toList();
    }

    /** Returns the properties that the chart writes for Spring. */
    String application() {
        return Maps.text(object("ConfigMap", Chart.FULL_NAME), "data", "application.yaml");
    }

    /**
     * Returns what the models of a current Kubernetes find wrong in the objects. Returns nothing if they know every
     * field.
     */
    List<String> problems() {
        List<String> problems = new ArrayList<>();
        for (Map<String, Object> document : documents) {
            String version = Maps.text(document, "apiVersion");
            if (OF_OPERATORS.stream().noneMatch(version::startsWith)) {
                problem(document, version).ifPresent(problems::add);
            }
        }
        return problems;
    }

    private static Optional<String> problem(Map<String, Object> document, String apiVersion) {
        String version = apiVersion.substring(apiVersion.indexOf('/') + 1);
        String model = "io.kubernetes.client.openapi.models." + version.substring(0, 1).toUpperCase(Locale.ROOT)
                + version.substring(1) + document.get("kind");
        try {
            Class.forName(model)
                    .getMethod("validateJsonElement", JsonElement.class)
                    .invoke(null, GSON.toJsonTree(document));
            return Optional.empty();
        } catch (InvocationTargetException refused) {
            return Optional.of(document.get("kind") + ": " + refused.getCause().getMessage());
        } catch (ReflectiveOperationException unknown) {
            return Optional.of("no model: " + model);
        }
    }
}
