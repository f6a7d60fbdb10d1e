package io.atoll.spring.state.overview;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.background.BackgroundThread;
import io.atoll.epoch.EpochBlock;
import io.atoll.spring.state.Deadlock;
import io.atoll.spring.state.EpochState.PinnedToken;
import io.atoll.spring.state.EpochSummary;
import io.atoll.spring.state.LockGraph.Edge;
import io.atoll.spring.state.LockTableState;
import io.atoll.spring.state.LockTableState.HeldLock;
import io.atoll.spring.state.LockTableState.LockUser;
import io.atoll.spring.state.RankState;
import io.atoll.spring.state.SegmentState;
import io.atoll.spring.state.StillRank;
import io.atoll.spring.state.StructureState;
import io.atoll.spring.state.ViewState;
import io.atoll.spring.state.WorldState;
import io.atoll.spring.state.overview.Problem.Kind;
import io.atoll.spring.state.overview.Problem.LockPlace;
import io.atoll.world.Peers.PeerStatus;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ProblemFinderTest {

    private static final ViewState VIEW = new ViewState(false, 0, List.of(), List.of(), 0, List.of(), Map.of(), null);

    private WorldState world = world(List.of(), null, null);
    private ViewState view = VIEW;
    private List<RankState> ranks = List.of(rank(0, PeerStatus.JOINED, null, 10), rank(1, PeerStatus.JOINED, null, 10));
    private List<StillRank> stillRanks = List.of();
    private EpochSummary epochs = epochs(List.of(), List.of());
    private List<LockTableState> lockTables = List.of();
    private List<Deadlock> deadlocks = List.of();
    private List<StructureState> structures = List.of();
    private List<BackgroundThread.Trouble> troubles = List.of();
    private List<Observations.BrokenPromise> brokenPromises = List.of();

    private static WorldState world(List<WorldState.Wait> waits, @Nullable String refusal,
            WorldState.@Nullable Rejoin rejoining) {
        return new WorldState("shop", 2, 0, 1, true, 2, List.of(), List.of(), 1, 0, 0, waits, refusal, rejoining, 0);
    }

    private static RankState rank(int rank, PeerStatus standing, @Nullable String refusal, int percent) {
        return new RankState(rank, standing, refusal, 1, "node-7", 4711L, "1", null, null, 100,
                new SegmentState.Usage(1_000, 1_000 - percent * 10, 0, percent * 10, 0, 0, 0, 0), null, null);
    }

    private static EpochSummary epochs(List<PinnedToken> pinned, List<EpochSummary.RankSummary> ranks) {
        return new EpochSummary(List.of(), true, 7, ranks, null, pinned, List.of());
    }

    private static LockUser user(int rank, String thread, @Nullable Long held, @Nullable Long waited) {
        return new LockUser(rank, thread, 0, true, held, waited, null, null);
    }

    private static LockTableState table(@Nullable LockUser holder, List<LockUser> waiting) {
        return new LockTableState("accounts", 10, "lock-table",
                List.of(new HeldLock(7, 0, holder == null ? List.of() : List.of(holder), waiting, 0, 0, 0, 0, 0, 0, 0,
                        0, null, null, List.of(), List.of())),
                List.of());
    }

    private static StructureState structure(String configuration, String figure, double value) {
        return new StructureState("jobs", configuration.split(" ")[0], configuration, 0, 0, null, null, 0,
                Map.of(figure, value));
    }

    private List<Problem> problems() {
        return ProblemFinder
                .in(new Observations(world, view, ranks, stillRanks, epochs, 30_000, lockTables, deadlocks, structures,
                        troubles,
                        brokenPromises));
    }

    private Problem onlyProblem() {
        assertThat(problems()).hasSize(1);
        Problem problem = problems().getFirst();
        assertThat(problem.title()).isNotBlank();
        assertThat(problem.cause()).isNotBlank();
        assertThat(problem.remedy()).isNotBlank();
        return problem;
    }

    private void expect(Severity severity, Kind kind) {
        assertThat(onlyProblem().severity()).isEqualTo(severity);
        assertThat(onlyProblem().kind()).isEqualTo(kind);
    }

    @Test
    void aWorldWithoutProblemsIsWell() {
        assertThat(problems()).isEmpty();
        assertThat(ProblemFinder.sentence(world, List.of())).isEqualTo("All is well: 2 of 2 ranks have joined.");
    }

    @Test
    void aLostRankIsCriticalAndSaysWhereItWas() {
        ranks = List.of(rank(1, PeerStatus.LOST, null, 10));
        expect(Severity.CRITICAL, Kind.RANK_LOST);
        assertThat(onlyProblem().rank()).isOne();
        assertThat(onlyProblem().cause()).contains("node-7");
    }

    @Test
    void aRankThatHasNotComeYetIsAWarning() {
        ranks = List.of(rank(1, PeerStatus.MISSING, null, 10));
        expect(Severity.WARNING, Kind.RANK_MISSING);
    }

    @Test
    void aRankWhoseSegmentCannotBeUsedIsCriticalAndSaysWhy() {
        ranks = List.of(rank(1, PeerStatus.JOINED, "it does not answer", 10));
        expect(Severity.CRITICAL, Kind.RANK_REFUSED);
        assertThat(onlyProblem().cause()).isEqualTo("it does not answer");
    }

    @Test
    void aRankThatStandsStillIsAWarningAndSoonCritical() {
        ranks = List.of(rank(1, PeerStatus.JOINED, null, 10));
        stillRanks = List.of(new StillRank(1, "node-7", 4711L, 5_000));
        expect(Severity.WARNING, Kind.RANK_STILL);
        assertThat(onlyProblem().rank()).isOne();
        assertThat(onlyProblem().cause()).contains("process 4711 on node-7", "for 5.0 s");
        stillRanks = List.of(new StillRank(1, null, null, 10_000));
        expect(Severity.CRITICAL, Kind.RANK_STILL);
        assertThat(onlyProblem().cause()).startsWith("Its process lives");
    }

    @Test
    void aRankThatMustNotTakePartIsCritical() {
        world = world(List.of(), "removed", null);
        expect(Severity.CRITICAL, Kind.RANK_REFUSED);
        world = world(List.of(), "removed", new WorldState.Rejoin("removed", 5_000, "a view"));
        expect(Severity.CRITICAL, Kind.RANK_REFUSED);
        assertThat(onlyProblem().sinceMillis()).isEqualTo(5_000);
    }

    @Test
    void aWaitIsAProblemFromOneSecondOnAndCriticalFromTen() {
        world = world(List.of(new WorldState.Wait("checkout", "get", 1, 999)), null, null);
        assertThat(problems()).isEmpty();
        world = world(List.of(new WorldState.Wait("checkout", "get", 1, 1_000)), null, null);
        expect(Severity.WARNING, Kind.WAIT);
        assertThat(onlyProblem().title()).isEqualTo("Thread checkout waits for rank 1");
        world = world(List.of(new WorldState.Wait("checkout", "get", 1, 10_000)), null, null);
        expect(Severity.CRITICAL, Kind.WAIT);
    }

    @Test
    void aSegmentIsNearlyFullFromEightyPercentOn() {
        ranks = List.of(rank(1, PeerStatus.JOINED, null, 79));
        assertThat(problems()).isEmpty();
        ranks = List.of(rank(1, PeerStatus.JOINED, null, 80));
        expect(Severity.WARNING, Kind.SEGMENT_FULL);
        ranks = List.of(rank(1, PeerStatus.JOINED, null, 95));
        expect(Severity.CRITICAL, Kind.SEGMENT_FULL);
    }

    @Test
    void aSegmentThatIsFullOfRetiredObjectsSaysSo() {
        ranks = List.of(new RankState(1, PeerStatus.JOINED, null, 1, null, null, null, null, null, 100,
                new SegmentState.Usage(1_000, 100, 0, 100, 800, 800, 10, 700), null, null));
        expect(Severity.WARNING, Kind.SEGMENT_FULL);
        assertThat(onlyProblem().cause()).endsWith("is retired and cannot be freed yet: 700 B");
    }

    @ParameterizedTest
    @CsvSource({"0, 0 B", "1023, 1023 B", "1024, 1.0 KiB", "10240, 10 KiB", "1572864, 1.5 MiB", "59768832, 57 MiB",
        "67108864, 64 MiB", "1099511627776, 1.0 TiB"})
    void sizesAreSaidAsThePageSaysThem(long count, String said) {
        assertThat(ProblemFinder.bytes(count)).isEqualTo(said);
    }

    @Test
    void aTokenThatIsPinnedForTooLongIsNamedWithItsThread() {
        epochs = epochs(List.of(new PinnedToken(1, "report", 3, 30_000, true)), List.of());
        assertThat(problems()).isEmpty();
        epochs = epochs(List.of(new PinnedToken(1, "report", 3, 30_001, true)), List.of());
        expect(Severity.CRITICAL, Kind.PIN);
        assertThat(onlyProblem().title()).contains("report", "rank 1");
        epochs = epochs(List.of(new PinnedToken(1, "report", 3, 30_001, false)), List.of());
        expect(Severity.WARNING, Kind.PIN);
    }

    @Test
    void aTokenThatIsPinnedForABrokenConnectionNamesNoThread() {
        epochs = epochs(List.of(new PinnedToken(1, EpochBlock.brokenConnection(3), 3, 30_001, true)), List.of());
        expect(Severity.CRITICAL, Kind.PIN);
        assertThat(onlyProblem().title())
                .isEqualTo("Rank 1 keeps memory from being freed: a broken connection to rank 3");
        assertThat(onlyProblem().remedy()).startsWith("Let the two ranks reach each other again");
    }

    @Test
    void objectsOfARankThatIsGoneAreStranded() {
        epochs = epochs(List.of(), List.of(new EpochSummary.RankSummary(1, false, 3, 0, false, 12, 3 << 19,
                new EpochSummary.OwnedLimbo(0, 0), 0, 0, 0, 0, 0, 0)));
        expect(Severity.WARNING, Kind.STRANDED);
        assertThat(onlyProblem().title()).contains("12 objects");
        assertThat(onlyProblem().cause()).endsWith("is gone: 1.5 MiB");
    }

    @Test
    void aFullQueueAndAFullMapOfFixedCapacityAreProblems() {
        structures = List.of(structure("queue type=long capacity=10 host=0", "fill", 0.79));
        assertThat(problems()).isEmpty();
        structures = List.of(structure("queue type=long capacity=10 host=0", "fill", 0.8));
        expect(Severity.WARNING, Kind.STRUCTURE_FULL);
        assertThat(onlyProblem().structure()).isEqualTo("jobs");
        structures = List.of(structure("long-map capacity=10", "load", 0.96));
        expect(Severity.CRITICAL, Kind.STRUCTURE_FULL);
        structures = List.of(structure("long-map first-capacity=10", "load", 0.96));
        assertThat(problems()).isEmpty();
        structures = List.of(structure("bloom-filter expected-elements=10", "fill", 0.96));
        assertThat(problems()).isEmpty();
    }

    @Test
    void aBrokenPromiseIsCritical() {
        brokenPromises = List.of(new Observations.BrokenPromise(1, 0, "hits", "Load.java:31 and Report.java:12", 50));
        expect(Severity.CRITICAL, Kind.PROMISE);
        assertThat(onlyProblem().structure()).isEqualTo("hits");
        assertThat(onlyProblem().rank()).isEqualTo(1);
        assertThat(onlyProblem().sinceMillis()).isEqualTo(50);
    }

    @Test
    void aLockIsAProblemIfSomebodyWaitsLongAndHotIfManyWait() {
        lockTables = List.of(table(user(0, "transfer", 5_000L, null), List.of(user(1, "refund", null, 900L))));
        assertThat(problems()).isEmpty();
        lockTables = List.of(table(user(0, "transfer", 5_000L, null), List.of(user(1, "refund", null, 1_500L))));
        expect(Severity.WARNING, Kind.WAIT);
        assertThat(onlyProblem().lock()).isEqualTo(new LockPlace("accounts", 7));
        assertThat(onlyProblem().cause()).contains("transfer", "5.0 s", "1.5 s");
        lockTables = List.of(table(null,
                IntStream.range(0, ProblemFinder.HOT_WAITERS)
                        .mapToObj(waiter -> user(1, "refund-" + waiter, null, 10L))
                        .toList()));
        expect(Severity.WARNING, Kind.HOT_LOCK);
    }

    private static Deadlock deadlock(int others, long sinceMillis) {
        return new Deadlock(List.of(new Edge(1, "refund", 0, "transfer", "accounts", 7),
                new Edge(0, "transfer", 1, "refund", "orders", 3)), others, sinceMillis);
    }

    @Test
    void threadsThatWaitForEachOtherAreADeadlockThatNamesAllWaitsOnce() {
        lockTables = List.of(table(user(0, "transfer", 5_000L, null), List.of(user(1, "refund", null, 1_500L))));
        deadlocks = List.of(deadlock(0, 1_000));
        expect(Severity.CRITICAL, Kind.DEADLOCK);
        assertThat(onlyProblem().title()).isEqualTo("2 threads wait for each other");
        assertThat(onlyProblem().cause()).isEqualTo("thread refund of rank 1 wants lock 7 of accounts, which thread"
                + " transfer of rank 0 holds; thread transfer of rank 0 wants lock 3 of orders, which thread refund"
                + " of rank 1 holds");
        assertThat(onlyProblem().remedy()).contains("Force one of these locks open");
        assertThat(onlyProblem().lock()).isEqualTo(new LockPlace("accounts", 7));
        assertThat(onlyProblem().sinceMillis()).isEqualTo(1_000);
        deadlocks = List.of(deadlock(3, 1_000));
        assertThat(onlyProblem().cause()).endsWith("; 3 more wait behind them");
    }

    @Test
    void aCycleThatHasJustClosedIsNoDeadlockYet() {
        deadlocks = List.of(deadlock(0, 999));
        assertThat(problems()).isEmpty();
    }

    @Test
    void whatKeepsABackgroundThreadFromItsWorkIsCritical() {
        troubles = List.of(new BackgroundThread.Trouble("atoll-reclaim-0", "no memory", Duration.ofSeconds(3)));
        expect(Severity.CRITICAL, Kind.TROUBLE);
        assertThat(onlyProblem().sinceMillis()).isEqualTo(3_000);
    }

    @Test
    void aViewThatCannotBeDecidedIsCritical() {
        view = new ViewState(true, 3, List.of(), List.of(0, 1, 2), 2, List.of(1, 2), Map.of(), "no quorum");
        expect(Severity.CRITICAL, Kind.VIEW);
        assertThat(onlyProblem().remedy()).contains("[1, 2]");
    }

    @Test
    void aLostRankIsLostSinceThisProcessFoundItLost() {
        ranks = List.of(new RankState(1, PeerStatus.LOST, null, 1, "node-7", 4711L, "1", null, null, 100,
                new SegmentState.Usage(1_000, 900, 0, 100, 0, 0, 0, 0), 4_000L, 1_000L));
        assertThat(onlyProblem().sinceMillis()).isEqualTo(1_000);
        ranks = List.of(rank(1, PeerStatus.LOST, null, 10));
        assertThat(onlyProblem().sinceMillis()).isNull();
    }

    @Test
    void theMostSevereComeFirstAndTheSentenceCountsThem() {
        ranks = List.of(rank(0, PeerStatus.MISSING, null, 10), rank(1, PeerStatus.LOST, null, 10));
        assertThat(problems()).extracting(Problem::kind).containsExactly(Kind.RANK_LOST, Kind.RANK_MISSING);
        assertThat(ProblemFinder.sentence(world, problems()))
                .isEqualTo("2 of 2 ranks have joined; 1 critical and 1 warning: Rank 1 is lost.");
    }
}
