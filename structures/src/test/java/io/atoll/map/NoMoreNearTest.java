package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.Wrapper;
import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.fabric.Batch;
import io.atoll.fabric.Fabric;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.world.Participant;
import io.atoll.world.Participants;
import io.atoll.world.Reservations;
import java.util.function.LongConsumer;
import java.util.function.LongToIntFunction;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

/**
 * An owner stops being near while an operation asks about it, and from then on it is gone for a while. The operation
 * fails, and keeps no other from the bucket.
 */
class NoMoreNearTest {

    private static final int OWNER = 1;
    private static final int MOST_QUESTIONS = 40;
    private static final int WORDS = 1 << 14; // of a segment, so many that each hold of the owner is that of some

    private static final RankUnreachableException GONE = new RankUnreachableException("it is gone", "read", OWNER, 0);

    private int questions = Integer.MAX_VALUE; // to which the answer is that verbs are executed at once
    private boolean goes;

    private final Fabric far = new Simulation(1,
            SimOptions.ranks(2).segmentBytes(4 << 20).guarantees(SimOptions.TCP).unmapped()).fabric(0);
    private final Participant self = Participants.amongTheLiving(Wrapper.around(far, Fabric.class, call -> {
        if (call.isOf("executesAtOnce")) {
            return isNear();
        }
        if (call.isOf("batch")) {
            return batch();
        }
        if (call.isOf("compareAndExchange")) {
            refuseWhileGone();
        }
        return call.proceed();
    }));
    private final EpochManager epochs = new EpochManager(() -> self, EpochSettings.DEFAULT);

    private boolean isNear() {
        questions = Math.max(0, questions - 1);
        return questions > 0;
    }

    private Batch batch() {
        return Wrapper.around(far.batch(), Batch.class, call -> {
            if (call.isOf("complete")) {
                refuseWhileGone();
            }
            return call.proceed();
        });
    }

    private void refuseWhileGone() {
        if (goes && questions == 0) {
            throw GONE;
        }
    }

    /** Lets the owner go at each question, one after the other, until it goes too late for the operation. */
    private void assertNothingIsHeld(LongConsumer operation) {
        int failures = 0;
        for (int asked = 1; asked <= MOST_QUESTIONS; asked++) {
            long key = asked;
            goes = true;
            questions = asked;
            try {
                operation.accept(key);
            } catch (RankUnreachableException gone) {
                failures++;
            }
            goes = false;
            questions = 0;
            self.reservations().retryAll();
            assertThat(self.reservations().inDoubt()).isZero();
            for (long word = 0; word < WORDS; word++) {
                int hold = self.reservations().tryHold(OWNER, word * Layouts.WORD);
                assertThat(hold).as("question %s, word %s", asked, word).isNotEqualTo(Reservations.NOT_HELD);
                self.reservations().release(hold);
            }
            questions = Integer.MAX_VALUE;
        }
        assertThat(failures).isBetween(1, MOST_QUESTIONS - 1);
    }

    /** Returns a key of the owner that is different for each number. */
    private static long key(long number, LongToIntFunction owners) {
        return LongStream.iterate(number, key -> key + MOST_QUESTIONS)
                .filter(key -> owners.applyAsInt(key) == OWNER)
                .findFirst()
                .orElseThrow();
    }

    @Test
    void anInsertionOfALongHoldsNothing() {
        LongLongMap map = LongLongMap.builder("map", () -> self, epochs).fixedCapacity(1_000).open();
        assertNothingIsHeld(number -> map.put(key(number, map::owner), 1));
    }

    @Test
    void aChangeOfAnEntryHoldsNothing() {
        DistributedMap<Long, Long> map = DistributedMap.builder("map", Long.class, Long.class, () -> self, epochs)
                .fixedCapacity(1_000)
                .open();
        assertNothingIsHeld(number -> map.put(key(number, map::owner), 1L));
        assertNothingIsHeld(number -> map.put(key(number, map::owner), 2L));
    }

    @Test
    void aFunctionHoldsNothing() {
        DistributedMap<Long, Long> map = DistributedMap.builder("map", Long.class, Long.class, () -> self, epochs)
                .fixedCapacity(1_000)
                .open();
        assertNothingIsHeld(number -> map.computeIfAbsent(key(number, map::owner), key -> key));
    }
}
