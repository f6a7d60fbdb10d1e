package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Clock;
import io.atoll.fabric.link.Alarm;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests lanes to an owner that never answers. */
@Timeout(400)
@Tag("network")
class SilentOwnerTest {

    private static final Duration SILENCE = Duration.ofSeconds(30);
    private static final int LANES = 200; // more than the number of looks in that time
    private static final int BYTES = 32 << 10;

    private final Alarm alarm = new Alarm();
    private ServerSocketChannel owner;
    private LaneReader reader;
    private LaneMonitor laneMonitor;
    private final List<TcpLane> lanes = new ArrayList<>();

    @BeforeEach
    void open() throws IOException {
        owner = ServerSocketChannel.open().bind(new InetSocketAddress("localhost", 0), LANES);
        reader = new LaneReader("silent-owner-reader", new Spin(Spin.LOOKS));
        laneMonitor = new LaneMonitor("silent-owner-monitor", SILENCE, alarm);
    }

    @AfterEach
    void close() throws IOException {
        for (TcpLane lane : lanes) {
            lane.close("the test is over");
        }
        laneMonitor.close();
        reader.close();
        owner.close();
    }

    private TcpLane lane(Clock clock) throws IOException {
        SocketChannel channel = SocketChannel.open(owner.getLocalAddress());
        channel.configureBlocking(false);
        TcpLane lane = new TcpLane(1, 1 << 20, new PlainWire(channel), reader, laneMonitor, clock,
                new Spin(Spin.LOOKS));
        lanes.add(lane);
        laneMonitor.watch(lane);
        return lane;
    }

    /** Each new lane wakes the monitor's thread. */
    @Test
    void aLaneIsNotTakenForSilentBecauseOthersAreConnected() throws IOException {
        TcpLane waiting = lane(Clock.SYSTEM);
        waiting.ask();
        for (int other = 0; other < LANES; other++) {
            lane(Clock.SYSTEM);
        }
        assertThat(waiting.broken()).isNull();
        await().atMost(Duration.ofSeconds(90)).until(() -> waiting.broken() != null);
    }

    /** A clock for a thread that waits for room. Its pause closes the lane and then fails. */
    private final class FailingClock implements Clock {

        @Override
        public long nanoTime() {
            return System.nanoTime();
        }

        @Override
        public void pause(int attempt) {
            try {
                lanes.getFirst().close("fenced meanwhile");
            } catch (IOException failure) {
                throw new UncheckedIOException(failure);
            }
            throw new OutOfMemoryError("by the test");
        }
    }

    @Test
    void anErrorOnALaneThatIsClosedMeanwhileReachesItsThread() throws Exception {
        TcpLane lane = lane(new FailingClock());
        Throwable[] thrown = new Throwable[1];
        Thread writer = Thread.ofPlatform().daemon().start(() -> {
            VerbList verbs = new VerbList(1);
            verbs.use(MemorySegment.ofArray(new byte[BYTES]));
            try {
                while (true) {
                    verbs.move(lane, Frame.WRITE, "write", 0, 0, BYTES);
                    verbs.send();
                }
            } catch (Throwable end) {
                thrown[0] = end;
            }
        });
        writer.join(Duration.ofSeconds(60));
        assertThat(writer.isAlive()).isFalse();
        assertThat(thrown[0]).isInstanceOf(OutOfMemoryError.class).hasMessage("by the test");
    }

    /** A wire that throws an error on each write. */
    private static final class FailingWire extends PlainWire {

        private FailingWire(SocketChannel channel) {
            super(channel);
        }

        @Override
        public boolean write(ByteBuffer source) {
            throw new OutOfMemoryError("by the test");
        }
    }

    /**
     * The alarm must be raised as for a lane that the network breaks: the rank may have ended, and nothing else may
     * tell of that.
     */
    @Test
    void aLaneThatAnErrorHasBrokenRaisesTheAlarmOnce() throws Exception {
        List<Integer> told = new CopyOnWriteArrayList<>();
        alarm.listen(told::add);
        SocketChannel channel = SocketChannel.open(owner.getLocalAddress());
        channel.configureBlocking(false);
        TcpLane lane = new TcpLane(1, 1 << 20, new FailingWire(channel), reader, laneMonitor, Clock.SYSTEM,
                new Spin(Spin.LOOKS));
        lanes.add(lane);
        laneMonitor.watch(lane);
        assertThatExceptionOfType(OutOfMemoryError.class).isThrownBy(lane::ask).withMessage("by the test");
        await().atMost(Duration.ofSeconds(60)).until(() -> !told.isEmpty());
        lane.close("the test is over");
        assertThat(told).containsExactly(1);
    }
}
