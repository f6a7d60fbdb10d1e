package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;

import io.atoll.fabric.Clock;
import io.atoll.fabric.link.Alarm;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * Tests for which answers a thread is woken: a batch may have posted to several lanes, and more than one frame to each.
 */
class WaiterTest {

    private static TcpLane lane(LaneReader reader, LaneMonitor laneMonitor) throws IOException {
        MappedMemory segment = new MappedMemory(Arena.ofAuto().allocate(64, Layouts.CACHE_LINE));
        SocketChannel channel = new FakeConnection(segment, new Random(1)).channel();
        channel.configureBlocking(false);
        return new TcpLane(1, 64, new PlainWire(channel), reader, laneMonitor, Clock.SYSTEM, new Spin(Spin.LOOKS));
    }

    @Test
    void aThreadIsWokenOnTheLaneOnWhichItWaitsForTheAnswerThatItWaitsFor() throws IOException {
        try (LaneReader reader = new LaneReader("reader", new Spin(Spin.LOOKS));
                LaneMonitor laneMonitor = new LaneMonitor("monitor", Duration.ofSeconds(5), new Alarm())) {
            TcpLane one = lane(reader, laneMonitor);
            TcpLane other = lane(reader, laneMonitor);
            Waiter waiter = new Waiter();
            waiter.announce(one, 5);
            assertThat(waiter.parkedFor(one, 5)).isSameAs(Thread.currentThread());
            assertThat(waiter.parkedFor(one, 4)).as("an answer to a frame before it").isNull();
            assertThat(waiter.parkedFor(other, Long.MAX_VALUE)).isNull();
            waiter.announce(other, 1);
            assertThat(waiter.parkedFor(one, Long.MAX_VALUE)).isNull();
            waiter.withdraw();
            assertThat(waiter.parkedFor(other, Long.MAX_VALUE)).isNull();
        }
    }
}
