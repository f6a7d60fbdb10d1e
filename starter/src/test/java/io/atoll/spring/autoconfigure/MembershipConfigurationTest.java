package io.atoll.spring.autoconfigure;

import static org.assertj.core.api.Assertions.assertThat;

import com.hazelcast.core.Hazelcast;
import io.atoll.spring.autoconfigure.AtollProperties.HazelcastMembers;
import io.atoll.spring.autoconfigure.diagnostics.RefusedSettingException;
import io.atoll.world.Member;
import io.atoll.world.Membership;
import io.atoll.world.hazelcast.HazelcastMembership;
import io.atoll.world.hazelcast.HazelcastSettings;
import java.io.IOException;
import java.net.ServerSocket;
import org.junit.jupiter.api.Test;
import org.springframework.boot.autoconfigure.AutoConfigurations;
import org.springframework.boot.context.properties.bind.Binder;
import org.springframework.boot.context.properties.source.InvalidConfigurationPropertyValueException;
import org.springframework.boot.context.properties.source.MutuallyExclusiveConfigurationPropertiesException;
import org.springframework.boot.test.context.runner.ApplicationContextRunner;
import org.springframework.core.NestedExceptionUtils;

class MembershipConfigurationTest {

    private final ApplicationContextRunner runner = new ApplicationContextRunner()
            .withConfiguration(AutoConfigurations.of(AtollAutoConfiguration.class));

    private final ApplicationContextRunner hazelcast = runner.withPropertyValues("atoll.membership.type=hazelcast");

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0)) {
            return socket.getLocalPort();
        }
    }

    @Test
    void byDefaultTheFabricSeesTheRanksOfItsHost() {
        runner.run(context -> assertThat(context.getBean(Membership.class)).isNotInstanceOf(HazelcastMembership.class));
    }

    @Test
    void propertiesDefaultToWhatTheSettingsOfHazelcastDefaultTo() {
        HazelcastMembers unset = new Binder().bindOrCreate("none", HazelcastMembers.class);
        assertThat(MembershipConfiguration.settings(unset)).isEqualTo(HazelcastSettings.defaults());
    }

    @Test
    void hazelcastFindsTheOtherRanks() throws IOException {
        hazelcast.withPropertyValues("atoll.membership.hazelcast.port=" + freePort()).run(context -> {
            Membership membership = context.getBean(HazelcastMembership.class);
            assertThat(membership.members()).extracting(Member::rank).containsExactly(0);
            assertThat(Hazelcast.getAllHazelcastInstances()).hasSize(1);
            context.close();
            assertThat(Hazelcast.getAllHazelcastInstances()).isEmpty();
        });
    }

    @Test
    void secretAndNameOfTheClusterArrive() throws IOException {
        hazelcast.withPropertyValues("atoll.membership.hazelcast.port=" + freePort(),
                "atoll.membership.hazelcast.cluster-name=shop",
                "atoll.membership.hazelcast.secret=open-sesame-open-sesame")
                .run(context -> {
                    assertThat(Hazelcast.getAllHazelcastInstances()).extracting(
                            instance -> instance.getConfig().getClusterName()).containsExactly("shop");
                    assertThat(context.getBean(AtollProperties.class)).asString().doesNotContain("sesame");
                });
    }

    @Test
    void theUsersOwnMembershipIsTheMembership() {
        Membership own = Membership.ofOneHost();
        hazelcast.withBean(Membership.class, () -> own)
                .run(context -> assertThat(context.getBean(Membership.class)).isSameAs(own));
    }

    private void assertRefused(String reason, String... properties) {
        hazelcast.withPropertyValues(properties)
                .run(context -> assertThat(context).getFailure()
                        .extracting(NestedExceptionUtils::getMostSpecificCause)
                        .isInstanceOfSatisfying(InvalidConfigurationPropertyValueException.class, refused -> {
                            assertThat(refused.getName()).isEqualTo("atoll.membership.hazelcast");
                            assertThat(refused.getReason()).contains(reason);
                            assertThat(refused.getMessage()).doesNotContain("abracadabra");
                        }));
    }

    @Test
    void settingsThatCannotBeAreRefused() {
        assertRefused("port=0", "atoll.membership.hazelcast.port=0");
        assertRefused("heartbeatTimeout=PT1S", "atoll.membership.hazelcast.heartbeat-timeout=1s");
        assertRefused("processes of one host meet at one address",
                "atoll.membership.hazelcast.bind-address=0.0.0.0");
        assertRefused("address=a b", "atoll.membership.hazelcast.addresses=a b");
        assertRefused("port=70000", "atoll.membership.hazelcast.multicast.port=70000");
        assertRefused("clusterName=", "atoll.membership.hazelcast.cluster-name=");
        assertRefused("16 characters or more", "atoll.membership.hazelcast.secret=abracadabra");
        assertRefused("address=in valid", "atoll.membership.hazelcast.kubernetes-service=in valid");
    }

    @Test
    void aSecretWhosePlaceholderNobodyResolvedIsRefused() {
        hazelcast.withPropertyValues("atoll.membership.hazelcast.secret=${ATOLL_HAZELCAST_SECRET}")
                .run(context -> assertThat(context).getFailure()
                        .extracting(NestedExceptionUtils::getMostSpecificCause)
                        .isInstanceOfSatisfying(RefusedSettingException.class, refused -> {
                            assertThat(refused.property()).isEqualTo("atoll.membership.hazelcast.secret");
                            assertThat(refused.reason()).contains("a placeholder in it was not resolved");
                        }));
    }

    @Test
    void theOthersAreLookedForInOneWay() {
        hazelcast.withPropertyValues("atoll.membership.hazelcast.addresses=10.0.0.1",
                "atoll.membership.hazelcast.kubernetes-service=shop")
                .run(context -> assertThat(context).getFailure()
                        .extracting(NestedExceptionUtils::getMostSpecificCause)
                        .isInstanceOf(MutuallyExclusiveConfigurationPropertiesException.class));
    }
}
