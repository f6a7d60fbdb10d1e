package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.Inspection;
import io.atoll.TwoRanks;
import io.atoll.fabric.trace.Journal;
import io.atoll.world.NamedStructure;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Lock;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Holds that end because another rank demands it, and the state of a lock that other ranks see. */
@Timeout(60)
@Tag("slow")
class ForcedUnlockTest extends TwoRanks {

    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final String NAME = "orders";

    ForcedUnlockTest() {
        super(4 << 20);
    }

    private LockTable table(int rank, LockAlgorithm algorithm) {
        return worlds.get(rank).lockTable(NAME).algorithm(algorithm).locks(4).open();
    }

    private LockTable table(int rank) {
        return table(rank, LockAlgorithm.ALOCK);
    }

    private Map<Integer, NamedStructure> blocks(int looking) {
        Map<Integer, NamedStructure> blocks = new HashMap<>();
        for (int rank = 0; rank < RANKS; rank++) {
            int at = rank;
            worlds.get(looking)
                    .inspection()
                    .structures(rank)
                    .orElse(List.of())
                    .stream()
                    .filter(each -> each.name().equals(NAME))
                    .forEach(each -> blocks.put(at, each));
        }
        return blocks;
    }

    private ForcedUnlock force(int asking, long index, long token, Duration patience) {
        return worlds.get(asking).inspection().forceUnlock(NAME, blocks(asking), index, token, patience);
    }

    /** Rank 1, which has not opened the table, may not have met rank 0 yet. */
    private void awaitMeeting() {
        Awaitility.await().until(() -> blocks(1).size() == RANKS);
    }

    private LockState look(int looking, long index) {
        return worlds.get(looking).inspection().locks(blocks(looking)).look(index);
    }

