package io.atoll.fabric.link;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.background.RunningTime;
import io.atoll.fabric.Attachment;
import io.atoll.fabric.Attachment.Proof;
import io.atoll.fabric.Attachment.State;
import io.atoll.fabric.StructureLocator;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.WorldIdentity;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntPredicate;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests when the ranks of a list are asked, and what is known of them afterwards. */
@Timeout(120)
@Tag("network")
class PeerProbeTest {

    private static final Duration NEVER_AGAIN = Duration.ofDays(1);
    private static final Duration FIRST = Duration.ofSeconds(10);
    private static final Duration ANEW = Duration.ofSeconds(5);
    private static final Duration SOON = Duration.ofSeconds(60);
    private static final List<InetSocketAddress> ADDRESSES = List.of(new InetSocketAddress("localhost", 1),
            new InetSocketAddress("localhost", 2), new InetSocketAddress("localhost", 3));

    private final List<Integer> asked = new CopyOnWriteArrayList<>();
    private final List<Duration> timeouts = new CopyOnWriteArrayList<>(); // of the ranks that were asked
    private final Set<Integer> stuck = ConcurrentHashMap.newKeySet();
    private final CountDownLatch end = new CountDownLatch(1);
    private volatile boolean isThere = true;
    private final AtomicBoolean speaks = new AtomicBoolean();
    private final Map<Integer, RefusalDetails> heard = new ConcurrentHashMap<>(); // by the listener, for each rank

    private final class Asking implements LaneConnector<Lane> {

        @Override
        public WorldIdentity world() {
            return new WorldIdentity("roll-call", 3);
        }

        @Override
        public int rank() {
            return 0;
        }

        @Override
        public Lane connect(PeerAddress peerAddress, int lane, ConnectDeadline connectDeadline, String verb,
                long offset) {
            return new Heard();
        }

        @Override
        public Duration timeout() {
            return FIRST;
        }

        @Override
        public Duration timeoutAnew() {
            return ANEW;
        }

        @Override
        public boolean asksForProofs() {
            return true;
        }

        @Override
        public RefusalDetails ask(int other, InetSocketAddress address, Duration timeout) {
            asked.add(other);
            timeouts.add(timeout);
            if (stuck.contains(other)) {
                awaitEnd();
            }
            if (!isThere) {
                throw new RankUnreachableException("it does not answer", "address=" + address, "attach", other, 0);
            }
            return new RefusalDetails(4, 3, 2);
        }
    }

    private void awaitEnd() {
        try {
            end.await();
        } catch (InterruptedException impossible) {
            throw new IllegalStateException("nobody interrupts it", impossible);
        }
    }

    /** A lane by which more is heard at every look, if the test says so. */
    private final class Heard extends UnusedLane {

        private long heard = 1;

        @Override
        public long heard() {
            heard += speaks.get() ? 1 : 0;
            return heard;
        }
    }

    private final PeerConnections<Lane> peerConnections = new PeerConnections<>(new Asking(), 1,
            new StructureLocator());

    private PeerProbe rollCall(List<InetSocketAddress> addresses, IntPredicate runsHere, Duration interval) {
        return rollCall(addresses, runsHere, interval, new RunningTime());
    }

    private PeerProbe rollCall(List<InetSocketAddress> addresses, IntPredicate runsHere, Duration interval,
            RunningTime time) {
        return new PeerProbe(new Asking(), addresses, peerConnections, runsHere,
                (refusalDetails, rank) -> heard.put(rank, refusalDetails), interval,
                time);
    }

    private PeerProbe rollCall(Duration interval) {
        return rollCall(ADDRESSES, _ -> false, interval);
    }

    private void hasAnswered(PeerProbe peerProbe, int rank) {
        await().atMost(SOON).until(() -> peerProbe.presence(rank).state() == State.PRESENT);
    }

    private int timesAsked(int rank) {
        return Collections.frequency(asked, rank);
    }

