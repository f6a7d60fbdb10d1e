package io.atoll.collective;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.atoll.Fabrics;
import io.atoll.World;
import io.atoll.collective.CollectiveLog.Late;
import io.atoll.failure.ConfigurationMismatchException;
import io.atoll.failure.FabricTimeoutException;
import io.atoll.failure.RankUnreachableException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests broadcasts over real shared memory, with all ranks in this process, each with a broadcaster of its own. */
@Timeout(60)
@Tag("slow")
class BroadcastTest {

    private static final int RANKS = 5;
    private static final long BYTES = 3 * Window.PIECE_BYTES + 8;

    @TempDir
    Path folder;

    private final List<World> worlds = new ArrayList<>();

    @BeforeEach
    void join() {
        for (int rank = 0; rank < RANKS; rank++) {
            worlds.add(open(rank));
        }
    }

    private World open(int rank) {
        return World.named("broadcast")
                .size(RANKS)
                .rank(rank)
                .segment(2 << 20)
                .operationTimeout(Duration.ofSeconds(6))
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
    }

    @AfterEach
    void leave() {
        worlds.forEach(World::close);
    }

    private List<Broadcast> windows(Algorithm algorithm) {
        return worlds.stream().map(world -> window(world, algorithm)).toList();
    }

    /** Returns windows of ranks that have all entered the generation. Before that no member begins to send. */
    private List<Broadcast> windowsInUse(Algorithm algorithm) {
        List<Broadcast> windows = windows(algorithm);
        windows.getFirst().send(0, 8);
        windows.getFirst().flush();
        return windows;
    }

    private static Broadcast window(World world, Algorithm algorithm) {
        return world.collectives().broadcast("window").bytes(2 * BYTES).algorithm(algorithm).open();
    }

    private static MemorySegment numbersFrom(long first) {
        return MemorySegment.ofArray(LongStream.range(first, first + BYTES / Long.BYTES).toArray());
    }

    private static boolean has(Broadcast window, long place, MemorySegment expected) {
        MemorySegment found = MemorySegment.ofArray(new long[(int) (expected.byteSize() / Long.BYTES)]);
        window.read(place, found);
        return found.mismatch(expected) == -1;
    }

    @ParameterizedTest
    @EnumSource
    void whatARootSendsIsThereAtAllWhenItIsComplete(Algorithm algorithm) throws Exception {
        List<Broadcast> windows = windows(algorithm);
        for (int root = 0; root < RANKS; root++) {
            Broadcast sending = windows.get(root);
            sending.write(BYTES, numbersFrom(root));
            assertThat(sending.send(BYTES, BYTES)).isEqualTo(1);
            sending.flush();
            assertThat(sending.test()).isTrue();
            for (int rank = 0; rank < RANKS; rank++) {
                assertThat(has(windows.get(rank), BYTES, numbersFrom(root))).isTrue();
                if (rank != root) {
                    assertThat(windows.get(rank).awaitNext(root)).isEqualTo(1);
                    assertThat(windows.get(rank).received(root)).isEqualTo(1);
                }
            }
        }
    }

    @Test
    void oneAfterTheOtherWaitsForTheOneBefore() throws Exception {
        List<Broadcast> windows = windows(Algorithm.BINOMIAL);
        for (long number = 1; number <= 50; number++) {
            windows.get(3).write(0, numbersFrom(number));
            windows.get(3).send(0, 1024);
            windows.get(3).flush();
            assertThat(windows.get(1).awaitNext(3)).isEqualTo(number);
        }
        assertThat(windows.get(1).awaitNext(3, Duration.ofMillis(1))).isEmpty();
    }

    /** The thread that passes on may notice first that a member was lost. The sender is told all the same, once. */
    @Test
    void whoHasSentIsToldThatAMemberWasLostBeforeItWasKnownToBeComplete() {
        List<Broadcast> windows = windows(Algorithm.BINOMIAL);
        Broadcast sending = windows.get(3);
        sending.send(0, 1024);
        worlds.get(1).close();
        await().until(() -> sending.window().ongoingBroadcast() == null);
        assertThatThrownBy(sending::flush).isInstanceOfSatisfying(RankUnreachableException.class,
                lost -> assertThat(lost.rank()).isEqualTo(1));
        sending.flush();
        assertThat(worlds.get(3).collectives().log().counts()).singleElement()
                .satisfies(collectiveCounts -> {
                    assertThat(collectiveCounts.finished()).isZero();
                    assertThat(collectiveCounts.failed()).isEqualTo(1);
                });
        assertThat(worlds.get(3).collectives().log().running()).isEmpty();
    }

