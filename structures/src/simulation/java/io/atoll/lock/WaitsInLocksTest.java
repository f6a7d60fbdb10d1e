package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.fabric.Clock;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.InjectedErrors.InjectedError;
import io.atoll.fabric.InterposedFabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.world.Participants;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.awaitility.Awaitility;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/**
 * Another thread stands still in the middle of its step. A thread that acquires or releases the lock waits for that
 * step no longer than the operation timeout. Nothing is lost by it.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("simulation")
class WaitsInLocksTest {

    private static final int RANKS = 2;
    private static final int HERE = 0;
    private static final int THERE = 1;
    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long TABLE = SEGMENT_BYTES - (8 << 10);
    private static final long LINE = SEGMENT_BYTES - (16 << 10);
    private static final Duration TIMEOUT = Duration.ofMillis(50);

    /**
     * The thread that comes after another one stands still before it links itself to that. Only then does an owner's
     * thread that enqueues store a word in this way.
     */
    private final class Standing implements InterposedFabric.Interposed {

        @Override
        public void before(String access) {
            if (Thread.currentThread() == follower && access.equals("setVolatile")) {
                standsStill.countDown();
                try {
                    goesOn.await();
                } catch (InterruptedException impossible) {
                    throw new AssertionError(impossible);
                }
            }
            if (Thread.currentThread() == failing && access.equals("getVolatile")) {
                failing = null;
                follow();
                throw new InjectedError();
            }
        }

        @Override
        public void after(String access) {}
    }

    private final CountDownLatch standsStill = new CountDownLatch(1);
    private final CountDownLatch goesOn = new CountDownLatch(1);
    private final AtomicReference<@Nullable Hold> followed = new AtomicReference<>();
    private final Simulation simulation = new Simulation(1,
            SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES).guarantees(SimOptions.SHARED_MEMORY).unmapped());
    private final Endpoint endpoint = new Endpoint(
            InterposedFabric.aroundAll(simulation.fabric(HERE), Clock.SYSTEM, new Standing()));
    private final BackgroundTasks background = BackgroundTasks.unthreaded(Clock.SYSTEM);
    private final Descriptors descriptors = QueueLocks.descriptors(Participants.amongTheLiving(endpoint, TIMEOUT),
            TABLE, 4);
    private final ProcessLocks locks = new ProcessLocks(descriptors,
            QueueLock.asymmetric(descriptors, 1, 2, background));
    private volatile @Nullable Thread follower;
    private volatile @Nullable Thread failing; // it fails once, after its exchange of the tail

    @AfterEach
    void goOn() throws InterruptedException {
        goesOn.countDown();
        if (follower instanceof Thread thread) {
            thread.join();
        }
    }

    private Hold acquire(int owner) {
        return Objects.requireNonNull(locks.acquire(0, owner, LINE, WaitLimit.UNBOUNDED));
    }

    /** Starts a thread that comes after the holder of the own lock. The holder does not know of it yet. */
    private void follow() {
        follower = Thread.ofPlatform().unstarted(() -> followed.set(acquire(HERE)));
        follower.start();
        try {
            standsStill.await();
        } catch (InterruptedException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** Lets the follower go on, and checks that it has the lock soon. */
    private void assertThatTheFollowerIsServed() {
        goesOn.countDown();
        Awaitility.await().until(() -> {
            locks.sweep();
            background.sweep();
            return followed.get() != null;
        });
        assertThat(Objects.requireNonNull(followed.get()).release()).isTrue();
        Hold next = acquire(HERE);
        assertThat(next.release()).isTrue();
        assertThat(background.tasks()).isZero();
    }

    @Test
    void aReleaseLeavesItToTheBackgroundThreadIfWhoComesNextDoesNotSaySo() {
        Hold held = acquire(HERE);
        follow();
        assertThat(held.release()).isTrue();
        assertThat(followed.get()).isNull();
        assertThatTheFollowerIsServed();
        assertThat(held.release()).isFalse();
    }

    @Test
    void forceFailsAndChangesNothingIfWhoComesNextDoesNotSaySo() {
        Hold held = acquire(HERE);
        follow();
        assertThatExceptionOfType(FabricTimeoutException.class).isThrownBy(() -> held.revoke(TIMEOUT))
                .withMessageContaining("timeoutMillis=50");
        assertThat(held.isHeld()).isTrue();
        assertThat(held.release()).isTrue();
        assertThatTheFollowerIsServed();
    }

    @Test
    void whatAnErrorInterruptsIsUndoneLaterIfWhoComesNextDoesNotSaySo() {
        failing = Thread.currentThread();
        assertThatExceptionOfType(InjectedError.class).isThrownBy(() -> acquire(HERE));
        assertThat(followed.get()).isNull();
        assertThatTheFollowerIsServed();
    }

    @Test
    void whoFindsTheQueueClosedWaitsNoLongerForWhoRepairsIt() {
        long tail = LINE + LockLine.REMOTE_TAIL;
        endpoint.writeWord(THERE, tail, Tail.closed(THERE, 1, 1));
        assertThatExceptionOfType(FabricTimeoutException.class).isThrownBy(() -> acquire(THERE))
                .withMessageContaining("repair")
                .withMessageContaining("rank=1");
        endpoint.writeWord(THERE, tail, Tail.FREE);
        assertThat(acquire(THERE).release()).isTrue();
        assertThat(background.tasks()).isZero();
    }
}
