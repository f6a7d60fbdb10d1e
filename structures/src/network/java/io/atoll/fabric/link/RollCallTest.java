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
class RollCallTest {

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
    private final Map<Integer, Told> heard = new ConcurrentHashMap<>(); // by the listener, for each rank

    private final class Asking implements Connecting<Lane> {

        @Override
        public WorldIdentity world() {
            return new WorldIdentity("roll-call", 3);
        }

        @Override
        public int rank() {
            return 0;
        }

        @Override
        public Lane connect(Target target, int lane, Patience patience, String verb, long offset) {
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
        public Told ask(int other, InetSocketAddress address, Duration timeout) {
            asked.add(other);
            timeouts.add(timeout);
            if (stuck.contains(other)) {
                awaitEnd();
            }
            if (!isThere) {
                throw new RankUnreachableException("it does not answer", "address=" + address, "attach", other, 0);
            }
            return new Told(4, 3, 2);
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

    private final Links<Lane> links = new Links<>(new Asking(), 1, new StructureLocator());

    private RollCall rollCall(List<InetSocketAddress> addresses, IntPredicate runsHere, Duration interval) {
        return rollCall(addresses, runsHere, interval, new RunningTime());
    }

    private RollCall rollCall(List<InetSocketAddress> addresses, IntPredicate runsHere, Duration interval,
            RunningTime time) {
        return new RollCall(new Asking(), addresses, links, runsHere, (told, rank) -> heard.put(rank, told), interval,
                time);
    }

    private RollCall rollCall(Duration interval) {
        return rollCall(ADDRESSES, _ -> false, interval);
    }

    private void hasAnswered(RollCall rollCall, int rank) {
        await().atMost(SOON).until(() -> rollCall.presence(rank).state() == State.PRESENT);
    }

    private int timesAsked(int rank) {
        return Collections.frequency(asked, rank);
    }

    @Test
    void aRankIsAskedAtOnceWhenAConnectionWithItHasBrokenAndOthersAreNot() {
        try (RollCall rollCall = rollCall(NEVER_AGAIN)) {
            hasAnswered(rollCall, 1);
            hasAnswered(rollCall, 2);
            assertThat(rollCall.presence(1).incarnation()).isEqualTo(4);
            assertThat(rollCall.presence(1).born()).isEqualTo(3);
            assertThat(rollCall.born(1, 4)).isEqualTo(3);
            assertThat(rollCall.born(1, 5)).as("another life").isEqualTo(Greeting.ANY_SEGMENT);
            assertThat(heard).containsEntry(1, new Told(4, 3, 2));
            isThere = false;
            Alarm alarm = new Alarm();
            alarm.listen(rollCall::callSoon);

            alarm.raise(1);

            await().atMost(SOON).until(() -> rollCall.presence(1).state() == State.SILENT);
            isThere = true;
            alarm.raise(1);
            hasAnswered(rollCall, 1);
            assertThat(asked).containsExactlyInAnyOrder(1, 2, 1, 1);
        }
    }

    @Test
    void whatIsKnownOfARankThatFallsSilentStays() {
        try (RollCall rollCall = rollCall(NEVER_AGAIN)) {
            hasAnswered(rollCall, 1);
            isThere = false;
            rollCall.callSoon(1);
            await().atMost(SOON).until(() -> rollCall.presence(1).state() == State.SILENT);
            assertThat(rollCall.presence(1).incarnation()).isEqualTo(4);
            assertThat(rollCall.presence(1).born()).isEqualTo(3);
        }
    }

    @Test
    void oneThatAsksInALifeThatIsNotKnownIsAskedToo() {
        try (RollCall rollCall = rollCall(NEVER_AGAIN)) {
            hasAnswered(rollCall, 1);
            rollCall.isAskedBy(1, 4);
            rollCall.isAskedBy(2, 5);
            await().atMost(SOON).until(() -> timesAsked(2) == 2);
            assertThat(timesAsked(1)).isEqualTo(1);
        }
    }

    @Test
    void theFirstWordsOfAllAreAwaitedAndOfOneThatDoesNotAnswerNotForLong() throws InterruptedException {
        try (RollCall rollCall = rollCall(NEVER_AGAIN)) {
            rollCall.awaitFirst(SOON);
            assertThat(heard).containsKeys(1, 2);
        }
        heard.clear();
        stuck.add(1);
        try (RollCall rollCall = rollCall(NEVER_AGAIN)) {
            hasAnswered(rollCall, 2);
            rollCall.awaitFirst(Duration.ofMillis(1));
            assertThat(heard).containsOnlyKeys(2);
            end.countDown();
        }
    }

    @Test
    void oneThatHasAnsweredBeforeIsGivenLessTimeAlsoWhileItIsSilent() {
        try (RollCall rollCall = rollCall(ADDRESSES, rank -> rank == 2, NEVER_AGAIN)) {
            hasAnswered(rollCall, 1);
            isThere = false;
            rollCall.callSoon(1);
            await().atMost(SOON).until(() -> rollCall.presence(1).state() == State.SILENT);
            rollCall.callSoon(1);
            await().atMost(SOON).until(() -> timeouts.size() == 3);
        }
        assertThat(timeouts).containsExactly(FIRST, ANEW, ANEW);
    }

    @Test
    void oneThatHasNeverAnsweredIsGivenTheTimeOfOneThatHasJustBeenStarted() {
        isThere = false;
        try (RollCall _ = rollCall(ADDRESSES, rank -> rank == 2, Duration.ofMillis(1))) {
            await().atMost(SOON).until(() -> timeouts.size() >= 3);
        }
        assertThat(timeouts).containsOnly(FIRST);
    }

    @Test
    void allAreAskedAgainAfterTheInterval() {
        try (RollCall _ = rollCall(Duration.ofMillis(1))) {
            await().atMost(SOON).until(() -> timesAsked(1) >= 3 && timesAsked(2) >= 3);
        }
    }

    @Test
    void oneOfWhichNothingIsHeardIsSilentBeforeItsTimeToAnswerIsOver() {
        try (RollCall rollCall = rollCall(Duration.ofMillis(1))) {
            hasAnswered(rollCall, 1);
            stuck.add(1);
            await().atMost(SOON).until(() -> rollCall.presence(1).state() == State.SILENT);
            assertThat(rollCall.unheard(1)).isGreaterThan(ANEW.dividedBy(2));
            assertThat(rollCall.unheard(2)).isLessThan(rollCall.unheard(1));
            assertThat(rollCall.presence(1).incarnation()).isEqualTo(4);
            stuck.clear();
            end.countDown();
            hasAnswered(rollCall, 1);
        }
    }

    @Test
    void nobodyIsSilentWhileThisProcessStandsStill() {
        AtomicLong now = new AtomicLong();
        try (RollCall rollCall = rollCall(ADDRESSES, _ -> false, NEVER_AGAIN, new RunningTime(now::get))) {
            hasAnswered(rollCall, 1);
            now.addAndGet(Duration.ofHours(1).toNanos());
            assertThat(rollCall.presence(1).state()).isEqualTo(State.PRESENT);
            assertThat(rollCall.unheard(1)).isLessThanOrEqualTo(RunningTime.LONGEST_GAP);
        }
    }

    /** The membership tells which ranks are there. This process listens to the connected ones. */
    @Test
    void withoutAListThoseThatAreConnectedAreAsked() {
        try (RollCall rollCall = rollCall(List.of(), _ -> false, Duration.ofMillis(1))) {
            assertThat(rollCall.unheard(1)).isEqualTo(Attachment.NEVER_HEARD);
            rollCall.follow(1, 4, ADDRESSES.get(1));
            await().atMost(SOON).until(() -> timesAsked(1) >= 3);
            assertThat(timesAsked(2)).isZero();
            assertThat(rollCall.unheard(1)).isLessThan(SOON);
            assertThat(rollCall.presence(1).state()).isEqualTo(State.UNKNOWN);
            rollCall.forget(1);
            rollCall.follow(2, 4, ADDRESSES.get(2));
            await().atMost(SOON).until(() -> timesAsked(2) >= 3);
            int asked = timesAsked(1);
            await().atMost(SOON).until(() -> timesAsked(2) >= 6);
            assertThat(timesAsked(1)).isLessThanOrEqualTo(asked + 1);
        }
    }

    @Test
    void oneThatDoesNotAnswerDelaysNoOther() {
        stuck.add(1);
        try (RollCall rollCall = rollCall(Duration.ofMillis(1))) {
            await().atMost(SOON).until(() -> timesAsked(2) >= 3);
            assertThat(timesAsked(1)).as("one at a time").isEqualTo(1);
            assertThat(rollCall.presence(1).state()).isEqualTo(State.ABSENT);
            stuck.clear();
            end.countDown();
            hasAnswered(rollCall, 1);
        }
    }

    @Test
    void oneWhoseConnectionBreaksWhileItIsAskedIsAskedAgain() {
        stuck.add(1);
        try (RollCall rollCall = rollCall(NEVER_AGAIN)) {
            await().atMost(SOON).until(() -> timesAsked(1) == 1);
            rollCall.callSoon(1);
            end.countDown();
            await().atMost(SOON).until(() -> timesAsked(1) == 2);
        }
    }

    @Test
    void oneThatIsHeardByALaneIsNotAskedUntilItIsHeardNoMore() {
        try (RollCall rollCall = rollCall(Duration.ofMillis(50))) {
            hasAnswered(rollCall, 1);
            links.open(new Target(1, 4, ADDRESSES.get(1)));
            links.lane(new ThreadLanes<>(0, 3), 1, "read", 0, 8);
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
        try (RollCall rollCall = rollCall(Duration.ofMillis(1))) {
            hasAnswered(rollCall, 1);
            links.open(new Target(1, 3, ADDRESSES.get(1)));
            links.lane(new ThreadLanes<>(0, 3), 1, "read", 0, 8);
            speaks.set(true);
            int before = timesAsked(1);
            await().atMost(SOON).until(() -> timesAsked(1) > before + 3);
        }
    }

    @Test
    void oneThatRunsOnThisHostIsNotAsked() {
        try (RollCall rollCall = rollCall(ADDRESSES, rank -> rank == 1, Duration.ofMillis(1))) {
            hasAnswered(rollCall, 2);
            await().atMost(SOON).until(() -> timesAsked(2) >= 3);
        }
        assertThat(asked).doesNotContain(1);
    }

    @Test
    void whereNobodyIsListedNobodyIsAsked() {
        try (RollCall rollCall = rollCall(List.of(), _ -> false, NEVER_AGAIN)) {
            rollCall.callSoon(1);
            assertThat(rollCall.presence(1).state()).isEqualTo(State.UNKNOWN);
        }
        assertThat(asked).isEmpty();
    }

    @Test
    void oneThatIsClaimedIsAskedOnceAndBelievedWhenItHasAnsweredTheSame() {
        try (RollCall rollCall = rollCall(List.of(), _ -> false, NEVER_AGAIN)) {
            AtomicInteger told = new AtomicInteger();
            rollCall.whenProved(told::incrementAndGet);
            stuck.add(1);
            Target claimed = new Target(1, 4, ADDRESSES.get(1));
            assertThat(rollCall.proof(claimed)).isEqualTo(Proof.AWAITED);
            assertThat(rollCall.proof(claimed)).isEqualTo(Proof.AWAITED);
            assertThat(rollCall.isProved(1, 4)).isFalse();
            end.countDown();

            await().atMost(SOON).until(() -> told.get() == 1);
            assertThat(rollCall.proof(claimed)).isEqualTo(Proof.given(3));
            assertThat(rollCall.isProved(1, 4)).isTrue();
            assertThat(rollCall.proof(new Target(1, 5, ADDRESSES.get(1)))).isEqualTo(Proof.AWAITED);
            await().atMost(SOON).until(() -> told.get() == 2);
            assertThat(rollCall.isProved(1, 5)).isFalse();
            assertThat(asked).containsExactly(1, 1);
        }
    }

    @Test
    void whyOneThatIsClaimedHasNotProvedItselfIsTold() {
        isThere = false;
        try (RollCall rollCall = rollCall(List.of(), _ -> false, NEVER_AGAIN)) {
            Target claimed = new Target(1, 4, ADDRESSES.get(1));
            await().atMost(SOON)
                    .until(() -> String.valueOf(rollCall.proof(claimed).refusal()).contains("it does not answer"));
            isThere = true;
            await().atMost(SOON).until(() -> rollCall.proof(claimed).isGiven());
        }
    }
}