    @Test
    void aRankIsAskedAtOnceWhenAConnectionWithItHasBrokenAndOthersAreNot() {
        try (PeerProbe peerProbe = rollCall(NEVER_AGAIN)) {
            hasAnswered(peerProbe, 1);
            hasAnswered(peerProbe, 2);
            assertThat(peerProbe.presence(1).incarnation()).isEqualTo(4);
            assertThat(peerProbe.presence(1).born()).isEqualTo(3);
            assertThat(peerProbe.born(1, 4)).isEqualTo(3);
            assertThat(peerProbe.born(1, 5)).as("another life").isEqualTo(Handshake.ANY_SEGMENT);
            assertThat(heard).containsEntry(1, new RefusalDetails(4, 3, 2));
            isThere = false;
            Alarm alarm = new Alarm();
            alarm.listen(peerProbe::callSoon);

            alarm.raise(1);

            await().atMost(SOON).until(() -> peerProbe.presence(1).state() == State.SILENT);
            isThere = true;
            alarm.raise(1);
            hasAnswered(peerProbe, 1);
            assertThat(asked).containsExactlyInAnyOrder(1, 2, 1, 1);
        }
    }

    @Test
    void whatIsKnownOfARankThatFallsSilentStays() {
        try (PeerProbe peerProbe = rollCall(NEVER_AGAIN)) {
            hasAnswered(peerProbe, 1);
            isThere = false;
            peerProbe.callSoon(1);
            await().atMost(SOON).until(() -> peerProbe.presence(1).state() == State.SILENT);
            assertThat(peerProbe.presence(1).incarnation()).isEqualTo(4);
            assertThat(peerProbe.presence(1).born()).isEqualTo(3);
        }
    }

    @Test
    void oneThatAsksInALifeThatIsNotKnownIsAskedToo() {
        try (PeerProbe peerProbe = rollCall(NEVER_AGAIN)) {
            hasAnswered(peerProbe, 1);
            peerProbe.isAskedBy(1, 4);
            peerProbe.isAskedBy(2, 5);
            await().atMost(SOON).until(() -> timesAsked(2) == 2);
            assertThat(timesAsked(1)).isEqualTo(1);
        }
    }

    @Test
    void theFirstWordsOfAllAreAwaitedAndOfOneThatDoesNotAnswerNotForLong() throws InterruptedException {
        try (PeerProbe peerProbe = rollCall(NEVER_AGAIN)) {
            peerProbe.awaitFirst(SOON);
            assertThat(heard).containsKeys(1, 2);
        }
        heard.clear();
        stuck.add(1);
        try (PeerProbe peerProbe = rollCall(NEVER_AGAIN)) {
            hasAnswered(peerProbe, 2);
            peerProbe.awaitFirst(Duration.ofMillis(1));
            assertThat(heard).containsOnlyKeys(2);
            end.countDown();
        }
    }

    @Test
    void oneThatHasAnsweredBeforeIsGivenLessTimeAlsoWhileItIsSilent() {
        try (PeerProbe peerProbe = rollCall(ADDRESSES, rank -> rank == 2, NEVER_AGAIN)) {
            hasAnswered(peerProbe, 1);
            isThere = false;
            peerProbe.callSoon(1);
            await().atMost(SOON).until(() -> peerProbe.presence(1).state() == State.SILENT);
            peerProbe.callSoon(1);
            await().atMost(SOON).until(() -> timeouts.size() == 3);
        }
        assertThat(timeouts).containsExactly(FIRST, ANEW, ANEW);
    }

    @Test
    void oneThatHasNeverAnsweredIsGivenTheTimeOfOneThatHasJustBeenStarted() {
        isThere = false;
        try (PeerProbe _ = rollCall(ADDRESSES, rank -> rank == 2, Duration.ofMillis(1))) {
            await().atMost(SOON).until(() -> timeouts.size() >= 3);
        }
        assertThat(timeouts).containsOnly(FIRST);
    }

