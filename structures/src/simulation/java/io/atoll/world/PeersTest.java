package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.background.BackgroundThreads;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.Presence;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.FencedException;
import io.atoll.failure.JoinRefusedException;
import io.atoll.failure.JoinRefusedException.Reason;
import io.atoll.failure.MissingRanksException;
import io.atoll.memory.SegmentHeader;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Peers.PeerStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** What a process does about another rank, by what its machine and its membership say of that rank. */
@Tag("simulation")
class PeersTest {

    private static final WorldIdentity WORLD = new WorldIdentity("peers", 2);
    private static final int OTHER = 1;
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final JoinRefusedException TAKEN = new JoinRefusedException(Reason.RANK_TAKEN, "taken");

    private final List<String> done = new CopyOnWriteArrayList<>(); // what the fabric was asked to do
    private final FakeAttachment attachment = new FakeAttachment();
    private final FakeMembership membership = new FakeMembership();
    private final BackgroundThreads background = new BackgroundThreads();
    private final Peers peers = new Peers(WORLD, attachment, membership, null, background, null);

    private final class FakeAttachment implements Attachment {

        private final Fabric fabric = new Simulation(1, SimOptions.ranks(2).segmentBytes(1 << 20)).fabric(0);
        private volatile Presence other = new Presence(State.ABSENT, 0);
        private volatile @Nullable RuntimeException unconnectable;
        private volatile boolean isShutOut;
        private volatile boolean sharesMemory = true;
        private final AtomicInteger looks = new AtomicInteger(); // at the other rank

        @Override
        public Fabric fabric() {
            return fabric;
        }

        @Override
        public int incarnation() {
            return 1;
        }

        @Override
        public Map<String, String> address() {
            return Map.of();
        }

        @Override
        public Presence presence(int rank) {
            if (rank != OTHER) {
                return new Presence(State.PRESENT, 1);
            }
            looks.incrementAndGet();
            return other;
        }

        @Override
        public void connect(int rank, int incarnation, Map<String, String> address) {
            RuntimeException failure = unconnectable;
            if (failure != null) {
                throw failure;
            }
            SegmentHeader.remember(fabric.local(), rank, incarnation);
            done.add("connect " + incarnation);
        }

        @Override
        public void renew(int rank, int born) {
            done.add("renew " + born);
        }

        @Override
        public void fence(int rank) {
            isShutOut = true;
            done.add("fence");
        }

        @Override
        public boolean isFenced(int rank, int incarnation, int segment) {
            return isShutOut;
        }

        @Override
        public boolean sharesMemoryWith(int rank) {
            return sharesMemory;
        }

        @Override
        public void withdraw(JoinRefusedException reason) {
            done.add("withdraw");
        }

        @Override
        public void release() {
            // Nothing is held.
        }

        @Override
        public void close() {
            // Nothing is held.
        }
    }

    private static final class FakeMembership implements Membership {

        private volatile @Nullable JoinRefusedException refusal;

        @Override
        public void join(Member self, Runnable onChange) {
            // It tells nothing.
        }

        @Override
        public List<Member> members() {
            return List.of();
        }

        @Override
        public Optional<JoinRefusedException> refusal() {
            return Optional.ofNullable(refusal);
        }

        @Override
        public void close() {
            // Nothing was opened.
        }
    }

    private void start() {
        Participant self = new Participant(new Endpoint(attachment.fabric()), 1, peers, Duration.ofSeconds(1),
                peers::incarnations);
        peers.start(self, Endpoint::new, () -> done.add("refused"));
    }

    private void see(State state, int incarnation, int born) {
        attachment.other = new Presence(state, incarnation, null, born);
        peers.lookSoon();
    }

