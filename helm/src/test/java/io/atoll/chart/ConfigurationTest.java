package io.atoll.chart;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.gson.Gson;
import io.atoll.spring.admission.AdminProperties;
import io.atoll.spring.autoconfigure.AtollProperties;
import io.atoll.spring.autoconfigure.property.PropertyCheck;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.lang.reflect.RecordComponent;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.springframework.boot.autoconfigure.ssl.SslProperties;
import org.springframework.boot.context.properties.bind.BindHandler;
import org.springframework.boot.context.properties.bind.Bindable;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.bind.handler.NoUnboundElementsBindHandler;
import org.springframework.boot.context.properties.source.ConfigurationPropertyName;
import org.springframework.boot.context.properties.source.ConfigurationPropertySources;
import org.springframework.boot.env.YamlPropertySourceLoader;
import org.springframework.core.env.EnumerablePropertySource;
import org.springframework.core.env.MapPropertySource;
import org.springframework.core.env.PropertySource;
import org.springframework.core.env.StandardEnvironment;
import org.springframework.core.env.SystemEnvironmentPropertySource;
import org.springframework.core.io.ByteArrayResource;
import org.springframework.util.unit.DataSize;
import org.yaml.snakeyaml.Yaml;

/** The properties that the chart writes are those that Atoll and Spring Boot read. */
class ConfigurationTest {

    private static final String METADATA = "META-INF/spring-configuration-metadata.json";
    private static final Gson JSON = new Gson();
    private static final String SECRET = "0123456789abcdef0123456789abcdef";

    static List<Path> examples() {
        return Chart.examples();
    }

    /** Returns the environment of an application in a pod: the file, and a file for each secret. */
    private static StandardEnvironment environment(Manifests manifests) throws IOException {
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources().remove(StandardEnvironment.SYSTEM_PROPERTIES_PROPERTY_SOURCE_NAME);
        environment.getPropertySources().remove(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME);
        environment.getPropertySources().addLast(new MapPropertySource("pod", Map.of("POD_IP", "10.1.2.3")));
        Map<String, Object> secrets = new HashMap<>();
        Maps.maps(manifests.podSpec().get("volumes"))
                .stream()
                .flatMap(volume -> Maps.maps(Maps.at(volume, "projected", "sources")).stream())
                .flatMap(source -> Maps.maps(Maps.at(source, "secret", "items")).stream())
                .forEach(item -> secrets.put(Maps.text(item, "path"), SECRET));
        environment.getPropertySources().addLast(new MapPropertySource("secrets", secrets));
        addFile(manifests.application(), environment);
        ConfigurationPropertySources.attach(environment);
        return environment;
    }

    private static void addFile(String text, StandardEnvironment environment) throws IOException {
        for (PropertySource<?> source : new YamlPropertySourceLoader().load("application.yaml",
                new ByteArrayResource(text.getBytes(StandardCharsets.UTF_8)))) {
            environment.getPropertySources().addLast(source);
        }
    }

    private static AtollProperties bound(Manifests manifests) throws IOException {
        return Binder.get(environment(manifests)).bind("atoll", Bindable.of(AtollProperties.class)).get();
    }

    /**
     * Returns true if Atoll's starter or Spring Boot publishes the name. Names below a map's name are not checked here.
     */
    private static boolean isKnown(String property, Set<String> known, Set<String> maps) {
        ConfigurationPropertyName name = ConfigurationPropertyName.of(property.replaceAll("\\[\\d+]$", ""));
        return known.contains(name.toString())
                || maps.stream().anyMatch(map -> ConfigurationPropertyName.of(map).isAncestorOf(name));
    }

