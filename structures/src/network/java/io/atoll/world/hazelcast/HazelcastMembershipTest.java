package io.atoll.world.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import com.hazelcast.config.Config;
import com.hazelcast.core.Hazelcast;
import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.instance.impl.HazelcastInstanceFactory;
import io.atoll.LoggedLines;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.world.Member;
import java.io.IOException;
import java.net.DatagramPacket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.MulticastSocket;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@Isolated
@Tag("network")
class HazelcastMembershipTest extends TestMembers {

    private static final String GROUP = "224.2.2.3";

    @AfterEach
    void everybodyLeaves() throws Exception {
        closeAll();
        assertNothingIsLeft();
    }

    @Test
    void membersSeeEachOtherWithTheirAddressesInTheOrderOfJoining() {
        List<TestMember> members = new ArrayList<>();
        for (int rank : new int[]{2, 0, 1}) {
            Member self = new Member(world, rank, rank + 1, Map.of("host", "10.0.0." + rank, "port", "9000"));
            long start = System.nanoTime();
            members.add(member(settings, self).join());
            System.out.printf("rank %d joined in %d ms%n", rank, (System.nanoTime() - start) / 1_000_000);
        }
        List<Member> expected = members.stream().map(TestMember::self).toList();
        for (TestMember member : members) {
            await().atMost(SOON)
                    .untilAsserted(
                            () -> assertThat(member.membership().members()).containsExactlyElementsOf(expected));
            assertThat(member.views()).last().isEqualTo(expected);
            assertThat(member.membership().refusal()).isEmpty();
        }
    }