    private void awaitStanding(PeerStatus status, int incarnation) {
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(peers.snapshot().get(OTHER))
                        .matches(peer -> peer.status() == status && peer.incarnation() == incarnation));
    }

    private void joined() {
        start();
        see(State.PRESENT, 1, 1);
        awaitStanding(PeerStatus.JOINED, 1);
    }

    @AfterEach
    void end() {
        peers.close();
    }

    @Test
    void aRankThatIsThereIsConnectedAndCountsAsJoined() throws InterruptedException {
        assertThat(peers.missing()).containsExactly(OTHER);
        joined();
        assertThat(done).containsExactly("connect 1");
        assertThat(peers.incarnations()).containsExactly(1, 1);
        assertThat(peers.joins()).isEqualTo(1);
        assertThat(peers.missing()).isEmpty();
        peers.awaitAll(SOON);
    }

    @Test
    void aRankThatHasEndedIsShutOutAndCountsAsLost() {
        joined();
        see(State.GONE, 1, 1);
        awaitStanding(PeerStatus.LOST, 1);
        assertThat(done).containsExactly("connect 1", "fence");
        assertThat(peers.losses()).isEqualTo(1);
        assertThat(peers.isFenced(OTHER, 1, 0)).isTrue();
    }

    @Test
    void aLifeThatIsLostIsNotUsedAgainAndTheNextOneIs() {
        attachment.sharesMemory = false;
        joined();
        see(State.GONE, 1, 1);
        awaitStanding(PeerStatus.LOST, 1);
        see(State.PRESENT, 1, 1);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(peers.snapshot().get(OTHER).refusal())
                        .startsWith("it was lost in this incarnation"));
        see(State.PRESENT, 2, 1);
        awaitStanding(PeerStatus.JOINED, 2);
        assertThat(done).containsExactly("connect 1", "fence", "connect 2");
        assertThat(peers.joins()).isEqualTo(2);
    }

    /** The next process has the rank's lock, and has not written its incarnation yet. */
    @Test
    void aRankInSharedMemoryThatIsBetweenTwoLivesIsNotSaidToNeedARestart() {
        joined();
        see(State.GONE, 1, 1);
        awaitStanding(PeerStatus.LOST, 1);
        see(State.PRESENT, 1, 1);
        int seen = attachment.looks.get();
        await().atMost(SOON).until(() -> attachment.looks.get() >= seen + 3); // a look has ended since
        assertThat(peers.snapshot().get(OTHER))
                .matches(peer -> peer.status() == PeerStatus.LOST && peer.refusal() == null);
        see(State.PRESENT, 2, 1);
        awaitStanding(PeerStatus.JOINED, 2);
        assertThat(done).containsExactly("connect 1", "fence", "connect 2");
    }

    /**
     * The fabric is renewed before the rank is connected: nothing that was known of the lost segment reaches the new
     * one.
     */
    @Test
    void aRankWithAnotherSegmentIsReachedByAnotherFabric() {
        joined();
        see(State.PRESENT, 2, 2);
        awaitStanding(PeerStatus.JOINED, 2);
        assertThat(done).containsExactly("connect 1", "fence", "renew 2", "connect 2");
        assertThat(peers.losses()).isEqualTo(1);
        assertThat(peers.joins()).isEqualTo(2);
    }

    @Test
    void whyARankCannotBeUsedIsToldWithIt() {
        attachment.unconnectable = new IllegalStateException("a broken file");
        start();
        see(State.PRESENT, 1, 1);
        await().atMost(SOON)
                .untilAsserted(() -> assertThat(peers.snapshot().get(OTHER).refusal()).isEqualTo("a broken file"));
        assertThatExceptionOfType(MissingRanksException.class).isThrownBy(() -> peers.awaitAll(Duration.ofMillis(1)))
                .withMessageContaining("a broken file");
        attachment.unconnectable = null;
        awaitStanding(PeerStatus.JOINED, 1);
        assertThat(peers.snapshot().get(OTHER).refusal()).isNull();
    }

    @Test
    void aRankThatIsPausedStaysUsedAndIsSaidNotToAnswer() {
        joined();
        see(State.SILENT, 1, 1);
        await().atMost(SOON)
                .untilAsserted(
                        () -> assertThat(peers.snapshot().get(OTHER).refusal()).startsWith("it does not answer"));
        awaitStanding(PeerStatus.JOINED, 1);
        assertThat(peers.isFenced(OTHER, 1, 0)).isFalse();
    }

    /** It has done nothing yet, and those before it have ended. */
    @Test
    void aLifeThatWasNotMetKeepsNoneBeforeItFromHavingEnded() {
        attachment.isShutOut = true;
        attachment.other = new Presence(State.PRESENT, 2);
        assertThat(peers.isFenced(OTHER, 1, 0)).isTrue();
        assertThat(peers.isFenced(OTHER, 2, 0)).isFalse();
    }

    @Test
    void allLivesThatWereMetHaveEndedWhenALaterOneIsThere() {
        attachment.isShutOut = true;
        attachment.sharesMemory = false;
        SegmentHeader.remember(attachment.fabric().local(), OTHER, 1);
        attachment.other = new Presence(State.PRESENT, 1);
        assertThat(peers.isFenced(OTHER, Liveness.EVERY_INCARNATION, 0)).isFalse();
        attachment.other = new Presence(State.PRESENT, 2);
        assertThat(peers.isFenced(OTHER, Liveness.EVERY_INCARNATION, 0)).isTrue();
    }

    /** No rank needs to admit it: it works as soon as it has looked itself. */
    @Test
    void aLifeThatSharesMemoryLivesThoughItWasNotMet() {
        attachment.isShutOut = true;
        SegmentHeader.remember(attachment.fabric().local(), OTHER, 1);
        attachment.other = new Presence(State.PRESENT, 2);
        assertThat(peers.isFenced(OTHER, 1, 0)).isTrue();
        assertThat(peers.isFenced(OTHER, 2, 0)).isFalse();
        assertThat(peers.isFenced(OTHER, Liveness.EVERY_INCARNATION, 0)).isFalse();
    }

    @Test
    void aProcessThatIsRefusedStoresNothingMoreAndTakesNobodyForDead() {
        joined();
        membership.refusal = TAKEN;
        peers.lookSoon();
        await().atMost(SOON).until(() -> done.contains("refused"));
        assertThat(done).containsExactly("connect 1", "withdraw", "refused");
        assertThat(peers.refusal()).contains(TAKEN);
        assertThatExceptionOfType(FencedException.class).isThrownBy(() -> peers.awaitAll(SOON));
        attachment.isShutOut = true;
        attachment.other = new Presence(State.GONE, 1);
        assertThat(peers.isFenced(OTHER, 1, 0)).isFalse();
    }
}
