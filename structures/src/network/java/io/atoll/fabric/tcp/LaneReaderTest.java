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
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Tests many lanes on which virtual threads wait. */
@Timeout(180)
@Tag("network")
class LaneReaderTest {

    private static final int LANES = 32;
    private static final String READER = "reader of lanes that are tested";
    private static final long SEGMENT_BYTES = 64;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Executor VIRTUAL = task -> Thread.ofVirtual().start(task);

    private final MappedMemory segment = new MappedMemory(
            Arena.ofAuto().allocate(SEGMENT_BYTES, Layouts.CACHE_LINE));
    private final LaneMonitor laneMonitor = new LaneMonitor("monitor", Duration.ofSeconds(60), new Alarm());
    private final List<Ends> all = new ArrayList<>();
    private LaneReader reader;

    @BeforeEach
    void connect() throws IOException {
        reader = new LaneReader(READER, new Spin(Spin.LOOKS));
        for (int index = 0; index < LANES; index++) {
            all.add(Ends.connect(reader, laneMonitor, Clock.SYSTEM));
        }
    }

    @AfterEach
    void disconnect() throws IOException {
        for (Ends ends : all) {
            ends.end();
        }
        reader.close();
        laneMonitor.close();
    }

    private static CompletableFuture<Long> add(Ends ends) {
        return CompletableFuture.supplyAsync(() -> addOne(ends), VIRTUAL);
    }

    private static long addOne(Ends ends) {
        VerbList list = new VerbList(1);
        list.update(ends.lane(), Frame.GET_AND_ADD, "add", 0, 0, 1, 0);
        list.complete();
        return list.result(0);
    }

    /** Lets a thread wait on each lane, without an answer. */
    private List<CompletableFuture<Long>> waiting() {
        List<CompletableFuture<Long>> waiting = all.stream().map(LaneReaderTest::add).toList();
        await().atMost(PATIENCE).until(() -> all.stream().allMatch(ends -> ends.lane().unanswered() == 1));
        return waiting;
    }

    @Test
    void aLaneIsReadWhenItIsReady() throws Exception {
        List<CompletableFuture<Long>> waiting = waiting();
        Ends busy = all.getFirst();
        busy.serve(segment);
        assertThat(waiting.getFirst().get(60, TimeUnit.SECONDS)).isZero();
        int before = all.stream().skip(1).mapToInt(Ends::reads).sum();
        int verbs = 300;
        for (long verb = 1; verb <= verbs; verb++) {
            assertThat(add(busy).get(60, TimeUnit.SECONDS)).isEqualTo(verb);
        }
        assertThat(busy.reads()).isGreaterThanOrEqualTo(verbs);
        assertThat(all.stream().skip(1).mapToInt(Ends::reads).sum()).as("reads of the others")
                .isEqualTo(before);
        all.stream().skip(1).forEach(ends -> ends.serve(segment));
        for (CompletableFuture<Long> each : waiting) {
            each.get(60, TimeUnit.SECONDS);
        }
        assertThat(segment.getVolatile(0)).isEqualTo(verbs + LANES);
    }

    @Test
    void aLaneThatBreaksWhileNothingArrivesTellsThoseWhoWait() {
        List<CompletableFuture<Long>> waiting = waiting();
        all.getLast().lane().breakDown("silent");
        assertThatExceptionOfType(ExecutionException.class)
                .isThrownBy(() -> waiting.getLast().get(60, TimeUnit.SECONDS))
                .withCauseInstanceOf(RankUnreachableException.class);
        assertThat(waiting.subList(0, LANES - 1)).noneMatch(CompletableFuture::isDone);
        all.forEach(ends -> ends.serve(segment));
        waiting.subList(0, LANES - 1).forEach(CompletableFuture::join);
    }

    private static boolean isAt(Thread thread, String method) {
        return Stream.of(thread.getStackTrace()).anyMatch(frame -> frame.getMethodName().equals(method));
    }

    /** The reader waits for answers only if it leads a lane. */
    private static boolean readerLeads() {
        return Thread.getAllStackTraces()
                .keySet()
                .stream()
                .anyMatch(thread -> thread.getName().equals(READER) && isAt(thread, "select"));
    }

    /** A thread that leads reads its own answer. If another thread leads, it must be woken for each answer. */
    @Test
    void aPlatformThreadLeadsWhenNoVirtualThreadWaitsAnyMore() throws Exception {
        Ends ends = all.getFirst();
        try (Arena arena = Arena.ofConfined()) {
            ServingBuffers servingBuffers = ServingBuffers.allocate(arena);
            RequestAnswerer answerer = ends.exchange(segment);
            CompletableFuture<Long> virtual = add(ends);
            assertThat(answerer.read(servingBuffers)).isPositive();
            await().atMost(PATIENCE).until(LaneReaderTest::readerLeads);
            Thread platform = Thread.ofPlatform().daemon().start(() -> addOne(ends));
            await().atMost(PATIENCE).until(() -> isAt(platform, "park"));
            assertThat(answerer.answer(servingBuffers)).isTrue();
            assertThat(virtual.get(60, TimeUnit.SECONDS)).isZero();
            await().atMost(PATIENCE).until(() -> isAt(platform, "leadUntil"));
            assertThat(answerer.read(servingBuffers)).isPositive();
            assertThat(answerer.answer(servingBuffers)).isTrue();
            assertThat(platform.join(PATIENCE)).isTrue();
        }
        assertThat(segment.getVolatile(0)).isEqualTo(2);
    }
}
