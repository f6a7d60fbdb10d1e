package io.atoll.world.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import com.hazelcast.config.Config;
import com.hazelcast.config.JoinConfig;
import com.hazelcast.config.ServerSocketEndpointConfig;
import com.hazelcast.instance.EndpointQualifier;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Member;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HazelcastSettingsTest {

    private static Config config(HazelcastSettings settings) {
        MemberClaim memberClaim = new MemberClaim(new Member(new WorldIdentity("shop", 2), 0, 1, Map.of()), "p");
        return MemberConfig.of(new Seeds(settings, 2), memberClaim);
    }

    @Test
    void byDefaultTheRanksPortsOfLoopbackAndAFewToSpareAreTried() {
        Seeds seeds = new Seeds(HazelcastSettings.defaults(), 2);
        assertThat(seeds.addresses()).hasSize(2 + Seeds.SPARE_PORTS)
                .startsWith(new InetSocketAddress("127.0.0.1", 5701),
                        new InetSocketAddress("127.0.0.1", 5702));
        ServerSocketEndpointConfig endpoint = (ServerSocketEndpointConfig) config(HazelcastSettings.defaults())
                .getAdvancedNetworkConfig()
                .getEndpointConfigs()
                .get(EndpointQualifier.MEMBER);
        assertThat(endpoint.getPort()).isEqualTo(5701);
        assertThat(endpoint.getPortCount()).isEqualTo(6);
    }

    @Test
    void thePortsEndWithTheLastOneThereIs() {
        HazelcastSettings settings = HazelcastSettings.defaults().withPort(65_534);
        assertThat(new Seeds(settings, 100).addresses()).containsExactly(new InetSocketAddress("127.0.0.1", 65_534),
                new InetSocketAddress("127.0.0.1", 65_535));
    }

    @Test
    void anAddressWithoutAPortMeansTheFirstPortOfTheSettings() throws UnknownHostException {
        HazelcastSettings settings = HazelcastSettings.defaults()
                .withPort(6000)
                .withDiscovery(new Discovery.Addresses(List.of("10.0.0.1", "10.0.0.2:7000", "[::1]:7001")));
        assertThat(new Seeds(settings, 3).addresses()).containsExactly(new InetSocketAddress("10.0.0.1", 6000),
                new InetSocketAddress("10.0.0.2", 7000), new InetSocketAddress(InetAddress.getByName("::1"), 7001));
        assertThat(config(settings).getAdvancedNetworkConfig().getJoin().getTcpIpConfig().getMembers())
                .containsExactly("10.0.0.1:6000", "10.0.0.2:7000", "[0:0:0:0:0:0:0:1]:7001");
    }

    /** Compose gives containers names with underscores. */
    @Test
    void namesMayHaveUnderscores() {
        HazelcastSettings settings = HazelcastSettings.defaults()
                .withDiscovery(new Discovery.Addresses(List.of("shop_1", "shop_2:7000", "127.0.0.1")));
        assertThat(new Seeds(settings, 3).addresses()).contains(new InetSocketAddress("127.0.0.1", 5701));
    }

    @Test
    void aServiceOfKubernetesStandsForAllItsAddresses() throws UnknownHostException {
        HazelcastSettings settings = HazelcastSettings.defaults().withDiscovery(Discovery.kubernetes("localhost"));
        assertThat(new Seeds(settings, 3).addresses()).extracting(InetSocketAddress::getAddress)
                .containsExactlyInAnyOrder(InetAddress.getAllByName("localhost"));
    }

    @Test
    void aNameThatIsNotKnownYetStandsForNoAddress() {
        HazelcastSettings settings = HazelcastSettings.defaults()
                .withDiscovery(new Discovery.Addresses(List.of("members.invalid", "127.0.0.1")));
        assertThat(new Seeds(settings, 3).addresses()).containsExactly(new InetSocketAddress("127.0.0.1", 5701));
    }

    @Test
    void multicastIsOnOnlyWhenAskedForAndTheAddressListIsOffThen() {
        JoinConfig byDefault = config(HazelcastSettings.defaults()).getAdvancedNetworkConfig().getJoin();
        assertThat(byDefault.getMulticastConfig().isEnabled()).isFalse();
        assertThat(byDefault.getTcpIpConfig().isEnabled()).isTrue();
        JoinConfig multicast = config(
                HazelcastSettings.defaults().withDiscovery(new Discovery.Multicast("224.2.2.3", 54_327)))
                .getAdvancedNetworkConfig()
                .getJoin();
        assertThat(multicast.getMulticastConfig().isEnabled()).isTrue();
        assertThat(multicast.getMulticastConfig().getMulticastGroup()).isEqualTo("224.2.2.3");
        assertThat(multicast.getMulticastConfig().getMulticastPort()).isEqualTo(54_327);
        assertThat(multicast.getTcpIpConfig().isEnabled()).isFalse();
    }

    @Test
    void nothingIsOnThatIsNotMembership() {
        Config config = config(HazelcastSettings.defaults());
        assertThat(config.isLiteMember()).isTrue();
        assertThat(config.getJetConfig().isEnabled()).isFalse();
        assertThat(config.getMetricsConfig().isEnabled()).isFalse();
        assertThat(config.getIntegrityCheckerConfig().isEnabled()).isFalse();
        assertThat(config.getAdvancedNetworkConfig().getEndpointConfigs()).containsOnlyKeys(EndpointQualifier.MEMBER);
        assertThat(config.getAdvancedNetworkConfig().getJoin().isAutoDetectionEnabled()).isFalse();
        assertThat(config.getProperties()).containsEntry("hazelcast.phone.home.enabled", "false")
                .containsEntry("hazelcast.shutdownhook.enabled", "false");
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ":5701", "10.0.0.1:", "10.0.0.1:65536", "10.0.0.1:0", "10.0.0.1/a", "me@host", "a b",
        "shop_1:0", "shop_1:", "shop_1/a"})
    void whatIsNoAddressIsRefused(String address) {
        assertThatIllegalArgumentException().isThrownBy(() -> new Discovery.Addresses(List.of(address)))
                .withMessage("an address is host or host:port: address=" + address);
    }

    @Test
    void theSecretIsNeverPrinted() {
        HazelcastSettings defaults = HazelcastSettings.defaults();
        assertThat(defaults).asString().contains("secret=none");
        assertThat(defaults.withSecret(new Secret("a long and secret text"))).asString()
                .contains("secret=set")
                .doesNotContain("text");
    }

    @Test
    void settingsThatCannotWorkAreRefused() {
        HazelcastSettings defaults = HazelcastSettings.defaults();
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.withPort(0))
                .withMessageEndingWith("port=0");
        assertThatIllegalArgumentException().isThrownBy(() -> new Discovery.Multicast("224.2.2.3", 65_536))
                .withMessageEndingWith("port=65536");
        assertThatIllegalArgumentException().isThrownBy(() -> new Discovery.Addresses(List.of()))
                .withMessageEndingWith("addresses=[]");
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.withClusterName(" "))
                .withMessageEndingWith("clusterName=' '");
        assertThatIllegalArgumentException().isThrownBy(() -> new Secret("too short"))
                .withMessageEndingWith("length=9");
        Duration second = Duration.ofSeconds(1);
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.withHeartbeat(Duration.ofMillis(500), second))
                .withMessageEndingWith("heartbeatInterval=PT0.5S");
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.withHeartbeat(second, Duration.ofMillis(2500)))
                .withMessageEndingWith("heartbeatTimeout=PT2.5S");
        assertThatIllegalArgumentException().isThrownBy(() -> defaults.withHeartbeat(second, second))
                .withMessageEndingWith("heartbeatInterval=PT1S heartbeatTimeout=PT1S");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new HazelcastMembership(defaults.withBindAddress(HazelcastSettings.ALL_INTERFACES)))
                .withMessageEndingWith("bindAddress=0.0.0.0");
    }
}