    @Test
    void membersThatStartAtOnceFindEachOther() {
        List<CompletableFuture<TestMember>> starts = IntStream.range(0, 3)
                .mapToObj(rank -> CompletableFuture.supplyAsync(member(world, rank)::join, Thread::startVirtualThread))
                .toList();
        long start = System.nanoTime();
        List<TestMember> members = starts.stream().map(CompletableFuture::join).toList();
        System.out.printf("three joined at once in %d ms%n", (System.nanoTime() - start) / 1_000_000);
        for (TestMember member : members) {
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(member.ranks()).containsExactlyInAnyOrder(0, 1, 2));
        }
    }

    private void foreign(Function<Config, HazelcastInstance> start) {
        Config config = MemberConfig.of(new Seeds(settings, 3), new MemberClaim(rank(0, 1), "foreign"));
        config.getMemberAttributeConfig().setAttributes(Map.of());
        opened.add(start.apply(config)::shutdown);
    }

    @Test
    void aStockHazelcastMemberAtAnAddressOfTheWorldIsPassedOverAsAnyOtherProgramIs() {
        foreign(Hazelcast::newHazelcastInstance);
        TestMember first = member(world, 0).join();
        TestMember second = member(world, 1).join();
        awaitRanks(first, 0, 1);
        awaitRanks(second, 0, 1);
    }

    private HazelcastSettings knowing(String secret) {
        return settings.withSecret(new Secret(secret));
    }

    @Test
    void membersThatKnowTheSecretMeetAndOneThatKnowsAnotherOrNoneIsRefusedAndTold() {
        TestMember first = member(knowing("a long and secret text"), rank(0, 1)).join();
        TestMember second = member(knowing("a long and secret text"), rank(1, 1)).join();
        awaitRanks(first, 0, 1);
        JoinRefusedException other;
        try (LoggedLines log = new LoggedLines(Handshake.class, "does not know this world's secret")) {
            other = refusalOf(member(knowing("another long and secret text"), rank(2, 1)));
            assertThat(log.lines()).isNotEmpty()
                    .allMatch(line -> line.contains("the same one (atoll.membership.hazelcast.secret)"));
        }
        assertThat(other.reason()).isEqualTo(Reason.OTHER_SECRET);
        assertThat(other).hasMessageStartingWith("all processes of a world must be told the same secret"
                + " (atoll.membership.hazelcast.secret): world=shop secret=set foundMember=/127.0.0.1:")
                .message()
                .doesNotContain("secret text");
        JoinRefusedException none = refusalOf(member(settings, rank(2, 1)));
        assertThat(none.reason()).isEqualTo(Reason.OTHER_SECRET);
        assertThat(none).hasMessageContaining("secret=none");
        awaitRanks(second, 0, 1);
        TestMember third = member(knowing("a long and secret text"), rank(2, 1)).join();
        awaitRanks(third, 0, 1, 2);
    }

    @Test
    void clustersOfAnotherNameAreNotMet() {
        TestMember first = member(settings, rank(0, 1)).join();
        TestMember other = member(settings.withClusterName("other"), rank(0, 1)).join();
        awaitRanks(first, 0);
        awaitRanks(other, 0);
    }

    @Test
    void aHazelcastMemberThatIsNoProcessOfAtollIsRefusedAsCompany() {
        foreign(config -> HazelcastInstanceFactory.newHazelcastInstance(config, "foreign",
                new GuardedNode(new Handshake(Secret.NONE))));
        JoinRefusedException refusal = refusalOf(member(world, 0));
        assertThat(refusal.reason()).isEqualTo(Reason.OTHER_WORLD);
        assertThat(refusal)
                .hasMessage("a Hazelcast member that is no process of Atoll was found, choose another port or"
                        + " address: world=shop foundMember=127.0.0.1:" + port);
    }

    @Test
    void aMemberThatLeavesIsGoneForTheOthers() {
        TestMember first = member(world, 0).join();
        TestMember second = member(world, 1).join();
        awaitRanks(first, 0, 1);
        second.close();
        awaitRanks(first, 0);
        await().atMost(SOON).untilAsserted(() -> assertThat(first.views()).last().isEqualTo(List.of(first.self())));
        second.close();
    }

    @Test
    void aMemberThatIsKilledIsGoneForTheOthersBeforeItsHeartbeatsAreMissed() {
        HazelcastSettings patient = settings.withHeartbeat(Duration.ofSeconds(1), Duration.ofSeconds(60));
        TestMember first = member(patient, rank(0, 1)).join();
        TestMember second = member(patient, rank(1, 1)).join();
        awaitRanks(first, 0, 1);
        long start = System.nanoTime();
        first.kill();
        awaitRanks(second, 1);
        System.out.printf("a killed member was noticed in %d ms%n", (System.nanoTime() - start) / 1_000_000);
    }

    @Test
    void aRankThatRestartsIsSeenUnderItsNewIncarnation() {
        TestMember first = member(world, 0).join();
        member(world, 1).join().kill();
        TestMember restarted = member(settings, rank(1, 2)).join();
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(first.membership().members())
                        .containsExactly(first.self(), restarted.self()));
    }

    /** A process without memory does this when it is told of lives that it had. */
    @Test
    void aProcessJoinsAgainAsALaterLifeOfItsRank() {
        TestMember first = member(world, 0).join();
        TestMember second = member(world, 1).join();
        Member later = rank(1, 5);
        second.membership().joinAgain(later);
        for (TestMember member : List.of(first, second)) {
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(member.membership().members())
                            .containsExactly(first.self(), later));
        }
        assertThat(second.membership().refusal()).isEmpty();
    }

    /** A rank that has lost its memory does not know how often it was started. */
    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void aRestartedRankWaitsUntilItsEarlierLifeIsKnownToHaveEnded(int incarnation) {
        TestMember first = member(world, 0).join();
        TestMember earlier = member(settings, rank(1, 2)).join();
        CompletableFuture<TestMember> restart = CompletableFuture
                .supplyAsync(member(settings, rank(1, incarnation))::join, Thread::startVirtualThread);
        await().atMost(SOON).until(() -> TestMember.instances(1).size() == 2);
        assertThat(restart).isNotDone();
        assertThat(first.membership().members()).containsExactly(first.self(), earlier.self());
        earlier.close();
        TestMember restarted = restart.join();
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(first.membership().members())
                        .containsExactly(first.self(), restarted.self()));
    }

    @Test
    void aMemberWhoseHazelcastDiedJoinsAgain() {
        TestMember first = member(world, 0).join();
        TestMember second = member(world, 1).join();
        awaitRanks(first, 0, 1);
        TestMember.instances(1).getFirst().getLifecycleService().terminate();
        awaitRanks(first, 0);
        awaitRanks(first, 0, 1);
        awaitRanks(second, 0, 1);
    }

    /** Settings for two members that meet the same newcomer's address but not each other's. */
    private HazelcastSettings alone(int at) {
        return settings.withPort(at).withDiscovery(new Discovery.Addresses(List.of("127.0.0.1:" + at)));
    }

    private HazelcastSettings seeing(int at, int other) {
        return alone(at).withDiscovery(new Discovery.Addresses(List.of("127.0.0.1:" + at, "127.0.0.1:" + other)));
    }

    @Test
    void partsThatStartedWithoutSeeingEachOtherBecomeOne() {
        int other = port + 10;
        TestMember second = member(seeing(port, other), rank(1, 1)).join();
        TestMember first = member(alone(other), rank(0, 1)).join();
        assertThat(first.ranks()).containsExactly(0);
        assertThat(second.ranks()).containsExactly(1);
        awaitRanks(first, 0, 1);
        awaitRanks(second, 0, 1);
    }

    @Test
    void whoComesBackToFindItsRankTakenIsRefusedAndSaysSo() {
        int other = port + 10;
        TestMember cutOff = member(seeing(port, other), rank(1, 1)).join();
        int third = port + 15;
        TestMember first = member(alone(third), rank(0, 1)).join();
        TestMember taker = member(seeing(third, third).withPort(third + 1), rank(1, 2)).join();
        awaitRanks(first, 0, 1);
        member(seeing(third, third).withPort(other), rank(2, 1)).join();
        await().atMost(SOON).until(() -> cutOff.membership().refusal().isPresent());
        assertThat(cutOff.membership().refusal().orElseThrow().reason()).isEqualTo(Reason.RANK_TAKEN);
        assertThat(cutOff.membership().refusal().orElseThrow())
                .hasMessageEndingWith("rank=1 incarnation=1 foundIncarnation=2");
        await().atMost(SOON).untilAsserted(() -> assertThat(cutOff.views()).last().isEqualTo(List.of()));
        assertThat(first.membership().members()).startsWith(first.self(), taker.self());
    }

    @Test
    void podsFindEachOtherThroughTheirService() {
        HazelcastSettings pods = settings.withDiscovery(Discovery.kubernetes("localhost"));
        TestMember first = member(pods, rank(0, 1)).join();
        TestMember second = member(pods, rank(1, 1)).join();
        awaitRanks(first, 0, 1);
        awaitRanks(second, 0, 1);
    }

    @Test
    void membersThatListenEverywhereAreFoundAtAnyAddress() {
        HazelcastSettings everywhere = alone(port).withBindAddress(HazelcastSettings.ALL_INTERFACES);
        TestMember first = member(everywhere, rank(0, 1)).join();
        TestMember second = member(everywhere, rank(1, 1)).join();
        awaitRanks(first, 0, 1);
        awaitRanks(second, 0, 1);
        assertThat(RejoinPolicy.answers(new InetSocketAddress("127.0.0.2", port))).isTrue();
    }

    @Test
    void membersFindEachOtherByMulticast() throws IOException {
        assumeTrue(multicastArrives(), "this machine does not deliver multicast to itself");
        HazelcastSettings multicast = settings.withDiscovery(new Discovery.Multicast(GROUP, port + 19));
        TestMember first = member(multicast, rank(0, 1)).join();
        TestMember second = member(multicast, rank(1, 1)).join();
        awaitRanks(first, 0, 1);
        awaitRanks(second, 0, 1);
    }

    private boolean multicastArrives() throws IOException {
        InetSocketAddress group = new InetSocketAddress(GROUP, port + 18);
        NetworkInterface loopback = NetworkInterface.getByInetAddress(InetAddress.getByName("127.0.0.1"));
        try (MulticastSocket socket = new MulticastSocket(group.getPort())) {
            socket.setSoTimeout(1000);
            socket.setNetworkInterface(loopback);
            socket.joinGroup(group, loopback);
            socket.send(new DatagramPacket(new byte[]{1}, 1, group));
            socket.receive(new DatagramPacket(new byte[1], 1));
            return true;
        } catch (SocketException | SocketTimeoutException undelivered) {
            return false;
        }
    }

    @Test
    void anAddressThatIsNotThisMachinesIsRefused() {
        TestMember member = member(settings.withBindAddress("203.0.113.9"), rank(0, 1));
        JoinRefusedException refusal = refusalOf(member);
        assertThat(refusal.reason()).isEqualTo(Reason.MEMBERSHIP_UNAVAILABLE);
        assertThat(refusal).hasMessage("Hazelcast does not start, see its log:"
                + " bindAddress=203.0.113.9 port=" + port + " ports=7");
    }
}