    @ParameterizedTest
    @MethodSource("examples")
    void everyPropertyIsOneThatIsPublished(Path example) throws IOException {
        Set<String> known = new HashSet<>();
        Set<String> maps = new HashSet<>();
        for (URL url : Collections.list(getClass().getClassLoader().getResources(METADATA))) {
            try (Reader metadata = new InputStreamReader(url.openStream(), StandardCharsets.UTF_8)) {
                for (Map<String, Object> property : Maps
                        .maps(Maps.at(JSON.fromJson(metadata, Map.class), "properties"))) {
                    String name = Maps.text(property, "name");
                    known.add(name);
                    if (Maps.text(property, "type").startsWith("java.util.Map")) {
                        maps.add(name);
                    }
                }
            }
        }

        assertThat(known).contains("atoll.world.size", "server.port", "management.server.port");
        assertThat(names(environment(Chart.render(example)))).hasSizeGreaterThan(15)
                .allMatch(property -> isKnown(property, known, maps));
        assertThat(isKnown("atoll.world.sise", known, maps)).isFalse();
        assertThat(isKnown("server.prot", known, maps)).isFalse();
    }

    /** Returns the names of the components that differ, those of inner records with the names around them. */
    private static List<String> differences(String prefix, Record left, Record right)
            throws ReflectiveOperationException {
        List<String> differences = new ArrayList<>();
        for (RecordComponent component : left.getClass().getRecordComponents()) {
            String name = prefix + component.getName();
            Object value = component.getAccessor().invoke(left);
            Object other = component.getAccessor().invoke(right);
            if (value instanceof Record inner && other instanceof Record otherInner) {
                differences.addAll(differences(name + ".", inner, otherInner));
            } else if (!Objects.equals(value, other)) {
                differences.add(name);
            }
        }
        return differences;
    }

    /** What the chart says of these is meant to differ. Its other values repeat the defaults of properties. */
    @Test
    void valuesDefaultToWhatPropertiesDefaultTo() throws IOException, ReflectiveOperationException {
        Manifests manifests = Chart.render("{}");
        Binder none = new Binder();

        assertThat(differences("", bound(manifests), none.bindOrCreate("none", AtollProperties.class)))
                .containsExactlyInAnyOrder("world.name", "world.size", "fabric.type", "fabric.sharedMemory.retain",
                        "fabric.tcp.bind", "fabric.tcp.port", "fabric.tcp.secret", "fabric.tcp.previousSecrets",
                        "membership.type", "membership.hazelcast.bindAddress",
                        "membership.hazelcast.kubernetesService", "membership.hazelcast.clusterName",
                        "membership.hazelcast.secret");
        AdminProperties console = Binder.get(environment(manifests))
                .bind("atoll.admin", Bindable.of(AdminProperties.class))
                .get();
        assertThat(console).isEqualTo(none.bindOrCreate("none", AdminProperties.class));
    }

    private static List<String> names(StandardEnvironment environment) {
        return environment.getPropertySources()
                .stream()
                .filter(source -> !source.getName().equals("pod"))
                .filter(EnumerablePropertySource.class::isInstance)
                .flatMap(source -> List.of(((EnumerablePropertySource<?>) source).getPropertyNames()).stream())
                .toList();
    }

    /** Checks the properties as an application does when it starts. */
    @ParameterizedTest
    @MethodSource("examples")
    void anApplicationRefusesNone(Path example) throws IOException {
        PropertyCheck.check(environment(Chart.render(example)), getClass().getClassLoader());
    }

    @Test
    void anApplicationRefusesOneThatIsMisspelt() throws IOException {
        StandardEnvironment environment = environment(Chart.render("application: {atoll: {world: {sise: 3}}}"));

        assertThatThrownBy(() -> PropertyCheck.check(environment, getClass().getClassLoader()))
                .hasMessageContaining("atoll.world.sise");
    }

