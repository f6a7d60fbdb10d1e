package io.atoll.fabric.tcp;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.fabric.Clock;
import io.atoll.fabric.link.Alarm;
import io.atoll.failure.RankUnreachableException;
import io.atoll.memory.Layouts;
import io.atoll.memory.MappedMemory;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Many lanes on which virtual threads wait. */
@Timeout(180)
class LaneReaderTest {

    private static final int LANES = 32;
    private static final long SEGMENT_BYTES = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Executor VIRTUAL = task -> Thread.ofVirtual().start(task);

    private final MappedMemory segment = new MappedMemory(
            Arena.ofAuto().allocate(SEGMENT_BYTES, Layouts.CACHE_LINE));
    private final LaneKeeper keeper = new LaneKeeper("keeper", Duration.ofSeconds(60), new Alarm());
    private final List<Ends> all = new ArrayList<>();
    private LaneReader reader;

    /** Both ends of a connection. */
    private static final class Ends implements Wire {

        private final SocketChannel near;
        private final SocketChannel far;
        private final AtomicInteger reads = new AtomicInteger();
        private TcpLane lane;

        private Ends() throws IOException {
            try (ServerSocketChannel server = ServerSocketChannel.open()
                    .bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))) {
                near = SocketChannel.open(server.getLocalAddress());
                far = server.accept();
            }
            near.configureBlocking(false);
        }

        @Override
        public SocketChannel channel() {
            return near;
        }

        @Override
        public int read(ByteBuffer target) throws IOException {
            reads.incrementAndGet();
            return near.read(target);
        }

        @Override
        public boolean hasMore() {
            return false;
        }

        @Override
        public boolean write(ByteBuffer source) throws IOException {
            near.write(source);
            return !source.hasRemaining();
        }

        @Override
        public byte[] binding() {
            return new byte[0];
        }

        @Override
        public void close() throws IOException {
            near.close();
        }
    }

    @BeforeEach
    void connect() throws IOException {
        reader = new LaneReader("reader");
        for (int index = 0; index < LANES; index++) {
            Ends ends = new Ends();
            ends.lane = new TcpLane(1, SEGMENT_BYTES, ends, reader, keeper, Clock.SYSTEM);
            all.add(ends);
        }
    }

    @AfterEach
    void disconnect() throws IOException {
        for (Ends ends : all) {
            ends.lane.close("the test is over");
            ends.far.close();
        }
        reader.close();
        keeper.close();
    }

    private static CompletableFuture<Long> add(Ends ends) {
        return CompletableFuture.supplyAsync(() -> {
            VerbList list = new VerbList(1);
            list.update(ends.lane, Frame.GET_AND_ADD, "add", 0, 0, 1, 0);
            list.complete();
            return list.result(0);
        }, VIRTUAL);
    }

    /** The owner of that connection answers, until it is closed. */
    private void serve(Ends ends) {
        Thread.ofPlatform().daemon().start(() -> {
            try (Arena arena = Arena.ofConfined()) {
                Room room = Room.allocate(arena);
                Exchange exchange = new Exchange(new PlainWire(ends.far), segment);
                while (exchange.read(room)) {
                    exchange.answer(room);
                }
            } catch (IOException closed) {
                // So it ends.
            }
        });
    }

    /** A thread waits on each lane, and none is answered. */
    private List<CompletableFuture<Long>> waiting() {
        List<CompletableFuture<Long>> waiting = all.stream().map(LaneReaderTest::add).toList();
        await().atMost(PATIENCE).until(() -> all.stream().allMatch(ends -> ends.lane.unanswered() == 1));
        return waiting;
    }

    @Test
    void aLaneIsReadWhenItIsReady() throws Exception {
        List<CompletableFuture<Long>> waiting = waiting();
        Ends busy = all.getFirst();
        serve(busy);
        assertThat(waiting.getFirst().get(60, TimeUnit.SECONDS)).isZero();
        int before = all.stream().skip(1).mapToInt(ends -> ends.reads.get()).sum();
        int verbs = 300;
        for (long verb = 1; verb <= verbs; verb++) {
            assertThat(add(busy).get(60, TimeUnit.SECONDS)).isEqualTo(verb);
        }
        assertThat(busy.reads.get()).isGreaterThanOrEqualTo(verbs);
        assertThat(all.stream().skip(1).mapToInt(ends -> ends.reads.get()).sum()).as("reads of the others")
                .isEqualTo(before);
        all.stream().skip(1).forEach(this::serve);
        for (CompletableFuture<Long> each : waiting) {
            each.get(60, TimeUnit.SECONDS);
        }
        assertThat(segment.getVolatile(0)).isEqualTo(verbs + LANES);
    }

    @Test
    void aLaneThatBreaksWhileNothingArrivesTellsThoseWhoWait() {
        List<CompletableFuture<Long>> waiting = waiting();
        all.getLast().lane.breakDown("silent");
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiting.getLast().get(60, TimeUnit.SECONDS))
                .withCauseInstanceOf(RankUnreachableException.class);
        assertThat(waiting.subList(0, LANES - 1)).noneMatch(CompletableFuture::isDone);
        all.forEach(this::serve);
        waiting.subList(0, LANES - 1).forEach(CompletableFuture::join);
    }
}
