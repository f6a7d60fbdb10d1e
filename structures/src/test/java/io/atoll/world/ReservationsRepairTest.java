package io.atoll.world;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Wrapper;
import io.atoll.fabric.Clock;
import io.atoll.fabric.Endpoint;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.GlobalPointer;
import io.atoll.memory.Layouts;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Queue;
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

    /**
     * The thread that reserves a word keeps it while another one waits for its hold. If that one got the hold, an
     * undoing of what it then fails to reserve would undo the reservation that is kept.
     */
    @Test
    void aThreadThatWaitsForAHoldDoesNotGetAWordThatIsKeptMeanwhile() {
        GlobalPointer word = new GlobalPointer(1, Layouts.WORD);
        Queue<Runnable> whileItWaits = new ArrayDeque<>();
        Clock clock = new Clock() {
            @Override
            public long nanoTime() {
                return 0;
            }

            @Override
            public void pause(int attempt) {
                whileItWaits.remove().run();
            }
        };
        Fabric fabric = Wrapper.around(card().fabric(0), Fabric.class,
                call -> call.isOf("clock") ? clock : call.proceed());
        Reservations reservations = new Participant(new Endpoint(fabric), 1, (_, _, _) -> false,
                Duration.ofSeconds(1), () -> new int[]{1, 1, 1}).reservations();
        int others = reservations.hold(1, word.offset());
        whileItWaits.add(() -> reservations.keep(others, word));
        whileItWaits.add(() -> reservations.release(reservations.resume(word, 5, (_, _, _) -> true)));

        int own = reservations.hold(1, word.offset());

        assertThat(reservations.isKept(1, word.offset())).isFalse();
        assertThat(whileItWaits).isEmpty();
        reservations.release(own);
    }

    /** Returns a world in which words need holds. */
    private static Simulation card() {
        return new Simulation(1, SimOptions.ranks(3).guarantees(SimOptions.NETWORK_CARD).segmentBytes(192 << 10));
    }
}
