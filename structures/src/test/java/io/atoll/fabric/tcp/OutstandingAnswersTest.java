package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Clock;
import io.atoll.fabric.link.Alarm;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests a thread that asks for more bytes than may be outstanding on a lane. */
@Timeout(180)
class OutstandingAnswersTest {

    private static final int BYTES = 3 << 20;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Executor PLATFORM = task -> Thread.ofPlatform().daemon().start(task);
    private static final int READS = Math.toIntExact(FrameRing.MOST_ANSWER_BYTES
            / (Frame.HEADER_BYTES + Frame.MAXIMUM_LENGTH));

    private final MappedMemory segment = new MappedMemory(Arena.ofAuto().allocate(BYTES, Layouts.CACHE_LINE));
    private final MemorySegment memory = MemorySegment.ofArray(new byte[BYTES]);
    private final CountDownLatch pausing = new CountDownLatch(1);
    private LaneReader reader;
    private LaneMonitor laneMonitor;
    private Ends ends;

    /** A clock that reports when a thread waits for room. */
    private final class TellingClock implements Clock {

        @Override
        public long nanoTime() {
            return SYSTEM.nanoTime();
        }

        @Override
        public void pause(int attempt) {
            pausing.countDown();
            SYSTEM.pause(attempt);
        }
    }

    @BeforeEach
    void connect() throws IOException {
        reader = new LaneReader("answers-reader", new Spin(Spin.LOOKS));
        laneMonitor = new LaneMonitor("answers-monitor", PATIENCE, new Alarm());
        ends = Ends.connect(reader, laneMonitor, new TellingClock());
    }

    @AfterEach
    void disconnect() throws IOException {
        ends.end();
        laneMonitor.close();
        reader.close();
    }

    private void readAll() {
        VerbList list = new VerbList(0);
        list.use(memory).move(ends.lane(), Frame.READ, "read", 0, 0, BYTES);
        list.complete();
    }

    private long addOne() {
        VerbList list = new VerbList(1);
        list.update(ends.lane(), Frame.GET_AND_ADD, "add", 0, 0, 1, 0);
        list.complete();
        return list.result(0);
    }

    @Test
    void itWaitsUntilOthersHaveArrivedAndGoesOn() throws Exception {
        byte[] words = new byte[BYTES];
        new Random(5).nextBytes(words);
        segment.store(0, MemorySegment.ofArray(words), 0, BYTES);
        CompletableFuture<Void> reading = CompletableFuture.runAsync(this::readAll, PLATFORM);
        assertThat(pausing.await(60, TimeUnit.SECONDS)).as("it waits").isTrue();
        assertThat(ends.lane().posted()).isEqualTo(READS);

        ends.serve(segment);

        reading.get(60, TimeUnit.SECONDS);
        assertThat(memory.mismatch(MemorySegment.ofArray(words))).as("what was read").isEqualTo(-1);
        assertThat(ends.lane().posted()).isEqualTo(BYTES / Frame.MAXIMUM_LENGTH);
    }

    /**
     * A thread that asks for little waits for the outstanding answers, but not for everything that the other thread
     * wants.
     */
    @Test
    void othersThatAskForLittleArePosted() throws Exception {
        CompletableFuture<Void> reading = CompletableFuture.runAsync(this::readAll, PLATFORM);
        assertThat(pausing.await(60, TimeUnit.SECONDS)).as("it waits").isTrue();
        CompletableFuture<Long> adding = CompletableFuture.supplyAsync(this::addOne, PLATFORM);
        await().atMost(PATIENCE).until(() -> ends.lane().posted() == READS + 1);

        ends.serve(segment);

        assertThat(adding.get(60, TimeUnit.SECONDS)).isZero();
        reading.get(60, TimeUnit.SECONDS);
        assertThat(segment.getVolatile(0)).isOne();
    }
}