    @ParameterizedTest
    @EnumSource
    void theHoldOfTheTokenEndsWhoeverAsks(LockAlgorithm algorithm) throws Exception {
        for (int holder = 0; holder < RANKS; holder++) {
            for (long index = 0; index < 4; index++) {
                int asking = (int) (index / 2);
                Acquisition held = table(holder, algorithm).lockAt(index);
                long token = held.fencingToken();
                assertThat(look(asking, index).holder().orElseThrow().token()).hasValue(token);
                assertThat(force(asking, index, token + 1, PATIENCE)).isEqualTo(ForcedUnlock.HOLDER_CHANGED);
                assertThat(held.isHeld()).isTrue();
                assertThat(force(asking, index, token, PATIENCE)).isEqualTo(ForcedUnlock.DONE);
                assertThat(held.isHeld()).isFalse();
                assertThat(force(asking, index, token, PATIENCE)).isEqualTo(ForcedUnlock.NOT_HELD);
                try (Acquisition next = table(1 - holder, algorithm).lockAt(index)) {
                    assertThat(next.recovered()).isTrue();
                    assertThat(next.fencingToken()).isGreaterThan(token);
                    held.close();
                    assertThat(next.isHeld()).isTrue();
                    assertThat(force(asking, index, token, PATIENCE)).isEqualTo(ForcedUnlock.HOLDER_CHANGED);
                    assertThat(next.isHeld()).isTrue();
                }
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void whoWaitsHasTheLockThen(LockAlgorithm algorithm) throws Exception {
        for (long index = 0; index < 2; index++) {
            Acquisition held = table(0, algorithm).lockAt(index);
            try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
                for (int rank = 0; rank < RANKS; rank++) {
                    LockTable table = table(rank, algorithm);
                    long wanted = index;
                    threads.execute(() -> table.lockUninterruptiblyAt(wanted).close());
                }
                long looked = index;
                Awaitility.await().until(() -> look(1, looked).waiting().size() == RANKS);
                assertThat(force(1, index, held.fencingToken(), PATIENCE)).isEqualTo(ForcedUnlock.DONE);
            }
            held.close();
        }
    }

    @Test
    void aRankThatHasNeverOpenedTheTableMayAsk() throws Exception {
        LockTable table = worlds.getFirst().lockTable(NAME).locks(4).open();
        Acquisition held = table.lockAt(2);
        awaitMeeting();
        assertThat(force(1, 2, held.fencingToken(), PATIENCE)).isEqualTo(ForcedUnlock.DONE);
        assertThat(held.isHeld()).isFalse();
    }

    @Test
    void aHolderThatIsNotThereIsSilent() throws Exception {
        table(0);
        Acquisition held = table(1).lockAt(0);
        Map<Integer, NamedStructure> blocks = blocks(0);
        Inspection inspection = worlds.getFirst().inspection();
        worlds.get(1).close();
        assertThat(inspection.forceUnlock(NAME, blocks, 0, held.fencingToken(), Duration.ofMillis(200)))
                .isEqualTo(ForcedUnlock.HOLDER_SILENT);
    }

    @Test
    void aThreadFromWhomItWasTakenDoesNotHoldItsView() {
        Lock lock = table(0).asLockAt(1, true);
        lock.lock();
        awaitMeeting();
        long token = look(1, 1).holder().orElseThrow().token().orElseThrow();
        assertThat(force(1, 1, token, PATIENCE)).isEqualTo(ForcedUnlock.DONE);
        assertThatThrownBy(lock::unlock).isInstanceOf(IllegalMonitorStateException.class);
        assertThat(lock.tryLock()).isTrue();
        lock.unlock();
    }

    @Test
    void aLockThatIsNoneIsRefused() {
        table(0);
        assertThatIllegalArgumentException().isThrownBy(() -> force(0, 4, 1, PATIENCE))
                .withMessageContaining("lock=4");
    }

    @Test
    void whoLooksOnOnlyReads() throws Exception {
        try (Acquisition _ = table(0).lockAt(1)) {
            Map<Integer, NamedStructure> blocks = blocks(0);
            Journal journal = worlds.getFirst().explain(() -> worlds.getFirst().inspection().locks(blocks).look(1));
            assertThat(journal.reads()).isPositive();
            assertThat(journal.writes() + journal.atomics()).isZero();
        }
    }

    @Test
    void theKeyOfAViewIsSeen() {
        Lock lock = table(0).asLock("order 18");
        lock.lock();
        try {
            long index = table(0).indexOf("order 18");
            Awaitility.await()
                    .untilAsserted(() -> assertThat(look(1, index).holder().flatMap(LockState.Request::key))
                            .hasValue("order 18"));
        } finally {
            lock.unlock();
        }
    }

    // --- what is seen ---

    @Test
    void theKeyIsSeenOfWhoHoldsALockForLong() throws Exception {
        UUID id = UUID.randomUUID();
        for (Object key : List.of("order 17, Tromsø", id, 17L)) {
            try (Acquisition held = table(0).lock(key)) {
                Awaitility.await()
                        .untilAsserted(() -> assertThat(look(1, held.index()).holder().flatMap(LockState.Request::key))
                                .hasValue(key.toString()));
            }
        }
        try (Acquisition held = table(0).lockAt(3)) {
            Awaitility.await().until(() -> look(1, 3).holder().orElseThrow().held().toMillis() > 300);
            assertThat(look(1, held.index()).holder().flatMap(LockState.Request::key)).isEmpty();
        }
    }

    @Test
    void ofALongKeyTheBeginningIsSeen() throws Exception {
        try (Acquisition held = table(0).lock("ø".repeat(200))) {
            Awaitility.await()
                    .untilAsserted(() -> assertThat(look(1, held.index()).holder().flatMap(LockState.Request::key))
                            .hasValue("ø".repeat(48)));
        }
    }

    @Test
    void bothQueuesAreSeenInOrderWithTheirAges() throws Exception {
        Acquisition held = table(1).lockAt(0);
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int number = 0; number < 6; number++) {
                int rank = number % RANKS;
                String name = "w" + number;
                LockTable table = table(rank);
                threads.execute(() -> {
                    Thread.currentThread().setName(name);
                    table.lockUninterruptiblyAt(0).close();
                });
                int behind = number + 1;
                Awaitility.await().until(() -> look(0, 0).waiting().size() == behind);
            }
            LockState seen = look(0, 0);
            assertThat(seen.local()).extracting(LockState.Request::thread).containsExactly("w0", "w2", "w4");
            assertThat(seen.remote()).extracting(LockState.Request::thread).containsExactly("w1", "w3", "w5");
            assertThat(seen.victim()).hasValue(LockState.Cohort.LOCAL);
            assertThat(seen.budget()).hasValue(20);
            Awaitility.await().untilAsserted(() -> {
                assertThat(look(0, 0).holder().orElseThrow().held()).isPositive();
                assertThat(look(0, 0).waiting()).allSatisfy(waiting -> assertThat(waiting.waited()).isPositive());
            });
            assertThat(look(0, 0).holder().orElseThrow().waited()).isZero();
            held.close();
        }
    }

    @Test
    void threadsThatWaitForEachOtherAreACycle() throws Exception {
        LockTable zero = table(0);
        LockTable one = table(1);
        var bothHold = new CompletableFuture<Long>();
        Acquisition first = zero.lockUninterruptiblyAt(0); // before the other thread can have both
        Thread other = Thread.ofPlatform().name("other").start(() -> {
            Acquisition second = one.lockUninterruptiblyAt(1);
            bothHold.complete(second.fencingToken());
            one.lockUninterruptiblyAt(0).close();
            second.close();
        });
        long token = bothHold.get(20, TimeUnit.SECONDS);
        Thread waiting = Thread.currentThread();
        var cycles = CompletableFuture.supplyAsync(() -> {
            Awaitility.await().until(() -> !graph().cycles().isEmpty());
            WaitGraph graph = graph();
            force(0, 1, token, PATIENCE);
            return graph;
        });
        zero.lockUninterruptiblyAt(1).close();
        first.close();
        other.join();
        assertThat(cycles.get().cycles()).singleElement()
                .satisfies(cycle -> assertThat(cycle).extracting(WaitGraph.Party::rank).containsExactly(0, 1))
                .satisfies(cycle -> assertThat(cycle).extracting(WaitGraph.Party::threadId)
                        .containsExactly(waiting.threadId(), other.threadId()));
    }

    private WaitGraph graph() {
        return WaitGraph.of(Map.of(NAME, worlds.getFirst().inspection().locks(blocks(0)).busy()));
    }
}
