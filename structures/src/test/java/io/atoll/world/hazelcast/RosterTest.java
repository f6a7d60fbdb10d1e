package io.atoll.world.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Member;
import io.atoll.world.hazelcast.Roster.Entry;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class RosterTest {

    private static final WorldIdentity SHOP = new WorldIdentity("shop", 3);

    private static MemberClaim claim(WorldIdentity world, int rank, int incarnation, String process) {
        return new MemberClaim(new Member(world, rank, incarnation, Map.of()), process);
    }

    private static Roster roster(MemberClaim self, @Nullable MemberClaim... others) {
        List<Entry> entries = new ArrayList<>();
        for (MemberClaim memberClaim : others) {
            entries.add(new Entry(memberClaim, "10.0.0." + entries.size()));
        }
        entries.add(new Entry(self, "10.0.0." + entries.size()));
        return new Roster(self, entries);
    }

    private static Reason reason(Roster roster) {
        return roster.refusal().map(JoinRefusedException::reason).orElseThrow();
    }

    @Test
    void theFirstMemberIsAccepted() {
        MemberClaim self = claim(SHOP, 0, 1, "a");
        assertThat(roster(self).refusal()).isEmpty();
        assertThat(roster(self).members()).containsExactly(self.member());
    }

    @Test
    void membersAreListedInTheOrderOfJoining() {
        MemberClaim first = claim(SHOP, 2, 1, "a");
        MemberClaim self = claim(SHOP, 0, 1, "b");
        assertThat(roster(self, first).members()).containsExactly(first.member(), self.member());
    }

    @Test
    void ofTwoThatClaimARankTheFirstHasItAndTheSecondIsRefused() {
        MemberClaim first = claim(SHOP, 0, 1, "a");
        MemberClaim second = claim(SHOP, 0, 1, "b");
        assertThat(reason(roster(second, first))).isEqualTo(Reason.RANK_TAKEN);
        Roster seenByFirst = new Roster(first, roster(second, first).entries());
        assertThat(seenByFirst.refusal()).isEmpty();
        assertThat(seenByFirst.members()).containsExactly(first.member());
    }

    @Test
    void anEarlierMemberOfAnotherWorldThatIsItselfBeingRefusedStandsInNobodysWay() {
        MemberClaim founder = claim(SHOP, 0, 1, "a");
        MemberClaim stranger = claim(new WorldIdentity("bank", 3), 1, 1, "b");
        MemberClaim self = claim(SHOP, 1, 1, "c");
        assertThat(roster(self, founder, stranger).refusal()).isEmpty();
        assertThat(roster(self, founder, stranger).members()).containsExactly(founder.member(), self.member());
        assertThat(reason(roster(stranger, founder))).isEqualTo(Reason.OTHER_WORLD);
    }

    @Test
    void theProcessItselfStillOnTheListFromBeforeItLeftDoesNotStandInItsWay() {
        MemberClaim self = claim(SHOP, 1, 4, "a");
        assertThat(roster(self, claim(SHOP, 0, 1, "b"), self).refusal()).isEmpty();
    }

    @Test
    void aMemberThatIsNoProcessOfAtollIsRefusedAsFounderAndIgnoredLater() {
        MemberClaim self = claim(SHOP, 0, 1, "a");
        assertThat(roster(self, (MemberClaim) null).refusal()).get()
                .hasToString("io.atoll.failure.JoinRefusedException: a Hazelcast member that is no process of Atoll was"
                        + " found, choose another port or address: world=shop foundMember=10.0.0.0");
        MemberClaim founder = claim(SHOP, 1, 1, "b");
        assertThat(roster(self, founder, null).refusal()).isEmpty();
    }

    @Test
    void anyOtherProcessOfTheRankMayBeAnEarlierLife() {
        MemberClaim self = claim(SHOP, 0, 2, "new");
        assertThat(roster(self, claim(SHOP, 0, 1, "old")).isHeldByAnother()).isTrue();
        assertThat(roster(self, claim(SHOP, 0, 2, "old")).isHeldByAnother()).isTrue();
        assertThat(roster(self, claim(SHOP, 0, 3, "old")).isHeldByAnother()).isTrue();
        assertThat(roster(self, claim(SHOP, 0, 1, "new")).isHeldByAnother()).isFalse();
        assertThat(roster(self, claim(SHOP, 1, 1, "other")).isHeldByAnother()).isFalse();
    }
}
