package io.atoll.world.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.memory.WorldIdentity;
import io.atoll.world.Member;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("network")
class RejoinPolicyTest {

    private static final int NEVER = 1001;

    private final Set<InetSocketAddress> listening = new HashSet<>();
    private int change;

    private RejoinPolicy policy(int worldSize) {
        return new RejoinPolicy(worldSize, () -> addresses(0, 1, 2, 3), listening::contains);
    }

    private static InetSocketAddress address(int rank) {
        return new InetSocketAddress("127.0.0.1", 5701 + rank);
    }

    private static Set<InetSocketAddress> addresses(int... ranks) {
        return IntStream.of(ranks).mapToObj(RejoinPolicyTest::address).collect(Collectors.toSet());
    }

    private boolean ask(RejoinPolicy policy, int worldSize, int... ranks) {
        WorldIdentity world = new WorldIdentity("shop", worldSize);
        List<Member> members = IntStream.of(ranks).mapToObj(rank -> new Member(world, rank, 1, Map.of())).toList();
        return policy.isDue(members, addresses(ranks), change);
    }

    /** Returns how often the policy must be asked until it says yes. */
    private int asksUntilDue(RejoinPolicy policy, int worldSize, int... ranks) {
        return (int) IntStream.rangeClosed(1, 1000).takeWhile(ask -> !ask(policy, worldSize, ranks)).count() + 1;
    }

    @Test
    void theMajorityStaysThoughOthersAnswer() {
        listening.addAll(addresses(0, 1, 2));
        assertThat(asksUntilDue(policy(3), 3, 1, 2)).isEqualTo(NEVER);
    }

    @Test
    void theMinorityComesBackOnceOthersHaveAnsweredForAWhile() {
        listening.addAll(addresses(0, 1, 2));
        assertThat(asksUntilDue(policy(3), 3, 0)).isEqualTo(3);
    }

    @Test
    void theMinorityStaysWhereItIsWhileNobodyElseAnswers() {
        listening.addAll(addresses(0));
        assertThat(asksUntilDue(policy(3), 3, 0)).isEqualTo(NEVER);
    }

    @Test
    void ofTwoHalvesTheOneWithRankZeroStays() {
        listening.addAll(addresses(0, 1, 2, 3));
        assertThat(asksUntilDue(policy(4), 4, 0, 3)).isEqualTo(NEVER);
        assertThat(asksUntilDue(policy(4), 4, 1, 2)).isEqualTo(3);
    }

    @Test
    void whoAnswersForAMomentOnlyIsJustJoining() {
        RejoinPolicy policy = policy(3);
        for (int round = 0; round < 10; round++) {
            listening.addAll(addresses(0, 1));
            assertThat(ask(policy, 3, 0)).isFalse();
            assertThat(ask(policy, 3, 0)).isFalse();
            listening.clear();
            assertThat(ask(policy, 3, 0)).isFalse();
        }
    }

    @Test
    void whileSomebodyComesOrGoesHereWhoAnswersMayBeOnHisWay() {
        RejoinPolicy policy = policy(3);
        listening.addAll(addresses(0, 1));
        for (int round = 0; round < 10; round++) {
            change++;
            assertThat(ask(policy, 3, 0)).isFalse();
            assertThat(ask(policy, 3, 0)).isFalse();
            assertThat(ask(policy, 3, 0)).isFalse();
        }
        assertThat(ask(policy, 3, 0)).isTrue();
    }

    @Test
    void anAttemptThatLedNowhereDoublesTheWaitAndAMajorityResetsIt() {
        RejoinPolicy policy = policy(3);
        listening.addAll(addresses(0, 1));
        assertThat(IntStream.range(0, 8).map(attempt -> asksUntilDue(policy, 3, 0)))
                .containsExactly(3, 6, 12, 24, 48, 96, 96, 96);
        assertThat(ask(policy, 3, 0, 1)).isFalse();
        assertThat(asksUntilDue(policy, 3, 0)).isEqualTo(3);
    }

    @Test
    void thoseWhoWereSeenLastInAMajorityAreAskedThoughNoSeed() {
        RejoinPolicy policy = new RejoinPolicy(3, Set::of, listening::contains);
        listening.addAll(addresses(0, 1, 2));
        assertThat(asksUntilDue(policy, 3, 0)).isEqualTo(NEVER);
        assertThat(ask(policy, 3, 0, 1)).isFalse();
        assertThat(asksUntilDue(policy, 3, 0)).isEqualTo(3);
    }

    @Test
    void aListeningPortAnswersAndAClosedOneDoesNot() throws IOException {
        InetSocketAddress address;
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            address = new InetSocketAddress(server.getInetAddress(), server.getLocalPort());
            assertThat(RejoinPolicy.answers(address)).isTrue();
        }
        assertThat(RejoinPolicy.answers(address)).isFalse();
    }
}