    @Test
    void aWindowThatIsOpenIsNotOpenedOtherwise() {
        worlds.get(0).collectives().broadcast("open").bytes(64).open();
        assertThatThrownBy(() -> worlds.get(0).collectives().broadcast("open").bytes(128).open())
                .isInstanceOf(ConfigurationMismatchException.class)
                .hasMessageContaining("bytes=64");
        assertThatThrownBy(() -> worlds.get(1).collectives().broadcast("open").bytes(64).team(Team.of(1, 0)).open())
                .isInstanceOf(ConfigurationMismatchException.class);
        assertThatThrownBy(() -> worlds.get(1).collectives().broadcast("other").team(Team.of(0, 2)).open())
                .hasMessageEndingWith("rank=1");
    }

    @Test
    void aTeamBroadcastsAmongItself() {
        Team team = Team.all(RANKS).split(rank -> rank % 2, 2);
        List<Broadcast> windows = List.of(0, 2, 4)
                .stream()
                .map(rank -> worlds.get(rank).collectives().broadcast("even").bytes(64).team(team).open())
                .toList();
        windows.get(2).write(0, MemorySegment.ofArray(new long[]{7}));
        windows.get(2).send(0, 8);
        windows.get(2).flush();
        assertThat(has(windows.get(0), 0, MemorySegment.ofArray(new long[]{7}))).isTrue();
        assertThatThrownBy(() -> worlds.get(1).collectives().broadcast("even").bytes(64).team(team).open())
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("team=0,2,4 rank=1");
    }

    @Test
    void whoHasNotOpenedTheWindowIsNamed() {
        Broadcast window = worlds.getFirst().collectives().broadcast("late").bytes(64).open();
        worlds.stream().skip(2).forEach(world -> world.collectives().broadcast("late").bytes(64).open());
        assertThatThrownBy(() -> window.send(0, 8)).isInstanceOfSatisfying(FabricTimeoutException.class,
                late -> assertThat(late.rank()).isEqualTo(1));
        worlds.get(1).collectives().broadcast("late").bytes(64).open();
        window.send(0, 8);
        window.flush();
    }

    /** Keeps a rank's broadcaster from its work. */
    private interface Holding extends AutoCloseable {
        @Override
        void close();
    }

    private static Holding hold(Broadcast window) {
        var turn = window.window().turn();
        turn.lock();
        return turn::unlock;
    }

    @Test
    void whoDoesNotPassOnIsNamedAndTheBroadcastCanBeFinishedLater() {
        List<Broadcast> windows = windowsInUse(Algorithm.BINOMIAL);
        try (Holding _ = hold(windows.get(4))) {
            assertThatThrownBy(() -> {
                windows.getFirst().send(0, 8);
                windows.getFirst().flush();
            }).isInstanceOfSatisfying(FabricTimeoutException.class, late -> assertThat(late.rank()).isEqualTo(4));
        }
        windows.getFirst().flush();
    }

    @Test
    void whoDoesNotPassOnIsLateAsLongAsItIs() {
        List<Broadcast> windows = windowsInUse(Algorithm.BINOMIAL);
        assertThat(late()).isEmpty();
        try (Holding _ = hold(windows.get(4))) {
            windows.getFirst().send(0, 8);
            await().untilAsserted(() -> assertThat(late()).extracting(Late::rank).containsExactly(4));
            assertThat(late().getFirst().since()).isPositive();
        }
        windows.getFirst().flush();
        assertThat(late()).isEmpty();
        assertThat(worlds.getFirst().collectives().log().counts()).singleElement()
                .satisfies(collectiveCounts -> {
                    assertThat(collectiveCounts.finished()).isEqualTo(2);
                    assertThat(collectiveCounts.durations()
                            .ranges()
                            .stream()
                            .mapToLong(CollectiveCounts.Durations.Range::count)
                            .sum())
                            .isEqualTo(2);
                });
    }

