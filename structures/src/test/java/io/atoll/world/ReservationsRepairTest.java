package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.assertThatNoException;

import io.atoll.AllocatedBytes;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.heap.MutatedFabric;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import io.atoll.world.Reservations.Keeper;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

/** Repairs for ranks that died in the middle of something, without a wait. */
class ReservationsRepairTest {

    private static final int WORDS = 100;
    private static final WaitReason DOING = new WaitReason("insert into", "map");

    private final AtomicInteger repaired = new AtomicInteger();
    private final Simulation simulation = new Simulation(1, SimOptions.ranks(2).segmentBytes(192 << 10));

    private Reservations reservations(Liveness liveness) {
        return new Participant(new Endpoint(simulation.fabric(0)), 1, liveness, Duration.ofSeconds(1),
                () -> new int[]{1, 1}).reservations();
    }

    @Test
    void aRepairIsDoneAndCountedForItsStructure() {
        Reservations reservations = reservations((_, _, _) -> false);
        reservations.repair(repaired::incrementAndGet, DOING);
        assertThat(repaired).hasValue(1);
        assertThat(reservations.repairs()).isEqualTo(1);
        assertThat(reservations.repairs("map")).isEqualTo(1);
        assertThat(reservations.repairs("other")).isZero();
    }

    @Test
    void whatTheDeadHaveReservedIsRepairedAndWhatTheLivingHaveIsNot() {
        Reservations reservations = reservations((rank, incarnation, _) -> rank == 1 && incarnation <= 3);
        assertThat(reservations.isRepaired(0, 1, 3, repaired::incrementAndGet, DOING)).isTrue();
        assertThat(repaired).hasValue(1);
        assertThat(reservations.isRepaired(0, 1, 4, repaired::incrementAndGet, DOING)).isFalse();
        assertThat(repaired).hasValue(1);
    }

    @Test
    void whatWaitsForARankThatIsGoneKeepsNobodyFromTheWordsOfOthers() {
        Reservations reservations = new Participant(new Endpoint(card().fabric(0)), 1, (_, _, _) -> false,
                Duration.ofSeconds(1), () -> new int[]{1, 1, 1}).reservations();
        for (int word = 0; word < WORDS; word++) {
            reservations.undo(reservations.hold(1, word * Layouts.WORD), 1, () -> {
                throw new RankUnreachableException("it is gone", "read", 1, 0);
            });
            assertThat(reservations.tryHold(1, word * Layouts.WORD)).isEqualTo(Reservations.NOT_HELD);
        }
        for (int word = 0; word < WORDS; word++) {
            int hold = reservations.tryHold(2, word * Layouts.WORD);
            assertThat(hold).isNotEqualTo(Reservations.NOT_HELD);
            reservations.release(hold);
        }
    }

    /** Time passes only while a thread waits, and the other thread keeps the word then. */
    private static final class KeepingMeanwhile implements Clock {

        private Runnable keep = () -> {};
        private long nanos;

        @Override
        public long nanoTime() {
            return nanos;
        }

        @Override
        public void pause(int attempt) {
            nanos += Duration.ofMillis(100).toNanos();
            keep.run();
            keep = () -> {};
        }
    }

    @Test
    void aWordThatAnotherThreadKeepsMeanwhileIsNotHeld() {
        var clock = new KeepingMeanwhile();
        var endpoint = new Endpoint(new MutatedFabric(card().fabric(0)) {
            @Override
            public Clock clock() {
                return clock;
            }
        });
        Reservations reservations = new Participant(endpoint, 1, (_, _, _) -> false, Duration.ofSeconds(1),
                () -> new int[]{1, 1, 1}).reservations();
        var word = new GlobalPointer(1, Layouts.WORD);
        var keeper = new Keeper(word);
        int held = reservations.hold(word.rank(), word.offset());
        clock.keep = () -> reservations.keep(held, keeper);
        assertThat(reservations.hold(word.rank(), word.offset())).isEqualTo(Reservations.NOT_HELD);
        assertThat(reservations.tryHold(word.rank(), word.offset())).isEqualTo(Reservations.NOT_HELD);
        reservations.forget(reservations.hold(word.rank(), 2 * Layouts.WORD), keeper, 1, (_, _, _) -> true);
        assertThat(reservations.tryHold(word.rank(), word.offset())).isNotEqualTo(Reservations.NOT_HELD);
    }

