package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.TwoRanks;
import io.atoll.World;
import io.atoll.failure.RankUnreachableException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.Lock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The behaviour of a lock table, over real shared memory. */
@Timeout(60)
class LockTableTest extends TwoRanks {

    LockTableTest() {
        super(4 << 20);
    }

    private LockTable table(int rank) {
        return worlds.get(rank).lockTable("accounts").locks(10).open();
    }

    private LockTable table(int rank, LockAlgorithm algorithm) {
        return worlds.get(rank).lockTable("of-" + algorithm).algorithm(algorithm).locks(4).open();
    }

    @ParameterizedTest
    @EnumSource
    void whatOneRankHoldsTheOtherDoesNotGet(LockAlgorithm algorithm) throws Exception {
        for (long index = 0; index < 4; index++) {
            try (Acquisition held = table(0, algorithm).lockAt(index)) {
                assertThat(table(1, algorithm).tryLockAt(index)).isNull();
                assertThat(table(1, algorithm).tryLockAt(index, Duration.ofMillis(5))).isNull();
                assertThat(held.recovered()).isFalse();
            }
            try (Acquisition held = table(1, algorithm).tryLockAt(index)) {
                assertThat(held).isNotNull();
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void aPlainCounterThatItGuardsIsExact(LockAlgorithm algorithm) throws Exception {
        int[] counters = new int[4];
        List<Thread> threads = new ArrayList<>();
        for (int number = 0; number < 4; number++) {
            LockTable table = table(number % RANKS, algorithm);
            threads.add(Thread.ofPlatform().start(() -> {
                for (int count = 0; count < 500; count++) {
                    try (Acquisition held = table.lockUninterruptiblyAt(count % 4)) {
                        counters[(int) held.index()]++;
                    }
                }
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        assertThat(counters).containsOnly(500);
    }

    @Test
    void tokensGrowWithEveryAcquisitionOfALock() throws Exception {
        long last = 0;
        for (int count = 0; count < 20; count++) {
            try (Acquisition held = table(count % RANKS).lockAt(3)) {
                assertThat(held.fencingToken()).isGreaterThan(last);
                last = held.fencingToken();
            }
        }
    }

    @Test
    void aKeyAlwaysMeansTheSameLock() throws Exception {
        UUID key = UUID.randomUUID();
        assertThat(table(0).indexOf(key)).isEqualTo(table(1).indexOf(key)).isBetween(0L, 9L);
        assertThat(table(0).indexOf("7")).isEqualTo(table(1).indexOf("7"));
        try (Acquisition held = table(0).lock("account 7")) {
            assertThat(table(1).tryLockAt(held.index())).isNull();
        }
    }

    @Test
    void locksOfSeveralKeysAreAcquiredOnceEach() throws Exception {
        try (Acquisitions held = table(0).lockAll(List.of("a", "b", "a", 7L))) {
            assertThat(held.held()).extracting(Acquisition::index).isSorted().doesNotHaveDuplicates();
            for (Acquisition each : held.held()) {
                assertThat(table(1).tryLockAt(each.index())).isNull();
            }
        }
        for (long index = 0; index < 10; index++) {
            try (Acquisition free = table(1).tryLockAt(index)) {
                assertThat(free).isNotNull();
            }
        }
    }

    @Test
    void whoIsInterruptedWhileItWaitsGoesAndTheNextIsServed() throws Exception {
        Acquisition held = table(0).lockAt(1);
        LockTable waiters = table(1); // opened here, since its opening would be interrupted, too
        var interrupted = new CountDownLatch(1);
        Thread waiter = Thread.ofPlatform().start(() -> {
            try {
                waiters.lockAt(1).close();
            } catch (InterruptedException expected) {
                interrupted.countDown();
            }
        });
        waiter.interrupt();
        assertThat(interrupted.await(10, TimeUnit.SECONDS)).isTrue();
        held.close();
        try (Acquisition next = table(1).tryLockAt(1, Duration.ofSeconds(10))) {
            assertThat(next).isNotNull();
        }
    }

    @Test
    void closingTwiceReleasesOnce() throws Exception {
        Acquisition first = table(0).lockAt(0);
        first.close();
        try (Acquisition _ = table(1).lockAt(0)) {
            first.close();
            assertThat(table(0).tryLockAt(0)).isNull();
        }
    }

    @Test
    void theViewIsHeldByAThread() {
        Lock lock = table(0).asLockAt(2, true);
        Lock same = table(0).asLockAt(2, false);
        lock.lock();
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
        assertThatThrownBy(same::tryLock).isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("lock=2");
        assertThat(table(1).tryLockAt(2)).isNull();
        lock.unlock();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(table(1).asLockAt(2, false).tryLock()).isTrue();
    }

    @ParameterizedTest
    @EnumSource
    void attemptsAtLocksOfAnOwnerThatIsAwayKeepNoDescriptors(LockAlgorithm algorithm) {
        LockTable locks = worlds.getFirst()
                .lockTable("few-" + algorithm)
                .algorithm(algorithm)
                .locks(RANKS)
                .descriptors(8)
                .open();
        worlds.get(1).close();
        Awaitility.await().until(() -> !worlds.getFirst().peers().missing().isEmpty());
        for (int attempt = 0; attempt < 600; attempt++) {
            assertThatThrownBy(() -> locks.tryLockAt(1)).isInstanceOf(RankUnreachableException.class);
        }
        try (Acquisition own = locks.tryLockAt(0)) {
            assertThat(own).isNotNull();
        }
    }

    @Test
    void moreLocksThanDescriptorsInOneThreadAreAnErrorThatNamesTheirNumber() throws Exception {
        LockTable small = impatient().lockTable("small").locks(4).descriptors(1).open();
        // the first lock takes the descriptor that this thread keeps
        try (Acquisition _ = small.lockAt(0); Acquisition _ = small.lockAt(1)) {
            assertThat(small.tryLockAt(2)).isNull();
            assertThatThrownBy(() -> small.lockAt(2)).isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("descriptors=1")
                    .hasMessageContaining("timeoutMillis=200");
        }
        small.lockAt(2).close();
    }

    /** Returns the world of a single rank that does not wait for long. */
    private World impatient() {
        World world = World.named("impatient").segment(4 << 20).operationTimeout(Duration.ofMillis(200)).open();
        worlds.add(world);
        return world;
    }

    @Test
    void whatAThreadHasKeptIsAnothersWhenItHasEnded() throws Exception {
        LockTable small = impatient().lockTable("small").locks(4).descriptors(1).open();
        for (int thread = 0; thread < 3; thread++) {
            var held = new AtomicReference<Acquisition>();
            Thread.ofPlatform().start(() -> held.set(small.lockUninterruptiblyAt(0))).join();
            try (Acquisition _ = held.get(); Acquisition _ = small.lockAt(1)) {
                assertThatThrownBy(() -> small.lockAt(2)).isInstanceOf(IllegalStateException.class);
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void attemptsAtLocksOfAnOwnerThatIsGoneLeaveTheOthersUsable(LockAlgorithm algorithm) throws Exception {
        LockTable table = table(0, algorithm);
        table(1, algorithm);
        table.lockAt(1).close();
        worlds.get(1).close();
        Awaitility.await()
                .untilAsserted(() -> assertThatThrownBy(() -> table.lockAt(1).close())
                        .isInstanceOf(RankUnreachableException.class));
        for (int attempt = 0; attempt < 1_000; attempt++) {
            assertThatThrownBy(() -> table.lockAt(1)).isInstanceOf(RankUnreachableException.class)
                    .hasMessageContaining("rank=1");
        }
        try (Acquisition first = table.tryLockAt(0); Acquisition second = table.tryLockAt(2)) {
            assertThat(first).isNotNull();
            assertThat(second).isNotNull();
        }
    }

    @Test
    void aNumberMeansTheSameLockBoxedOrNot() {
        Object boxed = 7L;
        assertThat(table(0).indexOf(boxed)).isEqualTo(table(1).indexOf(7L));
    }

    // --- for operators ---

    @ParameterizedTest
    @EnumSource
    void whoHoldsItAndWhoWaitsIsSeenFromEveryRank(LockAlgorithm algorithm) throws Exception {
        Acquisition held = table(0, algorithm).lockAt(1);
        Thread waiter = Thread.ofPlatform()
                .name("the waiter")
                .start(() -> table(1, algorithm)
                        .lockUninterruptiblyAt(1)
                        .close());
        Awaitility.await().until(() -> table(0, algorithm).state(1).waiting().size() == 1);
        LockState seen = table(1, algorithm).state(1);
        assertThat(seen.owner()).isEqualTo(1);
        assertThat(seen.holder()).hasValueSatisfying(holder -> {
            assertThat(holder.rank()).isZero();
            assertThat(holder.local()).isFalse();
            assertThat(Thread.currentThread().getName()).startsWith(holder.thread());
            assertThat(holder.since()).isBetween(Instant.now().minusSeconds(10), Instant.now());
        });
        assertThat(seen.waiting()).singleElement().satisfies(waiting -> {
            assertThat(waiting.thread()).isEqualTo("the waiter");
            assertThat(waiting.local()).isTrue();
        });
        held.close();
        waiter.join();
        LockState after = table(0, algorithm).state(1);
        assertThat(after.holder()).isEmpty();
        assertThat(after.waiting()).isEmpty();
        assertThat(after.counts().localAcquisitions()).isOne();
        assertThat(after.counts().remoteAcquisitions()).isOne();
        assertThat(after.counts().waits()).isOne();
        assertThat(after.counts().longestWait()).isPositive().isEqualTo(after.counts().waited());
        assertThat(table(1, algorithm).hottest(3)).extracting(LockState::index).containsExactly(1L);
    }

    @ParameterizedTest
    @EnumSource
    void whatIsTakenByForceIsAnothersWhoIsTold(LockAlgorithm algorithm) throws Exception {
        for (long index = 0; index < 2; index++) {
            LockTable table = table(0, algorithm);
            Acquisition lost = table.lockAt(index);
            assertThat(table.forceUnlock(index)).isTrue();
            assertThat(lost.isHeld()).isFalse();
            try (Acquisition next = table(1, algorithm).lockAt(index)) {
                assertThat(next.recovered()).isTrue();
                assertThat(next.fencingToken()).isGreaterThan(lost.fencingToken());
                lost.close();
                assertThat(table.tryLockAt(index)).isNull();
            }
            Acquisition last = table(1, algorithm).tryLockAt(index, Duration.ofSeconds(10));
            assertThat(last).isNotNull();
            assertThat(last.recovered()).isFalse();
            last.close();
            assertThat(table.forceUnlock(index)).isFalse();
        }
    }

    @Test
    void whatAnotherRankHoldsIsTakenThere() throws Exception {
        try (Acquisition _ = table(1).lockAt(0)) {
            assertThatThrownBy(() -> table(0).forceUnlock(0)).isInstanceOf(IllegalStateException.class)
                    .hasMessageEndingWith("rank=1");
        }
    }

    @Test
    void whatSomebodyHoldsWhoCannotBeAskedIsNotTakenForFree() throws Exception {
        LockTable table = table(0);
        table(1).lockAt(0);
        assertThat(table.forceUnlock(2)).isFalse();
        worlds.get(1).close();
        Awaitility.await()
                .untilAsserted(() -> assertThatThrownBy(() -> table.forceUnlock(0))
                        .isInstanceOf(RankUnreachableException.class)
                        .hasMessageContaining("rank=1"));
        assertThat(table.forceUnlock(2)).isFalse();
    }

    @Test
    void aThreadFromWhomItWasTakenDoesNotHoldItsView() {
        Lock lock = table(0).asLockAt(4, true);
        lock.lock();
        assertThat(table(0).forceUnlock(4)).isTrue();
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void aTableThatDoesNotCountShowsWhoHoldsItNevertheless() throws Exception {
        LockTable table = worlds.getFirst().lockTable("uncounted").locks(4).counted(false).open();
        try (Acquisition _ = table.lockAt(2)) {
            assertThat(table.state(2).holder()).isPresent();
            assertThat(table.state(2).counts().localAcquisitions()).isZero();
            assertThat(table.hottest(5)).isEmpty();
        }
    }

    @Test
    void whatCannotBeIsRefused() {
        assertThatIllegalArgumentException().isThrownBy(() -> table(0).lockAt(10)).withMessageContaining("lock=10");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> worlds.getFirst().lockTable("none").locks(0).open())
                .withMessageContaining("locks=0");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> worlds.getFirst().lockTable("none").localBudget(0).open())
                .withMessageContaining("localBudget=0");
    }

    // --- costs ---

    @Test
    void anOwnersThreadUsesNoVerb() {
        LockTable table = table(0);
        assertThat(worlds.getFirst().explain(() -> table.lockUninterruptiblyAt(0).close())).hasToString("no verb");
    }
}
