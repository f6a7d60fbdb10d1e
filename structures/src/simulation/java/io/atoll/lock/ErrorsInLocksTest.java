package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Clock;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.Guarantees;
import io.atoll.fabric.InjectedErrors;
import io.atoll.fabric.InterposedFabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.WorldIdentity;
import io.atoll.world.Participants;
import java.time.Duration;
import java.util.Objects;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * An {@link Error} at any verb and any access of the CPU while a thread acquires or releases a lock. Other threads can
 * have the lock afterwards, and no descriptor stays claimed. In some trials other threads want the lock at the same
 * time, and wait behind.
 */
@Tag("simulation")
class ErrorsInLocksTest {

    private static final int RANKS = 2;
    private static final int HERE = 0;
    private static final int THERE = 1;
    private static final int DESCRIPTORS = 4;
    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long TABLE = SEGMENT_BYTES - (8 << 10);
    private static final long LINE = SEGMENT_BYTES - (16 << 10);
    private static final int MOST_ACCESSES = 300;
    private static final int MOST_SWEEPS = 10_000;
    private static final Duration SHORT = Duration.ofNanos(10);
    // the first doubt comes earlier than that many looks
    private static final Duration LONG = Duration.ofNanos(100_000);

    /** Each look at this clock takes a nanosecond. So each trial makes the same accesses. */
    private static final Clock CLOCK = new Clock() {

        private long nanos = 1;

        @Override
        public long nanoTime() {
            return nanos++;
        }

        @Override
        public void pause(int attempt) {}
    };

    /** A process that uses one lock. */
    private static final class Process {

        private final Endpoint endpoint;
        private final BackgroundTasks background;
        private final ProcessLocks locks;
        private final int owner;

        private Process(LockAlgorithm algorithm, Fabric fabric, InjectedErrors injection, int owner) {
            this.endpoint = new Endpoint(InterposedFabric.aroundAll(fabric, CLOCK, injection));
            this.background = BackgroundTasks.unthreaded(CLOCK);
            this.owner = owner;
            var self = Participants.amongTheLiving(endpoint, Duration.ofSeconds(10));
            var descriptors = QueueLocks.descriptors(self, TABLE, DESCRIPTORS);
            this.locks = new ProcessLocks(descriptors, switch (algorithm) {
                case ALOCK -> QueueLock.asymmetric(descriptors, 1, 2, background);
                case MCS -> QueueLock.symmetric(descriptors, background);
                case SPIN -> new SpinLock(descriptors, background);
            });
        }

        private @Nullable Hold acquire(WaitLimit limit) {
            return locks.acquire(0, owner, LINE, limit);
        }

        private @Nullable Hold tryFor(Duration time) {
            return acquire(WaitLimit.of(CLOCK, time));
        }

        private Acquisition acquisition() {
            return new Acquisition(Objects.requireNonNull(acquire(WaitLimit.UNBOUNDED)));
        }

        private long phase(int descriptor) {
            long first = TABLE + Descriptor.headBytes(WorldIdentity.defaultMaxSize(RANKS))
                    + (DESCRIPTORS + Descriptor.kept(DESCRIPTORS)) * Descriptor.SIZE;
            return endpoint.fabric().local().getAcquire(first + descriptor * Descriptor.SIZE + Descriptor.PHASE);
        }
    }

    private static final class InjectedRanks {

        private final InjectedErrors injection;
        private final Process injected;
        private final Process other;

        private InjectedRanks(LockAlgorithm algorithm, int owner, Guarantees guarantees, boolean isAfter) {
            var simulation = new Simulation(1,
                    SimOptions.ranks(RANKS).segmentBytes(SEGMENT_BYTES).guarantees(guarantees).unmapped());
            this.injection = new InjectedErrors(isAfter);
            this.injected = new Process(algorithm, simulation.fabric(HERE), injection, owner);
            this.other = new Process(algorithm, simulation.fabric(THERE), new InjectedErrors(false), owner);
        }

        private void keep() {
            for (int sweep = 0; injected.background.tasks() + other.background.tasks() > 0; sweep++) {
                assertThat(sweep).as("sweeps until nothing is left to be done").isLessThan(MOST_SWEEPS);
                injected.background.sweep();
                other.background.sweep();
            }
        }

