package io.atoll.lock;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Guarantees;
import io.atoll.fabric.sim.CpuOrder;
import io.atoll.fabric.sim.Seeds;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.SimRank;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.SegmentHeader;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

/** A rank that looks at a lock sees the whole key for which it is held. It never sees the key of another hold. */
@Tag("simulation")
class LockViewSimulationTest {

    static final List<Guarantees> EVERY_FABRIC = SimOptions.EVERY_FABRIC;

    private static final int SEEDS = 150;
    private static final int HOLDS = 12;
    private static final int LOOKS = 25;
    private static final int KEY_LETTERS = 90;
    private static final int DESCRIPTORS = 2;
    private static final int HOLDER = 0;
    private static final long SEGMENT_BYTES = 192 << 10;
    private static final long BLOCK = SEGMENT_BYTES - (8 << 10);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private static TableLayout layout(Participant self) {
        return new TableLayout(2, self.maxSize(), 2, DESCRIPTORS, false);
    }

    /** Returns how many keys were seen. */
    private static int run(long seed, SimOptions options) {
        int[] keys = {0};
        Map<Long, String> held = new HashMap<>(); // by token
        Simulation simulation = new Simulation(seed, options);
        for (int rank = 0; rank < 2; rank++) {
            simulation.fabric(rank).local().set(SegmentHeader.bornWord(), 1);
        }
        simulation.run(rank -> {
            var self = Participants.of(rank, TIMEOUT);
            if (rank.rank() == HOLDER) {
                hold(self, rank, held);
            } else {
                keys[0] = look(self, rank, held);
            }
        });
        return keys[0];
    }

    private static void hold(Participant self, SimRank rank, Map<Long, String> held) {
        TableLayout layout = layout(self);
        long requests = BLOCK + layout.requests();
        var descriptors = QueueLocks.descriptors(self, requests, DESCRIPTORS);
        var locks = new ProcessLocks(descriptors,
                QueueLocks.asymmetric(descriptors, BackgroundTasks.unthreaded(rank.endpoint().clock())));
        for (int number = 0; number < HOLDS; number++) {
            Hold hold = Objects.requireNonNull(
                    locks.acquire(0, HOLDER, BLOCK + layout.line(0), WaitLimit.UNBOUNDED));
            String key = Character.toString('a' + number).repeat(KEY_LETTERS);
            held.put(hold.token(), key);
            hold.noteKey(key);
            descriptors.show();
            descriptors.show();
            assertThat(hold.release()).isTrue();
        }
    }

    private static int look(Participant self, SimRank rank, Map<Long, String> held) {
        LockView view = new LockView(rank.endpoint(), layout(self), true, new long[]{BLOCK, BLOCK});
        int keys = 0;
        for (int number = 0; number < LOOKS; number++) {
            LockState.Request holder = view.look(0).holder().orElse(null);
            if (holder != null && holder.key().isPresent()) {
                long token = FencingToken.token(holder.token().orElseThrow());
                assertThat(holder.key()).as("key of the hold of token %s", token).hasValue(held.get(token));
                keys++;
            }
        }
        return keys;
    }

    @ParameterizedTest
    @FieldSource("EVERY_FABRIC")
    void theKeyIsThatOfTheHold(Guarantees guarantees) {
        int[] keys = {0};
        SimOptions options = SimOptions.ranks(2)
                .segmentBytes(SEGMENT_BYTES)
                .guarantees(guarantees)
                .cpuOrder(CpuOrder.WEAK)
                .pauses(0.01);
        Seeds.each(SEEDS, seed -> keys[0] += run(seed, options));
        Seeds.together(() -> assertThat(keys[0]).as("keys that were seen").isPositive());
    }
}
