package io.atoll.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.World;
import io.atoll.fabric.FabricType;
import io.atoll.fabric.link.Addresses;
import io.atoll.fabric.link.Secret;
import io.atoll.fabric.shm.SharedMemory;
import io.atoll.fabric.tcp.Security;
import io.atoll.fabric.tcp.Tcp;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.spring.autoconfigure.diagnostics.RefusedSettingException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.autoconfigure.ssl.SslAutoConfiguration;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MutuallyExclusiveConfigurationPropertiesException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.context.ApplicationContext;

/** Tests worlds of one rank, which listen nowhere. */
class TcpConfigurationTest {

    // Has no commas, since properties would split it into several secrets.
    private static final String PRESENT = "the present secret which is long enough";
    private static final String PREVIOUS = "the previous secret which was long enough";
    private static final String OLDEST = "the oldest secret which was long enough as well";

    private final ApplicationContextRunner application = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class, SslAutoConfiguration.class))
            .withPropertyValues("atoll.fabric.type=tcp", "atoll.segment.size=4MB");

    private ApplicationContextRunner with(String... settings) {
        return application.withPropertyValues(
                Arrays.stream(settings).map(each -> "atoll.fabric.tcp." + each).toArray(String[]::new));
    }

    private static Security security(ApplicationContext context) {
        return ((Tcp) context.getBean(FabricType.class)).security();
    }

    @Test
    void byDefaultItListensWithinThisHostOnly() {
        application.run(context -> {
            assertThat(context.getBean(FabricType.class)).isEqualTo(new Tcp(new SharedMemory()));
            assertThat(context.getBean(World.class).fabric()).isEqualTo("tcp");
        });
    }

    @Test
    void aSilentRankAndASlowHandshakeAreAwaitedAsLongAsMembershipAndOperationsWait() {
        AtollProperties unset = new Binder().bindOrCreate("none", AtollProperties.class);
        assertThat(unset.fabric().tcp().silenceTimeout())
                .isEqualTo(unset.membership().hazelcast().heartbeatTimeout());
        assertThat(unset.fabric().tcp().connectTimeout()).isEqualTo(unset.world().operationTimeout());
    }

    @Test
    void everyPropertyArrives(@TempDir Path folder) {
        with("bind=0.0.0.0", "port=7420", "host=shop-0.shop", "lanes=4", "silence-timeout=7s", "connect-timeout=17s",
                "same-host=false", "spin=false",
                "secret=" + PRESENT, "previous-secrets=" + PREVIOUS, "encrypt=false")
                .withPropertyValues("atoll.fabric.shared-memory.folder=" + folder,
                        "atoll.fabric.shared-memory.retain=true")
                .run(context -> assertThat(context.getBean(FabricType.class))
                        .isEqualTo(new Tcp(new SharedMemory(folder, true), "0.0.0.0", 7420, "shop-0.shop", 4,
                                Duration.ofSeconds(7), Duration.ofSeconds(17), false, false,
                                Security.secret(Secret.of(PRESENT))
                                        .previous(Secret.of(PREVIOUS))
                                        .unencrypted(),
                                List.of())));
    }

    @Test
    void aListSaysWhereEachRankListens() {
        with("addresses=192.0.2.7:7420,[2001:db8::8]:7421")
                .run(context -> assertThat(((Tcp) context.getBean(FabricType.class)).addresses())
                        .containsExactly(Addresses.parse("192.0.2.7:7420"), Addresses.parse("[2001:db8::8]:7421")));
    }

    @Test
    void secretsAreKnownInTheirOrder() {
        with("secret=" + PRESENT, "previous-secrets[0]=" + PREVIOUS, "previous-secrets[1]=" + OLDEST)
                .run(context -> {
                    assertThat(security(context).secrets()).containsExactly(Secret.of(PRESENT), Secret.of(PREVIOUS),
                            Secret.of(OLDEST));
                    assertThat(security(context).encrypts()).isTrue();
                });
    }

    @Test
    void noSecurityIsWrittenOut() {
        with("security=none").run(context -> assertThat(security(context)).isEqualTo(Security.none()));
        application.run(context -> assertThat(security(context)).isNull());
    }

    private void assertRefused(String property, String reason, String... settings) {
        with(settings).run(context -> {
            assertThat(context).hasFailed();
            assertThat(context.getStartupFailure()).rootCause()
                    .isInstanceOfSatisfying(RefusedSettingException.class, refused -> {
                        assertThat(refused.property()).isEqualTo("atoll.fabric.tcp." + property);
                        assertThat(refused.reason()).contains(reason);
                        assertThat(refused.action()).endsWith(".");
                    });
            assertThat(context.getStartupFailure()).hasStackTraceContaining("RefusedSettingException")
                    .satisfies(failure -> assertThat(failure).asString().doesNotContain("abracadabra", PRESENT));
        });
    }

    @Test
    void secretsThatCannotBeAreRefused() {
        assertRefused("secret", "shorter than 32 bytes", "secret=abracadabra");
        assertRefused("secret", "shorter than 32 bytes", "secret=");
        assertRefused("previous-secrets[0]", "shorter than 32 bytes", "secret=" + PRESENT,
                "previous-secrets=abracadabra");
        assertRefused("previous-secrets", "at most 2", "secret=" + PRESENT, "previous-secrets[0]=" + PREVIOUS,
                "previous-secrets[1]=" + OLDEST, "previous-secrets[2]=" + PRESENT);
        assertRefused("previous-secrets", "there is no secret", "previous-secrets=" + PRESENT);
    }

    /** Such a secret is long enough, but it can be read in the configuration. */
    @Test
    void aSecretWhosePlaceholderNobodyResolvedIsRefused() {
        String reason = "a placeholder in it was not resolved";
        assertRefused("secret", reason, "secret=${COMPANY_PROD_ATOLL_TCP_SECRET_V2}");
        assertRefused("secret", reason, "secret=shop-${COMPANY_PROD_ATOLL_TCP_SECRET_V2}");
        assertRefused("secret", reason, "secret=${ATOLL_SECRET}");
        assertRefused("previous-secrets[0]", reason, "secret=" + PRESENT,
                "previous-secrets=${COMPANY_PROD_ATOLL_TCP_SECRET_V1}");
    }

    @Test
    void aNameWhosePlaceholderNobodyResolvedIsRefused() {
        String reason = "a placeholder in it was not resolved";
        assertRefused("host", reason, "host=${NAME_OF_THE_HOST}");
        assertRefused("bind", reason, "bind=${ADDRESS_OF_THE_HOST}");
    }

    @Test
    void settingsThatContradictEachOtherAreRefused() {
        assertRefused("security", "atoll.fabric.tcp.secret says who is", "security=none", "secret=" + PRESENT);
        assertRefused("security", "atoll.fabric.tcp.ssl.bundle says who is", "security=none", "ssl.bundle=ranks");
        assertRefused("encrypt", "part of the encryption", "encrypt=false", "ssl.bundle=ranks", "ssl.peers=*");
        assertRefused("ssl.peers", "every process with a certificate of the same authority", "ssl.bundle=ranks");
        assertRefused("ssl.peers", "without an SSL bundle", "ssl.peers=*.shop");
    }

    @Test
    void bundlesThatCannotBeAreRefused() {
        assertRefused("ssl.bundle", "there is no SSL bundle of the name 'ranks', but []", "ssl.bundle=ranks",
                "ssl.peers=*");
    }

    @Test
    void settingsOutOfTheirRangesAreRefusedWithTheReason() {
        for (String wrong : List.of("lanes=0", "lanes=65", "port=70000", "silence-timeout=10ms", "connect-timeout=0",
                "silence-timeout=99999999d", "connect-timeout=2d",
                "addresses=here")) {
            with(wrong, "secret=" + PRESENT).run(context -> assertThat(context.getStartupFailure()).rootCause()
                    .isInstanceOf(InvalidConfigurationPropertyValueException.class)
                    .hasMessageContaining(wrong.substring(wrong.indexOf('=') + 1)
                            .replace("10ms", "PT0.01S")
                            .replace("99999999d", "a day or less")
                            .replace("2d", "a day or less"))
                    .satisfies(refused -> assertThat(refused.getMessage()).doesNotContain(PRESENT)));
        }
    }

    @Test
    void eitherAListOrAMembershipSaysWhereRanksAre() {
        with("addresses=192.0.2.7:7420").withPropertyValues("atoll.membership.type=hazelcast")
                .run(context -> assertThat(context.getStartupFailure()).rootCause()
                        .isInstanceOf(MutuallyExclusiveConfigurationPropertiesException.class));
    }

    private ApplicationContextRunner beside(String... membership) {
        return application.withPropertyValues("atoll.membership.type=hazelcast", "atoll.world.size=2")
                .withPropertyValues(Arrays.stream(membership)
                        .map(each -> "atoll.membership.hazelcast." + each)
                        .toArray(String[]::new));
    }

    private static void assertRefused(ApplicationContextRunner runner, Reason reason) {
        runner.run(context -> assertThat(context.getStartupFailure()).rootCause()
                .isInstanceOfSatisfying(JoinRefusedException.class,
                        refused -> assertThat(refused.reason()).isEqualTo(reason)));
    }

    @Test
    void aMembershipOfOtherHostsNeedsAnAddressThatTheyReach() {
        for (String bind : List.of("lanes=2", "bind=127.0.0.2", "host=shop-0.shop")) {
            assertRefused(beside("bind-address=192.0.2.7", "addresses=192.0.2.7,192.0.2.8")
                    .withPropertyValues("atoll.world.rank=0", "atoll.fabric.tcp." + bind), Reason.UNREACHABLE);
        }
    }

    @Test
    void aMembershipOfOtherHostsNeedsARank() {
        for (String way : List.of("addresses=shop_1,shop_2", "kubernetes-service=shop.default.svc.cluster.local",
                "multicast.port=54327")) {
            assertRefused(beside("bind-address=0.0.0.0", way).withPropertyValues("atoll.fabric.tcp.bind=0.0.0.0",
                    "atoll.fabric.tcp.security=none"), Reason.RANK_UNKNOWN);
        }
    }

    @Test
    void besideAListBindAndPortSayWhereItListens() {
        with("addresses=192.0.2.7:7420", "bind=0.0.0.0", "port=9000").run(context -> {
            Tcp tcp = (Tcp) context.getBean(FabricType.class);
            assertThat(tcp.bind()).isEqualTo("0.0.0.0");
            assertThat(tcp.port()).isEqualTo(9000);
            assertThat(tcp.addresses()).hasSize(1);
        });
    }

    @Test
    void eitherAListOrAHostSaysWhereOthersReachIt() {
        with("addresses=192.0.2.7:7420", "host=shop-0.shop")
                .run(context -> assertThat(context.getStartupFailure()).rootCause()
                        .isInstanceOfSatisfying(MutuallyExclusiveConfigurationPropertiesException.class,
                                refused -> assertThat(refused.getMutuallyExclusiveNames())
                                        .containsExactlyInAnyOrder("atoll.fabric.tcp.addresses",
                                                "atoll.fabric.tcp.host")));
    }

    @Test
    void thePropertiesAsATextHaveNoSecret() {
        with("secret=" + PRESENT, "previous-secrets=" + PREVIOUS)
                .run(context -> assertThat(context.getBean(AtollProperties.class)).asString()
                        .contains("silence-timeout")
                        .doesNotContain("secret"));
    }
}