    @Test
    void allAreAskedAgainAfterTheInterval() {
        try (PeerProbe _ = rollCall(Duration.ofMillis(1))) {
            await().atMost(SOON).until(() -> timesAsked(1) >= 3 && timesAsked(2) >= 3);
        }
    }

    @Test
    void oneOfWhichNothingIsHeardIsSilentBeforeItsTimeToAnswerIsOver() {
        try (PeerProbe peerProbe = rollCall(Duration.ofMillis(1))) {
            hasAnswered(peerProbe, 1);
            stuck.add(1);
            await().atMost(SOON).until(() -> peerProbe.presence(1).state() == State.SILENT);
            assertThat(peerProbe.unheard(1)).isGreaterThan(ANEW.dividedBy(2));
            assertThat(peerProbe.unheard(2)).isLessThan(peerProbe.unheard(1));
            assertThat(peerProbe.presence(1).incarnation()).isEqualTo(4);
            stuck.clear();
            end.countDown();
            hasAnswered(peerProbe, 1);
        }
    }

    @Test
    void nobodyIsSilentWhileThisProcessStandsStill() {
        AtomicLong now = new AtomicLong();
        try (PeerProbe peerProbe = rollCall(ADDRESSES, _ -> false, NEVER_AGAIN, new RunningTime(now::get))) {
            hasAnswered(peerProbe, 1);
            now.addAndGet(Duration.ofHours(1).toNanos());
            assertThat(peerProbe.presence(1).state()).isEqualTo(State.PRESENT);
            assertThat(peerProbe.unheard(1)).isLessThanOrEqualTo(RunningTime.LONGEST_GAP);
        }
    }

    /** The membership tells which ranks are there. This process listens to the connected ones. */
    @Test
    void withoutAListThoseThatAreConnectedAreAsked() {
        try (PeerProbe peerProbe = rollCall(List.of(), _ -> false, Duration.ofMillis(1))) {
            assertThat(peerProbe.unheard(1)).isEqualTo(Attachment.NEVER_HEARD);
            peerProbe.follow(1, 4, ADDRESSES.get(1));
            await().atMost(SOON).until(() -> timesAsked(1) >= 3);
            assertThat(timesAsked(2)).isZero();
            assertThat(peerProbe.unheard(1)).isLessThan(SOON);
            assertThat(peerProbe.presence(1).state()).isEqualTo(State.UNKNOWN);
            peerProbe.forget(1);
            peerProbe.follow(2, 4, ADDRESSES.get(2));
            await().atMost(SOON).until(() -> timesAsked(2) >= 3);
            int asked = timesAsked(1);
            await().atMost(SOON).until(() -> timesAsked(2) >= 6);
            assertThat(timesAsked(1)).isLessThanOrEqualTo(asked + 1);
        }
    }

    @Test
    void oneThatDoesNotAnswerDelaysNoOther() {
        stuck.add(1);
        try (PeerProbe peerProbe = rollCall(Duration.ofMillis(1))) {
            await().atMost(SOON).until(() -> timesAsked(2) >= 3);
            assertThat(timesAsked(1)).as("one at a time").isEqualTo(1);
            assertThat(peerProbe.presence(1).state()).isEqualTo(State.ABSENT);
            stuck.clear();
            end.countDown();
            hasAnswered(peerProbe, 1);
        }
    }

    @Test
    void oneWhoseConnectionBreaksWhileItIsAskedIsAskedAgain() {
        stuck.add(1);
        try (PeerProbe peerProbe = rollCall(NEVER_AGAIN)) {
            await().atMost(SOON).until(() -> timesAsked(1) == 1);
            peerProbe.callSoon(1);
            end.countDown();
            await().atMost(SOON).until(() -> timesAsked(1) == 2);
        }
    }