    @Test
    void ranksMeetByTcp() throws IOException {
        AtollProperties properties = bound(Chart.render(Chart.example("tcp")));

        assertThat(properties.world().name()).isEqualTo("shop-atoll");
        assertThat(properties.world().size()).isEqualTo(3);
        assertThat(properties.segment().size()).isEqualTo(DataSize.ofMegabytes(64));
        assertThat(properties.fabric().type()).isEqualTo("tcp");
        assertThat(properties.fabric().sharedMemory().retain()).isTrue();
        assertThat(properties.fabric().tcp().bind()).isEqualTo("10.1.2.3");
        assertThat(properties.fabric().tcp().port()).isEqualTo(7420);
        assertThat(properties.fabric().tcp().secret()).isEqualTo(SECRET);
        assertThat(properties.fabric().tcp().previousSecrets()).containsExactly(SECRET);
        assertThat(properties.membership().type()).isEqualTo(AtollProperties.MembershipType.HAZELCAST);
        assertThat(properties.membership().hazelcast().bindAddress()).isEqualTo("10.1.2.3");
        assertThat(properties.membership().hazelcast().kubernetesService())
                .isEqualTo("shop-atoll-ranks.market.svc.cluster.local");
        assertThat(properties.membership().hazelcast().secret()).isEqualTo(SECRET);
    }

    @Test
    void ranksMeetByRdma() throws IOException {
        AtollProperties properties = bound(Chart.render("""
                fabric: rdma
                rdma: {resource: rdma/hca_shared, device: mlx5_0, gidIndex: 3}
                """));

        assertThat(properties.fabric().type()).isEqualTo("rdma");
        assertThat(properties.fabric().rdma().device()).isEqualTo("mlx5_0");
        assertThat(properties.fabric().rdma().gidIndex()).isEqualTo(3);
        assertThat(properties.fabric().rdma().secret()).isEqualTo(SECRET);
    }

    @Test
    void verbsIsAnotherNameOfRdma() throws IOException {
        AtollProperties properties = bound(Chart.render("""
                fabric: verbs
                rdma: {resource: rdma/hca_shared, gidIndex: 3}
                """));

        assertThat(properties.fabric().type()).isEqualTo("rdma");
        assertThat(properties.fabric().rdma().gidIndex()).isEqualTo(3);
        assertThat(properties.fabric().rdma().secret()).isEqualTo(SECRET);
    }

    @Test
    void ranksMeetInTheMemoryOfANode() throws IOException {
        AtollProperties properties = bound(Chart.render(Chart.example("shared-memory")));

        assertThat(properties.fabric().type()).isEqualTo("shared-memory");
        assertThat(properties.fabric().sharedMemory().retain()).isFalse();
        assertThat(properties.membership().type()).isEqualTo(AtollProperties.MembershipType.ONE_HOST);
    }

    @Test
    void ranksShowTheCertificateThatTheyAreGiven() throws IOException {
        Manifests manifests = Chart.render(Chart.example("production"));
        String name = "shop-atoll-ranks.market.svc.cluster.local";

        assertThat(bound(manifests).fabric().tcp().ssl().bundle()).isEqualTo("ranks");
        assertThat(bound(manifests).fabric().tcp().ssl().peers()).containsExactly(name);
        SslProperties bundles = Binder.get(environment(manifests))
                .bind("spring.ssl", Bindable.of(SslProperties.class),
                        new NoUnboundElementsBindHandler(BindHandler.DEFAULT))
                .get();
        assertThat(bundles.getBundle().getPem().get("ranks").isReloadOnUpdate()).isTrue();
        assertThat(bundles.getBundle().getPem().get("ranks").getKeystore().getCertificate())
                .isEqualTo("/etc/atoll/tls/tls.crt");
        Map<String, Object> certificate = Maps.of(manifests.object("Certificate", "shop-atoll-tls").get("spec"));
        assertThat(certificate).containsEntry("secretName", "shop-atoll-tls")
                .containsEntry("issuerRef", Map.of("name", "shop-ca", "kind", "Issuer"));
        assertThat(Maps.list(certificate.get("dnsNames"))).contains(name);
    }

    @Test
    void theConsoleIsClosedUnlessTold() throws IOException {
        assertThat(environment(Chart.render("{}")).getProperty("atoll.admin.exposed")).isEqualTo("false");
        assertThat(environment(Chart.render("console: {exposed: true}")).getProperty("atoll.admin.exposed"))
                .isEqualTo("true");
    }