    /** Others that reserve the word in the same way have that hold, and undo what they find there. */
    @Test
    void aWordThatIsKeptIsHeldAgainByTheHoldUnderWhichItWasReserved() {
        Reservations reservations = Participants.amongTheLiving(card().fabric(0)).reservations();
        var word = new GlobalPointer(1, Layouts.WORD);
        var keeper = new Keeper(word);
        long home = 2 * Layouts.WORD;
        reservations.keep(reservations.hold(1, home), keeper);
        int free = reservations.tryHold(1, home);
        assertThat(free).isNotEqualTo(Reservations.NOT_HELD);
        assertThat(reservations.isKept(1, word.offset())).isTrue();
        reservations.release(free);
        int held = reservations.resume(keeper);
        assertThat(reservations.tryHold(1, home)).isEqualTo(Reservations.NOT_HELD);
        assertThat(reservations.isKept(1, word.offset())).isFalse();
        var again = new Keeper(word);
        reservations.keep(held, again);
        reservations.withdraw(again, 7, (_, _, _) -> {
            assertThat(reservations.tryHold(1, home)).isEqualTo(Reservations.NOT_HELD);
            return true;
        });
        assertThat(reservations.tryHold(1, home)).isNotEqualTo(Reservations.NOT_HELD);
    }

    private static final OutOfMemoryError MISSING = new OutOfMemoryError("injected");

    /** As often as memory is missing, the undoing is kept, and it takes no memory to keep it. */
    @Test
    void noWordStaysReservedHoweverOftenMemoryIsMissing() {
        Reservations reservations = Participants.amongTheLiving(card().fabric(0)).reservations();
        var missing = new AtomicInteger();
        var undone = new AtomicInteger();
        Reservations.Undo undo = (_, _, _) -> {
            if (missing.getAndDecrement() > 0) {
                throw MISSING;
            }
            return undone.incrementAndGet() > 0;
        };
        for (int times = 1; times < 5; times++) {
            missing.set(times);
            assertThat(reservations.undo(reservations.hold(1, Layouts.WORD), 1, Layouts.WORD, 7, undo))
                    .isEqualTo(Reservations.Undone.LATER);
            for (int attempt = 2; attempt < times; attempt++) {
                assertThat(reservations.inDoubt()).isEqualTo(1);
                assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(reservations::retryAll);
            }
            reservations.retryAll();
            assertThat(undone).hasValue(times);
            assertThat(reservations.inDoubt()).isZero();
        }
        assertThat(reservations.tryHold(1, Layouts.WORD)).isNotEqualTo(Reservations.NOT_HELD);
    }

    /** A clock without which no thread waits. */
    private static final class MissingClock implements Clock {

        private boolean isMissing;

        @Override
        public long nanoTime() {
            if (isMissing) {
                throw MISSING;
            }
            return 0;
        }

        @Override
        public void pause(int attempt) {
            throw new AssertionError("no thread waits: attempt=" + attempt);
        }
    }

