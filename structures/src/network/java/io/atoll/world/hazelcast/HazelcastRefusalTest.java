package io.atoll.world.hazelcast;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import com.hazelcast.core.HazelcastInstance;
import com.hazelcast.partition.NoDataMemberInClusterException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Member;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.FutureTask;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.parallel.Isolated;

/**
 * What an existing world does with newcomers. There is one founder for all tests; each test begins and ends with the
 * founder alone.
 */
@TestInstance(Lifecycle.PER_CLASS)
@Isolated
@Tag("network")
class HazelcastRefusalTest extends TestMembers {

    private TestMember founder;

    @BeforeAll
    void found() {
        founder = member(world, 0).join();
        opened.clear();
    }

    @AfterEach
    void newcomersLeave() throws Exception {
        closeAll();
        awaitRanks(founder, 0);
    }

    @AfterAll
    void founderLeaves() throws Exception {
        founder.close();
        assertNothingIsLeft();
    }

    @Test
    void aRankThatIsTakenIsRefused() {
        JoinRefusedException refusal = refusalOf(member(world, 0));
        assertThat(refusal.reason()).isEqualTo(Reason.RANK_TAKEN);
        assertThat(refusal).hasMessage("a process that joined earlier is this rank, choose another:"
                + " rank=0 incarnation=1 foundIncarnation=1");
        awaitRanks(founder, 0);
        assertThat(TestMember.instances(0)).hasSize(1);
    }

    @Test
    void aFullWorldStillTellsTheProcessTooManyWhyItIsRefused() {
        IntStream.range(1, 3).forEach(rank -> member(world, rank).join());
        assertThat(refusalOf(member(world, 2)).reason()).isEqualTo(Reason.RANK_TAKEN);
    }

    @Test
    void ofNewcomersThatClaimOneRankAtOnceOneTakesPart() {
        List<CompletableFuture<TestMember>> starts = IntStream.range(0, 3)
                .mapToObj(each -> CompletableFuture.supplyAsync(member(world, 1)::join, Thread::startVirtualThread))
                .toList();
        List<CompletableFuture<TestMember>> refused = starts.stream()
                .filter(start -> start.handle((joined, failure) -> failure != null).join())
                .toList();
        assertThat(refused).hasSize(2)
                .allSatisfy(start -> assertThat(start.exceptionNow())
                        .isInstanceOfSatisfying(JoinRefusedException.class,
                                failure -> assertThat(failure.reason()).isEqualTo(Reason.RANK_TAKEN)));
        awaitRanks(founder, 0, 1);
    }

    @Test
    void anotherWorldIsRefused() {
        JoinRefusedException refusal = refusalOf(member(new WorldIdentity("bank", 3), 1));
        assertThat(refusal.reason()).isEqualTo(Reason.OTHER_WORLD);
        assertThat(refusal).hasMessage("another world was found, choose another port or address:"
                + " world=bank foundWorld=shop foundMember=127.0.0.1:" + port);
    }

    @Test
    void anotherSizeIsRefused() {
        JoinRefusedException refusal = refusalOf(member(new WorldIdentity("shop", 4), 1));
        assertThat(refusal.reason()).isEqualTo(Reason.OTHER_SIZE);
        assertThat(refusal).hasMessage("all processes of a world must be told the same size:"
                + " size=4 foundSize=3 foundMember=127.0.0.1:" + port);
    }

    @Test
    void anotherLayoutVersionIsRefused() {
        long next = SegmentHeader.LAYOUT_VERSION + 1;
        JoinRefusedException refusal = refusalOf(member(settings, new Member(world, next, 1, 1, Map.of())));
        assertThat(refusal.reason()).isEqualTo(Reason.OTHER_LAYOUT_VERSION);
        assertThat(refusal).hasMessage("all processes of a world must lay out their segments alike, run one version:"
                + " layoutVersion=" + next + " foundLayoutVersion=" + SegmentHeader.LAYOUT_VERSION
                + " foundMember=127.0.0.1:" + port);
    }

    @Test
    void theWorldNeverSeesThoseWhoAreRefused() {
        int before = founder.views().size();
        refusalOf(member(new WorldIdentity("bank", 3), 1));
        refusalOf(member(new WorldIdentity("shop", 4), 1));
        refusalOf(member(world, 0));
        TestMember second = member(world, 1).join();
        awaitRanks(founder, 0, 1);
        List<List<Member>> since = founder.views().subList(before, founder.views().size());
        assertThat(since).isNotEmpty()
                .allSatisfy(view -> assertThat(List.of(founder.self(), second.self())).containsAll(view))
                .allSatisfy(view -> assertThat(view).contains(founder.self()));
    }

    /**
     * Joins in a thread that waits for its earlier life to end, until {@code end} ends the wait. Returns the failure.
     */
    private Throwable joinEndedBy(BiConsumer<Thread, TestMember> end) throws Exception {
        member(world, 1).join();
        TestMember waiting = member(settings, rank(1, 2));
        FutureTask<TestMember> joining = new FutureTask<>(waiting::tryJoin);
        Thread thread = Thread.ofPlatform().daemon().start(joining);
        await().atMost(SOON).until(() -> TestMember.instances(1).size() == 2);
        assertThat(joining).isNotDone();
        end.accept(thread, waiting);
        thread.join(SOON);
        assertThat(joining.state()).isEqualTo(Future.State.FAILED);
        await().atMost(SOON).until(() -> TestMember.instances(1).size() == 1);
        return joining.exceptionNow();
    }

    @Test
    void whoIsInterruptedWhileHeJoinsTakesNoPart() throws Exception {
        assertThat(joinEndedBy((thread, _) -> thread.interrupt())).isInstanceOf(InterruptedException.class);
    }

    @Test
    void whatIsClosedWhileItJoinsTakesNoPart() throws Exception {
        assertThat(joinEndedBy((_, membership) -> membership.close())).isInstanceOf(IllegalStateException.class)
                .hasMessage("the membership was closed while it joined: rank=1");
    }

    @Test
    void aRestartedRankIsRefusedIfItsEarlierLifeGoesOn() {
        JoinRefusedException refusal = refusalOf(member(settings, rank(0, 2)));
        assertThat(refusal.reason()).isEqualTo(Reason.RANK_TAKEN);
        assertThat(refusal).hasMessage("a process that joined earlier is this rank, choose another:"
                + " rank=0 incarnation=2 foundIncarnation=1");
        assertThat(founder.membership().members()).containsExactly(founder.self());
    }

    @Test
    void onlyTheBoundAddressListens() {
        assertThat(RejoinPolicy.answers(new InetSocketAddress("127.0.0.1", port))).isTrue();
        assertThat(RejoinPolicy.answers(new InetSocketAddress("127.0.0.2", port))).isFalse();
    }

    @Test
    void noDataCanBeHeld() {
        HazelcastInstance instance = TestMember.instances(0).getFirst();
        assertThatExceptionOfType(NoDataMemberInClusterException.class)
                .isThrownBy(() -> instance.getMap("orders").put(1, 1));
    }

    @Test
    void aMembershipIsJoinedOnce() {
        assertThatIllegalStateException().isThrownBy(founder::join).withMessageEndingWith("rank=0");
        TestMember closed = member(world, 1);
        closed.close();
        assertThatIllegalStateException().isThrownBy(closed::join).withMessageEndingWith("rank=1");
    }
}
