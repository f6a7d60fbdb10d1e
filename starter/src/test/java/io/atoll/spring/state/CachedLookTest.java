package io.atoll.spring.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalStateException;
import static org.awaitility.Awaitility.await;

import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(120)
class CachedLookTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Duration LONG = Duration.ofHours(1);

    private final CachedLook<Integer> sight = new CachedLook<>();
    private final AtomicInteger looks = new AtomicInteger();

    private int seenAtOnce(Duration kept) {
        return sight.look(kept, looks::incrementAndGet);
    }

    /** Looks in another thread, since a thread that waits for a lock cannot be interrupted. */
    private CompletableFuture<Integer> beside(Duration kept) {
        CompletableFuture<Integer> seen = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> seen.complete(seenAtOnce(kept)));
        return seen;
    }

    /** Starts a look that sees 100, and lasts until the latch is open. */
    private CompletableFuture<Integer> slowLook(CountDownLatch isOver) throws InterruptedException {
        CountDownLatch hasBegun = new CountDownLatch(1);
        CompletableFuture<Integer> seen = new CompletableFuture<>();
        Thread.ofPlatform().daemon().start(() -> seen.complete(sight.look(Duration.ZERO, () -> {
            hasBegun.countDown();
            assertThat(awaited(isOver)).isTrue();
            return 100;
        })));
        hasBegun.await();
        return seen;
    }

    private static boolean awaited(CountDownLatch latch) {
        try {
            latch.await();
            return true;
        } catch (InterruptedException interrupted) {
            return false;
        }
    }

    @Test
    void whatWasSeenIsShownForAWhile() {
        assertThat(seenAtOnce(LONG)).isOne();
        assertThat(seenAtOnce(LONG)).isOne();
        assertThat(seenAtOnce(Duration.ZERO)).isEqualTo(2);
    }

    @Test
    void whileOneLooksTheOthersAreShownWhatWasSeenBefore() throws Exception {
        assertThat(seenAtOnce(LONG)).isOne();
        CountDownLatch isOver = new CountDownLatch(1);
        CompletableFuture<Integer> slow = slowLook(isOver);
        assertThat(beside(Duration.ZERO)).succeedsWithin(SOON).isEqualTo(1);
        assertThat(slow).isNotDone();
        isOver.countDown();
        assertThat(slow).succeedsWithin(SOON).isEqualTo(100);
        assertThat(seenAtOnce(LONG)).isEqualTo(100);
        assertThat(looks).hasValue(1);
    }

    @Test
    void aCallerThatComesBeforeAnythingWasSeenSharesTheLookOfTheFirst() throws Exception {
        CountDownLatch isOver = new CountDownLatch(1);
        CompletableFuture<Integer> slow = slowLook(isOver);
        CompletableFuture<Integer> second = new CompletableFuture<>();
        Thread waiter = Thread.ofPlatform().daemon().start(() -> second.complete(seenAtOnce(LONG)));
        await().atMost(SOON).until(() -> waiter.getState() == Thread.State.WAITING);
        isOver.countDown();
        assertThat(slow).succeedsWithin(SOON).isEqualTo(100);
        assertThat(second).succeedsWithin(SOON).isEqualTo(100);
        assertThat(looks).hasValue(0);
    }

    @Test
    void aLookThatFailsIsTakenAgain() {
        assertThatIllegalStateException().isThrownBy(() -> sight.look(LONG, () -> {
            throw new IllegalStateException("by the test");
        }));
        assertThat(seenAtOnce(LONG)).isOne();
    }
}
