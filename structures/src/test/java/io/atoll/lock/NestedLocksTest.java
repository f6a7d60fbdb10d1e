package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.atoll.TwoRanks;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.locks.Lock;
import java.util.stream.LongStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A thread that asks for a lock that it holds itself. */
@Timeout(30)
class NestedLocksTest extends TwoRanks {

    NestedLocksTest() {
        super(4 << 20);
    }

    private LockTable table(int rank, LockAlgorithm algorithm) {
        return worlds.get(rank).lockTable("of-" + algorithm).algorithm(algorithm).locks(4).open();
    }

    private LockTable table() {
        return table(0, LockAlgorithm.ALOCK);
    }

    /** Returns another key of the same lock. */
    private static long beside(LockTable table, long key) {
        return LongStream.iterate(key + 1, other -> other + 1)
                .filter(other -> table.indexOf(other) == table.indexOf(key))
                .findFirst()
                .orElseThrow();
    }

    private static void assertIsRefused(LockTable table, ThrowingCallable asking, String... parts) {
        assertThatThrownBy(asking).isInstanceOf(IllegalMonitorStateException.class)
                .hasMessageContaining("table=" + table.name())
                .hasMessageContaining("lockAll")
                .satisfies(told -> assertThat(parts).allMatch(told.getMessage()::contains));
    }

    @ParameterizedTest
    @EnumSource
    void aThreadThatHoldsTheLockOfAnotherKeyIsToldSo(LockAlgorithm algorithm) throws Exception {
        LockTable table = table(0, algorithm);
        for (long key = 0; key < 8; key++) { // own locks and others'
            long held = key;
            long wanted = beside(table, key);
            try (Acquisition outer = table.lock(held)) {
                assertIsRefused(table, () -> table.lock(wanted), "lock=" + outer.index(), "heldKey=" + held,
                        "wantedKey=" + wanted);
                assertThat(outer.isHeld()).isTrue();
            }
            try (Acquisition next = table(1, algorithm).lock(wanted)) {
                assertThat(next.recovered()).isFalse();
            }
        }
    }

    @Test
    void everyWayOfWaitingIsRefused() throws Exception {
        LockTable table = table();
        try (Acquisition held = table.lock("an account")) {
            long index = held.index();
            assertIsRefused(table, () -> table.lockAt(index), "heldKey=an account");
            assertIsRefused(table, () -> table.lockUninterruptiblyAt(index));
            assertIsRefused(table, () -> table.lock((Object) "an account"), "wantedKey=an account");
            assertIsRefused(table, () -> table.tryLockAt(index, Duration.ofMinutes(1)));
            assertIsRefused(table, () -> table.tryLock("an account", Duration.ofMinutes(1)));
            assertIsRefused(table, () -> table.lockAll(List.of("an account", 7L)));
            assertIsRefused(table, () -> table.lockAllAt(0, 1, 2, 3));
            assertIsRefused(table, () -> table.asLockAt(index, false).lock());
            assertIsRefused(table, () -> table.asLock("an account").lockInterruptibly());
            assertThat(table.tryLockAt(index)).isNull();
            assertThat(table.tryLock("an account")).isNull();
            assertThat(table.asLock("an account").tryLock()).isFalse();
        }
        try (Acquisitions all = table(1, LockAlgorithm.ALOCK).lockAllAt(0, 1, 2, 3)) {
            assertThat(all.held()).hasSize(4);
        }
    }

    @Test
    void whatAThreadHoldsByAViewItIsRefusedByTheTable() throws Exception {
        LockTable table = table();
        Lock view = table.asLock(1);
        view.lock();
        assertIsRefused(table, () -> table.lock(1));
        view.lock();
        view.unlock();
        view.unlock();
        table.lock(1).close();
    }

    @Test
    void aTableThatWasOpenedTwiceIsOneTable() throws Exception {
        LockTable table = table();
        try (Acquisition _ = table.lock(3)) {
            assertIsRefused(table, () -> table().lock(3), "heldKey=3");
        }
    }

    @Test
    void aKeyThatWasNotedForAnEarlierLockIsNotNamed() throws Exception {
        LockTable table = table();
        table.lock("before").close();
        long index = table.indexOf("before");
        try (Acquisition _ = table.lockAt(index)) {
            assertThatThrownBy(() -> table.lock((Object) "before")).message().doesNotContain("heldKey");
        }
    }

    @Test
    void aThreadThatHasPassedItsLockOnWaitsForTheOther() throws Exception {
        LockTable table = table();
        for (long index = 0; index < 4; index++) {
            Acquisition passedOn = table.lockAt(index);
            passedOn.detach();
            assertThat(table.tryLockAt(index, Duration.ofMillis(20))).isNull();
            Thread other = Thread.ofPlatform().start(passedOn::close);
            table.lockAt(index).close();
            other.join();
            try (Acquisition again = table.lockAt(index)) {
                assertThat(again.isHeld()).isTrue();
                assertIsRefused(table, () -> table.lockAt(again.index()));
            }
        }
    }
}
