package io.atoll;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;
import static org.awaitility.Awaitility.await;

import io.atoll.process.ChildProcess;
import io.atoll.world.hazelcast.FreePorts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestInstance.Lifecycle;
import org.junit.jupiter.api.io.TempDir;

/**
 * Worlds whose processes find each other by Hazelcast. Another folder stands for another host. The kernel's locks do
 * not tell there which processes live, so the membership alone decides.
 */
@Tag("processes")
@TestInstance(Lifecycle.PER_CLASS)
class WorldHazelcastTest {

    private static final Duration SOON = Duration.ofSeconds(180);
    private static final int KEYS = 64;

    private final int port = FreePorts.range(10);
    private final List<ChildProcess> processes = new ArrayList<>();
    // One world for all tests. Each test leaves it whole.
    private final List<ChildProcess> ranks = new ArrayList<>();

    private Path host;
    private Path otherHost;

    @AfterAll
    void end() throws Exception {
        try {
            for (ChildProcess rank : ranks) {
                assertThat(rank.end()).isZero();
            }
            assertThat(files(host)).isEmpty();
        } finally {
            processes.forEach(ChildProcess::close);
        }
    }

    private ChildProcess start() {
        ChildProcess process = ChildProcess.start(WorldProgram.class);
        processes.add(process);
        return process;
    }

    private String opening(Path at, String name, int size, int rank) {
        return "open folder=%s name=%s size=%d rank=%d port=%d".formatted(at, name, size, rank, port);
    }

    private String opening(int rank) {
        return opening(host, "shop", 3, rank);
    }

    @BeforeAll
    void startAll(@TempDir Path one, @TempDir Path other) {
        host = one;
        otherHost = other;
        IntStream.range(0, 3).forEach(_ -> ranks.add(start()));
        List<CompletableFuture<String>> joined = IntStream.range(0, 3)
                .mapToObj(rank -> ranks.get(rank).tell(opening(rank)))
                .toList();
        joined.forEach(reply -> assertThat(reply).succeedsWithin(SOON).isEqualTo("incarnation=1"));
        ranks.forEach(each -> each.ask("map hits 1000"));
    }

    /** Starts a process in the place of one that is gone. */
    private ChildProcess startAgain(int rank) {
        ChildProcess again = start();
        assertThat(again.ask(opening(rank))).matches("incarnation=[2-9]");
        ranks.set(rank, again);
        for (ChildProcess each : ranks) {
            await().atMost(SOON).until(() -> each.ask("standing " + rank).equals("JOINED"));
        }
        again.ask("map hits 1000");
        return again;
    }

    private static List<String> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }

    private static void pass(List<ChildProcess> ranks) {
        List<CompletableFuture<String>> barriers = ranks.stream().map(rank -> rank.tell("barrier")).toList();
        assertThat(barriers).allSatisfy(barrier -> assertThat(barrier).succeedsWithin(SOON).isEqualTo("passed"));
    }

    @Test
    void ofThreeProcessesOneIsKilledAndComesBackToItsData() throws Exception {
        pass(ranks);
        LongStream.range(0, KEYS).forEach(key -> ranks.get((int) key % 3).ask("put " + key + " " + 7 * key));
        ranks.get(1).kill();
        for (int rank : new int[]{0, 2}) {
            await().atMost(SOON).until(() -> ranks.get(rank).ask("standing 1").equals("LOST"));
            assertThatExceptionOfType(ChildProcess.Failure.class)
                    .isThrownBy(() -> LongStream.range(0, KEYS).forEach(key -> ranks.get(rank).ask("find " + key)))
                    .withMessageStartingWith("RankUnreachableException: the rank has not joined, has left or has died")
                    .withMessageContaining("rank=1");
        }

        startAgain(1);
        for (ChildProcess rank : ranks) {
            LongStream.range(0, KEYS).forEach(key -> assertThat(rank.ask("find " + key)).isEqualTo("" + 7 * key));
        }
        pass(ranks);
    }

    @Test
    void aNewcomerOfAnotherHostIsRefusedWithTheReasonAndLeavesNothingBehind() throws IOException {
        ChildProcess newcomer = start();
        assertRefused(newcomer, opening(otherHost, "shop", 3, 0), "a process that joined earlier is this rank, choose"
                + " another: rank=0 incarnation=1 foundIncarnation=1");
        assertRefused(newcomer, opening(otherHost, "bank", 3, 1),
                "another world was found, choose another port or address: world=bank foundWorld=shop foundMember=");
        assertRefused(newcomer, opening(otherHost, "shop", 4, 3),
                "all processes of a world must be told the same size: size=4 foundSize=3 foundMember=");
        assertThat(files(host)).hasSize(6);
    }

    private void assertRefused(ChildProcess newcomer, String opening, String reason) throws IOException {
        assertThatExceptionOfType(ChildProcess.Failure.class).isThrownBy(() -> newcomer.ask(opening))
                .withMessageStartingWith("JoinRefusedException: " + reason);
        assertThat(files(otherHost)).isEmpty();
    }

    @Test
    void aPausedProcessWhoseRankWasTakenMeanwhileStopsAndSaysSo() throws Exception {
        ChildProcess paused = ranks.get(2);
        paused.ask("work " + KEYS);
        paused.pause();
        ChildProcess taker = start();
        // Waits until the others have given up the paused one.
        await().atMost(SOON)
                .ignoreExceptionsInstanceOf(ChildProcess.Failure.class)
                .until(() -> taker.ask(opening(otherHost, "shop", 3, 2)).equals("incarnation=1"));
        paused.resume();
        await().atMost(SOON).until(() -> paused.ask("refusal").equals("RANK_TAKEN"));
        assertThat(paused.ask("rest")).isEqualTo("fenced");
        assertThatExceptionOfType(ChildProcess.Failure.class).isThrownBy(() -> paused.ask("find 1"))
                .withMessageStartingWith("FencedException: this process takes part no more, start it anew: ")
                .withMessageEndingWith(
                        " reason=[a process that joined earlier is this rank, choose another: rank=2 incarnation=1"
                                + " foundIncarnation=1]");
        assertThat(paused.remarks()).anyMatch(line -> line.contains("takes part no more"));
        assertThat(paused.end()).isZero();
        assertThat(taker.end()).isZero();
        startAgain(2);
    }
}
