package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Clock;
import io.atoll.fabric.link.Alarm;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.time.Duration;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests lanes that no thread uses: their owners are asked for signs of life. */
@Timeout(180)
@Tag("network")
class LaneMonitorTest {

    private static final Duration IDLE = Duration.ofSeconds(1);
    private static final Duration LEAST = IDLE.minus(LaneMonitor.INTERVAL); // between the first and the last look
    private static final Duration MOST = Duration.ofSeconds(12);

    private final MappedMemory segment = new MappedMemory(Arena.ofAuto().allocate(64, Layouts.CACHE_LINE));
    private LaneReader reader;
    private LaneMonitor laneMonitor;
    private Ends ends;

    /** Keeps a lane. */
    private void open(Duration silenceTimeout) throws IOException {
        reader = new LaneReader("monitor-test-reader", new Spin(Spin.LOOKS));
        laneMonitor = new LaneMonitor("monitor-test", silenceTimeout, new Alarm()) {
            @Override
            Duration idle() {
                return IDLE;
            }
        };
        ends = Ends.connect(reader, laneMonitor, Clock.SYSTEM);
        laneMonitor.watch(ends.lane());
    }

    @AfterEach
    void close() throws IOException {
        ends.end();
        laneMonitor.close();
        reader.close();
    }

    @Test
    void anIdleLaneIsAskedAfterThatTimeAndAgain() throws IOException {
        long beganNanos = System.nanoTime();
        open(Duration.ofSeconds(60));
        RequestAnswerer owner = ends.exchange(segment);
        try (Arena arena = Arena.ofConfined()) {
            ServingBuffers servingBuffers = ServingBuffers.allocate(arena);
            for (int asked = 1; asked <= 3; asked++) {
                assertThat(owner.read(servingBuffers)).isPositive();
                assertThat(Duration.ofNanos(System.nanoTime() - beganNanos)).isBetween(LEAST, MOST);
                assertThat(ends.lane().posted()).as("marks").isEqualTo(asked);
                beganNanos = System.nanoTime();
                assertThat(owner.answer(servingBuffers)).isTrue();
            }
        }
        await().atMost(Duration.ofSeconds(60)).until(() -> ends.lane().heard() == 3 * Frame.HEADER_BYTES);
        assertThat(ends.lane().broken()).isNull();
    }

    @Test
    void anIdleLaneBreaksWhoseOwnerDoesNotAnswer() throws IOException {
        open(Duration.ofSeconds(2));
        await().atMost(Duration.ofSeconds(60)).until(() -> ends.lane().broken() != null);
        assertThat(ends.lane().broken()).isEqualTo("silent for 2000 ms");
        assertThat(ends.lane().posted()).as("marks").isOne();
    }
}
