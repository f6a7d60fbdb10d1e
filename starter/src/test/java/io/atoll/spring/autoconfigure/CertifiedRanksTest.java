package io.atoll.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.fabric.Connections;
import io.atoll.failure.AtollException;
import io.atoll.failure.MissingRanksException;
import io.atoll.spring.actuate.WorldHealthIndicator;
import io.atoll.spring.autoconfigure.diagnostics.RefusedSettingException;
import io.atoll.spring.state.RefusedReload;
import io.atoll.spring.state.WorldStates;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.WebApplicationType;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.boot.builder.SpringApplicationBuilder;
import org.springframework.boot.health.contributor.Health;
import org.springframework.boot.health.contributor.Status;
import org.springframework.boot.ssl.SslBundleRegistry;
import org.springframework.boot.ssl.SslBundles;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.context.ConfigurableApplicationContext;
import org.springframework.context.annotation.Configuration;

/** Tests applications that know each other by the certificates of SSL bundles. */
@Timeout(300)
@ExtendWith(OutputCaptureExtension.class)
@Tag("slow")
class CertifiedRanksTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final String SECRET = "atoll.fabric.tcp.secret=a secret that is long enough to be one";
    private static final String OTHER_SECRET = "atoll.fabric.tcp.secret=another that is long enough to be one";

    @TempDir
    private static Path keys;

    @TempDir
    private static Path otherKeys;

    private static Authority authority;
    private static Path shop;
    private static Path intruder;
    private static Path nameless;
    private static Authority otherAuthority;
    private static Path forged;

    @TempDir
    private Path folder;

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class Application {}

    @BeforeAll
    static void issue() throws Exception {
        authority = Authority.create(keys);
        shop = authority.issue("dns:shop-0.shop");
        intruder = authority.issue("dns:intruder.example.com");
        nameless = authority.issueWithoutName();
        otherAuthority = Authority.create(otherKeys);
        forged = otherAuthority.issue("dns:shop-0.shop");
    }

    private static List<String> bundle(String name, Path key, Authority trusted) {
        String prefix = "spring.ssl.bundle.jks." + name + ".";
        return List.of(prefix + "keystore.location=file:" + key, prefix + "keystore.password=" + Authority.PASSWORD,
                prefix + "truststore.location=file:" + trusted.trust(),
                prefix + "truststore.password=" + Authority.PASSWORD);
    }

    private ConfigurableApplicationContext start(int rank, Path key, Authority trusted, String... more) {
        List<String> properties = new ArrayList<>(bundle("ranks", key, trusted));
        properties.addAll(List.of("atoll.fabric.tcp.ssl.bundle=ranks", "atoll.fabric.tcp.ssl.peers=*.shop"));
        properties.addAll(List.of(more));
        return start(rank, properties);
    }

    private ConfigurableApplicationContext start(int rank, List<String> more) {
        return new SpringApplicationBuilder(Application.class).web(WebApplicationType.NONE)
                .properties(more.toArray(String[]::new))
                .run("--atoll.world.name=shop", "--atoll.world.size=2", "--atoll.world.rank=" + rank,
                        "--atoll.segment.size=4MB", "--atoll.fabric.shared-memory.folder=" + folder,
                        "--atoll.fabric.type=tcp", "--atoll.fabric.tcp.same-host=false",
                        "--atoll.world.join-timeout=2s");
    }

    private static void read(ConfigurableApplicationContext context) {
        World world = context.getBean(World.class);
        world.participant().endpoint().fabric().readWord(1 - world.rank(), 0);
    }

    private static void reachEachOther(ConfigurableApplicationContext zero, ConfigurableApplicationContext one) {
        for (ConfigurableApplicationContext context : List.of(zero, one)) {
            await().atMost(SOON)
                    .ignoreExceptionsInstanceOf(MissingRanksException.class)
                    .untilAsserted(() -> read(context));
        }
    }

    private static void refuse(ConfigurableApplicationContext context, String reason) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThatExceptionOfType(AtollException.class).isThrownBy(() -> read(context))
                        .withMessageContaining(reason));
    }

    private static long refused(ConfigurableApplicationContext context, String reason) {
        Connections connections = context.getBean(World.class).inspection().connections().orElseThrow();
        return connections.refused().get(reason);
    }

    /** The other end learns of the refusal before the refusal is counted. */
    private static void awaitRefusalOf(ConfigurableApplicationContext context) {
        await().atMost(SOON).until(() -> refused(context, "untrusted") > 0);
    }

    @Test
    void ranksWithCertificatesOfOneAuthorityReachEachOther() throws Exception {
        try (var zero = start(0, shop, authority); var one = start(1, shop, authority)) {
            reachEachOther(zero, one);
        }
    }

    @Test
    void aRankOfAnotherNameIsNotLetInAndNotBelieved() throws Exception {
        try (var zero = start(0, shop, authority); var one = start(1, intruder, authority)) {
            refuse(zero, "the certificate has none of the names of the ranks");
            refuse(one, "the rank does not know the name in this process's certificate");
            awaitRefusalOf(zero);
            assertThat(refused(one, "untrusted")).isZero();
        }
    }

    @Test
    void aCertificateWithoutAlternativeNamesHasNoNameAtAll() throws Exception {
        String everyName = "atoll.fabric.tcp.ssl.peers=*";
        try (var zero = start(0, shop, authority, everyName); var one = start(1, nameless, authority, everyName)) {
            refuse(zero, "the certificate has none of the names of the ranks");
            refuse(one, "give the certificate a subject alternative name");
        }
    }

    @Test
    void aRankWithTheCertificateOfAnotherAuthorityIsNotLetInAndNotBelieved() throws Exception {
        try (var zero = start(0, shop, authority); var one = start(1, forged, authority)) {
            refuse(zero, "the certificates of the two processes do not let them trust each other");
            refuse(one, "the certificates of the two processes do not let them trust each other");
            awaitRefusalOf(zero);
        }
        try (var zero = start(0, shop, authority); var one = start(1, forged, otherAuthority)) {
            refuse(zero, "the certificates of the two processes do not let them trust each other");
            refuse(one, "the certificates of the two processes do not let them trust each other");
        }
    }

    @Test
    void aSecretAloneDoesNotOpenWhatNeedsACertificate() throws Exception {
        try (var zero = start(0, shop, authority, SECRET);
                var one = start(1, List.of(SECRET))) {
            refuse(zero, "the certificates of the two processes do not let them trust each other");
            refuse(one, "the certificates of the two processes do not let them trust each other");
        }
    }

    @Test
    void withBothAProcessNeedsBoth() throws Exception {
        try (var zero = start(0, shop, authority, SECRET); var one = start(1, shop, authority, SECRET)) {
            reachEachOther(zero, one);
        }
        try (var zero = start(0, shop, authority, SECRET); var one = start(1, shop, authority, OTHER_SECRET)) {
            refuse(zero, "do not know the same secret");
            refuse(one, "do not know the same secret");
        }
        try (var zero = start(0, shop, authority, SECRET); var one = start(1, shop, authority)) {
            refuse(zero, "do not know the same secret");
            refuse(one, "do not know the same secret");
        }
    }

    /** The reloaded certificate has another name, so that the test sees which connections use it. */
    @Test
    void newConnectionsUseTheKeyThatWasLoadedAnew() throws Exception {
        String[] another = bundle("another", intruder, authority).toArray(String[]::new);
        try (var one = start(1, shop, authority, another)) {
            try (var zero = start(0, shop, authority)) {
                reachEachOther(zero, one);
                SslBundles bundles = one.getBean(SslBundles.class);
                one.getBean(SslBundleRegistry.class).updateBundle("ranks", bundles.getBundle("another"));
                reachEachOther(zero, one);
            }
            try (var _ = start(0, shop, authority)) {
                refuse(one, "the rank does not know the name in this process's certificate");
            }
        }
    }

    /** Without its own authorities, Java would trust the public ones. */
    @Test
    void aBundleThatLacksSomethingWhenItIsLoadedAnewIsNotUsed(CapturedOutput output) throws Exception {
        String[] onlyKey = bundle("half", shop, authority).subList(0, 2).toArray(String[]::new);
        try (var zero = start(0, shop, authority); var one = start(1, shop, authority, onlyKey)) {
            SslBundles bundles = one.getBean(SslBundles.class);
            one.getBean(SslBundleRegistry.class).updateBundle("ranks", bundles.getBundle("half"));

            assertThat(output).contains("is not used, connections go on with the one before: bundle=ranks")
                    .contains("has no authorities that it trusts");
            reachEachOther(zero, one);
            RefusedReload refused = (RefusedReload) health(one).getDetails().get("refusedReload");
            assertThat(refused.bundle()).isEqualTo("ranks");
            assertThat(refused.reason()).contains("has no authorities that it trusts");
            assertThat(health(one).getStatus()).isEqualTo(Status.UP);
            assertThat(health(zero).getDetails()).doesNotContainKey("refusedReload");

            one.getBean(SslBundleRegistry.class).updateBundle("ranks", bundles.getBundle("half"));
            assertThat(((RefusedReload) health(one).getDetails().get("refusedReload")).since())
                    .isEqualTo(refused.since());
        }
    }

    private static Health health(ConfigurableApplicationContext context) {
        return context.getBean(WorldHealthIndicator.class).health();
    }

    private static Optional<RefusedReload> refusedReload(ConfigurableApplicationContext context) {
        return context.getBean(WorldStates.class).refusedReload();
    }

    /** The file is like one that is still being written. */
    @Test
    void aFileThatIsBrokenIsToldInHealthUntilItIsWhole() throws Exception {
        Path own = Files.copy(shop, folder.resolve("own"));
        try (var zero = start(0, shop, authority);
                var one = start(1, own, authority, "spring.ssl.bundle.jks.ranks.reload-on-update=true",
                        "spring.ssl.bundle.watch.file.quiet-period=100ms")) {
            reachEachOther(zero, one);
            assertThat(refusedReload(one)).isEmpty();

            Files.writeString(own, "no key store");
            await().atMost(SOON).until(() -> refusedReload(one).isPresent());
            reachEachOther(zero, one);

            Files.copy(shop, own, StandardCopyOption.REPLACE_EXISTING);
            await().atMost(SOON).until(() -> refusedReload(one).isEmpty());
            reachEachOther(zero, one);
        }
    }

    private void assertRefused(String reason, String... more) {
        assertThatExceptionOfType(Exception.class).isThrownBy(() -> start(0, shop, authority, more).close())
                .havingRootCause()
                .isInstanceOfSatisfying(RefusedSettingException.class, refused -> {
                    assertThat(refused.property()).isEqualTo("atoll.fabric.tcp.ssl.bundle");
                    assertThat(refused.reason()).contains(reason);
                });
    }

    @Test
    void bundlesThatCannotServeAreRefused() {
        String prefix = "spring.ssl.bundle.jks.ranks.";
        assertRefused("there is no SSL bundle of the name 'rank', but [ranks]", "atoll.fabric.tcp.ssl.bundle=rank");
        assertRefused("does not allow TLSv1.3", prefix + "options.enabled-protocols=TLSv1.2");
        assertRefused("these ciphers are not all known", prefix + "options.ciphers=TLS_NONE");
        String[] onlyKey = bundle("half", shop, authority).subList(0, 2).toArray(String[]::new);
        String[] onlyTrust = bundle("half", shop, authority).subList(2, 4).toArray(String[]::new);
        String[] half = {"atoll.fabric.tcp.ssl.bundle=half"};
        assertRefused("has no authorities that it trusts", joined(onlyKey, half));
        assertRefused("has no certificate of its own", joined(onlyTrust, half));
    }

    private static String[] joined(String[] some, String[] others) {
        String[] all = Arrays.copyOf(some, some.length + others.length);
        System.arraycopy(others, 0, all, some.length, others.length);
        return all;
    }
}