        private void checkThatNothingIsLeft() {
            injected.locks.sweep();
            keep();
            for (Process process : new Process[]{injected, other}) {
                Hold next = process.acquire(WaitLimit.NONE);
                assertThat(next).as("the lock, for whoever wants it").isNotNull();
                assertThat(next.release()).isTrue();
                keep();
                for (int number = 0; number < DESCRIPTORS + Descriptor.kept(DESCRIPTORS); number++) {
                    assertThat(Phase.kind(process.phase(number))).as("phase of descriptor " + number)
                            .isEqualTo(Phase.IDLE);
                }
            }
        }
    }

    static Stream<Arguments> uses() {
        return Stream.of(LockAlgorithm.values())
                .flatMap(algorithm -> Stream.of(HERE, THERE)
                        .flatMap(owner -> Stream.of(SimOptions.SHARED_MEMORY, SimOptions.WEAKEST)
                                .flatMap(guarantees -> Stream.of(true, false)
                                        .map(isAfter -> Arguments.of(algorithm, owner, guarantees, isAfter)))));
    }

    /** Returns true if an error has struck at that access. */
    private interface Attempt {
        boolean isStruck(InjectedRanks ranks, int access);
    }

    /** An error strikes at the first access, then at the second, until it strikes no more. It never leaves anything. */
    private static void whileAnErrorStrikes(Supplier<InjectedRanks> making, Attempt attempt) {
        boolean isStruck = true;
        for (int access = 1; isStruck; access++) {
            assertThat(access).isLessThan(MOST_ACCESSES);
            InjectedRanks ranks = making.get();
            isStruck = attempt.isStruck(ranks, access);
            ranks.checkThatNothingIsLeft();
        }
    }

    @ParameterizedTest
    @MethodSource("uses")
    void anErrorWhileAThreadAcquiresAFreeLockLeavesItFree(LockAlgorithm algorithm, int owner, Guarantees guarantees,
            boolean isAfter) {
        whileAnErrorStrikes(() -> new InjectedRanks(algorithm, owner, guarantees, isAfter), (ranks, access) -> {
            Hold[] acquired = new Hold[1];
            boolean failed = ranks.injection.failsAt(access,
                    () -> acquired[0] = ranks.injected.acquire(WaitLimit.UNBOUNDED));
            if (!failed) {
                assertThat(Objects.requireNonNull(acquired[0]).release()).isTrue();
            }
            return failed;
        });
    }

    @ParameterizedTest
    @MethodSource("uses")
    void anErrorWhileAThreadReleasesALockForWhichNobodyWaitsReleasesIt(LockAlgorithm algorithm, int owner,
            Guarantees guarantees, boolean isAfter) {
        whileAnErrorStrikes(() -> new InjectedRanks(algorithm, owner, guarantees, isAfter), (ranks, access) -> {
            Acquisition held = ranks.injected.acquisition();
            return ranks.injection.failsAt(access, held::close);
        });
    }

    @ParameterizedTest
    @MethodSource("uses")
    void anErrorWhileAThreadWaitsBehindOthersHoldsUpNobody(LockAlgorithm algorithm, int owner, Guarantees guarantees,
            boolean isAfter) {
        whileAnErrorStrikes(() -> new InjectedRanks(algorithm, owner, guarantees, isAfter), (ranks, access) -> {
            Acquisition held = ranks.other.acquisition();
            boolean failed = ranks.injection.failsAt(access, () -> ranks.injected.tryFor(SHORT));
            held.close();
            return failed;
        });
    }

    @ParameterizedTest
    @MethodSource("uses")
    void anErrorWhileAThreadReleasesALockForWhichOthersWaitReleasesIt(LockAlgorithm algorithm, int owner,
            Guarantees guarantees, boolean isAfter) {
        whileAnErrorStrikes(() -> new InjectedRanks(algorithm, owner, guarantees, isAfter), (ranks, access) -> {
            Acquisition held = ranks.injected.acquisition();
            assertThat(ranks.injected.tryFor(SHORT)).isNull();
            assertThat(ranks.other.tryFor(SHORT)).isNull();
            return ranks.injection.failsAt(access, held::close);
        });
    }

    @ParameterizedTest
    @EnumSource
    void aThreadMayWaitForALockThatItCouldNotRelease(LockAlgorithm algorithm) {
        var ranks = new InjectedRanks(algorithm, HERE, SimOptions.SHARED_MEMORY, false);
        Acquisition held = ranks.injected.acquisition();
        held.hold.mine.abandoned = held.hold; // as if memory were missing
        assertThat(ranks.injected.tryFor(LONG)).as("not released yet").isNull();
        ranks.checkThatNothingIsLeft();
    }
}