    @Test
    void oneThatIsHeardByALaneIsNotAskedUntilItIsHeardNoMore() {
        try (PeerProbe peerProbe = rollCall(Duration.ofMillis(50))) {
            hasAnswered(peerProbe, 1);
            peerConnections.open(new PeerAddress(1, 4, ADDRESSES.get(1)));
            peerConnections.lane(new ThreadLanes<>(0, 3), 1, "read", 0, 8);
            speaks.set(true);
            // It may have been asked just when the lane was made.
            int before = timesAsked(2);
            await().atMost(SOON).until(() -> timesAsked(2) >= before + 3);
            int meanwhile = timesAsked(1);
            await().atMost(SOON).until(() -> timesAsked(2) >= before + 10);
            assertThat(timesAsked(1)).isEqualTo(meanwhile);

            speaks.set(false);

            await().atMost(SOON).until(() -> timesAsked(1) > meanwhile);
        }
    }

    @Test
    void aLaneToAFormerProcessOfTheRankSaysNothing() {
        try (PeerProbe peerProbe = rollCall(Duration.ofMillis(1))) {
            hasAnswered(peerProbe, 1);
            peerConnections.open(new PeerAddress(1, 3, ADDRESSES.get(1)));
            peerConnections.lane(new ThreadLanes<>(0, 3), 1, "read", 0, 8);
            speaks.set(true);
            int before = timesAsked(1);
            await().atMost(SOON).until(() -> timesAsked(1) > before + 3);
        }
    }

    @Test
    void oneThatRunsOnThisHostIsNotAsked() {
        try (PeerProbe peerProbe = rollCall(ADDRESSES, rank -> rank == 1, Duration.ofMillis(1))) {
            hasAnswered(peerProbe, 2);
            await().atMost(SOON).until(() -> timesAsked(2) >= 3);
        }
        assertThat(asked).doesNotContain(1);
    }

    @Test
    void whereNobodyIsListedNobodyIsAsked() {
        try (PeerProbe peerProbe = rollCall(List.of(), _ -> false, NEVER_AGAIN)) {
            peerProbe.callSoon(1);
            assertThat(peerProbe.presence(1).state()).isEqualTo(State.UNKNOWN);
        }
        assertThat(asked).isEmpty();
    }

    @Test
    void oneThatIsClaimedIsAskedOnceAndBelievedWhenItHasAnsweredTheSame() {
        try (PeerProbe peerProbe = rollCall(List.of(), _ -> false, NEVER_AGAIN)) {
            AtomicInteger told = new AtomicInteger();
            peerProbe.whenProved(told::incrementAndGet);
            stuck.add(1);
            PeerAddress claimed = new PeerAddress(1, 4, ADDRESSES.get(1));
            assertThat(peerProbe.proof(claimed)).isEqualTo(Proof.AWAITED);
            assertThat(peerProbe.proof(claimed)).isEqualTo(Proof.AWAITED);
            assertThat(peerProbe.isProved(1, 4)).isFalse();
            end.countDown();

            await().atMost(SOON).until(() -> told.get() == 1);
            assertThat(peerProbe.proof(claimed)).isEqualTo(Proof.given(3));
            assertThat(peerProbe.isProved(1, 4)).isTrue();
            assertThat(peerProbe.proof(new PeerAddress(1, 5, ADDRESSES.get(1)))).isEqualTo(Proof.AWAITED);
            await().atMost(SOON).until(() -> told.get() == 2);
            assertThat(peerProbe.isProved(1, 5)).isFalse();
            assertThat(asked).containsExactly(1, 1);
        }
    }

    @Test
    void whyOneThatIsClaimedHasNotProvedItselfIsTold() {
        isThere = false;
        try (PeerProbe peerProbe = rollCall(List.of(), _ -> false, NEVER_AGAIN)) {
            PeerAddress claimed = new PeerAddress(1, 4, ADDRESSES.get(1));
            await().atMost(SOON)
                    .until(() -> String.valueOf(peerProbe.proof(claimed).refusal()).contains("it does not answer"));
            isThere = true;
            await().atMost(SOON).until(() -> peerProbe.proof(claimed).isGiven());
        }
    }
}
