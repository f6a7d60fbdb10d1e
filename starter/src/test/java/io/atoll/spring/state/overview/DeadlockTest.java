package io.atoll.spring.state.overview;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.awaitility.Awaitility.await;

import io.atoll.World;
import io.atoll.lock.Acquisition;
import io.atoll.lock.LockTable;
import io.atoll.spring.state.TwoRanks;
import io.atoll.spring.state.WorldStates;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

@Timeout(180)
@Tag("slow")
class DeadlockTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration SEVERAL_LOOKS = Duration.ofSeconds(6);
    private static final Duration JITTER = Duration.ofMillis(1_500);

    @TempDir
    private Path folder;

    private static List<Problem> problems(OverviewWatch watch, Problem.Kind kind) {
        return watch.look().problems().stream().filter(problem -> problem.kind() == kind).toList();
    }

    @Test
    void oneOfTwoRanksAcrossTwoTablesIsOneProblemUntilALockIsForcedOpen() throws Exception {
        try (World zero = TwoRanks.open(folder, 0);
                World one = TwoRanks.open(folder, 1);
                WorldStates seen = new WorldStates(zero)) {
            var bothHold = new CountDownLatch(2);
            Thread transfer = thread("transfer", zero, "accounts", "orders", bothHold);
            Thread refund = thread("refund", one, "orders", "accounts", bothHold);
            var watch = new OverviewWatch(seen);
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(problems(watch, Problem.Kind.DEADLOCK)).hasSize(1));
            Problem deadlock = problems(watch, Problem.Kind.DEADLOCK).getFirst();
            assertThat(deadlock.severity()).isEqualTo(Severity.CRITICAL);
            assertThat(deadlock.sinceMillis()).isGreaterThanOrEqualTo(1_000);
            assertThat(deadlock.cause()).isEqualTo("thread refund of rank 1 wants lock 7 of accounts, which thread"
                    + " transfer of rank 0 holds; thread transfer of rank 0 wants lock 7 of orders, which thread"
                    + " refund of rank 1 holds");
            itsAgeGrowsWithTheClock(seen);
            assertThat(problems(watch, Problem.Kind.WAIT)).filteredOn(problem -> problem.lock() != null).isEmpty();
            long token = seen.locks().lock("orders", 7).orElseThrow().holders().getFirst().token();
            assertThat(seen.locks().forceUnlock("orders", 7, token, SOON)).isPresent();
            transfer.join();
            refund.join();
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(problems(watch, Problem.Kind.DEADLOCK)).isEmpty());
        }
    }

    /** The locks are read once in some seconds, and the ages may not stand still meanwhile. */
    private static void itsAgeGrowsWithTheClock(WorldStates seen) {
        long begunMillis = millis() - seen.locks().recentDeadlocks().getFirst().sinceMillis();
        await().during(SEVERAL_LOOKS)
                .atMost(SOON)
                .untilAsserted(() -> assertThat(millis() - seen.locks().recentDeadlocks().getFirst().sinceMillis())
                        .isCloseTo(begunMillis, within(JITTER.toMillis())));
    }

    private static long millis() {
        return System.nanoTime() / 1_000_000;
    }

    /** Starts a thread that takes lock 7 of both tables, one after the other. */
    private static Thread thread(String name, World world, String first, String second, CountDownLatch bothHold) {
        LockTable one = world.lockTable(first).locks(10).open();
        LockTable other = world.lockTable(second).locks(10).open();
        return Thread.ofPlatform().name(name).start(() -> {
            Acquisition held = one.lockUninterruptiblyAt(7);
            bothHold.countDown();
            try {
                bothHold.await();
            } catch (InterruptedException unexpected) {
                throw new IllegalStateException("nobody interrupts it", unexpected);
            }
            other.lockUninterruptiblyAt(7).close();
            held.close();
        });
    }
}