    /** Other words take all slots. Memory is missing as soon as the thread that gives back a word waits for one. */
    @Test
    void aWordThatIsKeptIsGivenBackLaterIfMemoryIsMissing() {
        var clock = new MissingClock();
        var endpoint = new Endpoint(new MutatedFabric(card().fabric(0)) {
            @Override
            public Clock clock() {
                return clock;
            }
        });
        Reservations reservations = Participants.amongTheLiving(endpoint, Duration.ofSeconds(1)).reservations();
        var word = new GlobalPointer(1, Layouts.WORD);
        List<Long> others = HoldsTest.takeSlotsOf(new Holds(endpoint.size()), 1, word.offset());
        for (int times = 0; times < 2; times++) {
            boolean isResumed = times > 0;
            var undone = new AtomicInteger();
            Reservations.Undo undo = (_, _, _) -> undone.incrementAndGet() > 0;
            var keeper = new Keeper(word);
            reservations.keep(reservations.hold(1, word.offset()), keeper);
            List<Integer> held = others.stream().map(other -> reservations.hold(1, other)).toList();
            clock.isMissing = true;
            if (isResumed) {
                assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> reservations.resume(keeper));
                assertThat(reservations.isKept(1, word.offset())).isTrue();
            }
            assertThatNoException().isThrownBy(() -> reservations.withdraw(keeper, 7, undo));
            clock.isMissing = false;
            assertThat(reservations.inDoubt()).isEqualTo(1);
            held.forEach(reservations::release);
            reservations.retryAll();
            assertThat(undone).hasValue(1);
            assertThat(reservations.inDoubt()).isZero();
            assertThat(reservations.isKept(1, word.offset())).isFalse();
            int again = reservations.tryHold(1, word.offset());
            assertThat(again).isNotEqualTo(Reservations.NOT_HELD);
            reservations.release(again);
        }
    }

    /** An undoing that has been struck may have taken effect, so it is tried again. */
    @Test
    void aWordThatIsGivenBackIsNotGivenBackAgain() {
        Reservations reservations = Participants.amongTheLiving(card().fabric(0)).reservations();
        var word = new GlobalPointer(1, Layouts.WORD);
        var keeper = new Keeper(word);
        var undone = new AtomicInteger();
        Reservations.Undo undo = (_, _, _) -> undone.incrementAndGet() > 0;
        reservations.keep(reservations.hold(1, word.offset()), keeper);
        reservations.withdraw(keeper, 7, undo);
        assertThatNoException().isThrownBy(() -> reservations.withdraw(keeper, 7, undo));
        assertThat(undone).hasValue(1);
        int again = reservations.tryHold(1, word.offset());
        assertThat(again).isNotEqualTo(Reservations.NOT_HELD);
        reservations.keep(again, new Keeper(word));
        reservations.withdraw(keeper, 7, undo); // another thread keeps it by now
        assertThat(undone).hasValue(1);
        assertThat(reservations.isKept(1, word.offset())).isTrue();
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> reservations.resume(keeper))
                .withMessageContaining("no thread keeps the word");
    }

    @Test
    void aWordWhoseUndoingFailsUnexpectedlyStaysInDoubt() {
        Reservations reservations = Participants.amongTheLiving(card().fabric(0)).reservations();
        var word = new GlobalPointer(1, Layouts.WORD);
        var keeper = new Keeper(word);
        var failures = new AtomicInteger(2);
        Reservations.Undo undo = (_, _, _) -> {
            if (failures.getAndDecrement() > 0) {
                throw new IllegalStateException("injected");
            }
            return true;
        };
        reservations.keep(reservations.hold(1, word.offset()), keeper);
        assertThatExceptionOfType(IllegalStateException.class)
                .isThrownBy(() -> reservations.withdraw(keeper, 7, undo))
                .withMessage("injected");
        assertThat(reservations.inDoubt()).isEqualTo(1);
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(reservations::retryAll);
        reservations.retryAll();
        assertThat(reservations.inDoubt()).isZero();
        assertThat(failures).hasValue(-1);
        assertThat(reservations.tryHold(1, word.offset())).isNotEqualTo(Reservations.NOT_HELD);
    }

    /** They wait in spare holds and in a queue, before and behind it. */
    @Test
    void anUndoingThatAlwaysFailsUnexpectedlyKeepsNoOtherFromBeingDone() {
        Reservations reservations = Participants.amongTheLiving(card().fabric(0)).reservations();
        var isGone = new AtomicBoolean(true);
        Reservations.Undo undo = (_, _, _) -> {
            if (isGone.get()) {
                throw GONE;
            }
            return true;
        };
        Reservations.Undo broken = (_, _, _) -> {
            throw isGone.get() ? GONE : new IllegalStateException("injected");
        };
        for (int word = 0; word < WORDS; word += 2) {
            reservations.undo(1, word * Layouts.WORD, 7, word == WORDS / 2 ? broken : undo);
            reservations.undo(2, word * Layouts.WORD, 7, undo);
        }
        assertThat(reservations.inDoubt()).isEqualTo(WORDS);
        isGone.set(false);
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(reservations::retryAll);
        assertThat(reservations.inDoubt()).isEqualTo(1);
        assertThatExceptionOfType(IllegalStateException.class).isThrownBy(() -> reservations.retry(1));
        assertThat(reservations.inDoubt()).isEqualTo(1);
    }

    private static final RankUnreachableException GONE = new RankUnreachableException("it is gone", "read", 1, 0);

    @Test
    void toKeepAnUndoingForLaterTakesNoMemory() {
        Reservations reservations = Participants.amongTheLiving(card().fabric(0)).reservations();
        var isGone = new AtomicBoolean();
        Reservations.Undo undo = (_, _, _) -> {
            if (isGone.get()) {
                throw GONE;
            }
            return true;
        };
        int[] holds = new int[WORDS];
        long allocated = AllocatedBytes.of(() -> {
            isGone.set(false);
            reservations.retryAll();
            for (int word = 0; word < WORDS; word++) {
                holds[word] = reservations.tryHold(1, word * Layouts.WORD);
            }
            isGone.set(true);
            return 0;
        }, _ -> {
            for (int word = 0; word < WORDS; word++) {
                if (holds[word] != Reservations.NOT_HELD) {
                    reservations.undo(holds[word], 1, word * Layouts.WORD, 7, undo);
                }
            }
            reservations.undo(1, 0, 7, undo); // by a spare hold
        });
        assertThat(allocated).isZero();
        assertThat(reservations.inDoubt()).isGreaterThan(WORDS / 2);
    }

    /** Returns a world in which words need holds. */
    private static Simulation card() {
        return new Simulation(1, SimOptions.ranks(3).guarantees(SimOptions.NETWORK_CARD).segmentBytes(192 << 10));
    }
}
