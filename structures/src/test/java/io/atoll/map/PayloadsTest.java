package io.atoll.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.atoll.epoch.EpochManager;
import io.atoll.epoch.EpochSettings;
import io.atoll.epoch.Token;
import io.atoll.fabric.sim.SimOptions;
import io.atoll.fabric.sim.Simulation;
import io.atoll.failure.RankUnreachableException;
import io.atoll.world.Participants;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class PayloadsTest {

    private static final int PAYLOADS = 1_000; // far more than the heap has room for

    @Test
    void aPayloadThatCouldNotBeWrittenIsGivenBack() {
        var simulation = new Simulation(1, SimOptions.ranks(1).segmentBytes(1 << 20));
        var participant = Participants.amongTheLiving(simulation.rank(0).endpoint(), Duration.ofSeconds(1));
        try (var epochs = new EpochManager(() -> participant, EpochSettings.DEFAULT)) {
            var payloads = new Payloads("map", participant, epochs) {
                @Override
                protected void write(int owner, long offset, MemorySegment words) {
                    throw new OutOfMemoryError("no buffer");
                }
            };
            Payload payload = Payload.of(new byte[1], new byte[10_000]);
            Token token = epochs.pin();
            for (int number = 0; number < PAYLOADS; number++) {
                assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(() -> payloads.store(token, 0, payload))
                        .withMessage("no buffer");
            }
            assertThat(participant.heap().usage(0).objects()).isLessThan(PAYLOADS);
        }
    }

    @Test
    void aPayloadThatALateWriteMayReachIsFreedOnceThePinHasEnded() {
        var simulation = new Simulation(1, SimOptions.ranks(2).segmentBytes(1 << 20).unmapped());
        var participant = Participants.amongTheLiving(simulation.rank(0).endpoint(), Duration.ofSeconds(1));
        try (var epochs = new EpochManager(() -> participant, EpochSettings.DEFAULT)) {
            var payloads = new Payloads("map", participant, epochs) {
                @Override
                protected void write(int owner, long offset, MemorySegment words) {
                    throw new RankUnreachableException("it is away", "write", owner, offset);
                }
            };
            Token token = epochs.pin();
            assertThatExceptionOfType(RankUnreachableException.class)
                    .isThrownBy(() -> payloads.store(token, 1, Payload.of(new byte[1], new byte[100])));
            epochs.tryReclaim();
            assertThat(participant.heap().usage(1).objects()).as("pinned").isOne();
            token.unpin();
            epochs.clear();
            assertThat(participant.heap().usage(1).objects()).isZero();
        }
    }
}