    @Test
    void usersOfAProviderSignInAtTheConsole() throws IOException {
        Manifests manifests = Chart
                .render("""
                        console: {oidc: {issuer: "https://login.example.com", clientId: shop, existingSecret: mine, authoritiesClaim: roles}}
                        """);
        StandardEnvironment environment = environment(manifests);
        String client = "spring.security.oauth2.client.";

        assertThat(environment.getProperty(client + "provider.console.issuer-uri"))
                .isEqualTo("https://login.example.com");
        assertThat(environment.getProperty(client + "registration.console.client-id")).isEqualTo("shop");
        assertThat(environment.getProperty(client + "registration.console.client-secret")).isEqualTo(SECRET);
        assertThat(environment.getProperty(client + "registration.console.scope")).isEqualTo("openid");
        assertThat(environment.getProperty(client + "registration.console.client-authentication-method")).isNull();
        assertThat(environment.getProperty("node.authorities-claim")).isEqualTo("roles");
        assertThat(environment.getProperty("server.servlet.session.cookie.secure")).isNull();
        assertThat(Maps.text(manifests.object("Service", "shop-atoll"), "spec", "sessionAffinity"))
                .isEqualTo("ClientIP");
        assertThat(manifests.problems()).isEmpty();
    }

    @Test
    void aPublicClientHasNoSecretAndACookieBehindTlsIsSentByTlsOnly() throws IOException {
        StandardEnvironment environment = environment(Chart
                .render("""
                        console: {oidc: {issuer: "https://login.example.com", clientId: shop}}
                        ingress: {enabled: true, hosts: [{host: shop.example.com}], tls: [{hosts: [shop.example.com], secretName: a}]}
                        """));

        assertThat(environment
                .getProperty("spring.security.oauth2.client.registration.console.client-authentication-method"))
                .isEqualTo("none");
        assertThat(environment.getProperty("server.servlet.session.cookie.secure")).isEqualTo("true");
        assertThat(environment.getProperty("server.forward-headers-strategy")).isEqualTo("framework");
        assertThat(environment.getProperty("node.authorities-claim")).isNull();
    }

    @Test
    void whatTheUserSaysReplacesWhatTheChartSays() throws IOException {
        StandardEnvironment environment = environment(Chart.render("""
                application:
                  server: {port: 9000}
                  logging: {level: {root: info}}
                """));

        assertThat(environment.getProperty("server.port")).isEqualTo("9000");
        assertThat(environment.getProperty("server.address")).isEqualTo("0.0.0.0");
        assertThat(environment.getProperty("logging.level.root")).isEqualTo("info");
    }

    @Test
    void theExampleForComposeSaysWhereEachRankIs() throws IOException {
        Object compose = new Yaml().load(Files.readString(Chart.EXAMPLES.resolve("compose.yaml")));
        Map<String, Object> variables = new HashMap<>(
                Maps.of(Maps.at(compose, "services", "rank-1", "environment")));
        variables.replaceAll((_, value) -> value.toString().startsWith("${ATOLL_SECRET:?") ? SECRET : value);
        StandardEnvironment environment = new StandardEnvironment();
        environment.getPropertySources()
                .replace(StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME,
                        new SystemEnvironmentPropertySource(
                                StandardEnvironment.SYSTEM_ENVIRONMENT_PROPERTY_SOURCE_NAME, variables));
        ConfigurationPropertySources.attach(environment);

        PropertyCheck.check(environment, getClass().getClassLoader());
        AtollProperties properties = Binder.get(environment).bind("atoll", Bindable.of(AtollProperties.class)).get();
        assertThat(properties.world().rank()).isEqualTo(1);
        assertThat(properties.world().size()).isEqualTo(3);
        assertThat(properties.fabric().tcp().secret()).isEqualTo(SECRET);
        assertThat(properties.fabric().tcp().addresses()).extracting(address -> address.replaceAll(":.*", ""))
                .containsExactlyElementsOf(Maps.of(Maps.at(compose, "services")).keySet());
    }
}
