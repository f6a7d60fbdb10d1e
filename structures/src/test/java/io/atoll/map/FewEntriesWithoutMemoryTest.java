package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.Patch;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import io.atoll.world.Reservations;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/** An owner is to look for few entries, and there is no memory for what their undoing has to know. */
class FewEntriesWithoutMemoryTest {

    private static final int OWNER = 1;

    private static final class WithoutMemory implements Runnable {

        private final Participant self = Participants.amongTheLiving(new Simulation(1,
                SimOptions.ranks(2).segmentBytes(4 << 20).guarantees(SimOptions.TCP).unmapped()).fabric(0));
        private final EpochManager epochs = new EpochManager(() -> self, EpochSettings.DEFAULT);
        private final DistributedMap<Long, Long> map = DistributedMap
                .builder("map", Long.class, Long.class, () -> self, epochs)
                .capacity(1_000)
                .open();

        @Override
        public void run() {
            putAll(1);
            putAll(2); // so the owner looks for the next ones
            assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> putAll(3)).withMessage("injected");
            assertThat(LongStream.range(0, 1 << 16).filter(word -> isHeld(word * Layouts.WORD))).isEmpty();
        }

        private void putAll(long value) {
            Map<Long, Long> entries = LongStream.range(0, 100)
                    .boxed()
                    .filter(key -> map.owner(key) == OWNER)
                    .limit(8)
                    .collect(Collectors.toMap(key -> key, _ -> value));
            map.putAll(entries);
        }

        private boolean isHeld(long offset) {
            int hold = self.reservations().tryHold(OWNER, offset);
            if (hold == Reservations.NOT_HELD) {
                return true;
            }
            self.reservations().release(hold);
            return false;
        }
    }

    @Test
    void nothingIsHeldThen() {
        new Patch(BucketBulkReplacement.class)
                .replace("            notes =", "            if (true) {\n"
                        + "            throw new OutOfMemoryError(\"injected\");\n            }\n            notes =")
                .run(WithoutMemory.class);
    }
}
