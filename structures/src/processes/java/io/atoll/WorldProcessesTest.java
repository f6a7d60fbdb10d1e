package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.failure.RankUnreachableException;
import io.atoll.map.LongLongMap;
import io.atoll.process.ChildProcess;
import io.atoll.process.LoadedProgram;
import io.atoll.world.Peers.Peer;
import io.atoll.world.Peers.PeerStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What happens to a world when its processes are killed, paused, restarted, and end. The ranks are processes. In some
 * tests rank 0 is this process.
 */
@Tag("processes")
class WorldProcessesTest {

    private static final Duration SOON = Duration.ofSeconds(10);
    private static final int KEYS = 64;

    @TempDir
    Path folder;

    private final List<AutoCloseable> opened = new ArrayList<>();

    @AfterEach
    void end() throws Exception {
        for (AutoCloseable each : opened.reversed()) {
            each.close();
        }
    }

    private World open(int size) {
        World world = World.named("test")
                .size(size)
                .rank(0)
                .segment(4 << 20)
                .fabric(Fabrics.sharedMemory(folder, false))
                .open();
        opened.add(world);
        return world;
    }

    private ChildProcess start() {
        ChildProcess process = ChildProcess.start(WorldProgram.class);
        opened.add(process);
        return process;
    }

    private String opening(int rank, int size, String more) {
        return "open folder=" + folder + " size=" + size + " rank=" + rank + " " + more;
    }

    /** Starts the ranks from the first one on, each as a process of its own. */
    private List<ChildProcess> start(int first, int size, String more) {
        List<ChildProcess> processes = IntStream.range(first, size).mapToObj(_ -> start()).toList();
        List<CompletableFuture<String>> replies = IntStream.range(first, size)
                .mapToObj(rank -> processes.get(rank - first).tell(opening(rank, size, more)))
                .toList();
        replies.forEach(CompletableFuture::join);
        return processes;
    }

    private List<String> files() throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static Peer peer(World world, int rank) {
        return world.peers().snapshot().get(rank);
    }

    private static long sum(LongLongMap map) {
        return LongStream.range(0, KEYS).map(key -> map.getOrDefault(key, 0)).sum();
    }

    @Test
    void ranksOfTwoClassLoadersInOneProcessLiveForEachOtherAndForOthers() {
        World world = open(3);
        LoadedProgram loaded = LoadedProgram.start(WorldProgram.class);
        opened.add(loaded);
        assertThat(loaded.ask(opening(1, 3, ""))).isEqualTo("incarnation=1");
        ChildProcess other = start(2, 3, "").getFirst();
        await().atMost(SOON).until(() -> world.peers().missing().isEmpty());
        // Each of the three ranks looks at the other two ten times a second.
        await().during(Duration.ofSeconds(1))
                .atMost(SOON)
                .untilAsserted(() -> assertThat(List.of(peer(world, 1).status().name(),
                        peer(world, 2).status().name(), loaded.ask("standing 0"), loaded.ask("standing 2"),
                        other.ask("standing 0"), other.ask("standing 1"))).containsOnly("JOINED"));
        loaded.ask("close");
        await().atMost(SOON).until(() -> other.ask("standing 1").equals("LOST"));
        await().atMost(SOON).until(() -> peer(world, 1).status() == PeerStatus.LOST);
        assertThat(other.ask("standing 0")).isEqualTo("JOINED");
    }