    private List<Late> late() {
        return worlds.getFirst()
                .collectives()
                .log()
                .running()
                .stream()
                .flatMap(running -> running.latecomers().look().stream())
                .toList();
    }

    /** Whichever object a process flushes, somebody is told; and the caller that has sent is told in any case. */
    @Test
    void theLossOfAMemberIsToldToTheFirstObjectThatFlushesAndToTheOneThatHasSent() {
        List<Broadcast> windows = windowsInUse(Algorithm.BINOMIAL);
        Broadcast second = window(worlds.get(3), Algorithm.BINOMIAL);
        Broadcast third = window(worlds.get(3), Algorithm.BINOMIAL);
        try (Holding _ = hold(windows.get(1))) {
            windows.get(3).send(0, 8);
            worlds.get(1).close();
        }
        await().until(() -> windows.get(3).window().ongoingBroadcast() == null);
        assertThatThrownBy(second::flush).isInstanceOf(RankUnreachableException.class);
        third.flush();
        assertThat(third.test()).isTrue();
        assertThatThrownBy(() -> windows.get(3).flush()).isInstanceOf(RankUnreachableException.class);
        windows.get(3).flush();
        assertThat(worlds.get(3).collectives().log().running()).isEmpty();
    }

    /** A caller that waits for its turn while another is told of a loss has waited for the same broadcast. */
    @Test
    void theLossOfAMemberIsToldToAllObjectsThatWaitForTheBroadcast() throws Exception {
        List<Broadcast> windows = windowsInUse(Algorithm.BINOMIAL);
        try (Holding _ = hold(windows.get(1)); var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            windows.get(3).send(0, 8);
            List<Future<?>> waiting = IntStream.range(0, 4)
                    .<Future<?>>mapToObj(_ -> threads.submit(() -> window(worlds.get(3), Algorithm.BINOMIAL).flush()))
                    .toList();
            await().until(() -> windows.get(3).window().senders().getQueueLength() == 3);
            worlds.get(1).close();
            for (Future<?> each : waiting) {
                assertThatThrownBy(each::get).hasCauseInstanceOf(RankUnreachableException.class);
            }
        }
    }

    @Test
    void theLossOfAMemberIsNamedToRootAndReceiversAndTheNextBroadcastWorks() throws Exception {
        List<Broadcast> windows = windows(Algorithm.BINOMIAL);
        windows.get(0).send(0, 8);
        windows.get(0).flush();
        assertThat(windows.get(1).awaitNext(0)).isEqualTo(1);
        worlds.get(2).close();
        assertThatThrownBy(() -> windows.get(1).awaitNext(0)).isInstanceOfSatisfying(RankUnreachableException.class,
                lost -> assertThat(lost.rank()).isEqualTo(2));
        assertThatThrownBy(() -> windows.get(0).send(0, 8)).isInstanceOfSatisfying(RankUnreachableException.class,
                lost -> assertThat(lost.rank()).isEqualTo(2));
        worlds.set(2, open(2));
        worlds.get(2).collectives().broadcast("window").bytes(2 * BYTES).open();
        awaitJoined();
        windows.get(0).write(0, MemorySegment.ofArray(new long[]{9}));
        assertThat(windows.get(0).send(0, 8)).isEqualTo(1);
        windows.get(0).flush();
        assertThat(has(windows.get(4), 0, MemorySegment.ofArray(new long[]{9}))).isTrue();
    }

    private void awaitJoined() throws InterruptedException {
        for (World world : worlds) {
            world.peers().awaitAll(Duration.ofSeconds(10));
        }
    }

    @Test
    void whatIsNotInTheWindowIsRefused() {
        Broadcast window = worlds.getFirst().collectives().broadcast("small").bytes(64).open();
        assertThatThrownBy(() -> window.send(0, 72)).hasMessageEndingWith("windowBytes=64 place=0 bytes=72");
        assertThatThrownBy(() -> window.send(4, 8)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> window.send(0, 0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> worlds.getFirst().collectives().broadcast("odd").bytes(7).openLazily())
                .hasMessageEndingWith("bytes=7");
    }
}