    @Test
    void aRankThatIsKilledIsNoticedAndNamedAndWhatNeedsItFails() throws Exception {
        World world = open(3);
        List<ChildProcess> others = start(1, 3, "");
        LongLongMap map = world.longMap("hits").capacity(10_000).open();
        LongStream.range(0, KEYS).forEach(key -> map.put(key, key));
        others.get(1).ask("map hits 10000");
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            Future<?> barrier = threads.submit(() -> {
                world.barrier();
                return null;
            });
            await().atMost(SOON).until(() -> world.waits().size() == 1);

            others.getFirst().kill();
            await().atMost(SOON).until(() -> peer(world, 1).status() == PeerStatus.LOST);
            assertThat(peer(world, 1).incarnation()).isOne();
            assertThat(world.peers().missing()).containsExactly(1);
            assertThatExceptionOfType(ExecutionException.class)
                    .isThrownBy(() -> barrier.get(SOON.toSeconds(), TimeUnit.SECONDS))
                    .havingCause()
                    .isInstanceOfSatisfying(RankUnreachableException.class,
                            lost -> assertThat(lost.rank()).isOne())
                    .withMessageMatching("a rank was lost [^:]*, [^:]*: verb=barrier rank=1 .*waitingFor=[0-2]");
        }
        List<Long> unreachable = new ArrayList<>();
        for (long key = 0; key < KEYS; key++) {
            long asked = key;
            var lost = catchThrowableOfType(RankUnreachableException.class,
                    () -> assertThat(map.getOrDefault(asked, -1)).isEqualTo(asked));
            if (lost != null) {
                assertThat(lost).hasMessageMatching(
                        "the rank has not joined, has left or has died, start it or wait until it is back:"
                                + " structure=\\w+ kind=long-map verb=\\w+ rank=1 offset=\\d+");
                unreachable.add(key);
            }
        }
        assertThat(unreachable).hasSizeBetween(1, KEYS - 1);
        assertThatExceptionOfType(RankUnreachableException.class)
                .isThrownBy(() -> world.longMap("more").capacity(100).open())
                .satisfies(lost -> assertThat(lost.rank()).isOne());
        await().atMost(SOON).until(() -> others.get(1).ask("standing 1").equals("LOST"));
        assertThatExceptionOfType(ChildProcess.Failure.class)
                .isThrownBy(() -> others.get(1).ask("find " + unreachable.getFirst()))
                .withMessageStartingWith("RankUnreachableException: ")
                .withMessageContaining("rank=1");
    }

    @Test
    void aRankThatIsStartedAgainFindsItsDataUnderAHigherIncarnation() throws Exception {
        World world = open(3);
        List<ChildProcess> others = start(1, 3, "");
        LongLongMap map = world.longMap("hits").capacity(10_000).open();
        others.forEach(other -> other.ask("map hits 10000"));
        LongStream.range(0, KEYS).forEach(key -> others.getFirst().ask("put " + key + " " + 3 * key));
        others.getFirst().kill();
        await().atMost(SOON).until(() -> peer(world, 1).status() == PeerStatus.LOST);

        ChildProcess again = start();
        assertThat(again.ask(opening(1, 3, ""))).isEqualTo("incarnation=2");
        again.ask("map hits 10000");
        await().atMost(SOON).until(() -> peer(world, 1).status() == PeerStatus.JOINED);
        assertThat(peer(world, 1).incarnation()).isEqualTo(2);
        await().atMost(SOON).until(() -> others.get(1).ask("standing 1").equals("JOINED"));
        LongStream.range(0, KEYS).forEach(key -> assertThat(map.getOrDefault(key, -1)).isEqualTo(3 * key));
        LongStream.range(0, KEYS)
                .forEach(key -> assertThat(again.ask("find " + key)).isEqualTo("" + 3 * key));
        List<CompletableFuture<String>> barriers = Stream.of(again, others.get(1))
                .map(each -> each.tell("barrier"))
                .toList();
        world.barrier();
        assertThat(barriers).allSatisfy(barrier -> assertThat(barrier).succeedsWithin(SOON).isEqualTo("passed"));
    }

    @Test
    void aRankThatIsPausedForTenSecondsLosesNothingAndBreaksNothing() {
        World world = open(3);
        List<ChildProcess> others = start(1, 3, "");
        LongLongMap map = world.longMap("hits").capacity(10_000).open();
        others.forEach(other -> other.ask("map hits 10000"));
        others.forEach(other -> other.ask("work " + KEYS));
        await().atMost(SOON).until(() -> sum(map) > 1000);

        ChildProcess paused = others.getFirst();
        paused.pause();
        long before = sum(map);
        await().pollDelay(Duration.ofSeconds(10)).atMost(Duration.ofSeconds(30)).until(() -> sum(map) > before);
        assertThat(peer(world, 1).status()).isEqualTo(PeerStatus.JOINED);
        LongStream.range(0, KEYS).forEach(key -> map.addAndGet(key, 1));
        paused.resume();

        long sum = KEYS;
        for (ChildProcess other : others) {
            String[] outcome = other.ask("rest").split(" ");
            assertThat(outcome).as("increments, and no failures").hasSize(1);
            sum += Long.parseLong(outcome[0]);
        }
        assertThat(sum(map)).isEqualTo(sum);
        assertThat(world.peers().losses()).isZero();
        assertThat(world.refusal()).isEmpty();
        assertThat(others).allSatisfy(other -> assertThat(other.ask("refusal")).isEqualTo("none"));
    }

    @Test
    void ranksThatAreAllKilledFindTheirDataWhenTheyAreStartedAgain() throws IOException {
        List<ChildProcess> first = start(0, 2, "");
        first.forEach(each -> each.ask("map hits 1000"));
        LongStream.range(0, KEYS).forEach(key -> first.get((int) key % 2).ask("put " + key + " " + 5 * key));
        first.forEach(ChildProcess::kill);
        assertThat(files()).hasSize(4);

        List<ChildProcess> second = start(0, 2, "");
        second.forEach(each -> each.ask("map hits 1000"));
        LongStream.range(0, KEYS)
                .forEach(key -> assertThat(second.get((int) key % 2).ask("find " + key)).isEqualTo("" + 5 * key));
        second.forEach(each -> each.ask("close"));
        assertThat(files()).isEmpty();
    }

    @Test
    void theLastProcessToLeaveRemovesTheFilesOfAllAlsoOfOneThatWasKilled() throws Exception {
        List<ChildProcess> processes = start(0, 3, "");
        processes.get(1).kill();
        assertThat(processes.get(2).end()).isZero();
        assertThat(files()).hasSize(6);
        assertThat(processes.get(0).end()).isZero();
        assertThat(files()).isEmpty();
    }

    @Test
    void retainedFilesOutliveTheLastProcess() throws Exception {
        List<ChildProcess> first = start(0, 2, "retain=true");
        first.forEach(each -> each.ask("map hits 1000"));
        first.getFirst().ask("put 7 8");
        for (ChildProcess each : first) {
            assertThat(each.end()).isZero();
        }
        assertThat(files()).hasSize(4);
        ChildProcess again = start();
        ChildProcess other = start();
        assertThat(again.ask(opening(0, 2, "retain=true"))).isEqualTo("incarnation=2");
        other.ask(opening(1, 2, "retain=true"));
        again.ask("map hits 1000");
        assertThat(again.ask("find 7")).isEqualTo("8");
    }

    @Test
    void ofTwoProcessesThatClaimOneRankTheSecondIsRefusedWithTheReason() throws IOException {
        start(1, 2, "");
        ChildProcess second = start();
        assertThatExceptionOfType(ChildProcess.Failure.class).isThrownBy(() -> second.ask(opening(1, 2, "")))
                .withMessage(
                        "JoinRefusedException: a living process holds this rank, choose another, or none to have the"
                                + " first that is free: world=test rank=1");
        assertThat(files()).containsExactly("atoll-test-1.lock", "atoll-test-1.segment");
        assertThat(second.ask(opening(0, 2, ""))).isEqualTo("incarnation=1");
    }

    @Test
    void ofProcessesThatClaimOneRankAtOnceOneHasIt() {
        List<ChildProcess> processes = List.of(start(), start(), start());
        for (int round = 0; round < 3; round++) {
            List<CompletableFuture<String>> replies = processes.stream()
                    .map(process -> process.tell(opening(1, 2, "")))
                    .toList();
            long joined = replies.stream().filter(WorldProcessesTest::succeeds).count();
            assertThat(joined).isOne();
            for (int index = 0; index < processes.size(); index++) {
                if (succeeds(replies.get(index))) {
                    processes.get(index).ask("close");
                }
            }
        }
    }

    private static boolean succeeds(CompletableFuture<String> reply) {
        try {
            reply.join();
            return true;
        } catch (CompletionException refused) {
            assertThat(refused.getCause()).hasMessageStartingWith("JoinRefusedException: a living process");
            return false;
        }
    }
}
